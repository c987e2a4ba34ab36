//! The start of a step: mean velocity and impulses together.

use super::damping::diverges;
use super::rows::{Moment, subtract};
use super::{StepInput, Stepper};
use crate::discrete::held::HeldContact;
use crate::discrete::{StepError, StepReport};
use crate::friction::{FrictionProblem, FrictionSolver, HeldMode};
use crate::model::{JointKind, LARGEST_COORDINATE, Model};
use crate::numerics::largest;

/// Corrections below this share of the momentum that no longer shrink are rounding.
pub(super) const STALL: f64 = 1e-9;
/// Steps that contract less than this are taken with the exact Newton matrix.
const SLOW_CONTRACTION: f64 = 0.3;
/// What the impulses of an iteration may leave of their conditions beside the change of velocities that
/// it makes anyway.
const INEXACT: f64 = 1e-5;
/// What the first correction is expected to leave of itself: at most, where impulses are those of least norm at rest, and
/// there for each radian by which the fastest limb turns in the step.
const FIRST_CONTRACTION: f64 = 0.05;
const CONTRACTION_AT_REST: f64 = 0.01;
const CONTRACTION_PER_RADIAN: f64 = 10.0;
/// Loads that differ by less than this share are the same to the quasi-Newton matrix.
const CHANGED_LOAD: f64 = 0.02;
/// The same of the midpoints of trials of one step whose lengths differ by this share.
const CHANGED_LENGTH: f64 = 0.02;
/// Solutions for the impulses of one iteration, and the share of the correction that they may miss.
const PASSES: usize = 3;
const MISSED: f64 = 2e-2;
/// Iterations in which modes settle, whatever the contraction.
const SETTLING: usize = 3;
/// Iterations after which impulses are to be found to the last digit: what they leave may be what keeps the
/// others from settling.
const THOROUGH: usize = 16;
/// Iterations after which a correction that does not shrink is taken for what impulses of redundant contacts
/// leave undetermined, up to the share [`LATE_STALL`] of the momentum.
const PATIENCE: usize = 12;
const LATE_STALL: f64 = 1e-7;

/// Gaps that redundant contacts cannot close together to better than this \[m\] are closed: half of what a
/// held contact may have.
pub(super) const GAP_RESOLUTION: f64 = 5e-10;

/// Rounding of a gap beside coordinates of order one \[m\].
const GAP_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What impulses of one iteration leave.
struct SolvedImpulses {
    /// Of the conditions, beside their tolerance.
    violation: f64,
    /// The same \[m/s\].
    left: f64,
    /// Share of the change of velocities that comes out otherwise than expected.
    missed: f64,
}

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
        for iteration in 0..=self.settings.max_iterations {
            self.evaluate(input, v);
            self.update_residual(input, v);
            // Springs between points turn.
            stale |= !self.springs.is_empty() || self.load_has_changed();
            if stale {
                self.factor_quasi_newton(input)?;
            }
            self.fill(input, held, Moment::Middle);
            if stale {
                self.update_delassus(model, false);
                self.factored_length = h;
            }
            stale = false;
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
            if self.keeps_sliding.is_some() && iteration > 0 && violation > 1.0 {
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
            if before.abs() <= input.closed_gap {
                gap -= (1.0 - share) * before;
            }
            // In a step that an event has cut very short, rounding of a gap over h is no speed.
            self.targets[rows.row] = if gap.abs() <= rounding { 0.0 } else { gap / h };
        }
    }

    /// Impulses for the velocities at hand, and the correction of the mean velocity with them.
    ///
    /// The matrix G = C M⁻¹ Cᵀ takes both its rows at the midpoint, while impulses act along those at the
    /// start. Where the difference counts, beside what the correction itself will leave, impulses are solved
    /// for again with the correction that they really make.
    fn solve_impulses(
        &mut self,
        input: &StepInput<'_>,
        v: &[f64],
        iteration: usize,
        exact: bool,
    ) -> Result<SolvedImpulses, StepError> {
        self.correct(input, v, exact)?;
        let mut change = self.update_rates();
        let mut near =
            self.refuses_least_norm || (iteration >= SETTLING && !self.solver.is_least_norm());
        let mut pass = 1;
        loop {
            self.delassus.product(&self.impulse, &mut self.free);
            for (free, rate) in self.free.iter_mut().zip(&self.rates) {
                *free = rate - *free;
            }
            // Later there is a slip to go by.
            let first = iteration == 0 && pass == 1;
            let problem = FrictionProblem {
                free: &self.free,
                rules: &self.rules,
                slip_speeds: if first { &self.slip_speeds } else { &[] },
                resolution: GAP_RESOLUTION / input.h.abs().max(input.whole),
                wanted: INEXACT * change,
                near,
                thorough: iteration >= THOROUGH,
            };
            let tolerance = FrictionSolver::tolerance(&FrictionProblem {
                wanted: 0.0,
                ..problem
            });
            // Redundant contacts may be closed together a little better by ever larger impulses against each other: those at
            // hand will do, and velocities come to rest with them.
            if iteration >= PATIENCE && pass == 1 && !self.two_sided {
                let left = self
                    .solver
                    .check(&mut self.delassus, &problem, &self.impulse);
                if left.largest() <= tolerance {
                    return Ok(SolvedImpulses {
                        violation: left.largest() / tolerance,
                        left: left.largest(),
                        missed: 0.0,
                    });
                }
            }
            let left = self.solver.solve(
                &mut self.delassus,
                &problem,
                &mut self.modes,
                &mut self.impulse,
            );
            self.correct(input, v, exact)?;
            change = self.update_rates();
            let expected = self.rates.iter().zip(self.solver.velocity());
            let missed = expected.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            let exact_enough = self.settings.tolerance * largest(&self.free);
            if pass == PASSES || missed <= (MISSED * change).max(exact_enough) {
                return Ok(SolvedImpulses {
                    violation: left.largest() / tolerance,
                    left: left.largest(),
                    missed: missed / change.max(f64::MIN_POSITIVE),
                });
            }
            near |= !self.solver.is_least_norm();
            pass += 1;
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

    /// Velocities of the rows after the correction at hand; returns the largest change that it makes.
    fn update_rates(&mut self) -> f64 {
        let layout = self.delassus.layout();
        self.middle
            .product(layout, &self.correction, &mut self.rates);
        let change = largest(&self.rates);
        for (rate, target) in self.rates.iter_mut().zip(&self.targets) {
            *rate = target - *rate;
        }
        change
    }

    /// What the impulses at hand leave of the residual.
    fn update_remaining(&mut self) {
        for (negative, x) in self.negative.iter_mut().zip(&self.impulse) {
            *negative = -x;
        }
        self.remaining.copy_from_slice(&self.residual);
        self.start
            .add_transposed(self.delassus.layout(), &self.negative, &mut self.remaining);
    }

    /// Correction J⁻¹(r − CᵀΛ) of the mean velocity for the current impulses, J the quasi-Newton matrix or
    /// the exact one.
    fn correct(&mut self, input: &StepInput<'_>, v: &[f64], exact: bool) -> Result<(), StepError> {
        self.update_remaining();
        if !exact {
            self.correct_by_quasi_newton(input);
            return Ok(());
        }
        self.solve_exactly(input, v)
    }
}

/// The largest rate at which a joint or a floating base turns \[rad/s\].
fn fastest_turn(model: &Model, v: &[f64]) -> f64 {
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
