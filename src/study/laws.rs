//! The impact laws by name, for the command line and for scenarios.

use thiserror::Error;

use super::ImpactAnswer;
use super::nearest_name::did_you_mean;
use crate::impact::{
    AnitescuPotra, ImpactError, ImpactLaw, ImpactProblem, MaxDissipation, Plastic, Plus,
    PlusParameters, Propagative, Routh, RouthSettings, Sequential, Stronge,
};

/// One entry of the registry.
#[derive(Clone, Copy)]
pub struct LawEntry {
    /// The name used on the command line and in scenarios.
    pub name: &'static str,
    /// What the law is, in one line.
    pub summary: &'static str,
    /// The parameters that [`ImpactLaw::set_parameter`] knows.
    pub parameters: &'static [&'static str],
    /// The setting that makes the law list every outcome it can, if there is one.
    pub exhaustive: Option<(&'static str, &'static str)>,
    build: fn() -> Box<dyn ImpactLaw>,
}

impl LawEntry {
    /// The law with its default parameters.
    #[must_use]
    pub fn build(&self) -> Box<dyn ImpactLaw> {
        (self.build)()
    }
}

/// Every law, in the order of tables and help texts.
pub const LAWS: &[LawEntry] = &[
    LawEntry {
        name: "propagative",
        summary: "every contact reflects the momentum in turn, until none is violated (Seghete & Murphey)",
        parameters: Propagative::PARAMETERS,
        exhaustive: Some(("all", "true")),
        build: || Box::<Propagative>::default(),
    },
    LawEntry {
        name: "plastic",
        summary: "the nearest momentum that penetrates nothing",
        parameters: Plastic::PARAMETERS,
        exhaustive: None,
        build: || Box::<Plastic>::default(),
    },
    LawEntry {
        name: "stronge",
        summary: "single contacts with friction and energetic restitution (Jia & Wang)",
        parameters: Stronge::PARAMETERS,
        exhaustive: None,
        build: || Box::<Stronge>::default(),
    },
    LawEntry {
        name: "max-dissipation",
        summary: "inelastic impact with friction that dissipates most (Preclik, Eibl & Ruede)",
        parameters: MaxDissipation::PARAMETERS,
        exhaustive: None,
        build: || Box::<MaxDissipation>::default(),
    },
    LawEntry {
        name: "plus",
        summary: "rounds of compression and expansion with friction (Uchida, Sherman & Delp)",
        parameters: PlusParameters::NAMES,
        exhaustive: None,
        build: || Box::<Plus>::default(),
    },
    LawEntry {
        name: "routh",
        summary: "the set of outcomes when impulses grow at arbitrary rates (Halm & Posa)",
        parameters: RouthSettings::PARAMETERS,
        exhaustive: None,
        build: || Box::<Routh>::default(),
    },
    LawEntry {
        name: "anitescu-potra",
        summary: "simultaneous inelastic impact with friction as one complementarity problem",
        parameters: AnitescuPotra::PARAMETERS,
        exhaustive: Some(("all", "true")),
        build: || Box::<AnitescuPotra>::default(),
    },
    LawEntry {
        name: "sequential",
        summary: "inelastic impacts with friction one contact at a time, in a cyclic order",
        parameters: Sequential::PARAMETERS,
        exhaustive: Some(("sequence", "all")),
        build: || Box::<Sequential>::default(),
    },
];

/// A name that no law has.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "there is no impact law \"{name}\"{}; the laws are {}",
    did_you_mean(.name, LAWS.iter().map(|law| law.name)),
    law_names()
)]
pub struct UnknownLawError {
    /// The name that was asked for.
    pub name: String,
}

/// The law of this name.
///
/// # Errors
/// No law has the name; the message suggests the nearest one.
pub fn law_by_name(name: &str) -> Result<&'static LawEntry, UnknownLawError> {
    LAWS.iter()
        .find(|law| law.name == name)
        .ok_or_else(|| UnknownLawError {
            name: name.to_string(),
        })
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

fn law_names() -> String {
    let names: Vec<&str> = LAWS.iter().map(|law| law.name).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_law_answers_to_its_name_and_knows_exactly_its_listed_parameters() {
        for entry in LAWS {
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
        let Err(error) = law_by_name("propogative") else {
            panic!("there is no such law");
        };
        assert!(
            error.to_string().contains("did you mean \"propagative\"?"),
            "{error}"
        );
    }
}
