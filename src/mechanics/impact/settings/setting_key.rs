//! The keys under which texts and files set the settings of a law.
//!
//! A law declares each of its keys once: name, unit, meaning, allowed values and the field that it sets. Reading
//! texts, checking ranges, messages and help are the same for all laws, and are here.

use std::fmt;
use std::time::Duration;

/// What a key is for, beside setting its field: runs and comparisons set some keys themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyRole {
    /// Nothing else.
    Plain,
    /// The order in which contacts are treated; scenarios set it by `impact.order`.
    Order,
    /// The seed of what is drawn at random; scenarios set it by `impact.seed`.
    Seed,
    /// How many samples one answer draws. An impact of a run draws one, so scenarios do not set it.
    Samples,
    /// What makes the extents of a set of samples finer. A comparison of laws sets it to 0.
    Refinement,
}

/// An interval of numbers; infinity stands for no end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberRange {
    least: f64,
    most: f64,
    least_excluded: bool,
    most_excluded: bool,
}

impl NumberRange {
    /// \[least, most\].
    #[must_use]
    pub const fn between(least: f64, most: f64) -> Self {
        Self {
            least,
            most,
            least_excluded: false,
            most_excluded: false,
        }
    }

    /// \[least, ∞).
    #[must_use]
    pub const fn at_least(least: f64) -> Self {
        Self::between(least, f64::INFINITY)
    }

    /// (least, ∞).
    #[must_use]
    pub const fn above(least: f64) -> Self {
        Self {
            least_excluded: true,
            ..Self::at_least(least)
        }
    }

    /// The same interval without its upper end, `most`.
    #[must_use]
    pub const fn and_below(self, most: f64) -> Self {
        Self {
            most,
            most_excluded: true,
            ..self
        }
    }

    /// The same interval up to `most`.
    #[must_use]
    pub const fn up_to(self, most: f64) -> Self {
        Self {
            most,
            most_excluded: false,
            ..self
        }
    }

    /// Whether a finite number lies in the interval.
    #[must_use]
    pub fn holds(&self, x: f64) -> bool {
        let below = x < self.least || (self.least_excluded && x == self.least);
        let beyond = x > self.most || (self.most_excluded && x == self.most);
        x.is_finite() && !below && !beyond
    }
}

/// In words that follow "a number".
impl fmt::Display for NumberRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = if self.least_excluded { "above" } else { "from" };
        write!(f, "{first} {}", in_figures(self.least))?;
        match (self.most.is_finite(), self.most_excluded) {
            (false, _) => Ok(()),
            (true, true) => write!(f, " and below {}", in_figures(self.most)),
            (true, false) => write!(f, " to {}", in_figures(self.most)),
        }
    }
}

/// A number as a person would write it: with an exponent where there would be many zeros.
pub(crate) fn in_figures(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-4..1e6).contains(&x.abs()) {
        x.to_string()
    } else {
        format!("{x:e}")
    }
}

/// The values that a key takes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum KeyValues {
    /// `true` or `false`.
    Switch,
    /// A whole number.
    Whole {
        /// The least.
        least: u64,
        /// The most; `u64::MAX` for no limit.
        most: u64,
        /// Whether it must be even.
        even: bool,
    },
    /// A number.
    Number {
        /// Where it may lie.
        range: NumberRange,
        /// The word for leaving the choice to the law, if there is one.
        open: Option<&'static str>,
    },
    /// One of several words.
    Words(&'static [&'static str]),
    /// Contacts by name or index, with commas between them.
    Contacts,
}

impl KeyValues {
    /// In words that follow "it is" and "it is not"; the unit is empty for words and pure numbers.
    #[must_use]
    pub fn in_words(&self, unit: &str) -> String {
        match self {
            Self::Switch => "true or false".to_string(),
            Self::Whole { least, most, even } => {
                let kind = if *even { "an even" } else { "a whole" };
                match *most {
                    u64::MAX => format!("{kind} number from {least}"),
                    most => format!("{kind} number from {least} to {most}"),
                }
            }
            Self::Number { range, open } => {
                let number = match unit {
                    "" => format!("a number {range}"),
                    unit => format!("a number ({unit}) {range}"),
                };
                open.map_or(number.clone(), |word| format!("{number}, or {word}"))
            }
            Self::Words(words) => format!("one of {}", words.join(", ")),
            Self::Contacts => "contacts by name or index, as in A,B".to_string(),
        }
    }
}

/// A key of a law, as lists and messages show it.
#[derive(Debug, Clone, PartialEq)]
pub struct LawKey {
    /// Its name on the command line, in problem files and in scenarios.
    pub name: &'static str,
    /// Its unit; empty for words and pure numbers.
    pub unit: &'static str,
    /// What it sets, in one line.
    pub meaning: &'static str,
    /// What it takes.
    pub values: KeyValues,
    /// What else it is for.
    pub role: KeyRole,
    /// The value with which the law lists every outcome that it can, if this key does that.
    pub lists_all: Option<&'static str>,
    /// Its value when nothing sets it, as text; empty for "none".
    pub default: String,
}

impl LawKey {
    /// What the key takes, with its unit, in words that follow "it is" and "it is not".
    #[must_use]
    pub fn wanted(&self) -> String {
        self.values.in_words(self.unit)
    }
}

