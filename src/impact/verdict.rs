//! The verdict in contact space, cheap enough for every impact of a simulation.

use nalgebra::DVector;

use super::analysis::{Analysis, Tolerances};
use super::enumeration::Enumeration;
use super::order::ReflectionOrder;
use super::state_graph::EnumerationBudget;
use super::unit_contacts::write_impulse;
use super::{ContactSpace, ImpactError, Uniqueness};

/// One outcome as contact impulses.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeImpulse {
    /// Λ, r entries \[N s\].
    pub impulse: DVector<f64>,
    /// The shortest sequence that leads to it; `None` when it is too long to list or there is none.
    pub sequence: Option<Vec<usize>>,
}

const TOLERANCES: Tolerances = Tolerances {
    violated: 1e-10,
    angle: 1e-9,
};

/// Counts the outcomes of the propagative law. `momentum_norm` is ‖p⁻‖ in the kinetic metric, the unit of ξ; a
/// certificate makes the answer immediate.
///
/// # Errors
/// A contact space that is not valid, or wedged contacts (named by index).
pub fn verdict(
    space: &ContactSpace,
    momentum_norm: f64,
    budget: &EnumerationBudget,
) -> Result<Uniqueness, ImpactError> {
    let analysis = Analysis::of_space(space, momentum_norm, TOLERANCES)?;
    Ok(analysis
        .uniqueness_of_any_order()
        .unwrap_or_else(|| Enumeration::run(&analysis, budget, false).uniqueness(&analysis)))
}

/// Every distinct outcome of the propagative law as contact impulses, and whether they are all (false
/// when the budget ran out).
///
/// # Errors
/// A contact space that is not valid, or wedged contacts (named by index).
pub fn all_outcome_impulses(
    space: &ContactSpace,
    momentum_norm: f64,
    budget: &EnumerationBudget,
) -> Result<(Vec<OutcomeImpulse>, bool), ImpactError> {
    let analysis = Analysis::of_space(space, momentum_norm, TOLERANCES)?;
    let (found, complete) = if analysis.certified() {
        let one = analysis.single(ReflectionOrder::MostViolated, 0, u64::MAX);
        (vec![one], true)
    } else {
        let all = Enumeration::run(&analysis, budget, false);
        let complete = all.capped.is_none();
        (all.outcomes, complete)
    };
    let outcomes = found
        .into_iter()
        .map(|found| {
            let mut impulse = DVector::zeros(space.rows());
            write_impulse(space, &analysis.unit, &found.unit_impulse, &mut impulse);
            OutcomeImpulse {
                impulse,
                sequence: found.sequence,
            }
        })
        .collect();
    Ok((outcomes, complete))
}
