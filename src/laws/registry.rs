//! The impact laws by name, for the command line and for scenarios; a program adds its own.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::ImpactAnswer;
use super::draft::{LawDraft, Reading, Typed, described};
use crate::files::did_you_mean;
use crate::impact::friction_check::{fractional_restitution, refuse_friction};
use crate::impact::settings::{KeyRole, LawKey};
use crate::impact::{ImpactError, ImpactLaw, ImpactProblem, LawSettings};

/// One entry of a registry: a law by name, with the keys of its settings.
#[derive(Clone)]
pub struct LawEntry {
    /// The name used on the command line and in scenarios.
    pub name: &'static str,
    /// What the law is, in one line.
    pub summary: &'static str,
    keys: Arc<[LawKey]>,
    start: Arc<dyn Fn() -> Box<dyn Reading> + Send + Sync>,
}

impl LawEntry {
    /// The law that `make` builds from its settings, under the name and with the summary that they say.
    #[must_use]
    pub fn new<S, L, F>(make: F) -> Self
    where
        S: LawSettings,
        L: ImpactLaw,
        F: Fn(S) -> Result<L, ImpactError> + Send + Sync + 'static,
    {
        let make = Arc::new(make);
        Self {
            name: S::LAW,
            summary: S::SUMMARY,
            keys: described::<S>(),
            start: Arc::new(move || {
                Box::new(Typed {
                    settings: S::default(),
                    make: Arc::clone(&make),
                })
            }),
        }
    }

    /// The keys of its settings, in the order of lists and messages.
    #[must_use]
    pub fn keys(&self) -> &[LawKey] {
        &self.keys
    }

    /// The key of this name.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&LawKey> {
        self.keys.iter().find(|key| key.name == name)
    }

    /// The key of this role; of several, the first.
    #[must_use]
    pub fn key_of(&self, role: KeyRole) -> Option<&LawKey> {
        self.keys.iter().find(|key| key.role == role)
    }

    /// The key and its value with which the law lists every outcome that it can, if there is one.
    #[must_use]
    pub fn exhaustive(&self) -> Option<(&LawKey, &'static str)> {
        let mut keys = self.keys.iter();
        keys.find_map(|key| Some((key, key.lists_all?)))
    }

    /// The law's default settings, to be set from texts.
    #[must_use]
    pub fn draft(&self) -> LawDraft {
        LawDraft::new(self.clone(), (self.start)())
    }

    /// The law with its default settings.
    ///
    /// # Errors
    /// Those of the law's constructor.
    pub fn build(&self) -> Result<Box<dyn ImpactLaw>, ImpactError> {
        self.draft().build()
    }
}

impl fmt::Debug for LawEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LawEntry")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The laws that names stand for.
///
/// ```
/// use carom::impact::Plastic;
/// use carom::laws::{LawEntry, LawRegistry};
///
/// let mut laws = LawRegistry::empty();
/// let own = LawEntry::new(Plastic::new);
/// laws.register(own.clone())?;
/// assert_eq!(laws.get("plastic")?.build()?.name(), "plastic");
/// assert!(laws.register(own).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LawRegistry {
    entries: Vec<LawEntry>,
}

impl Default for LawRegistry {
    fn default() -> Self {
        Self::standard()
    }
}

impl LawRegistry {
    /// No law.
    #[must_use]
    pub fn empty() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// Every law of this library, in the order of tables and help texts.
    #[must_use]
    pub fn standard() -> Self {
        macro_rules! entries {
            ($($law:ident),*) => { vec![$(LawEntry::new(crate::impact::$law::new)),*] };
        }
        let entries = crate::every_law!(entries);
        Self { entries }
    }

    /// Adds a law.
    ///
    /// # Errors
    /// A law of that name is there already.
    pub fn register(&mut self, entry: LawEntry) -> Result<(), DuplicateLawError> {
        if self.entries.iter().any(|known| known.name == entry.name) {
            return Err(DuplicateLawError { name: entry.name });
        }
        self.entries.push(entry);
        Ok(())
    }

    /// The laws in the order in which they were added.
    #[must_use]
    pub fn entries(&self) -> &[LawEntry] {
        &self.entries
    }

    /// The law of this name.
    ///
    /// # Errors
    /// No law has the name; the message suggests the nearest one.
    pub fn get(&self, name: &str) -> Result<&LawEntry, UnknownLawError> {
        let found = self.entries.iter().find(|law| law.name == name);
        found.ok_or_else(|| UnknownLawError {
            name: name.to_string(),
            known: self.entries.iter().map(|law| law.name).collect(),
        })
    }
}

/// A name that no law has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "there is no impact law \"{name}\"{}; the laws are {}",
    did_you_mean(.name, .known.iter().copied()),
    .known.join(", ")
)]
pub struct UnknownLawError {
    /// The name that was asked for.
    pub name: String,
    /// The names that there are.
    pub known: Vec<&'static str>,
}

/// Two laws of one name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("there is a law \"{name}\" already; give the new one another name")]
pub struct DuplicateLawError {
    /// The name.
    pub name: &'static str,
}

/// What a law says about a problem, in the names of the problem.
///
/// # Errors
/// The law does not cover the problem, did not converge, or overflowed.
pub fn answer(
    law: &mut dyn ImpactLaw,
    name: &str,
    problem: &ImpactProblem,
) -> Result<ImpactAnswer, ImpactError> {
    if !law.properties().friction {
        refuse_friction(law.name(), problem)?;
    }
    let resolution = law.resolve(problem)?;
    ImpactAnswer::new(name, problem, resolution)
}

/// A note when contacts have a restitution between 0 and 1 that the law does not use.
#[must_use]
pub fn unused_restitution(law: &dyn ImpactLaw, problem: &ImpactProblem) -> Option<String> {
    if law.properties().restitution {
        return None;
    }
    let (name, restitution) = fractional_restitution(problem).next()?;
    Some(format!(
        "law \"{}\" does not use restitution: the {restitution} of contact \"{name}\" has no effect",
        law.name()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_answers_to_its_name_and_takes_the_defaults_that_it_lists() {
        for entry in LawRegistry::standard().entries() {
            assert_eq!(entry.build().unwrap().name(), entry.name);
            for key in entry.keys() {
                let mut draft = entry.draft();
                assert!(!key.meaning.is_empty());
                // A key without a default leaves the choice to the law: there is no text for that.
                if !key.default.is_empty() {
                    draft.set(key.name, &key.default).unwrap();
                }
                let nonsense = draft.set(key.name, ",").unwrap_err().to_string();
                for said in [key.name, entry.name, "\",\"", &key.wanted()] {
                    assert!(nonsense.contains(said), "{nonsense}");
                }
            }
        }
    }

    #[test]
    fn misspelt_key_is_answered_with_the_nearest_one() {
        let laws = LawRegistry::standard();
        let mut draft = laws.get("propagative").unwrap().draft();
        let error = draft.set("tolerence", "0").unwrap_err().to_string();
        for said in [
            "propagative",
            "tolerence",
            "did you mean \"tolerance\"?",
            "max_words",
        ] {
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn misspelt_law_is_answered_with_the_nearest_name() {
        let Err(error) = LawRegistry::standard().get("propogative").map(|_| ()) else {
            panic!("there is no such law");
        };
        assert!(
            error.to_string().contains("did you mean \"propagative\"?"),
            "{error}"
        );
    }
}
