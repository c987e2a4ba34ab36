//! The lowest point of a circle over a surface of heights, and the place below it, found together.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | p(θ) = c + R r(θ) | `point` | point of the circle; t = r′ |
//! | u | `foot` | place of the point of the surface z = f(u) that is closest to p |
//! | N | `steepness` | (−∇f, 1), along the normal |
//! | B | `bent` | I + ∇f ∇fᵀ + (f − p_z) ∇²f |
//!
//! ```text
//! e = u − p_xy + (f − p_z) ∇f = 0        u is closest
//! g = N·t = 0                             p is lowest
//! e_u = B,   e_θ = −R (t_xy + t_z ∇f),   g_u = −∇²f t_xy,   g_θ = −N·r
//! ```
//!
//! Newton's steps on both equations look at the surface once each, where steps along the circle look for the closest point
//! anew each time. At a solution g_θ − g_u B⁻¹ e_θ is ‖N‖ d″/R: the steps are kept to where it and B are positive.

use nalgebra::{Matrix2, Vector3};

use super::gap::Circle;
use super::place::FLAT;
use super::smooth_touch::{LAST_STEP, LONGEST, Lowest};
use crate::contact::surfaces::{HeightField, Proximity, SHORTEST};

/// Steps at most: what takes more is far from a minimum.
const STEPS: usize = 12;

/// The minimum that Newton's steps reach from an angle and from a point nearby and what is there; `None` where they
/// do not lead to one.
pub(super) fn lowest_over_heights(
    circle: &Circle<f64>,
    field: &HeightField,
    mut angle: f64,
    (nearby, known): &(Vector3<f64>, Proximity),
) -> Option<Lowest> {
    let (mut sine, mut cosine) = angle.sin_cos();
    let mut point = circle.point(cosine, sine);
    let mut foot = known.closest_beside(nearby, &point).xy();
    let mut here = field.at(foot.x, foot.y);
    for _ in 0..STEPS {
        let radial = circle.radial(cosine, sine);
        let tangent = circle.radial(-sine, cosine);
        let (gradient, above) = (here.gradient, here.value - point.z);
        let bent = Matrix2::identity() + gradient * gradient.transpose() + here.hessian * above;
        if bent.m11 <= 0.0 || bent.determinant() <= 0.0 {
            return None;
        }
        let steepness = (1.0 + gradient.norm_squared()).sqrt();
        let away = foot - point.xy() + gradient * above;
        let slope = tangent.z - gradient.dot(&tangent.xy());
        let carried = (tangent.xy() + gradient * tangent.z) * -circle.radius;
        let turned = here.hessian * -tangent.xy();
        let inverse = bent.try_inverse()?;
        let (closer, along) = (inverse * away, inverse * carried);
        let turn = gradient.dot(&radial.xy()) - radial.z - turned.dot(&along);
        if turn <= FLAT * steepness {
            return None;
        }
        let step = (turned.dot(&closer) - slope) / turn;
        let way = -closer - along * step;
        if step.abs() > LONGEST {
            return None;
        }
        angle += step;
        foot += way;
        (sine, cosine) = angle.sin_cos();
        point = circle.point(cosine, sine);
        let scale = point.amax().max(1.0);
        let is_last = step.abs() <= LAST_STEP && way.amax() <= LAST_STEP * scale;
        here = if is_last && way.amax() <= SHORTEST * scale {
            here.beside(&way)
        } else {
            field.at(foot.x, foot.y)
        };
        if is_last {
            if angle.abs() > std::f64::consts::PI {
                angle = sine.atan2(cosine);
            }
            return Some(Lowest {
                angle,
                curvature: circle.radius * turn / steepness,
                beside: (point, Proximity::over_foot(&point, &foot, &here)),
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use nalgebra::{Rotation3, Vector3};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::super::gap::Circle;
    use super::super::smooth_touch::circle_smooth;
    use super::lowest_over_heights;
    use crate::contact::surfaces::{HeightField, OwnSurface, SmoothGround};

    /// Hills of 5 cm every 1.3 m: radii of curvature above 0.4 m.
    fn hills() -> HeightField {
        let height = |x: f64, y: f64| 0.05 * (4.8 * x).sin() * (4.8 * y + 0.3).cos();
        HeightField::of_function([-3.0; 2], [0.05; 2], [121; 2], height).unwrap()
    }

    #[test]
    fn steps_on_both_find_what_steps_along_the_circle_find() {
        // A surface of one's own has no heights that could be looked at.
        let heights = SmoothGround::Heights(Arc::new(hills()));
        let own = SmoothGround::Own(OwnSurface::new(hills()));
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(5);
        let mut x = || (generator.next_u64() >> 11) as f64 * 0.5_f64.powi(52) - 1.0;
        let mut together = 0;
        for _ in 0..500 {
            let turn = Rotation3::new(3.0 * Vector3::new(x(), x(), x()));
            let circle = Circle {
                center: Vector3::new(2.0 * x(), 2.0 * x(), 0.1 + 0.1 * x()),
                axes: [turn * Vector3::x(), turn * Vector3::y()],
                radius: 0.02 + 0.1 * x().abs(),
                tube: 0.0,
                range: None,
            };
            let [a, b] = [&heights, &own].map(|ground| circle_smooth(&circle, ground));
            // Coordinates of order one, rounded, and a minimum of the distance along the circle: its angle is known to the
            // square root of that where it is flat.
            assert!((a.gap - b.gap).abs() < 1e-14, "{} {}", a.gap, b.gap);
            let (x, y) = (a.angle.unwrap(), b.angle.unwrap());
            assert!((x - y).sin().abs() < 1e-8, "{x} {y}");
            let nearby = heights.nearby(&circle.center);
            let start = circle.lowest(&nearby.1.normal).unwrap();
            let field = heights.heights().unwrap();
            together += usize::from(lowest_over_heights(&circle, field, start, &nearby).is_some());
        }
        // Else nothing is compared.
        assert!(together > 480, "{together}");
    }
}
