//! Typed settings of a law, and how a text becomes one of them.

use std::time::Duration;

use super::setting_key::{Field, KeyValues, LawKey, SettingKey, in_figures};
use crate::impact::ImpactError;

/// The settings of a law: a plain struct, and the keys under which texts and files set its fields.
///
/// ```
/// # use carom_mechanics as carom;
/// use carom::impact::LawSettings;
/// use carom::impact::settings::{NumberRange, SettingKey};
///
/// #[derive(Debug, Clone)]
/// struct Bounce {
///     /// Share of the approach speed that comes back.
///     share: f64,
/// }
///
/// impl Default for Bounce {
///     fn default() -> Self {
///         Self { share: 0.5 }
///     }
/// }
///
/// impl LawSettings for Bounce {
///     const LAW: &'static str = "bounce";
///     const SUMMARY: &'static str = "bounces by a share";
///     const KEYS: &'static [SettingKey<Self>] = &[SettingKey::number(
///         "share",
///         "share of the approach speed that comes back",
///         NumberRange::between(0.0, 1.0),
///         |s| &mut s.share,
///     )];
/// }
///
/// assert!(Bounce { share: 0.3 }.check().is_ok());
/// let error = Bounce { share: 3.0 }.check().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "law \"bounce\": parameter share: 3 is not a number from 0 to 1"
/// );
/// ```
pub trait LawSettings: Clone + Default + Send + Sync + 'static {
    /// The name of the law that takes them.
    const LAW: &'static str;

    /// What the law is, in a line of lists and help texts.
    const SUMMARY: &'static str;

    /// Every key, in the order of lists and messages.
    const KEYS: &'static [SettingKey<Self>];

    /// Whether every field lies in the range that its key declares.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for the first field out of its range.
    fn check(&self) -> Result<(), ImpactError> {
        let mut copy = self.clone();
        Self::KEYS.iter().try_for_each(|key| key.check(&mut copy))
    }
}

impl<S: LawSettings> SettingKey<S> {
    /// The key as lists and messages show it.
    #[must_use]
    pub fn describe(&self) -> LawKey {
        LawKey {
            name: self.name,
            unit: self.unit,
            meaning: self.meaning,
            values: self.values,
            role: self.role,
            lists_all: self.lists_all,
            default: self.read(&mut S::default()),
        }
    }

    /// Sets the field from a text; the settings stay as they are when it is refused.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a text that is no value of this key.
    pub fn write(&self, settings: &mut S, text: &str) -> Result<(), ImpactError> {
        let text = text.trim();
        self.read_into(settings, text)
            .ok_or_else(|| self.refuse(&format!("\"{text}\"")))
    }

    fn read_into(&self, settings: &mut S, text: &str) -> Option<()> {
        match &self.field {
            Field::Switch(at) => *at(settings) = text.parse().ok()?,
            Field::Whole(at) => *at(settings) = self.whole_number(text)?,
            Field::Count(at) => *at(settings) = usize::try_from(self.whole_number(text)?).ok()?,
            Field::Number(at) => *at(settings) = self.real_number(text)?,
            Field::Open(at) => *at(settings) = self.open_number_or_word(text)?,
            Field::Seconds(at) => {
                let seconds = self.open_number_or_word(text)?;
                *at(settings) = seconds.map(Duration::from_secs_f64);
            }
            Field::Word(_, write) => {
                let KeyValues::Words(words) = self.values else {
                    return None;
                };
                write(settings, words.iter().position(|word| *word == text)?);
            }
            Field::Contacts(_, write) => {
                let words: Vec<String> = text.split(',').map(|w| w.trim().to_string()).collect();
                if words.iter().any(String::is_empty) {
                    return None;
                }
                write(settings, words);
            }
        }
        Some(())
    }

    fn whole_number(&self, text: &str) -> Option<u64> {
        text.parse().ok().filter(|n| self.takes_whole(*n))
    }

