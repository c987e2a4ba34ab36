//! The best compromise when the wanted cosines cannot all be reached: an augmented Lagrangian.
//!
//! ```text
//! min ½ Σ w (c − c*)² + ½ε‖z − a‖²   subject to closed gaps = 0, open gaps ≥ least, l ≤ z ≤ u
//! ```
//!
//! Gaps enter as ½ρ(φ + μ/ρ)² with multipliers μ (open ones only while they act); each inner problem is
//! a bounded least-squares problem for Gauss-Newton. A last minimum-norm step closes the gaps to round-off.

use argmin::core::{Error, Executor, Jacobian, Operator};
use nalgebra::{DMatrix, DVector};

use super::gauss_newton::BoundedGaussNewton;
use super::minimum_norm::SolverState;
use super::residuals::typed;
use super::{DesignError, DesignProblem, Quantity};

const OUTER: usize = 40;
const INNER: u64 = 300;

/// What the inner problem minimises.
struct Augmented<'a> {
    problem: &'a DesignProblem,
    anchor: &'a DVector<f64>,
    stay: f64,
    rho: f64,
    multipliers: DVector<f64>,
}

/// One row of least squares made from a quantity: factor × (value − target), if it acts.
fn row(quantity: &Quantity, value: f64, rho: f64, mu: f64) -> Option<(f64, f64)> {
    match quantity {
        Quantity::Cosine { target, weight, .. } => {
            let factor = weight.sqrt();
            Some((factor, factor * (value - target)))
        }
        Quantity::Gap { closed: true, .. } => Some((rho.sqrt(), rho.sqrt() * (value + mu / rho))),
        Quantity::Gap { least, .. } => {
            let short = value - least + mu / rho;
            (short < 0.0).then_some((rho.sqrt(), rho.sqrt() * short))
        }
    }
}

impl Augmented<'_> {
    /// Rows of all quantities (0 where one does not act), then of the distance to the anchor.
    fn rows(&self, values: &DVector<f64>) -> Vec<(f64, f64)> {
        let quantities = self.problem.quantities().iter().zip(values.iter());
        quantities
            .zip(self.multipliers.iter())
            .map(|((quantity, value), mu)| row(quantity, *value, self.rho, *mu).unwrap_or_default())
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

/// Minimises from `start` and returns the point and the number of inner steps. Gaps are closed to
/// about 1e-10 m.
pub(super) fn compromise(
    problem: &DesignProblem,
    anchor: &DVector<f64>,
    start: DVector<f64>,
    stay: f64,
    tolerance: f64,
) -> Result<(DVector<f64>, usize), DesignError> {
    let quantities = problem.quantities();
    let mut z = start;
    let mut multipliers = DVector::zeros(quantities.len());
    let (mut rho, mut worst, mut steps) = (1e3, f64::INFINITY, 0);
    for _ in 0..OUTER {
        let inner = Augmented {
            problem,
            anchor,
            stay,
            rho,
            multipliers: multipliers.clone(),
        };
        let solver = BoundedGaussNewton::new(problem.scaled_bounds(), tolerance);
        let result = Executor::new(inner, solver)
            .configure(|state: SolverState| state.param(z.clone()).max_iters(INNER))
            .ctrlc(false)
            .run()
            .map_err(typed)?;
        steps += result.state.iter as usize;
        let moved = result.state.param.clone().map_or(0.0, |p| (&p - &z).norm());
        if let Some(point) = &result.state.param {
            z.clone_from(point);
        }
        let values = problem.values(&problem.unscaled(&z))?;
        let mut violation: f64 = 0.0;
        for (i, quantity) in quantities.iter().enumerate() {
            if let Quantity::Gap { closed, least, .. } = quantity {
                let excess = if *closed {
                    values[i]
                } else {
                    (values[i] - least).min(-multipliers[i] / rho)
                };
                violation = violation.max(excess.abs());
                multipliers[i] += rho * excess;
            }
        }
        if violation <= 1e-10 && moved <= 10.0 * tolerance {
            break;
        }
        if violation > 0.25 * worst {
            rho = (rho * 10.0).min(1e9);
        }
        worst = violation;
    }
    Ok((z, steps))
}
