//! A circle, or an arc of one, against an axis-aligned box.
//!
//! The lowest minimum of the signed distance along the circle is looked for ([`Search`]).
//!
//! What is nearest at the minimum then gives the answer in closed form, derivatives included:
//!
//! | nearest | closest point of the circle | normal |
//! |---|---|---|
//! | face | its lowest point over the face | of the face |
//! | edge | closest to the line of the edge (Newton) | edge direction × tangent of the circle |
//! | corner | projection of the corner | from the corner to it |
//!
//! The normal at an edge is well defined even where circle and edge meet, and a circle that has
//! passed the edge inwards keeps it, with a negative gap. Only a circle threaded so far through a box
//! that opposite faces are equally near, or that the line of the edge is closest elsewhere, falls
//! back to the nearest face of its deepest point; its gap has no derivative there.

use nalgebra::Vector3;

use super::circle_search::{Minimum, Region, Search};
use super::gap::{BESIDE, Circle, Touch, ball_box, length_and_direction, value};
use crate::spatial::{Scalar, lift, lift3};

/// Below this sine of the angle between a direction and the axis of a circle the circle is flat on
/// it: differences of height along the circle are round-off.
const FLAT: f64 = 1e-12;

/// Cosine of the lean of a body that stands upright, of a hundredth of a radian.
const UPRIGHT: f64 = 0.99995;
/// Share of the way out past all of a body that another way is no more than: what leans over an edge has come in there.
const SOONER: f64 = 0.1;

/// Newton steps at most towards the line of an edge.
const POLISHES: usize = 12;
/// Sine between an edge and the circle's tangent below which the direction across both is rounding.
const PARALLEL: f64 = 1e-6;

/// Closest points of a circle (or arc) and a box; `inward` leads from its centre to the middle of the body whose rim it is, zero
/// where that is not asked.
pub(crate) fn circle_box<T: Scalar>(
    circle: &Circle<T>,
    (min, max): (&Vector3<f64>, &Vector3<f64>),
    inward: &Vector3<f64>,
) -> Touch<T> {
    let (min, max) = without_level(&circle.numbers(), (min, max), inward);
    let touch = closest(circle, (&min, &max), inward);
    past_own_body(circle, (min, max), inward, &touch).unwrap_or(touch)
}

/// The same of a circle that touches a box, or is in it, through a face that its own body stands upright behind, or an edge of that
/// along which it leans a little: it did not come in there if all of the body is out sooner through another face.
fn past_own_body<T: Scalar>(
    circle: &Circle<T>,
    (mut min, mut max): (Vector3<f64>, Vector3<f64>),
    inward: &Vector3<f64>,
    touch: &Touch<T>,
) -> Option<Touch<T>> {
    let reach = |touch: &Touch<T>| -2.0 * touch.normal.map(value).dot(inward);
    let way = reach(touch);
    if value(touch.gap) > BESIDE || way <= 2.0 * UPRIGHT * inward.norm() {
        return None;
    }
    let normal = touch.normal.map(value);
    let k = normal.iamax();
    if normal[k] < 0.0 {
        min[k] = f64::NEG_INFINITY;
    } else {
        max[k] = f64::INFINITY;
    }
    let other = closest(circle, (&min, &max), inward);
    let out = reach(&other).max(0.0) - value(other.gap);
    (out < SOONER * way).then_some(other)
}

