//! The best compromise when not all wishes can be met: an augmented Lagrangian.
//!
//! ```text
//! min ½ Σ w (c − c*)² + ½ε‖z − a‖²   subject to constraints = 0, open gaps ≥ least, l ≤ z ≤ u
//! ```
//!
//! Constraints enter as ½ρ(φ + μ/ρ)² with multipliers μ (open gaps only while they act); each inner problem is
//! a bounded least-squares problem, solved by Gauss-Newton or L-BFGS. A last minimum-norm step, not here, meets the
//! constraints to round-off.

use argmin::core::{Error, Executor, Jacobian, Operator};
use nalgebra::{DMatrix, DVector};

use super::bounded_lbfgs::bounded_lbfgs;
use super::gauss_newton::BoundedGaussNewton;
use super::minimum_norm::SolverState;
use super::residuals::typed;
use super::solve::Weighing;
use crate::design::progress::Watch;
use crate::design::quantity::Role;
use crate::design::{DesignError, DesignProblem};

const OUTER: usize = 40;
const INNER: u64 = 300;

/// Step at which a problem has converged.
const STEP: f64 = 1e-9;

/// Relative change of the weighed wishes that counts as none: derivatives by parameters have relative errors of 1e-10.
const CHANGE: f64 = 1e-9;

/// Damping of the first inner problem.
const DAMPING: f64 = 1e-2;

/// The problem of weighing.
pub(crate) struct Compromise<'a> {
    pub(crate) problem: &'a DesignProblem,
    /// a.
    pub(crate) anchor: &'a DVector<f64>,
    /// ε.
    pub(crate) stay: f64,
    pub(crate) weighing: Weighing,
}

/// What the inner problem minimises.
pub(crate) struct Augmented<'a> {
    problem: &'a DesignProblem,
    anchor: &'a DVector<f64>,
    stay: f64,
    roles: Vec<Role>,
    rho: f64,
    multipliers: DVector<f64>,
}

/// One row of least squares: factor × (value − target), 0 where it does not act.
fn row(role: Role, value: f64, rho: f64, mu: f64) -> (f64, f64) {
    let weighed = |weight: f64, target: f64| (weight.sqrt(), weight.sqrt() * (value - target));
    match role {
        Role::Wanted { target, weight } => weighed(weight, target),
        Role::Soft(weight) => weighed(weight, 0.0),
        Role::Constraint(target) => weighed(rho, target - mu / rho),
        Role::AtLeast(least) if value - least + mu / rho < 0.0 => weighed(rho, least - mu / rho),
        Role::AtLeast(_) => (0.0, 0.0),
    }
}

impl Augmented<'_> {
    /// Rows of all quantities, then of the distance to the anchor.
    fn rows(&self, values: &DVector<f64>) -> Vec<(f64, f64)> {
        let rows = self.roles.iter().zip(values.iter());
        rows.zip(self.multipliers.iter())
            .map(|((role, value), mu)| row(*role, *value, self.rho, *mu))
            .collect()
    }
}

impl Operator for Augmented<'_> {
    type Param = DVector<f64>;
    type Output = DVector<f64>;

    fn apply(&self, z: &DVector<f64>) -> Result<DVector<f64>, Error> {
        let values = self.problem.values(&self.problem.unscaled(z))?;
        let mut all: Vec<f64> = self.rows(&values).iter().map(|r| r.1).collect();
        all.extend(((z - self.anchor) * self.stay.sqrt()).iter());
        Ok(DVector::from_vec(all))
    }
}

impl Jacobian for Augmented<'_> {
    type Param = DVector<f64>;
    type Jacobian = DMatrix<f64>;

    fn jacobian(&self, z: &DVector<f64>) -> Result<DMatrix<f64>, Error> {
        let (values, jacobian) = self.problem.scaled_linearization(z)?;
        let (m, n) = jacobian.shape();
        let mut all = DMatrix::zeros(m + n, n);
        for (i, (factor, _)) in self.rows(&values).iter().enumerate() {
            all.row_mut(i).copy_from(&(jacobian.row(i) * *factor));
        }
        for k in 0..n {
            all[(m + k, k)] = self.stay.sqrt();
        }
        Ok(all)
    }
}

impl Compromise<'_> {
    /// Minimises from `start` and returns the point and the number of inner steps. Constraints are met to
    /// about 1e-10.
    pub(crate) fn solve(
        &self,
        start: DVector<f64>,
        watch: Watch<'_>,
    ) -> Result<(DVector<f64>, usize), DesignError> {
        let quantities = self.problem.quantities().iter();
        let roles: Vec<Role> = quantities.map(|q| q.role()).collect();
        let mut z = start;
        let mut multipliers = DVector::zeros(roles.len());
        let (mut rho, mut worst, mut steps) = (1e3, f64::INFINITY, 0);
        let (mut damping, mut before) = (DAMPING, f64::INFINITY);
        for _ in 0..OUTER {
            let augmented = Augmented {
                problem: self.problem,
                anchor: self.anchor,
                stay: self.stay,
                roles: roles.clone(),
                rho,
                multipliers: multipliers.clone(),
            };
            let (point, taken) = self.minimize(augmented, &z, &mut damping, watch)?;
            steps += taken;
            let moved = (&point - &z).norm();
            z = point;
            let values = self.problem.values(&self.problem.unscaled(&z))?;
            let mut violation: f64 = 0.0;
            let mut wishes = self.stay * (&z - self.anchor).norm_squared();
            for (i, role) in roles.iter().enumerate() {
                let excess = match role {
                    Role::Constraint(target) => values[i] - target,
                    Role::AtLeast(least) => (values[i] - least).min(-multipliers[i] / rho),
                    Role::Wanted { .. } | Role::Soft(_) => {
                        wishes += row(*role, values[i], rho, 0.0).1.powi(2);
                        continue;
                    }
                };
                violation = violation.max(excess.abs());
                multipliers[i] += rho * excess;
            }
            let settled = moved <= 10.0 * STEP || (before - wishes).abs() <= CHANGE * wishes;
            if violation <= 1e-10 && settled {
                break;
            }
            before = wishes;
            if violation > 0.25 * worst {
                rho = (rho * 10.0).min(1e9);
            }
            worst = violation;
        }
        Ok((z, steps))
    }

    fn minimize(
        &self,
        augmented: Augmented<'_>,
        from: &DVector<f64>,
        damping: &mut f64,
        watch: Watch<'_>,
    ) -> Result<(DVector<f64>, usize), DesignError> {
        let bounds = self.problem.scaled_bounds();
        if self.weighing == Weighing::LBfgs {
            return bounded_lbfgs(&augmented, &bounds, from, watch);
        }
        let solver = BoundedGaussNewton::new(bounds, STEP, *damping, watch);
        let result = Executor::new(augmented, solver)
            .configure(|state: SolverState| state.param(from.clone()).max_iters(INNER))
            .ctrlc(false)
            .run()
            .map_err(typed)?;
        *damping = result.solver.damping;
        let point = result.state.param.unwrap_or_else(|| from.clone());
        Ok((point, result.state.iter as usize))
    }
}
