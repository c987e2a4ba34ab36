//! The start of a step: mean velocity and impulses together.

use super::rows::Moment;
use super::{StepInput, Stepper};
use crate::discrete::{HeldContact, StepError, StepReport};
use crate::friction::{FrictionProblem, FrictionSolver};

/// Corrections below this share of the momentum that no longer shrink are rounding.
const STALL: f64 = 1e-9;
/// Steps that contract less than this are taken with the exact Newton matrix.
const SLOW_CONTRACTION: f64 = 0.3;
/// What the impulses of an iteration may leave of their conditions beside the change of velocities that
/// it makes anyway.
const INEXACT: f64 = 1e-5;
/// Iterations in which modes settle, whatever the contraction.
const SETTLING: usize = 3;
/// Iterations after which a correction that does not shrink is taken for what impulses of redundant contacts
/// leave undetermined, up to the share [`LATE_STALL`] of the momentum.
const PATIENCE: usize = 12;
const LATE_STALL: f64 = 1e-7;

/// Gaps that redundant contacts cannot close together to better than this \[m\] are closed: half of what a
/// held contact may have.
const GAP_RESOLUTION: f64 = 5e-10;

/// Rounding of a gap beside coordinates of order one \[m\].
const GAP_ROUNDING: f64 = 4.0 * f64::EPSILON;

impl Stepper {
    /// Finds `v`, `q1` and the impulses at the start.
    pub(super) fn solve_start(
        &mut self,
        input: &StepInput<'_>,
        held: &[HeldContact],
        v: &mut [f64],
        q1: &mut [f64],
    ) -> Result<StepReport, StepError> {
        let StepInput { model, h, .. } = *input;
        let mut report = StepReport::default();
        let mut sizes = [f64::INFINITY; 2];
        let mut exact = false;
        let mut near = false;
        let rounding = GAP_ROUNDING * input.q0.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        self.rules.clear();
        self.rules.resize(self.modes.len(), self.rule());
        let mut violation = f64::INFINITY;
        for iteration in 0..=self.settings.max_iterations {
            self.evaluate(input, v);
            self.midpoint
                .start_momentum(model, v, h, &mut self.residual);
            for (r, p) in self.residual.iter_mut().zip(input.p0) {
                *r -= p;
            }
            self.factor
                .factor_loaded(model, &self.midpoint.kinematics, Some(&self.load))?;
            self.fill(input, held, Moment::Middle);
            if iteration == 0 {
                self.update_delassus(model, false);
            }
            model.integrate(input.q0, v, h, q1);
            self.kinematics.update_placements(model, q1);
            let frames = held.iter().map(|h| {
                input
                    .contacts
                    .held_frame(&self.kinematics, h.contact, h.face)
            });
            self.end_frames.clear();
            self.end_frames.extend(frames);
            self.correct(input, v, exact)?;
            let change = self.update_free(input, v, rounding);
            let problem = FrictionProblem {
                free: &self.free,
                rules: &self.rules,
                resolution: GAP_RESOLUTION / h.abs().max(input.whole),
                wanted: INEXACT * change,
                near,
            };
            let left = self.solver.solve(
                &mut self.delassus,
                &problem,
                &mut self.modes,
                &mut self.impulse,
            );
            let final_problem = FrictionProblem {
                wanted: 0.0,
                ..problem
            };
            violation = left.largest() / FrictionSolver::tolerance(&final_problem);
            near = iteration >= SETTLING && !self.solver.is_least_norm();
            self.correct(input, v, exact)?;
            report.residual = self.relative_size(input, v);
            if !report.residual.is_finite() {
                return Err(StepError::NotFinite { step: h });
            }
            let below_rounding = v
                .iter()
                .zip(&self.correction)
                .all(|(x, d)| d.abs() <= 4.0 * f64::EPSILON * x.abs());
            // Stalled at rounding: the correction no longer shrinks and is below any tolerance.
            let stall = if iteration < PATIENCE {
                STALL
            } else {
                LATE_STALL
            };
            let stalled = report.residual >= 0.5 * sizes[0] && report.residual < stall;
            let done = report.residual <= self.settings.tolerance || below_rounding || stalled;
            if done && violation <= 1.0 {
                report.contact_violation = left.largest();
                return Ok(report);
            }
            if iteration >= SETTLING {
                exact |= report.residual > SLOW_CONTRACTION * sizes[0] && report.residual > STALL;
            }
            sizes = [report.residual, sizes[0]];
            for (x, d) in v.iter_mut().zip(&self.correction) {
                *x -= d;
            }
            report.iterations += 1;
            report.exact_iterations += usize::from(exact);
        }
        Err(StepError::ContactsNotConverged {
            iterations: report.iterations,
            residual: report.residual,
            violation,
        })
    }

