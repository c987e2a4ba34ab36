//! What the root finding leaves of the residual, taken out of the end momentum.

use super::floating_step::FloatingStep;
use crate::model::{JointKind, Model};
use crate::spatial::{Force, Motion};

/// p₁ −= `residual` (n), carried along with the bodies over the step h with mean velocity `v`.
///
/// The end momentum belongs to a start momentum that misses p₀ by the residual. Taking it out again
/// leaves the spatial momentum of free flight constant to rounding whatever the tolerance, because the
/// discrete Noether theorem holds for every v̄.
pub(crate) fn carry_to_end(model: &Model, v: &[f64], h: f64, residual: &[f64], p1: &mut [f64]) {
    for body in model.bodies() {
        if body.follows.is_some() {
            continue;
        }
        let at = body.v_index;
        if body.kind != JointKind::Floating {
            p1[at] -= residual[at];
            continue;
        }
        let step = FloatingStep::new(&Motion::from_slice(&v[at..at + 6]).scale(h));
        let carried = step.carry(&Force::from_slice(&residual[at..at + 6]));
        for k in 0..6 {
            p1[at + k] -= carried.component(k);
        }
    }
}
