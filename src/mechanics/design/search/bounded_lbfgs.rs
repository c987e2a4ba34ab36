//! L-BFGS with bounds: the alternative to Gauss-Newton inside the augmented Lagrangian.
//!
//! Bounds are met by substitution, as in MINUIT (James and Roos 1975), so that the line search sees no kink:
//!
//! | bounds | z(y) |
//! |---|---|
//! | l ≤ z ≤ u | l + ½(u − l)(1 + sin y) |
//! | l ≤ z | l − 1 + √(1 + y²) |
//! | z ≤ u | u + 1 − √(1 + y²) |

use std::cell::RefCell;
use std::f64::consts::FRAC_PI_2;

use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, Jacobian, Operator};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use nalgebra::DVector;

use super::nearest_in_box::Bounds;
use super::residuals::typed;
use crate::design::DesignError;
use crate::design::progress::{Progress, Stage, Watch};

/// Steps kept for the curvature.
const MEMORY: usize = 10;
const MAX_ITERATIONS: u64 = 1000;

/// Slope of ½‖R‖² at which it counts as stationary.
const SLOPE: f64 = 1e-11;

/// How far from a bound, in y, a start is moved: at the bound itself the slope of the substitution vanishes.
const OFF_BOUND: f64 = 1e-3;

/// ½‖R(z(y))‖².
struct Substituted<'a, R> {
    residuals: &'a R,
    bounds: &'a Bounds,
    watch: Watch<'a>,
    /// The best point seen: what is left when a line search fails within round-off of a minimum.
    best: &'a RefCell<(f64, DVector<f64>)>,
}

impl<R> Substituted<'_, R> {
    /// z and dz/dy of variable i.
    fn place(&self, i: usize, y: f64) -> (f64, f64) {
        let (l, u) = (self.bounds.lower[i], self.bounds.upper[i]);
        let root = y.hypot(1.0);
        match (l.is_finite(), u.is_finite()) {
            (true, true) => {
                let half = 0.5 * (u - l);
                ((l + half * (1.0 + y.sin())).clamp(l, u), half * y.cos())
            }
            (true, false) => (l - 1.0 + root, y / root),
            (false, true) => (u + 1.0 - root, -y / root),
            (false, false) => (y, 1.0),
        }
    }

    fn point(&self, y: &DVector<f64>) -> DVector<f64> {
        DVector::from_fn(y.len(), |i, _| self.place(i, y[i]).0)
    }

    /// The y of a point, a little off the bounds.
    fn inverse(&self, z: &DVector<f64>) -> DVector<f64> {
        DVector::from_fn(z.len(), |i, _| {
            let (l, u) = (self.bounds.lower[i], self.bounds.upper[i]);
            let beyond = |distance: f64| ((1.0 + distance).powi(2) - 1.0).max(0.0).sqrt();
            match (l.is_finite(), u.is_finite()) {
                (true, true) if u > l => {
                    let y = (2.0 * (z[i] - l) / (u - l) - 1.0).clamp(-1.0, 1.0).asin();
                    y.clamp(OFF_BOUND - FRAC_PI_2, FRAC_PI_2 - OFF_BOUND)
                }
                (true, true) => 0.0,
                (true, false) => beyond(z[i] - l).max(OFF_BOUND),
                (false, true) => beyond(u - z[i]).max(OFF_BOUND),
                (false, false) => z[i],
            }
        })
    }
}

impl<R> CostFunction for Substituted<'_, R>
where
    R: Operator<Param = DVector<f64>, Output = DVector<f64>>,
{
    type Param = DVector<f64>;
    type Output = f64;

    fn cost(&self, y: &DVector<f64>) -> Result<f64, Error> {
        let z = self.point(y);
        let residual = self.residuals.apply(&z)?;
        let cost = 0.5 * residual.norm_squared();
        if cost < self.best.borrow().0 {
            self.best.replace((cost, z));
            (self.watch)(Progress {
                stage: Stage::Compromise,
                residual: residual.amax(),
            });
        }
        Ok(cost)
    }
}

impl<R> Gradient for Substituted<'_, R>
where
    R: Operator<Param = DVector<f64>, Output = DVector<f64>>
        + Jacobian<Param = DVector<f64>, Jacobian = nalgebra::DMatrix<f64>>,
{
    type Param = DVector<f64>;
    type Gradient = DVector<f64>;

    fn gradient(&self, y: &DVector<f64>) -> Result<DVector<f64>, Error> {
        let z = self.point(y);
        let slope = self
            .residuals
            .jacobian(&z)?
            .tr_mul(&self.residuals.apply(&z)?);
        Ok(DVector::from_fn(y.len(), |i, _| {
            slope[i] * self.place(i, y[i]).1
        }))
    }
}

/// Minimises ½‖R(z)‖² within bounds; returns the point and the number of steps.
pub(crate) fn bounded_lbfgs<R>(
    residuals: &R,
    bounds: &Bounds,
    from: &DVector<f64>,
    watch: Watch<'_>,
) -> Result<(DVector<f64>, usize), DesignError>
where
    R: Operator<Param = DVector<f64>, Output = DVector<f64>>
        + Jacobian<Param = DVector<f64>, Jacobian = nalgebra::DMatrix<f64>>,
{
    let start = residuals.apply(from).map_err(typed)?;
    let best = RefCell::new((0.5 * start.norm_squared(), from.clone()));
    let problem = Substituted {
        residuals,
        bounds,
        watch,
        best: &best,
    };
    let y = problem.inverse(from);
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY)
        .with_tolerance_grad(SLOPE)
        .and_then(|solver| solver.with_tolerance_cost(0.0))
        .map_err(typed)?;
    let result = Executor::new(problem, solver)
        .configure(
            |state: IterState<DVector<f64>, DVector<f64>, (), (), (), f64>| {
                state.param(y).max_iters(MAX_ITERATIONS)
            },
        )
        .ctrlc(false)
        .run();
    let steps = match result {
        Ok(result) => result.state.iter as usize,
        // Where the robot cannot be built that is the error; a line search without a lower point is the end.
        Err(error) => match error.downcast::<DesignError>() {
            Ok(error) => return Err(error),
            Err(_) => 0,
        },
    };
    Ok((best.into_inner().1, steps))
}
