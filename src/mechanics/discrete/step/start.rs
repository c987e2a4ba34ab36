//! The start of a step: mean velocity and impulses together.

use super::damping::diverges;
use super::rows::{Moment, subtract};
use super::{StepInput, Stepper};
use crate::discrete::held::{CornerDisplacement, HeldContact};
use crate::discrete::{StepError, StepReport};
use crate::friction::HeldMode;
use crate::model::{JointKind, LARGEST_COORDINATE, Model};
use crate::numerics::largest;

/// Corrections below this share of the momentum that no longer shrink are rounding.
pub(super) const STALL: f64 = 1e-9;
/// Steps that contract less than this are taken with the exact Newton matrix.
const SLOW_CONTRACTION: f64 = 0.3;
/// What the first correction is expected to leave of itself: at most, where impulses are those of least norm at rest, and
/// there for each radian by which the fastest limb turns in the step.
const FIRST_CONTRACTION: f64 = 0.05;
const CONTRACTION_AT_REST: f64 = 0.01;
const CONTRACTION_PER_RADIAN: f64 = 10.0;
/// Loads that differ by less than this share are the same to the quasi-Newton matrix.
const CHANGED_LOAD: f64 = 0.02;
/// The same of the midpoints of trials of one step whose lengths differ by this share.
const CHANGED_LENGTH: f64 = 0.02;
/// Iterations in which modes settle, whatever the contraction.
pub(super) const SETTLING: usize = 3;
/// Iterations after which a correction that does not shrink is taken for what impulses of redundant contacts
/// leave undetermined, up to the share [`LATE_STALL`] of the momentum.
pub(super) const PATIENCE: usize = 12;
const LATE_STALL: f64 = 1e-7;

/// Gaps that redundant contacts cannot close together to better than this \[m\] are closed: half of what a
/// held contact may have.
pub(super) const GAP_RESOLUTION: f64 = 5e-10;

