//! The impulses of one iteration at the start of a step, and the correction of the mean velocity with them.

use super::start::{GAP_RESOLUTION, PATIENCE, SETTLING};
use super::{StepInput, Stepper};
use crate::discrete::StepError;
use crate::friction::{FrictionProblem, FrictionSolver};
use crate::numerics::{larger, largest};

/// What the impulses of an iteration may leave of their conditions beside the change of velocities that
/// it makes anyway.
const INEXACT: f64 = 1e-5;
/// Solutions for the impulses of one iteration, and the share of the correction that they may miss.
const PASSES: usize = 3;
const MISSED: f64 = 2e-2;
/// Iterations after which impulses are to be found to the last digit: what they leave may be what keeps the
/// others from settling.
const THOROUGH: usize = 16;
/// Iterations after which impulses go half of the way to those that solve for them: where a normal inertia nearly vanishes, two
/// sets of modes may answer each other for ever.
const ALTERNATING: usize = 8;
/// Gaps of less than this \[m\] beside what they should be are not closed any further.
const NO_GAP: f64 = 5e-13;

/// What impulses of one iteration leave.
pub(super) struct SolvedImpulses {
    /// Of the conditions, beside their tolerance.
    pub violation: f64,
    /// The same \[m/s\].
    pub left: f64,
    /// Share of the change of velocities that comes out otherwise than expected.
    pub missed: f64,
}

impl Stepper {
    /// Impulses for the velocities at hand, and the correction of the mean velocity with them.
    ///
    /// The matrix G = C M⁻¹ Cᵀ takes both its rows at one moment, while impulses act along those at the start and velocities are
    /// those of the midpoint. Where the difference counts, beside what the correction itself will leave, impulses are solved
    /// for again with the correction that they really make: Λ ← S(f + E Λ), S the solution of the frictional problem and E the
    /// difference. Halfway steps converge for slopes of S E from −3 to 1, whole ones from −1.
    pub(super) fn solve_impulses(
        &mut self,
        input: &StepInput<'_>,
        v: &[f64],
        iteration: usize,
        exact: bool,
    ) -> Result<SolvedImpulses, StepError> {
        self.correct(input, v, exact)?;
        let mut change = self.update_rates();
        if let Some(left) = self.has_arrived(input, v, iteration) {
            return Ok(SolvedImpulses {
                violation: 0.0,
                left,
                missed: 0.0,
            });
        }
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
                guessed: &self.rates,
                rules: &self.rules,
                slip_speeds: if first { &self.slip_speeds } else { &[] },
                resolution: GAP_RESOLUTION / input.h.abs().max(input.whole),
                wanted: INEXACT * change,
                near,
                thorough: iteration >= THOROUGH,
                continued: !first,
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
                    // What has come to its end meanwhile is no longer in the mode that it was solved in.
                    self.solver.classify(
                        &mut self.delassus,
                        &problem,
                        &mut self.modes,
                        &self.impulse,
                    );
                    return Ok(SolvedImpulses {
                        violation: left.largest() / tolerance,
                        left: left.largest(),
                        missed: 0.0,
                    });
                }
            }
            let halfway = iteration >= ALTERNATING;
            if halfway {
                self.left_impulse.clone_from(&self.impulse);
            }
            let left = self.solver.solve(
                &mut self.delassus,
                &problem,
                &mut self.modes,
                &mut self.impulse,
            );
            if halfway {
                for (x, before) in self.impulse.iter_mut().zip(&self.left_impulse) {
                    *x = 0.5 * (*x + before);
                }
            }
            self.correct(input, v, exact)?;
            change = self.update_rates();
            let expected = self.rates.iter().zip(self.solver.velocity());
            let missed = expected.fold(0.0, |m, (a, b)| larger(m, (a - b).abs()));
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

    /// Whether the impulses that the last iteration has found leave as little of the conditions as the correction with them is
    /// allowed to be, and of gaps next to nothing: what is left \[m/s\]. Nothing needs to be solved then.
    fn has_arrived(&mut self, input: &StepInput<'_>, v: &[f64], iteration: usize) -> Option<f64> {
        let may = iteration > 0 && !self.two_sided && self.locks.are_open();
        let tolerance = self.settings.tolerance;
        let is_small = may && self.relative_size(input, v) <= tolerance;
        if !is_small {
            return None;
        }
        let (left, square) =
            self.solver
                .check_velocity(&mut self.delassus, &self.rules, &self.impulse, &self.rates);
        let allowed = tolerance * tolerance * self.momentum_scale(input, v);
        let arrived = square <= allowed && left * input.h.abs() <= NO_GAP;
        arrived.then_some(left)
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
    pub(super) fn update_remaining(&mut self) {
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
