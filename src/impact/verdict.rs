//! The verdict in contact space, cheap enough for every impact of a simulation.

use nalgebra::DVector;

use super::analysis::{Analysis, Tolerances};
use super::enumeration::Enumeration;
use super::order::ReflectionOrder;
use super::state_graph::EnumerationBudget;
use super::unit_contacts::write_impulse;
use super::{ContactSpace, ImpactError};

/// How far an impact is from having one outcome.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Number of distinct outcomes found.
    pub outcomes: usize,
    /// ξ over them.
    pub indeterminacy: f64,
    /// True when the budget ran out: outcomes may be missing.
    pub capped: bool,
    /// True when the contact normals certify one outcome for every momentum; nothing was explored then.
    pub certificate_unique: bool,
}

impl Verdict {
    /// Whether the outcome is unique; `None` when the budget ran out first.
    #[must_use]
    pub fn unique(&self) -> Option<bool> {
        if self.outcomes > 1 {
            Some(false)
        } else if self.certificate_unique || !self.capped {
            Some(true)
        } else {
            None
        }
    }
}

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

/// Counts the outcomes of the propagative law. `momentum_norm` is ‖p⁻‖ in the kinetic metric, the unit of ξ and
/// of all tolerances; a certificate makes the answer immediate.
///
/// # Errors
/// A contact space that is not valid, or wedged contacts (named by index).
pub fn verdict(
    space: &ContactSpace,
    momentum_norm: f64,
    budget: &EnumerationBudget,
) -> Result<Verdict, ImpactError> {
    let analysis = Analysis::of_space(space, momentum_norm, TOLERANCES)?;
    if analysis.certified() {
        return Ok(Verdict {
            outcomes: 1,
            indeterminacy: 0.0,
            capped: false,
            certificate_unique: true,
        });
    }
    let all = Enumeration::run(&analysis, budget, false);
    Ok(Verdict {
        outcomes: all.outcomes.len(),
        indeterminacy: all.indeterminacy(&analysis),
        capped: all.capped.is_some(),
        certificate_unique: false,
    })
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
