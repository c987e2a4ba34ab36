//! ξ over orders of reflection, resolved down to round-off.
//!
//! The law's own count of outcomes calls outcomes nearer than 1e-9 one. A design is judged by how far
//! below that it comes, so here every order of priority (each permutation of the contacts: the first
//! violated one in the permutation reflects next) runs on its own and nothing is merged.

use nalgebra::DVector;

use super::DesignError;
use crate::impact::propagative::impulses_by_priority;
use crate::impact::{ImpactLaw, ImpactProblem, Propagative};
use crate::numerics::permutations;

/// Contacts up to which every permutation runs; beyond, only rotations of the given order do.
const ALL_PERMUTATIONS: usize = 6;

/// Reflections after which a run counts as endless.
const LONGEST: u64 = 100_000;

/// Share of the velocities of an impact below which an approach is rounding.
const ROUNDING: f64 = 1e-12;

/// ξ = max ‖p_a − p_b‖ / ‖p⁻‖ in the kinetic metric over orders of priority, and over the outcomes that the
/// propagative law enumerates where those lie farther apart.
///
/// # Errors
/// Wedged contacts, or a run that does not end.
pub fn order_indeterminacy(problem: &ImpactProblem) -> Result<f64, DesignError> {
    let failed = |reason: String| DesignError::NotFinite {
        quantity: format!("the indeterminacy ({reason})"),
        point: "this impact".to_string(),
    };
    let scale = problem.kinetic_norm(problem.momentum());
    if scale == 0.0 {
        return Ok(0.0);
    }
    let listed = Propagative::all_orders()
        .resolve(problem)
        .map_err(|error| failed(error.to_string()))?
        .indeterminacy();
    let space = problem.contact_space();
    let mut outcomes: Vec<DVector<f64>> = Vec::new();
    for order in orders(problem.names().len()) {
        let found = impulses_by_priority(space, &order, ROUNDING, LONGEST)
            .map_err(|error| failed(error.to_string()))?
            .ok_or_else(|| failed(format!("no end after {LONGEST} reflections")))?;
        let mut impulse = DVector::zeros(space.velocity.len());
        for (contact, x) in space.contacts.iter().zip(found) {
            impulse[contact.normal] = x;
        }
        outcomes.push(problem.momentum_after(&impulse));
    }
    let mut largest: f64 = 0.0;
    for (i, a) in outcomes.iter().enumerate() {
        for b in &outcomes[..i] {
            largest = largest.max(problem.kinetic_norm(&(a - b)));
        }
    }
    Ok(listed.max(largest / scale))
}

fn orders(n: usize) -> Vec<Vec<usize>> {
    if n > ALL_PERMUTATIONS {
        return (0..n)
            .map(|first| (0..n).map(|i| (first + i) % n).collect())
            .collect();
    }
    permutations(n)
}
