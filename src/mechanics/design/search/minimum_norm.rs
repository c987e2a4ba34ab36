//! The nearest root of an underdetermined system: re-anchored minimum-norm Newton with bounds.
//!
//! ```text
//! min ½‖z − a‖²   subject to F(z) = 0, l ≤ z ≤ u
//! ```
//!
//! Every step goes to the point nearest to the anchor a on the linearisation of F at z, within the
//! bounds: z⁺ = a + J⁺(J (z − a) − F) where no bound acts. A fixed point is a stationary point of
//! the distance, and not just any root as with steps of minimum norm from the current point. The step
//! is a sequential quadratic programming step with the identity for the Hessian, so a line search on
//! ½‖z − a‖² + Σ ν_i |F_i| with a second-order correction makes it converge from afar. Along curved sets of
//! roots the identity is a poor Hessian and convergence is linear, so full steps are accelerated (`acceleration`)
//! as long as the merit agrees. Where the linearisation has no solution within the bounds, a damped
//! Gauss-Newton step lowers ‖F‖ instead.

use argmin::core::{
    Error, IterState, Jacobian, KV, Operator, Problem, Solver, TerminationReason, TerminationStatus,
};
use nalgebra::{DMatrix, DVector};

use super::acceleration::Anderson;
use super::nearest_in_box::{Bounds, nearest_in_box};
use crate::design::progress::{Progress, Stage, Watch};

/// State of the executor: point, Jacobian and residuals.
pub(crate) type SolverState = IterState<DVector<f64>, (), DMatrix<f64>, (), DVector<f64>, f64>;

/// Steps shorter than this are not judged by the merit: their effect on it is round-off.
const SHORT: f64 = 1e-6;

/// Accelerated steps may be this much longer than plain ones.
const LONGEST_FACTOR: f64 = 100.0;

/// Restoring steps in a row that hardly lower the residual before there counts as no way down.
const PATIENCE: usize = 6;

/// The solver; see the module.
#[doc(hidden)]
pub struct MinimumNormNewton<'a> {
    pub(crate) anchor: DVector<f64>,
    pub(crate) bounds: Bounds,
    /// ‖F‖∞ at which a root counts as one.
    pub(crate) tolerance: f64,
    /// Step below which the distance counts as stationary.
    pub(crate) stationarity: f64,
    /// Whether the anchor follows the point: plain steps of minimum norm to any near root.
    pub follow: bool,
    /// Longest step.
    pub(crate) max_step: f64,
    /// Hears of every step.
    watch: Watch<'a>,
    /// Points visited.
    pub(crate) path: Vec<DVector<f64>>,
    /// No step lowers the residual.
    pub(crate) stalled: bool,
    /// Steps of any kind in a row that hardly lowered a residual above the tolerance.
    idle: usize,
    acceleration: Anderson,
    residual: DVector<f64>,
    penalty: DVector<f64>,
    /// Length of the last step before acceleration.
    last_step: f64,
    damping: f64,
    /// Restoring steps in a row that lowered the residual by less than 1 %.
    slow: usize,
}

impl<'a> MinimumNormNewton<'a> {
    #[doc(hidden)]
    pub fn new(
        anchor: DVector<f64>,
        bounds: Bounds,
        tolerance: f64,
        stationarity: f64,
        watch: Watch<'a>,
    ) -> Self {
        Self {
            anchor,
            bounds,
            tolerance,
            stationarity,
            follow: false,
            max_step: 1.0,
            watch,
            path: Vec::new(),
            stalled: false,
            idle: 0,
            acceleration: Anderson::default(),
            residual: DVector::zeros(0),
            penalty: DVector::zeros(0),
            last_step: f64::INFINITY,
            damping: 1e-3,
            slow: 0,
        }
    }

    fn merit(&self, z: &DVector<f64>, f: &DVector<f64>) -> f64 {
        0.5 * (z - &self.anchor).norm_squared() + self.penalty.dot(&f.abs())
    }

    /// The next point and its residual by the line search; `None` when it fails or the linearisation has
    /// no solution.
    fn newton<O>(
        &mut self,
        problem: &mut Problem<O>,
        z: &DVector<f64>,
        jacobian: &DMatrix<f64>,
    ) -> Option<(DVector<f64>, DVector<f64>)>
    where
        O: Operator<Param = DVector<f64>, Output = DVector<f64>>,
    {
        let f = self.residual.clone();
        // Rows of unit length, so that rank does not depend on the units of gaps and cosines.
        let unit = DVector::from_iterator(
            f.len(),
            jacobian.row_iter().map(|row| 1.0 / row.norm().max(1e-300)),
        );
        let rows = DMatrix::from_diagonal(&unit) * jacobian;
        let rhs = |z: &DVector<f64>, f: &DVector<f64>| &rows * z - f.component_mul(&unit);
        let target = nearest_in_box(&self.anchor, &rows, &rhs(z, &f), &self.bounds, 0.0);
        if target.residual.is_nan()
            || target.residual > 1e-10 * (1.0 + f.component_mul(&unit).amax())
        {
            return None;
        }
        let multipliers = target.multipliers.component_mul(&unit);
        for (nu, lambda) in self.penalty.iter_mut().zip(multipliers.iter()) {
            *nu = nu.max(2.0 * lambda.abs() + 1e-3);
        }
        let d = &target.point - z;
        let norm = d.norm();
        let start = self.merit(z, &f);
        let slope = (z - &self.anchor).dot(&d) - self.penalty.dot(&f.abs());
        self.last_step = norm;
        if let Some(found) = self.accelerated(problem, z, &target.point, start + 1e-4 * slope) {
            return Some(found);
        }
        let mut length = (self.max_step / norm).min(1.0);
        while length > 1e-8 {
            let trial = self.bounds.clip(&(z + &d * length));
            if let Ok(at_trial) = problem.apply(&trial) {
                let enough = start + 1e-4 * length * slope.min(0.0);
                if self.merit(&trial, &at_trial) <= enough || norm <= SHORT {
                    return Some((trial, at_trial));
                }
                if length == 1.0 {
                    let rhs = rhs(&trial, &at_trial);
                    let corrected = nearest_in_box(&trial, &rows, &rhs, &self.bounds, 0.0).point;
                    if let Ok(at_corrected) = problem.apply(&corrected)
                        && self.merit(&corrected, &at_corrected) <= enough
                    {
                        return Some((corrected, at_corrected));
                    }
                }
            }
            length *= 0.5;
        }
        None
    }