    fn real_number(&self, text: &str) -> Option<f64> {
        text.parse().ok().filter(|x| self.takes_number(*x))
    }

    fn open_number_or_word(&self, text: &str) -> Option<Option<f64>> {
        match self.values {
            KeyValues::Number { open, .. } if open == Some(text) => Some(None),
            _ => self.real_number(text).map(Some),
        }
    }

    fn takes_whole(&self, n: u64) -> bool {
        match self.values {
            KeyValues::Whole { least, most, even } => {
                (least..=most).contains(&n) && !(even && n % 2 == 1)
            }
            _ => false,
        }
    }

    fn takes_number(&self, x: f64) -> bool {
        match self.values {
            KeyValues::Number { range, .. } => range.holds(x),
            _ => false,
        }
    }

    /// Checks the field; `&mut` only because that is how fields are reached.
    fn check(&self, settings: &mut S) -> Result<(), ImpactError> {
        let fits = match &self.field {
            Field::Switch(_) | Field::Word(..) | Field::Contacts(..) => true,
            Field::Whole(at) => self.takes_whole(*at(settings)),
            Field::Count(at) => self.takes_whole(*at(settings) as u64),
            Field::Number(at) => self.takes_number(*at(settings)),
            Field::Open(at) => at(settings).is_none_or(|x| self.takes_number(x)),
            Field::Seconds(at) => at(settings).is_none_or(|t| self.takes_number(t.as_secs_f64())),
        };
        if fits {
            return Ok(());
        }
        Err(self.refuse(&self.read(settings)))
    }

    /// The value of the field as text.
    fn read(&self, settings: &mut S) -> String {
        let open = |x: Option<f64>| match (x, self.values) {
            (Some(x), _) => in_figures(x),
            (None, KeyValues::Number { open, .. }) => open.unwrap_or_default().to_string(),
            (None, _) => String::new(),
        };
        match &self.field {
            Field::Switch(at) => at(settings).to_string(),
            Field::Whole(at) => at(settings).to_string(),
            Field::Count(at) => at(settings).to_string(),
            Field::Number(at) => open(Some(*at(settings))),
            Field::Open(at) => open(*at(settings)),
            Field::Seconds(at) => open(at(settings).map(|t| t.as_secs_f64())),
            Field::Word(read, _) => read(settings).to_string(),
            Field::Contacts(read, _) => read(settings).join(","),
        }
    }

