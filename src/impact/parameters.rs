//! Reading the parameters of the frictionless laws.

use super::{ImpactError, ImpactProblem};

/// The error for a name that a law does not have.
pub(crate) fn unknown_parameter(
    law: &'static str,
    name: &str,
    known: &[&'static str],
) -> ImpactError {
    ImpactError::Parameter {
        law,
        parameter: name.to_string(),
        reason: format!("is not known; this law has: {}", known.join(", ")),
    }
}

fn bad_value(law: &'static str, name: &str, value: &str, wanted: &str) -> ImpactError {
    ImpactError::Parameter {
        law,
        parameter: name.to_string(),
        reason: format!("\"{value}\" is not {wanted}"),
    }
}

/// A relative tolerance in \[0, 0.1\].
pub(crate) fn parse_tolerance(
    law: &'static str,
    name: &str,
    value: &str,
) -> Result<f64, ImpactError> {
    match value.parse::<f64>() {
        Ok(x) if (0.0..=0.1).contains(&x) => Ok(x),
        _ => Err(bad_value(law, name, value, "a number between 0 and 0.1")),
    }
}

/// A positive whole number.
pub(crate) fn parse_count(law: &'static str, name: &str, value: &str) -> Result<u64, ImpactError> {
    match value.parse::<u64>() {
        Ok(x) if x > 0 => Ok(x),
        _ => Err(bad_value(law, name, value, "a positive whole number")),
    }
}

/// A seed.
pub(crate) fn parse_seed(law: &'static str, name: &str, value: &str) -> Result<u64, ImpactError> {
    value
        .parse()
        .map_err(|_| bad_value(law, name, value, "a whole number, at least 0"))
}

/// A time in seconds, positive.
pub(crate) fn parse_seconds(
    law: &'static str,
    name: &str,
    value: &str,
) -> Result<f64, ImpactError> {
    match value.parse::<f64>() {
        Ok(x) if x > 0.0 && x <= 1e9 => Ok(x),
        _ => Err(bad_value(law, name, value, "a positive number of seconds")),
    }
}

/// `true` or `false`.
pub(crate) fn parse_switch(
    law: &'static str,
    name: &str,
    value: &str,
) -> Result<bool, ImpactError> {
    value
        .parse()
        .map_err(|_| bad_value(law, name, value, "true or false"))
}

/// One of several words.
pub(crate) fn parse_word<T>(
    law: &'static str,
    name: &str,
    value: &str,
    parsed: Option<T>,
    known: &[&'static str],
) -> Result<T, ImpactError> {
    parsed.ok_or_else(|| bad_value(law, name, value, &format!("one of {}", known.join(", "))))
}

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