/// What has gone in comes back within a piece if it is no faster than this \[m/s\].
const COMEBACK: f64 = 1e-3;

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
        let mut last = f64::INFINITY;
        let mut before_last = f64::INFINITY;
        let mut exact = self.damping.active;
        let rounding = GAP_ROUNDING * input.q0.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        self.rules.clear();
        self.rules.resize(self.modes.len(), self.rule());
        let mut stale = (h - self.factored_length).abs() > CHANGED_LENGTH * h.abs();
        self.keep_sliding();
        self.forget_limits(input);
        let mut violation = f64::INFINITY;
        let mut from_start = true;
        for iteration in 0..=self.settings.max_iterations {
            self.evaluate(input, v);
            self.update_residual(input, v);
            from_start &= self.is_solved_from_start(input, v);
            if from_start {
                self.factor_at_start(input)?;
                self.fill(input, held, Moment::Middle);
            } else {
                // Springs between points turn.
                stale |= !self.springs.is_empty() || self.load_has_changed();
                if stale {
                    self.factor_quasi_newton(input)?;
                }
                self.fill(input, held, Moment::Middle);
                if stale {
                    self.update_delassus(model, Moment::Middle);
                    self.matrices.at_start = [false; 2];
                    self.factored_length = h;
                }
                stale = false;
            }
            self.update_end(input, held, v, q1);
            self.update_targets(input, v, rounding);
            self.keep_guess();
            let mut solved = self.solve_impulses(input, v, iteration, exact)?;
            // Locks that impulses of least norm overload may bear those that there were.
            if self.is_overloaded_by_least_norm(true) {
                self.refuses_least_norm = true;
                self.impulse.clone_from(&self.guess);
                solved = self.solve_impulses(input, v, iteration, exact)?;
            }
            violation = solved.violation;
            if self.release(input, held, true) {
                stale = true;
                last = f64::INFINITY;
                continue;
            }
            report.residual = self.relative_size(input, v);
            if !report.residual.is_finite() {
                let met = [v, input.p0, &self.remaining, &self.correction];
                return Err(StepError::not_finite(h, model, &met));
            }
            // Beside a momentum without bound any residual is small.
            if largest(v) > LARGEST_COORDINATE {
                break;
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
            let stalled = report.residual >= 0.5 * before_last
                && (report.residual < stall || self.moves_springs_by_rounding(input));
            let done = report.residual <= self.settings.tolerance || below_rounding || stalled;
            if done && !self.bridges && violation <= 1.0 && self.keeps_gaps(input) {
                report.contact_violation = solved.left;
                self.record_locked();
                return Ok(report);
            }
            if self.damping.active {
                let size = self.size_left(model);
                if self.bridges || !self.damping.cut_back(size, v) {
                    self.damping.correct(size, &self.correction, v);
                    before_last = last;
                    last = report.residual;
                }
                report.iterations += 1;
                report.exact_iterations += 1;
                continue;
            }
            if diverges(iteration, report.residual) {
                break;
            }
            // A slide that cannot be kept ends otherwise.
            if !self.keeps_sliding.is_empty() && iteration > 0 && violation > 1.0 {
                break;
            }
            let settling = if self.locks.are_open() {
                SETTLING
            } else {
                PATIENCE
            };
            if iteration >= settling {
                exact |= report.residual > SLOW_CONTRACTION * last && report.residual > STALL;
            }
            if exact && self.release_all(input, held) {
                stale = true;
                last = f64::INFINITY;
                continue;
            }
            for (x, d) in v.iter_mut().zip(&self.correction) {
                *x -= d;
            }
            report.iterations += 1;
            report.exact_iterations += usize::from(exact);
            // The next correction would be smaller than this one as this one was smaller than the last, but for what
            // impulses along other rows have missed.
            let contraction = if last != f64::INFINITY {
                report.residual / last
            } else if self.solver.is_least_norm() {
                let turn = (h * fastest_turn(model, v)).abs();
                (CONTRACTION_AT_REST + CONTRACTION_PER_RADIAN * turn).min(FIRST_CONTRACTION)
            } else {
                FIRST_CONTRACTION
            };
            let next = (contraction + solved.missed) * report.residual;
            if !self.bridges
                && contraction < SLOW_CONTRACTION
                && next <= self.settings.tolerance
                && violation <= 1.0
                && self.arrives(input, held, v, q1, rounding)
            {
                report.residual = next;
                report.contact_violation = solved.left;
                return Ok(report);
            }
            before_last = last;
            last = report.residual;
        }
        Err(StepError::ContactsNotConverged {
            iterations: report.iterations,
            residual: report.residual,
            violation,
        })
    }

    /// Whether the factor at hand belongs to another load by so much that it would converge slowly.
    fn load_has_changed(&self) -> bool {
        self.load
            .iter()
            .zip(&self.factored_load)
            // A negative load is not in it.
            .map(|(now, then)| (now.max(0.0), then.max(0.0)))
            .any(|(now, then)| (now - then).abs() > CHANGED_LOAD * now.max(then))
    }

    /// Momentum at the start that the evaluated midpoint asks for, beyond the given one.
    fn update_residual(&mut self, input: &StepInput<'_>, v: &[f64]) {
        self.midpoint
            .start_momentum(input.model, v, input.h, &mut self.residual);
        subtract(&mut self.residual, input.p0);
    }

    /// Where `v` leads.
    fn update_end(
        &mut self,
        input: &StepInput<'_>,
        held: &[HeldContact],
        v: &[f64],
        q1: &mut [f64],
    ) {
        input.model.integrate(input.q0, v, input.h, q1);
        self.kinematics.clock.time = self.time + input.h;
        self.kinematics.update_placements(input.model, q1);
        let frames = held.iter().map(|h| {
            input
                .contacts
                .held_frame(&self.kinematics, h.contact, h.place())
        });
        self.end_frames.clear();
        self.end_frames.extend(frames);
    }

    /// Velocities of the rows at hand: gaps over the step, slips and joint rates at its middle.
    fn update_targets(&mut self, input: &StepInput<'_>, v: &[f64], rounding: f64) {
        let h = input.h;
        let share = (h / input.whole).abs().min(1.0);
        let layout = self.delassus.layout();
        self.middle.product(layout, v, &mut self.mean_rates);
        if input.contacts.has_moving_surface() {
            subtract(&mut self.mean_rates, &self.drives[Moment::Middle as usize]);
        }
        self.targets.copy_from_slice(&self.mean_rates);
        let gaps = self.end_frames.iter().zip(&self.start_gaps);
        for (rows, (frame, before)) in layout.groups().iter().zip(gaps) {
            let mut gap = frame.gap;
            // What is closed, or would come back too fast, comes back within a whole step, in a piece by its share of that.
            if before.abs() <= input.closed_gap || -before > COMEBACK * h.abs() {
                gap -= (1.0 - share) * before;
            }
            // In a step that an event has cut very short, rounding of a gap over h is no speed.
            self.targets[rows.row] = if gap.abs() <= rounding { 0.0 } else { gap / h };
        }
        if self.shares_bodies {
            self.displace_corners();
        }
    }

    /// Adds to slips what the gaps in `targets` tell of points that several contacts hold.
    fn displace_corners(&mut self) {
        let groups = self.delassus.groups();
        for (i, frame) in self.end_frames.iter().enumerate() {
            let beyond = |j: usize| {
                let row = groups[j].row;
                self.targets[row] - self.mean_rates[row]
            };
            let corner = CornerDisplacement::of(&self.end_frames, &self.start_gaps, i, beyond);
            let Some(corner) = corner else {
                continue;
            };
            let first = groups[i].tangent(0);
            let slips = first..first + groups[i].tangents;
            for rates in [&mut self.mean_rates, &mut self.targets] {
                corner.add_to_slip(&frame.tangents, &mut rates[slips.clone()]);
            }
        }
    }

    /// Brings everything to the end of the mean velocity `v`, which the last correction has just changed,
    /// without another evaluation of the midpoint; false when a contact misses its condition there.
    fn arrives(
        &mut self,
        input: &StepInput<'_>,
        held: &[HeldContact],
        v: &[f64],
        q1: &mut [f64],
        rounding: f64,
    ) -> bool {
        self.update_end(input, held, v, q1);
        self.update_targets(input, v, rounding);
        let allowed =
            (self.settings.tolerance * largest(&self.free)).max(2.0 * rounding / input.h.abs());
        let groups = self.delassus.groups().iter().zip(&self.modes);
        let arrived = groups.filter(|(g, _)| g.normal).all(|(g, mode)| {
            let beyond = self.targets[g.row] - self.solver.velocity()[g.row];
            match mode {
                HeldMode::Open => self.targets[g.row] >= -allowed,
                _ => beyond.abs() <= allowed,
            }
        });
        if arrived {
            self.correct_efforts(input.h);
            self.update_residual(input, v);
            self.update_remaining();
            self.record_locked();
        }
        arrived
    }

    /// Whether no contact is deeper or, where it presses, farther than a held one may be.
    fn keeps_gaps(&self, input: &StepInput<'_>) -> bool {
        let allowed = input.closed_gap / input.h.abs();
        let groups = self.delassus.groups().iter().zip(&self.modes);
        groups.filter(|(g, _)| g.normal).all(|(g, mode)| {
            let rate = self.targets[g.row];
            rate >= -allowed && (*mode == HeldMode::Open || rate <= allowed)
        })
    }
}

/// The largest rate at which a joint or a floating base turns \[rad/s\].
pub(super) fn fastest_turn(model: &Model, v: &[f64]) -> f64 {
    let turning = model.bodies().iter().map(|body| {
        let at = body.v_index;
        match body.kind {
            JointKind::Revolute => &v[at..=at],
            JointKind::Prismatic => &[],
            JointKind::Floating => &v[at + 3..at + 6],
        }
    });
    turning.map(largest).fold(0.0, f64::max)
}
