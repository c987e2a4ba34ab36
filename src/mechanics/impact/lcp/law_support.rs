//! What the three LCP laws share: the default of the friction pyramid, notes, outcomes.

use crate::impact::friction_check::fractional_restitution;
use crate::impact::settings::SettingKey;
use crate::impact::{ImpactProblem, LawProperties, Outcome};

/// What the three laws declare.
pub(crate) const PROPERTIES: LawProperties = LawProperties {
    friction: true,
    restitution: false,
    set_valued: true,
    order_independent: false,
    conserves_energy: false,
    several_contacts: true,
};

/// Facets of the friction pyramid of a spatial contact, unless told otherwise.
pub(crate) const DEFAULT_FACETS: usize = 8;

/// The key of the facets: an even number, so that the pyramid holds −d with every d.
pub(crate) const fn facets_key<S>(field: fn(&mut S) -> &mut usize) -> SettingKey<S> {
    let meaning = "facets of the friction pyramid of a spatial contact";
    SettingKey::count("facets", meaning, [4, 64], field).even()
}

/// Says that restitution is not honoured when a contact asks for a value between 0 and 1. (0 is what
/// these laws do, 1 is the default of a contact that says nothing.)
pub(crate) fn restitution_notes(problem: &ImpactProblem) -> Vec<String> {
    let names: Vec<&str> = (fractional_restitution(problem).map(|(name, _)| name)).collect();
    match names.as_slice() {
        [] => Vec::new(),
        names => vec![format!(
            "inelastic law: the restitution of {} is not used",
            names.join(", ")
        )],
    }
}

/// Whether two outcomes are one: velocities within 1e-9 of ‖p⁻‖ in the kinetic metric.
pub(crate) fn same_outcome(problem: &ImpactProblem, a: &Outcome, b: &Outcome) -> bool {
    let scale = problem.kinetic_norm(problem.momentum());
    problem.kinetic_norm(&(&a.momentum - &b.momentum)) <= 1e-9 * scale
}

/// Keeps an outcome that is none of those kept.
pub(crate) fn add_new(outcomes: &mut Vec<Outcome>, problem: &ImpactProblem, outcome: Outcome) {
    if !outcomes.iter().any(|o| same_outcome(problem, o, &outcome)) {
        outcomes.push(outcome);
    }
}