    fn refuse(&self, value: &str) -> ImpactError {
        ImpactError::Parameter {
            law: S::LAW,
            parameter: self.name.to_string(),
            reason: format!("{value} is not {}", self.values.in_words(self.unit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{NumberRange, SettingKey};
    use super::*;

    #[derive(Debug, Clone, PartialEq)]
    struct Trial {
        share: f64,
        facets: usize,
        step: Option<f64>,
        limit: Option<Duration>,
        all: bool,
        word: &'static str,
        contacts: Vec<String>,
    }

    impl Default for Trial {
        fn default() -> Self {
            Self {
                share: 0.5,
                facets: 8,
                step: None,
                limit: None,
                all: false,
                word: "one",
                contacts: Vec::new(),
            }
        }
    }

    const WORDS: &[&str] = &["one", "two"];

    type Key = SettingKey<Trial>;

    impl LawSettings for Trial {
        const LAW: &'static str = "trial";
        const SUMMARY: &'static str = "nothing";
        const KEYS: &'static [Key] = &[
            Key::number(
                "share",
                "a share",
                NumberRange::above(0.0).and_below(1.0),
                |s| &mut s.share,
            ),
            Key::count("facets", "facets", [4, 64], |s| &mut s.facets).even(),
            Key::open_number("step", "a step", NumberRange::above(0.0), "auto", |s| {
                &mut s.step
            })
            .in_unit("N s"),
            Key::seconds("limit", "a limit", NumberRange::at_least(0.0), |s| {
                &mut s.limit
            }),
            Key::switch("all", "all", |s| &mut s.all),
            Key::word(
                "word",
                "a word",
                WORDS,
                |s| s.word,
                |s, i| s.word = WORDS[i],
            ),
            Key::contacts(
                "contacts",
                "an order",
                |s| s.contacts.clone(),
                |s, words| s.contacts = words,
            ),
        ];
    }

    fn set(settings: &mut Trial, name: &str, text: &str) -> Result<(), String> {
        let key = Trial::KEYS.iter().find(|k| k.describe().name == name);
        key.unwrap()
            .write(settings, text)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn texts_set_the_fields_of_their_keys() {
        let mut s = Trial::default();
        for (name, text) in [
            ("share", " 0.25 "),
            ("facets", "10"),
            ("step", "1e-3"),
            ("limit", "2"),
            ("all", "true"),
            ("word", "two"),
            ("contacts", "A, B"),
        ] {
            set(&mut s, name, text).unwrap();
        }
        let expected = Trial {
            share: 0.25,
            facets: 10,
            step: Some(1e-3),
            limit: Some(Duration::from_secs(2)),
            all: true,
            word: "two",
            contacts: vec!["A".to_string(), "B".to_string()],
        };
        assert_eq!(s, expected);
        set(&mut s, "step", "auto").unwrap();
        set(&mut s, "limit", "none").unwrap();
        assert_eq!((s.step, s.limit), (None, None));
    }

    #[test]
    fn refused_values_change_nothing_and_are_named_with_what_is_wanted() {
        let mut s = Trial::default();
        for (name, text, wanted) in [
            ("share", "0", "a number above 0 and below 1"),
            ("share", "1", "a number above 0 and below 1"),
            ("share", "NaN", "a number above 0 and below 1"),
            ("share", "half", "a number above 0 and below 1"),
            ("facets", "7", "an even number from 4 to 64"),
            ("facets", "66", "an even number from 4 to 64"),
            ("facets", "4.0", "an even number from 4 to 64"),
            ("step", "inf", "a number (N s) above 0, or auto"),
            ("limit", "-1", "a number (s) from 0, or none"),
            ("all", "yes", "true or false"),
            ("word", "three", "one of one, two"),
            ("contacts", "A,,B", "contacts by name or index, as in A,B"),
        ] {
            let error = set(&mut s, name, text).unwrap_err();
            let expected = format!("law \"trial\": parameter {name}: \"{text}\" is not {wanted}");
            assert_eq!(error, expected);
        }
        assert_eq!(s, Trial::default());
    }

    #[test]
    fn settings_from_code_are_held_to_the_same_ranges() {
        Trial::default().check().unwrap();
        let wrong = [
            Trial {
                share: f64::NAN,
                ..Trial::default()
            },
            Trial {
                facets: 5,
                ..Trial::default()
            },
            Trial {
                step: Some(-1.0),
                ..Trial::default()
            },
        ];
        for (settings, name) in wrong.iter().zip(["share: NaN", "facets: 5", "step: -1"]) {
            let error = settings.check().unwrap_err().to_string();
            assert!(
                error.contains(&format!("parameter {name} is not ")),
                "{error}"
            );
        }
    }

    #[test]
    fn small_and_large_numbers_are_written_with_an_exponent() {
        for (x, text) in [
            (0.0, "0"),
            (0.035, "0.035"),
            (1e-10, "1e-10"),
            (1e9, "1e9"),
            (-2.5, "-2.5"),
        ] {
            assert_eq!(in_figures(x), text);
            assert_eq!(text.parse(), Ok(x));
        }
    }

    #[test]
    fn descriptions_give_the_defaults() {
        let defaults: Vec<String> = Trial::KEYS.iter().map(|k| k.describe().default).collect();
        assert_eq!(defaults, ["0.5", "8", "auto", "none", "false", "one", ""]);
    }
}
