//! The impact laws by name, for the command line and for scenarios; a program adds its own.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::ImpactAnswer;
use super::nearest_name::did_you_mean;
use crate::impact::{
    AnitescuPotra, ImpactError, ImpactLaw, ImpactProblem, MaxDissipation, Plastic, Plus,
    PlusParameters, Propagative, Routh, RouthSettings, Sequential, Stronge,
};

/// One entry of a registry.
#[derive(Clone)]
pub struct LawEntry {
    /// The name used on the command line and in scenarios.
    pub name: &'static str,
    /// What the law is, in one line.
    pub summary: &'static str,
    /// The parameters that [`ImpactLaw::set_parameter`] knows.
    pub parameters: &'static [&'static str],
    /// The setting that makes the law list every outcome it can, if there is one.
    pub exhaustive: Option<(&'static str, &'static str)>,
    build: Arc<dyn Fn() -> Box<dyn ImpactLaw> + Send + Sync>,
}

impl LawEntry {
    /// A law under the name that it says, made by `build` with its default parameters.
    #[must_use]
    pub fn new(
        summary: &'static str,
        parameters: &'static [&'static str],
        build: impl Fn() -> Box<dyn ImpactLaw> + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: build().name(),
            summary,
            parameters,
            exhaustive: None,
            build: Arc::new(build),
        }
    }

    /// The same with the setting that makes the law list every outcome it can.
    #[must_use]
    pub fn listing_all_by(mut self, parameter: &'static str, value: &'static str) -> Self {
        self.exhaustive = Some((parameter, value));
        self
    }

    /// The law with its default parameters.
    #[must_use]
    pub fn build(&self) -> Box<dyn ImpactLaw> {
        (self.build)()
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
/// use carom::study::{LawEntry, LawRegistry};
///
/// let mut laws = LawRegistry::empty();
/// let own = LawEntry::new("a law of one's own", Plastic::PARAMETERS, || Box::<Plastic>::default());
/// laws.register(own.clone())?;
/// assert_eq!(laws.get("plastic")?.build().name(), "plastic");
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
        let entries = vec![
            LawEntry::new(
                "every contact reflects the momentum in turn, until none is violated (Seghete & Murphey)",
                Propagative::PARAMETERS,
                || Box::<Propagative>::default(),
            )
            .listing_all_by("all", "true"),
            LawEntry::new(
                "the nearest momentum that penetrates nothing",
                Plastic::PARAMETERS,
                || Box::<Plastic>::default(),
            ),
            LawEntry::new(
                "single contacts with friction and energetic restitution (Jia & Wang)",
                Stronge::PARAMETERS,
                || Box::<Stronge>::default(),
            ),
            LawEntry::new(
                "inelastic impact with friction that dissipates most (Preclik, Eibl & Ruede)",
                MaxDissipation::PARAMETERS,
                || Box::<MaxDissipation>::default(),
            ),
            LawEntry::new(
                "rounds of compression and expansion with friction (Uchida, Sherman & Delp)",
                PlusParameters::NAMES,
                || Box::<Plus>::default(),
            ),
            LawEntry::new(
                "the set of outcomes when impulses grow at arbitrary rates (Halm & Posa)",
                RouthSettings::PARAMETERS,
                || Box::<Routh>::default(),
            ),
            LawEntry::new(
                "simultaneous inelastic impact with friction as one complementarity problem",
                AnitescuPotra::PARAMETERS,
                || Box::<AnitescuPotra>::default(),
            )
            .listing_all_by("all", "true"),
            LawEntry::new(
                "inelastic impacts with friction one contact at a time, in a cyclic order",
                Sequential::PARAMETERS,
                || Box::<Sequential>::default(),
            )
            .listing_all_by("sequence", "all"),
        ];
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

/// Refuses friction that the law would ignore.
fn check_friction(law: &dyn ImpactLaw, problem: &ImpactProblem) -> Result<(), ImpactError> {
    if law.properties().friction {
        return Ok(());
    }
    let contacts = problem.contact_space().contacts.iter();
    match contacts
        .zip(problem.names())
        .find(|(c, _)| c.friction > 0.0)
    {
        None => Ok(()),
        Some((contact, name)) => Err(ImpactError::Unsupported {
            law: law.name(),
            reason: format!(
                "it has no friction, and contact \"{name}\" has a coefficient of {}; set it to 0 or choose a law with friction",
                contact.friction
            ),
        }),
    }
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
    check_friction(law, problem)?;
    let resolution = law.resolve(problem)?;
    ImpactAnswer::new(name, problem, resolution)
}

/// A note when contacts have a restitution between 0 and 1 that the law does not use.
#[must_use]
pub fn unused_restitution(law: &dyn ImpactLaw, problem: &ImpactProblem) -> Option<String> {
    if law.properties().restitution {
        return None;
    }
    let contacts = problem.contact_space().contacts.iter();
    let (contact, name) = contacts
        .zip(problem.names())
        .find(|(c, _)| c.restitution > 0.0 && c.restitution < 1.0)?;
    Some(format!(
        "law \"{}\" does not use restitution: the {} of contact \"{name}\" has no effect",
        law.name(),
        contact.restitution
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_answers_to_its_name_and_knows_exactly_its_listed_parameters() {
        for entry in LawRegistry::standard().entries() {
            let mut law = entry.build();
            assert_eq!(law.name(), entry.name);
            let mut refusal = |name: &str| match law.set_parameter(name, "nonsense") {
                Err(ImpactError::Parameter { reason, .. }) => Some(reason),
                _ => None,
            };
            let unknown = refusal("no_such_parameter").unwrap();
            let mut words: Vec<&str> = unknown
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .collect();
            for parameter in entry.parameters {
                assert_ne!(refusal(parameter).as_ref(), Some(&unknown), "{parameter}");
                assert!(words.contains(parameter), "{parameter}: {unknown}");
                words.retain(|word| word != parameter);
            }
            let forgotten: Vec<&&str> = words.iter().filter(|word| word.contains('_')).collect();
            assert!(forgotten.is_empty(), "{}: {forgotten:?}", entry.name);
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