    /// The accelerated point, if its merit is `enough` lower or the step is too short to judge.
    fn accelerated<O>(
        &mut self,
        problem: &mut Problem<O>,
        z: &DVector<f64>,
        target: &DVector<f64>,
        enough: f64,
    ) -> Option<(DVector<f64>, DVector<f64>)>
    where
        O: Operator<Param = DVector<f64>, Output = DVector<f64>>,
    {
        let plain = (target - z).norm();
        if self.follow || plain > self.max_step {
            return None;
        }
        let trial = self.bounds.clip(&self.acceleration.next(z, target)?);
        let length = (&trial - z).norm();
        if length <= LONGEST_FACTOR * plain
            && length <= self.max_step
            && let Ok(at_trial) = problem.apply(&trial)
            && (self.merit(&trial, &at_trial) <= enough || length <= SHORT)
        {
            return Some((trial, at_trial));
        }
        self.acceleration.forget();
        None
    }

    /// A damped Gauss-Newton step that lowers ‖F‖.
    fn restore<O>(
        &mut self,
        problem: &mut Problem<O>,
        z: &DVector<f64>,
        jacobian: &DMatrix<f64>,
    ) -> Option<(DVector<f64>, DVector<f64>)>
    where
        O: Operator<Param = DVector<f64>, Output = DVector<f64>>,
    {
        let f = &self.residual;
        let rhs = jacobian * z - f;
        for _ in 0..40 {
            let trial = nearest_in_box(z, jacobian, &rhs, &self.bounds, self.damping).point;
            let long = (&trial - z).norm() > self.max_step;
            if let (false, Ok(at_trial)) = (long, problem.apply(&trial))
                && at_trial.norm() < f.norm() * (1.0 - 1e-9)
            {
                self.damping = (self.damping * 0.1).max(1e-12);
                return Some((trial, at_trial));
            }
            self.damping *= 10.0;
        }
        None
    }
}

impl<O> Solver<O, SolverState> for MinimumNormNewton<'_>
where
    O: Operator<Param = DVector<f64>, Output = DVector<f64>>
        + Jacobian<Param = DVector<f64>, Jacobian = DMatrix<f64>>,
{
    fn name(&self) -> &'static str {
        "re-anchored minimum-norm Newton"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        state: SolverState,
    ) -> Result<(SolverState, Option<KV>), Error> {
        let z = state.param.clone().unwrap_or_else(|| self.anchor.clone());
        let z = self.bounds.clip(&z);
        self.residual = problem.apply(&z)?;
        self.penalty = DVector::from_element(self.residual.len(), 1e-3);
        self.path = vec![z.clone()];
        let cost = self.residual.amax();
        Ok((state.param(z).cost(cost), None))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        mut state: SolverState,
    ) -> Result<(SolverState, Option<KV>), Error> {
        let z = state.take_param().unwrap_or_else(|| self.anchor.clone());
        let jacobian = problem.jacobian(&z)?;
        if self.follow {
            self.anchor.clone_from(&z);
        }
        let found = match self.newton(problem, &z, &jacobian) {
            Some(found) => {
                self.slow = 0;
                Some(found)
            }
            None => {
                self.slow += 1;
                self.last_step = f64::INFINITY;
                self.acceleration.forget();
                self.restore(problem, &z, &jacobian)
            }
        };
        let Some((next, residual)) = found else {
            self.stalled = true;
            return Ok((state.param(z), None));
        };
        if residual.norm() < 0.99 * self.residual.norm() {
            self.slow = 0;
            self.idle = 0;
        } else if residual.amax() > self.tolerance {
            self.idle += 1;
        }
        self.stalled = self.slow >= PATIENCE || self.idle >= 4 * PATIENCE;
        self.residual = residual;
        self.path.push(next.clone());
        let cost = self.residual.amax();
        (self.watch)(Progress {
            stage: if self.follow {
                Stage::Root
            } else {
                Stage::Nearest
            },
            residual: cost,
        });
        Ok((state.param(next).cost(cost), None))
    }

    fn terminate(&mut self, _state: &SolverState) -> TerminationStatus {
        let root = self.residual.amax() <= self.tolerance;
        if root && (self.follow || self.last_step <= self.stationarity) {
            return TerminationStatus::Terminated(TerminationReason::SolverConverged);
        }
        if self.stalled {
            let reason = "no step lowers the residual".to_string();
            return TerminationStatus::Terminated(TerminationReason::SolverExit(reason));
        }
        TerminationStatus::NotTerminated
    }
}