/// The field of the settings `S` that a key sets.
#[derive(Debug)]
pub(crate) enum Field<S> {
    Switch(fn(&mut S) -> &mut bool),
    Whole(fn(&mut S) -> &mut u64),
    Count(fn(&mut S) -> &mut usize),
    Number(fn(&mut S) -> &mut f64),
    Open(fn(&mut S) -> &mut Option<f64>),
    Seconds(fn(&mut S) -> &mut Option<Duration>),
    Word(fn(&S) -> &'static str, fn(&mut S, usize)),
    Contacts(fn(&S) -> Vec<String>, fn(&mut S, Vec<String>)),
}

/// A key of the settings `S`: what it is called, what it takes, and the field that it sets.
///
/// See [`LawSettings`](crate::impact::LawSettings) for an example.
#[derive(Debug)]
pub struct SettingKey<S> {
    pub(crate) name: &'static str,
    pub(crate) unit: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) values: KeyValues,
    pub(crate) role: KeyRole,
    pub(crate) lists_all: Option<&'static str>,
    pub(crate) field: Field<S>,
}

impl<S> SettingKey<S> {
    const fn new(
        name: &'static str,
        meaning: &'static str,
        values: KeyValues,
        field: Field<S>,
    ) -> Self {
        Self {
            name,
            unit: "",
            meaning,
            values,
            role: KeyRole::Plain,
            lists_all: None,
            field,
        }
    }

    /// A switch.
    #[must_use]
    pub const fn switch(
        name: &'static str,
        meaning: &'static str,
        field: fn(&mut S) -> &mut bool,
    ) -> Self {
        Self::new(name, meaning, KeyValues::Switch, Field::Switch(field))
    }

    /// A whole number from `least` to `most`.
    #[must_use]
    pub const fn whole(
        name: &'static str,
        meaning: &'static str,
        [least, most]: [u64; 2],
        field: fn(&mut S) -> &mut u64,
    ) -> Self {
        let values = KeyValues::Whole {
            least,
            most,
            even: false,
        };
        Self::new(name, meaning, values, Field::Whole(field))
    }

    /// The seed of a law that draws, under the name `seed`.
    #[must_use]
    pub const fn seed(meaning: &'static str, field: fn(&mut S) -> &mut u64) -> Self {
        Self::whole("seed", meaning, [0, u64::MAX], field).with_role(KeyRole::Seed)
    }

    /// A count from `least` to `most`.
    #[must_use]
    pub const fn count(
        name: &'static str,
        meaning: &'static str,
        [least, most]: [u64; 2],
        field: fn(&mut S) -> &mut usize,
    ) -> Self {
        let values = KeyValues::Whole {
            least,
            most,
            even: false,
        };
        Self::new(name, meaning, values, Field::Count(field))
    }

    /// A number in a range.
    #[must_use]
    pub const fn number(
        name: &'static str,
        meaning: &'static str,
        range: NumberRange,
        field: fn(&mut S) -> &mut f64,
    ) -> Self {
        let values = KeyValues::Number { range, open: None };
        Self::new(name, meaning, values, Field::Number(field))
    }

    /// A number in a range, or `None` under the word `open`, which leaves it to the law.
    #[must_use]
    pub const fn open_number(
        name: &'static str,
        meaning: &'static str,
        range: NumberRange,
        open: &'static str,
        field: fn(&mut S) -> &mut Option<f64>,
    ) -> Self {
        let values = KeyValues::Number {
            range,
            open: Some(open),
        };
        Self::new(name, meaning, values, Field::Open(field))
    }

    /// A wall time \[s\] in a range, or `None` under the word `none`.
    #[must_use]
    pub const fn seconds(
        name: &'static str,
        meaning: &'static str,
        range: NumberRange,
        field: fn(&mut S) -> &mut Option<Duration>,
    ) -> Self {
        let values = KeyValues::Number {
            range,
            open: Some("none"),
        };
        Self::new(name, meaning, values, Field::Seconds(field)).in_unit("s")
    }

    /// One of several words: `read` says the one in force, `write` takes the place of the new one among `words`.
    #[must_use]
    pub const fn word(
        name: &'static str,
        meaning: &'static str,
        words: &'static [&'static str],
        read: fn(&S) -> &'static str,
        write: fn(&mut S, usize),
    ) -> Self {
        let field = Field::Word(read, write);
        Self::new(name, meaning, KeyValues::Words(words), field)
    }

    /// A list of contacts by name or index; none for an empty one.
    #[must_use]
    pub const fn contacts(
        name: &'static str,
        meaning: &'static str,
        read: fn(&S) -> Vec<String>,
        write: fn(&mut S, Vec<String>),
    ) -> Self {
        let field = Field::Contacts(read, write);
        Self::new(name, meaning, KeyValues::Contacts, field)
    }

    /// The same with a unit.
    #[must_use]
    pub const fn in_unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }

    /// The same for even numbers only; says nothing about other kinds of keys.
    #[must_use]
    pub const fn even(mut self) -> Self {
        if let KeyValues::Whole { least, most, .. } = self.values {
            self.values = KeyValues::Whole {
                least,
                most,
                even: true,
            };
        }
        self
    }

    /// The same with a role.
    #[must_use]
    pub const fn with_role(mut self, role: KeyRole) -> Self {
        self.role = role;
        self
    }

    /// The same, where the law lists every outcome that it can when the key has this value.
    #[must_use]
    pub const fn listing_all_by(mut self, value: &'static str) -> Self {
        self.lists_all = Some(value);
        self
    }
}