    /// b: velocities of the rows that the correction without impulses would leave.
    /// Returns the largest change that the correction makes.
    fn update_free(&mut self, input: &StepInput<'_>, v: &[f64], rounding: f64) -> f64 {
        let h = input.h;
        let share = (h / input.whole).abs().min(1.0);
        let layout = self.delassus.layout();
        self.middle.product(layout, v, &mut self.mean_rates);
        self.free.copy_from_slice(&self.mean_rates);
        let gaps = self.end_frames.iter().zip(&self.start_gaps);
        for (rows, (frame, before)) in layout.groups().iter().zip(gaps) {
            let mut gap = frame.gap;
            if before.abs() <= input.closed_gap {
                gap -= (1.0 - share) * before;
            }
            // In a step that an event has cut very short, rounding of a gap over h is no speed.
            self.free[rows.row] = if gap.abs() <= rounding { 0.0 } else { gap / h };
        }
        self.middle
            .product(layout, &self.correction, &mut self.rates);
        subtract(&mut self.free, &self.rates);
        let change = self.rates.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.delassus.product(&self.impulse, &mut self.rates);
        subtract(&mut self.free, &self.rates);
        change
    }

    /// Correction J⁻¹(r − CᵀΛ) of the mean velocity for the current impulses, J the quasi-Newton matrix or
    /// the exact one.
    fn correct(&mut self, input: &StepInput<'_>, v: &[f64], exact: bool) -> Result<(), StepError> {
        for (negative, x) in self.rates.iter_mut().zip(&self.impulse) {
            *negative = -x;
        }
        self.remaining.copy_from_slice(&self.residual);
        self.start
            .add_transposed(self.delassus.layout(), &self.rates, &mut self.remaining);
        if !exact {
            self.factor.solve(
                input.model,
                &self.midpoint.kinematics,
                &self.remaining,
                &mut self.correction,
            );
            return Ok(());
        }
        self.solve_exactly(input, v, true)
    }

    /// Size of the correction in the kinetic metric beside the largest of momentum, impulse of all forces
    /// and of gravity.
    fn relative_size(&self, input: &StepInput<'_>, v: &[f64]) -> f64 {
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(x, y)| x * y).sum() };
        let h2 = input.h * input.h;
        let size2 = dot(&self.remaining, &self.correction);
        let momentum2 = dot(&self.midpoint.momentum, v);
        let mut force2 = 0.0;
        self.factor.for_each_inverse_diagonal(input.model, |i, d| {
            force2 += self.midpoint.force[i] * self.midpoint.force[i] * d;
        });
        let gravity2 = input.model.gravity().norm_squared() * input.model.mass();
        let scale2 = momentum2.max(h2 * gravity2).max(h2 * force2);
        (size2.abs() / scale2.max(f64::MIN_POSITIVE)).sqrt()
    }
}

fn subtract(from: &mut [f64], x: &[f64]) {
    for (from, x) in from.iter_mut().zip(x) {
        *from -= x;
    }
}