/// Closest points of a circle and a box, wherever the body of the circle is but behind a face that its rim is on a level with.
fn closest<T: Scalar>(
    circle: &Circle<T>,
    (min, max): (&Vector3<f64>, &Vector3<f64>),
    inward: &Vector3<f64>,
) -> Touch<T> {
    let search = Search {
        circle: circle.numbers(),
        min,
        max,
    };
    let bound =
        |region: &Region| Vector3::from_fn(|k, _| if region[k] > 0 { max[k] } else { min[k] });
    if let Some(region) = search.only_face()
        && let Some(touch) = face(circle, &region, &bound(&region))
        && touch.angle.is_some_and(|angle| search.circle.has(angle))
    {
        return touch;
    }
    let found = search.minimum();
    let fixed = || {
        let x = circle.point_at(found.angle);
        ball_box(&x, circle.tube, (min, max), &Vector3::zeros(), |_, _| 0.0).at(found.angle)
    };
    let Some(region) = found.region else {
        return fixed();
    };
    let beyond = search.circle.point_at(found.angle) - bound(&region);
    let region = below_level(&region, &beyond, inward);
    let bound = bound(&region);
    let touch = match region.iter().filter(|r| **r != 0).count() {
        1 => face(circle, &region, &bound),
        2 => edge(circle, &found, &region, &bound),
        _ => corner(circle, &bound),
    };
    touch.unwrap_or_else(fixed)
}

/// What is nearest to a point of a rim `beyond` the faces of a region, without one with which it is on a level and its own body
/// upright behind: of a corner the edge below it, of an edge the face.
fn below_level(region: &Region, beyond: &Vector3<f64>, inward: &Vector3<f64>) -> Region {
    let is_level = |k: usize| {
        let behind = -f64::from(region[k]) * inward[k];
        beyond[k].abs() <= BESIDE && behind > UPRIGHT * inward.norm()
    };
    let below = [0, 1, 2].map(|k| if is_level(k) { 0 } else { region[k] });
    if below == [0; 3] { *region } else { below }
}

/// A box that goes on past a face with which the whole circle is level, its own body behind it: as two that stand on one floor.
/// Through that face nothing came in, and the way out is past another one.
fn without_level(
    circle: &Circle<f64>,
    (min, max): (&Vector3<f64>, &Vector3<f64>),
    inward: &Vector3<f64>,
) -> (Vector3<f64>, Vector3<f64>) {
    let (mut min, mut max) = (*min, *max);
    for k in 0..3 {
        let height = circle.radius * circle.axes[0][k].hypot(circle.axes[1][k]);
        let is_level = |bound: f64| (circle.center[k] - bound).abs() + height <= BESIDE;
        if inward[k] > 0.0 && is_level(min[k]) {
            min[k] = f64::NEG_INFINITY;
        }
        if inward[k] < 0.0 && is_level(max[k]) {
            max[k] = f64::INFINITY;
        }
    }
    (min, max)
}

/// How the distance of a circle's point to a box changes along the circle, d′(θ)/R.
pub(crate) fn slope_at(
    circle: &Circle<f64>,
    angle: f64,
    min: &Vector3<f64>,
    max: &Vector3<f64>,
) -> f64 {
    let circle = *circle;
    Search { circle, min, max }.sample(angle).slope / circle.radius
}

/// Lowest point over a face; `None` when the circle lies flat on it.
fn face<T: Scalar>(circle: &Circle<T>, region: &Region, bound: &Vector3<f64>) -> Option<Touch<T>> {
    let normal: Vector3<T> = lift3(&Vector3::from_fn(|k, _| f64::from(region[k])));
    let [c, s] = circle.furthest(&-normal, FLAT)?;
    let x = circle.point(c, s);
    // The other bounds of a box that others continue are infinite.
    let k = region.iter().position(|r| *r != 0)?;
    let height = normal[k] * (x[k] - lift(bound[k]));
    let angle = value(s).atan2(value(c));
    Some(Touch::new(&x, circle.tube, normal, height).at(angle))
}

