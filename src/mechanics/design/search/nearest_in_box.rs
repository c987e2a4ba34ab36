//! The point of a box nearest to an anchor on, or near, an affine space.
//!
//! ```text
//! min ½‖z − a‖² + 1/(2δ) ‖J z − b‖²   subject to l ≤ z ≤ u        (δ → 0: subject to J z = b)
//! ```
//!
//! Solved in the dual: z(λ) = clip(a + Jᵀλ, l, u), and λ is the root of b − J z(λ) − δλ, the gradient of
//! a concave piecewise quadratic function. Its Newton steps are those of an active-set method (the active
//! set is what the clip holds at its bounds), and a line search makes them converge from anywhere.

use nalgebra::{DMatrix, DVector};

const MAX_ITERATIONS: usize = 200;

/// Eigenvalues of J Jᵀ below this fraction of the largest are round-off.
const RANK_TOLERANCE: f64 = 1e-13;

/// The box.
#[derive(Debug, Clone, PartialEq)]
#[doc(hidden)]
pub struct Bounds {
    pub lower: DVector<f64>,
    pub upper: DVector<f64>,
}

impl Bounds {
    pub(crate) fn clip(&self, z: &DVector<f64>) -> DVector<f64> {
        DVector::from_fn(z.len(), |i, _| z[i].clamp(self.lower[i], self.upper[i]))
    }

    /// Whether z_i stands at a bound.
    pub(crate) fn at_bound(&self, z: &DVector<f64>, i: usize) -> bool {
        z[i] <= self.lower[i] || z[i] >= self.upper[i]
    }
}

/// What was found.
#[derive(Debug, Clone)]
pub(crate) struct Nearest {
    pub(crate) point: DVector<f64>,
    /// λ, one a row.
    pub(crate) multipliers: DVector<f64>,
    /// ‖J z − b + δλ‖∞.
    pub(crate) residual: f64,
}

/// See the module; δ = `damping` ≥ 0.
pub(crate) fn nearest_in_box(
    anchor: &DVector<f64>,
    jacobian: &DMatrix<f64>,
    rhs: &DVector<f64>,
    bounds: &Bounds,
    damping: f64,
) -> Nearest {
    let mut lambda = DVector::zeros(rhs.len());
    let point = |lambda: &DVector<f64>| bounds.clip(&(anchor + jacobian.tr_mul(lambda)));
    let gradient = |z: &DVector<f64>, lambda: &DVector<f64>| rhs - jacobian * z - lambda * damping;
    let dual = |z: &DVector<f64>, lambda: &DVector<f64>| {
        0.5 * (z - anchor).norm_squared() + lambda.dot(&(rhs - jacobian * z))
            - 0.5 * damping * lambda.norm_squared()
    };
    let mut z = point(&lambda);
    for _ in 0..MAX_ITERATIONS {
        let slope = gradient(&z, &lambda);
        let free = DMatrix::from_fn(jacobian.nrows(), jacobian.ncols(), |i, j| {
            let inside = anchor[j] + jacobian.column(j).dot(&lambda);
            let held = inside < bounds.lower[j] || inside > bounds.upper[j];
            if held { 0.0 } else { jacobian[(i, j)] }
        });
        let step = newton_step(&free, &slope, damping);
        if step.amax() <= 1e-15 * (1.0 + lambda.amax()) {
            break;
        }
        let start = dual(&z, &lambda);
        let rise = slope.dot(&step);
        let mut length = 1.0;
        let accepted = loop {
            let trial = &lambda + &step * length;
            let moved = point(&trial);
            let better = dual(&moved, &trial) >= start + 1e-4 * length * rise;
            let nearer = gradient(&moved, &trial).norm() <= 0.5 * slope.norm();
            if better || nearer {
                break Some((trial, moved));
            }
            length *= 0.5;
            if length < 1e-12 {
                break None;
            }
        };
        let Some((next, moved)) = accepted else {
            break;
        };
        lambda = next;
        z = moved;
        if gradient(&z, &lambda).amax() <= 1e-15 * (1.0 + rhs.amax()) {
            break;
        }
    }
    Nearest {
        residual: gradient(&z, &lambda).amax(),
        point: z,
        multipliers: lambda,
    }
}

/// (J Jᵀ + δ)⁺ g; what no free variable moves takes a long step along g, so that bounds let go.
fn newton_step(free: &DMatrix<f64>, slope: &DVector<f64>, damping: f64) -> DVector<f64> {
    let gram = free * free.transpose();
    let eigen = gram.symmetric_eigen();
    let largest = eigen.eigenvalues.amax().max(damping);
    let mut step = DVector::zeros(slope.len());
    for (value, vector) in eigen
        .eigenvalues
        .iter()
        .zip(eigen.eigenvectors.column_iter())
    {
        let along = vector.dot(slope);
        let curvature = value.max(0.0) + damping;
        if curvature > RANK_TOLERANCE * largest {
            step.axpy(along / curvature, &vector, 1.0);
        } else {
            step.axpy(along, &vector, 1.0);
        }
    }
    step
}
