//! What laws without friction refuse, and what laws without restitution leave unused.

use super::{ImpactError, ImpactProblem};

/// Contacts that a law without restitution does not do justice to, by name and coefficient: with one between 0, which it is,
/// and 1, which a contact has that says nothing.
pub fn fractional_restitution(problem: &ImpactProblem) -> impl Iterator<Item = (&str, f64)> {
    let contacts = problem.contact_space().contacts.iter();
    contacts
        .zip(problem.names())
        .map(|(contact, name)| (&**name, contact.restitution))
        .filter(|(_, restitution)| *restitution > 0.0 && *restitution < 1.0)
}

/// A frictionless law would ignore friction: say so instead.
///
/// # Errors
/// [`ImpactError::Unsupported`] naming the first contact with friction.
pub fn refuse_friction(law: &'static str, problem: &ImpactProblem) -> Result<(), ImpactError> {
    let contacts = &problem.contact_space().contacts;
    match contacts.iter().position(|c| c.friction > 0.0) {
        None => Ok(()),
        Some(i) => Err(ImpactError::Unsupported {
            law,
            reason: format!(
                "it has no friction, and contact \"{}\" has a coefficient of {}; set it to 0 or choose a law with friction",
                problem.names()[i],
                contacts[i].friction
            ),
        }),
    }
}
