//! What the frictionless laws refuse.

use super::{ImpactError, ImpactProblem};

/// A frictionless law would ignore friction: say so instead.
///
/// # Errors
/// [`ImpactError::Unsupported`] naming the first contact with friction.
pub(crate) fn refuse_friction(
    law: &'static str,
    problem: &ImpactProblem,
) -> Result<(), ImpactError> {
    let contacts = &problem.contact_space().contacts;
    match contacts.iter().position(|c| c.friction > 0.0) {
        None => Ok(()),
        Some(i) => Err(ImpactError::Unsupported {
            law,
            reason: format!(
                "it is frictionless, and contact \"{}\" has friction {}; set it to 0 or choose a law with friction",
                problem.names()[i],
                contacts[i].friction
            ),
        }),
    }
}
