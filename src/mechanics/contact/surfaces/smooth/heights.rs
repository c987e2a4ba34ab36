//! Surfaces z = f(x, y), and the point of one that is closest to a point.

use nalgebra::{Matrix2, Matrix3, Matrix3x2, Vector2, Vector3};

use super::Proximity;

/// Newton steps at most towards the closest point.
const STEPS: usize = 50;
/// Halvings of one of them at most.
const HALVINGS: u32 = 30;
/// A step this short beside the coordinates is the last one: the next would be its square.
const LAST_STEP: f64 = 1e-9;
/// Over a step this short second derivatives stay what they are.
pub(crate) const SHORTEST: f64 = 1e-12;
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
        Self::from_place(point, point.xy(), height)
    }

    /// The same from the place where the closest point is thought to be.
    pub(super) fn from_place(
        point: &Vector3<f64>,
        mut at: Vector2<f64>,
        height: impl Fn(f64, f64) -> Height,
    ) -> Self {
        let target = point.xy();
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
                here = if step.amax() <= SHORTEST * scale {
                    here.beside(&-step)
                } else {
                    height(at.x, at.y)
                };
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
        Self::over_foot(point, &at, &here)
    }

    /// Of a point whose closest place, and the height there, are known.
    pub(in crate::contact) fn over_foot(
        point: &Vector3<f64>,
        at: &Vector2<f64>,
        here: &Height,
    ) -> Self {
        let foot = Vector3::new(at.x, at.y, here.value);
        let (normal, length) = here.normal();
        let distance = normal.dot(&(point - foot));
        Self {
            distance,
            normal,
            curvature: parallel(&normal, length, &here.hessian, distance),
        }
    }

    /// Where the closest point of another point \[m\] is, to first order in how far that is from the one `known` here.
    pub(in crate::contact) fn closest_beside(
        &self,
        known: &Vector3<f64>,
        other: &Vector3<f64>,
    ) -> Vector3<f64> {
        let moved = other - known;
        let (distance, normal) = (
            self.distance + self.normal.dot(&moved),
            self.normal + self.curvature * moved,
        );
        other - normal * distance
    }
}

impl Height {
    /// Of the point of the surface that it is the height of.
    pub(super) fn proximity(&self) -> Proximity {
        let (normal, length) = self.normal();
        Proximity {
            distance: 0.0,
            normal,
            curvature: shape_operator(&normal, length, &self.hessian),
        }
    }

    /// So little away that the second derivatives are the same.
    pub(in crate::contact) fn beside(&self, step: &Vector2<f64>) -> Self {
        let turned = self.hessian * step;
        Self {
            value: self.value + (self.gradient + turned * 0.5).dot(step),
            gradient: self.gradient + turned,
            hessian: self.hessian,
        }
    }

    /// n and s.
    fn normal(&self) -> (Vector3<f64>, f64) {
        let [a, b] = [self.gradient.x, self.gradient.y];
        let length = (1.0 + a * a + b * b).sqrt();
        (Vector3::new(-a, -b, 1.0) / length, length)
    }

    /// The largest curvature of the surface along any of its directions \[1/m\], positive in valleys.
    pub(super) fn valley(&self) -> f64 {
        let (normal, length) = self.normal();
        let shape = shape_operator(&normal, length, &self.hessian);
        // Two eigenvalues beside the zero along the normal, from trace and the sum of the principal minors.
        let mean = -0.5 * shape.trace();
        let minors = 0.5 * (shape.trace() * shape.trace() - (shape * shape).trace());
        mean + (mean * mean - minors).max(0.0).sqrt()
    }
}

/// S = −P ∇²f P/s.
fn shape_operator(normal: &Vector3<f64>, length: f64, hessian: &Matrix2<f64>) -> Matrix3<f64> {
    let across = Matrix3x2::identity() - normal * normal.xy().transpose();
    across * (hessian / -length) * across.transpose()
}

/// (I + d S)⁻¹ S = (S + d K P)/(1 + d tr S + d² K) with the product K = det ∇²f/s⁴ of the principal curvatures, since κ₁/(1 + d
/// κ₁) = (κ₁ + d K)/((1 + d κ₁)(1 + d κ₂)); zero where the distance has no second derivative.
fn parallel(
    normal: &Vector3<f64>,
    length: f64,
    hessian: &Matrix2<f64>,
    distance: f64,
) -> Matrix3<f64> {
    let shape = shape_operator(normal, length, hessian);
    let product = hessian.determinant() / length.powi(4);
    let across = Matrix3::identity() - normal * normal.transpose();
    let bent = shape + across * (distance * product);
    let curvature = bent / (1.0 + distance * (shape.trace() + distance * product));
    if curvature.iter().all(|x| x.is_finite()) {
        curvature
    } else {
        Matrix3::zeros()
    }
}

fn solve(matrix: &Matrix2<f64>, right: &Vector2<f64>) -> Vector2<f64> {
    Vector2::new(
        matrix.m22 * right.x - matrix.m12 * right.y,
        matrix.m11 * right.y - matrix.m21 * right.x,
    ) / matrix.determinant()
}
