//! Surfaces z = f(x, y), and the point of one that is closest to a point.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

use super::Proximity;

/// Newton steps at most towards the closest point.
const STEPS: usize = 50;
/// Halvings of one of them at most.
const HALVINGS: u32 = 30;
/// A step this short beside the coordinates is the last one: the next would be its square.
const LAST_STEP: f64 = 1e-9;
/// Steps shorter than this beside the distance, or than this square beside the coordinates, change F by no more than it
/// rounds: they are taken whole.
const UNSEEN: f64 = 1e-5;

/// The height of a surface at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Height {
    /// f \[m\].
    pub value: f64,
    /// (∂f/∂x, ∂f/∂y).
    pub gradient: Vector2<f64>,
    /// Second derivatives \[1/m\].
    pub hessian: Matrix2<f64>,
}

impl Proximity {
    /// Of a point \[m\] and the surface z = f(x, y), which lies below what is outside. Of several places that are closest
    /// among their neighbours it finds one near the vertical through the point; where the point is nearer to the surface
    /// than its radius of curvature there is one alone.
    ///
    /// ```text
    /// minimise F(u) = ½‖u − (x, y)‖² + ½(f(u) − z)²:    ∇F = u − (x, y) + (f − z) ∇f,    ∇²F = I + ∇f ∇fᵀ + (f − z) ∇²f
    /// n = (−∇f, 1)/s,    S = −P ∇²f P/s,    s = √(1 + ‖∇f‖²),    P = I − n nᵀ
    /// ```
    ///
    /// Newton's steps with ∇²F where it is positive definite, with I + ∇f ∇fᵀ elsewhere, halved until F falls.
    #[must_use]
    pub fn of_heights(point: &Vector3<f64>, height: impl Fn(f64, f64) -> Height) -> Self {
        let target = point.xy();
        let mut at = target;
        let mut here = height(at.x, at.y);
        let far = |at: &Vector2<f64>, here: &Height| {
            let above = here.value - point.z;
            0.5 * ((at - target).norm_squared() + above * above)
        };
        for _ in 0..STEPS {
            let above = here.value - point.z;
            let slope = at - target + here.gradient * above;
            let metric = Matrix2::identity() + here.gradient * here.gradient.transpose();
            let bent = metric + here.hessian * above;
            let convex = bent.m11 > 0.0 && bent.determinant() > 0.0;
            let step = solve(if convex { &bent } else { &metric }, &slope);
            let scale = target.amax().max(above.abs()).max(1.0);
            if step.amax() <= LAST_STEP * scale {
                // The foot moves by less than counts; what it moves enters the distance squared.
                at -= step;
                here = height(at.x, at.y);
                break;
            }
            let before = far(&at, &here);
            let unseen = UNSEEN * (2.0 * before).sqrt() + UNSEEN * UNSEEN * scale;
            let mut share = 1.0;
            for halving in 0..=HALVINGS {
                let next = at - step * share;
                let there = height(next.x, next.y);
                let taken = step.amax() <= unseen || far(&next, &there) < before;
                if taken || halving == HALVINGS {
                    (at, here) = (next, there);
                    break;
                }
                share *= 0.5;
            }
        }
        let foot = Vector3::new(at.x, at.y, here.value);
        let [a, b] = [here.gradient.x, here.gradient.y];
        let length = (1.0 + a * a + b * b).sqrt();
        let normal = Vector3::new(-a, -b, 1.0) / length;
        let distance = normal.dot(&(point - foot));
        Self {
            distance,
            normal,
            curvature: parallel(&shape_operator(&normal, length, &here.hessian), distance),
        }
    }
}

impl Height {
    /// The largest curvature of the surface along any of its directions \[1/m\], positive in valleys.
    pub(super) fn valley(&self) -> f64 {
        let length = (1.0 + self.gradient.norm_squared()).sqrt();
        let normal = Vector3::new(-self.gradient.x, -self.gradient.y, 1.0) / length;
        let shape = shape_operator(&normal, length, &self.hessian);
        // Two eigenvalues beside the zero along the normal, from trace and the sum of the principal minors.
        let mean = -0.5 * shape.trace();
        let minors = 0.5 * (shape.trace() * shape.trace() - (shape * shape).trace());
        mean + (mean * mean - minors).max(0.0).sqrt()
    }
}

/// S = −P ∇²f P/s.
fn shape_operator(normal: &Vector3<f64>, length: f64, hessian: &Matrix2<f64>) -> Matrix3<f64> {
    let across = Matrix3::identity() - normal * normal.transpose();
    let mut bend = Matrix3::zeros();
    bend.fixed_view_mut::<2, 2>(0, 0)
        .copy_from(&(hessian / -length));
    across * bend * across
}

/// (I + d S)⁻¹ S; zero where the distance has no second derivative.
fn parallel(shape: &Matrix3<f64>, distance: f64) -> Matrix3<f64> {
    (Matrix3::identity() + shape * distance)
        .try_inverse()
        .map(|inverse| inverse * shape)
        .filter(|curvature| curvature.iter().all(|x| x.is_finite()))
        .unwrap_or_default()
}

fn solve(matrix: &Matrix2<f64>, right: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(
        matrix.m22 * right.x - matrix.m12 * right.y,
        matrix.m11 * right.y - matrix.m21 * right.x,
    ) / matrix.determinant()
}
