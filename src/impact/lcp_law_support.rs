//! What the three LCP laws share: parameters from text, notes, outcomes.

use std::str::FromStr;

use serde_json::{Map, Value, json};

use super::{ImpactError, ImpactProblem, Outcome};

/// Facets of the friction pyramid of a spatial contact, unless told otherwise.
pub(crate) const DEFAULT_FACETS: usize = 8;

/// Parses a parameter and checks its range; `expected` says both in words.
pub(crate) fn parse<T: FromStr>(
    law: &'static str,
    name: &str,
    value: &str,
    expected: &str,
    accept: impl Fn(&T) -> bool,
) -> Result<T, ImpactError> {
    match value.trim().parse::<T>() {
        Ok(x) if accept(&x) => Ok(x),
        _ => Err(ImpactError::Parameter {
            law,
            parameter: name.to_string(),
            reason: format!("\"{value}\" is not {expected}"),
        }),
    }
}

/// `facets`: an even number, so that the pyramid holds −d with every d.
pub(crate) fn parse_facets(law: &'static str, value: &str) -> Result<usize, ImpactError> {
    parse(law, "facets", value, "an even number from 4 to 64", |n| {
        (4..=64).contains(n) && n % 2 == 0
    })
}

/// The error for a parameter that the law does not have.
pub(crate) fn unknown(law: &'static str, name: &str, known: &[&str]) -> ImpactError {
    ImpactError::Parameter {
        law,
        parameter: name.to_string(),
        reason: format!("unknown; this law has {}", known.join(", ")),
    }
}

/// Says that restitution is not honoured when a contact asks for a value between 0 and 1. (0 is what
/// these laws do, 1 is the default of a contact that says nothing.)
pub(crate) fn restitution_notes(problem: &ImpactProblem, details: &mut Map<String, Value>) {
    let contacts = problem.contact_space().contacts.iter();
    let names: Vec<&str> = contacts
        .zip(problem.names())
        .filter(|(c, _)| c.restitution != 0.0 && c.restitution != 1.0)
        .map(|(_, name)| &**name)
        .collect();
    if !names.is_empty() {
        let note = format!(
            "inelastic law: the restitution of {} is not used",
            names.join(", ")
        );
        details.insert("notes".to_string(), json!([note]));
    }
}

/// Whether two outcomes are one: velocities within 1e-9 of ‖p⁻‖ in the kinetic metric.
pub(crate) fn same_outcome(problem: &ImpactProblem, a: &Outcome, b: &Outcome) -> bool {
    let scale = problem.kinetic_norm(problem.momentum());
    problem.kinetic_norm(&(&a.momentum - &b.momentum)) <= 1e-9 * scale
}
