//! ξ over orders of reflection, resolved down to round-off.
//!
//! The law's own count of outcomes calls outcomes nearer than 1e-9 one. A design is judged by how far
//! below that it comes, so here every order of priority (each permutation of the contacts: the first
//! violated one in the permutation reflects next) runs on its own and nothing is merged.

use nalgebra::DVector;

use super::DesignError;
use crate::impact::{ImpactLaw, ImpactProblem, Propagative};
use crate::numerics::permutations;

/// Contacts up to which every permutation runs; beyond, only rotations of the given order do.
const ALL_PERMUTATIONS: usize = 6;

/// Reflections after which a run counts as endless.
const LONGEST: usize = 100_000;

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
    let mut outcomes: Vec<DVector<f64>> = Vec::new();
    for order in orders(problem.names().len()) {
        let impulse = reflect_in_order(problem, &order, scale)
            .ok_or_else(|| failed(format!("no end after {LONGEST} reflections")))?;
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

/// The impulse of the run in which the first violated contact of `order` reflects next.
fn reflect_in_order(problem: &ImpactProblem, order: &[usize], scale: f64) -> Option<DVector<f64>> {
    let space = problem.contact_space();
    let g = &space.delassus;
    let mut a = space.velocity.clone();
    let mut impulse = DVector::zeros(a.len());
    for _ in 0..LONGEST {
        let violated = order
            .iter()
            .map(|&i| space.contacts[i].normal)
            .find(|&row| a[row] < -1e-12 * scale * g[(row, row)].sqrt());
        let Some(row) = violated else {
            return Some(impulse);
        };
        let lambda = -2.0 * a[row] / g[(row, row)];
        impulse[row] += lambda;
        a += g.column(row) * lambda;
    }
    None
}

fn orders(n: usize) -> Vec<Vec<usize>> {
    if n > ALL_PERMUTATIONS {
        return (0..n)
            .map(|first| (0..n).map(|i| (first + i) % n).collect())
            .collect();
    }
    permutations(n)
}
