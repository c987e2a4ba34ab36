//! Bounded nonlinear least squares: Gauss-Newton with Levenberg-Marquardt damping.
//!
//! min ½‖R(z)‖² subject to l ≤ z ≤ u; each step minimises ½‖R + J d‖² + ½δ‖d‖² within the bounds.

use argmin::core::{
    Error, Jacobian, KV, Operator, Problem, Solver, TerminationReason, TerminationStatus,
};
use nalgebra::{DMatrix, DVector};

use super::minimum_norm::SolverState;
use super::nearest_in_box::{Bounds, nearest_in_box};
use crate::design::progress::{Progress, Stage, Watch};

/// A step that lowers the sum of squares by less than this fraction is the last.
const LEAST_GAIN: f64 = 1e-11;

/// The solver; see the module.
pub(crate) struct BoundedGaussNewton<'a> {
    bounds: Bounds,
    /// Step at which it has converged.
    tolerance: f64,
    /// Levenberg-Marquardt damping; a later problem that differs little goes on with it.
    pub(crate) damping: f64,
    residual: DVector<f64>,
    last_step: f64,
    watch: Watch<'a>,
}

impl<'a> BoundedGaussNewton<'a> {
    pub(crate) fn new(bounds: Bounds, tolerance: f64, damping: f64, watch: Watch<'a>) -> Self {
        Self {
            bounds,
            tolerance,
            damping,
            residual: DVector::zeros(0),
            last_step: f64::INFINITY,
            watch,
        }
    }
}

impl<O> Solver<O, SolverState> for BoundedGaussNewton<'_>
where
    O: Operator<Param = DVector<f64>, Output = DVector<f64>>
        + Jacobian<Param = DVector<f64>, Jacobian = DMatrix<f64>>,
{
    fn name(&self) -> &'static str {
        "bounded Gauss-Newton"
    }

    fn init(
        &mut self,
        problem: &mut Problem<O>,
        mut state: SolverState,
    ) -> Result<(SolverState, Option<KV>), Error> {
        let z = state
            .take_param()
            .unwrap_or_else(|| self.bounds.lower.clone());
        let z = self.bounds.clip(&z);
        self.residual = problem.apply(&z)?;
        let cost = 0.5 * self.residual.norm_squared();
        Ok((state.param(z).cost(cost), None))
    }

    fn next_iter(
        &mut self,
        problem: &mut Problem<O>,
        mut state: SolverState,
    ) -> Result<(SolverState, Option<KV>), Error> {
        let z = state
            .take_param()
            .unwrap_or_else(|| self.bounds.lower.clone());
        let jacobian = problem.jacobian(&z)?;
        let rhs = &jacobian * &z - &self.residual;
        self.last_step = 0.0;
        for _ in 0..40 {
            let trial = nearest_in_box(&z, &jacobian, &rhs, &self.bounds, self.damping).point;
            let step = (&trial - &z).norm();
            if step <= 0.1 * self.tolerance {
                break;
            }
            if let Ok(residual) = problem.apply(&trial)
                && residual.norm_squared() < self.residual.norm_squared()
            {
                self.damping = (self.damping * 0.1).max(1e-10);
                let left = residual.norm_squared() / self.residual.norm_squared();
                self.last_step = if left > 1.0 - LEAST_GAIN { 0.0 } else { step };
                self.residual = residual;
                let cost = 0.5 * self.residual.norm_squared();
                (self.watch)(Progress {
                    stage: Stage::Compromise,
                    residual: self.residual.amax(),
                });
                return Ok((state.param(trial).cost(cost), None));
            }
            self.damping *= 10.0;
        }
        let cost = 0.5 * self.residual.norm_squared();
        Ok((state.param(z).cost(cost), None))
    }

    fn terminate(&mut self, _state: &SolverState) -> TerminationStatus {
        if self.last_step <= self.tolerance {
            return TerminationStatus::Terminated(TerminationReason::SolverConverged);
        }
        TerminationStatus::NotTerminated
    }
}
