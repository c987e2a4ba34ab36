//! The impact laws by name, for the command line and for scenarios.

use thiserror::Error;

use super::nearest_name::did_you_mean;
use crate::impact::{ImpactError, ImpactLaw, ImpactProblem};

/// One entry of the registry.
#[derive(Clone, Copy)]
pub struct LawEntry {
    /// The name used on the command line and in scenarios.
    pub name: &'static str,
    /// What the law is, in one line.
    pub summary: &'static str,
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
pub const LAWS: &[LawEntry] = &[];

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

/// The law of this name with its default parameters.
///
/// # Errors
/// No law has the name; the message suggests the nearest one.
pub fn law_by_name(name: &str) -> Result<Box<dyn ImpactLaw>, UnknownLawError> {
    LAWS.iter()
        .find(|law| law.name == name)
        .map(LawEntry::build)
        .ok_or_else(|| UnknownLawError {
            name: name.to_string(),
        })
}

/// Refuses friction that the law would ignore.
///
/// # Errors
/// [`ImpactError::Unsupported`] when a contact has friction and the law is frictionless.
pub fn check_friction(law: &dyn ImpactLaw, problem: &ImpactProblem) -> Result<(), ImpactError> {
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