/// Closest point to the line of an edge, from an angle near it; `None` when the edge is parallel to
/// the circle's tangent there or Newton's method does not come closer.
fn edge<T: Scalar>(
    circle: &Circle<T>,
    found: &Minimum,
    region: &Region,
    bound: &Vector3<f64>,
) -> Option<Touch<T>> {
    let across =
        |x: &Vector3<T>| Vector3::from_fn(|k, _| if region[k] == 0 { T::zero() } else { x[k] });
    let from_edge = |x: &Vector3<T>| across(&(x - lift3::<T>(bound)));
    let mut theta: T = lift(found.angle);
    for _ in 0..POLISHES {
        let (s, c) = theta.sin_cos();
        let radial = circle.radial(c, s);
        let tangent = across(&circle.radial(-s, c));
        let apart = from_edge(&circle.point(c, s));
        let curvature = tangent.norm_squared() * circle.radius - apart.dot(&radial);
        if value(curvature) <= 1e-9 * value(circle.radius) {
            return None;
        }
        let step = apart.dot(&tangent) / curvature;
        theta -= step;
        // A step from the solution itself makes the derivatives exact.
        if value(step).abs() <= 4.0 * f64::EPSILON {
            break;
        }
    }
    let (s, c) = theta.sin_cos();
    let x = circle.point(c, s);
    let outward: Vector3<T> = lift3(&Vector3::from_fn(|k, _| f64::from(region[k])));
    let direction = lift3::<T>(&Vector3::from_fn(
        |k, _| if region[k] == 0 { 1.0 } else { 0.0 },
    ));
    let perpendicular = direction.cross(&circle.radial(-s, c));
    let (sine, mut normal) = length_and_direction(&perpendicular)?;
    if value(sine) <= PARALLEL {
        return None;
    }
    if normal.dot(&outward) < T::zero() {
        normal = -normal;
    }
    let height = normal.dot(&from_edge(&x));
    // Deep inside, the line may be closest elsewhere: further away, or where the circle is outside.
    let slack = 1e-14 * value(circle.radius);
    let reached = value(from_edge(&circle.point_at(found.angle)).norm());
    let reversed = found.distance < -slack && height > T::zero();
    if reversed || value(height).abs() > reached + slack {
        return None;
    }
    Some(Touch::new(&x, circle.tube, normal, height).at(value(theta)))
}

/// Closest point to a corner; `None` when all points of the circle are as close or one touches it.
fn corner<T: Scalar>(circle: &Circle<T>, bound: &Vector3<f64>) -> Option<Touch<T>> {
    let corner = lift3::<T>(bound);
    let [c, s] = circle.furthest(&(corner - circle.center), FLAT)?;
    let x = circle.point(c, s);
    let (height, normal) = length_and_direction(&(x - corner))?;
    let angle = value(s).atan2(value(c));
    Some(Touch::new(&x, circle.tube, normal, height).at(angle))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::{Circle, circle_box};

    /// The upper rim of a can that leans a little, along the upper edge of a box and above that by less than what is beside a face:
    /// how far it is from the box is how far it is before the face, on either side of that.
    #[test]
    fn a_rim_on_a_level_with_an_edge_comes_in_by_the_face_below() {
        let (min, max) = (Vector3::repeat(-0.1), Vector3::zeros());
        let (lean, radius) = (4e-5_f64, 0.04);
        let inward = Vector3::new(0.0, 0.0, -0.075);
        for above in [1e-10, 3e-9, -1e-10] {
            for before in [1e-6, 1e-9, 1e-10, 1e-11, -1e-11, -1e-10, -1e-9] {
                let circle = Circle {
                    center: Vector3::new(
                        before + radius * lean.cos(),
                        -0.05,
                        above + radius * lean.sin(),
                    ),
                    axes: [Vector3::new(lean.cos(), 0.0, lean.sin()), Vector3::y()],
                    radius,
                    tube: 0.0,
                    range: None,
                };
                let touch = circle_box(&circle, (&min, &max), &inward);
                // Roundings of coordinates of some hundredths.
                assert!(
                    (touch.gap - before).abs() <= 1e-16,
                    "{above:e} above, {before:e} before: {:e}",
                    touch.gap
                );
                assert_eq!(touch.normal, Vector3::x());
            }
        }
    }
}
