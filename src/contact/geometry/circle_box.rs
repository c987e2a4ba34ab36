//! A circle, or an arc of one, against an axis-aligned box.
//!
//! The signed distance d of a point to the box is minimised along the circle p(θ). Outside of the
//! box d(p(θ)) is continuously differentiable, so that its minima are sign changes of the slope;
//! inside it may have kinks where two faces are equally near. Sign changes are found on a grid and
//! narrowed to round-off. With R the radius, (d∘p)″ ≥ −R because d is convex: a minimum can hide
//! between two points of the grid only where the slopes there are nearly zero, and then the lowest
//! point of the grid betrays it and the grid is refined around it.
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

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::gap::{Circle, Touch, ball_box, box_distance, length_and_direction, value};
use crate::spatial::{Scalar, lift, lift3};

/// Below this sine of the angle between a direction and the axis of a circle the circle is flat on
/// it: differences of height along the circle are round-off.
const FLAT: f64 = 1e-12;

/// Points of the search grid.
const GRID: usize = 64;
/// How often the grid is refined where a minimum hides.
const REFINEMENTS: usize = 4;
/// Bisections and Newton steps that narrow a bracket: enough for bisection alone.
const NARROWINGS: usize = 64;
/// Newton steps at most towards the line of an edge.
const POLISHES: usize = 12;
/// Sine between an edge and the circle's tangent below which the direction across both is rounding.
const PARALLEL: f64 = 1e-6;

/// Signs of the faces that are nearest: +1 above, −1 below, 0 between.
type Region = [i8; 3];

/// d along the circle at one angle.
#[derive(Clone, Copy)]
struct Sample {
    angle: f64,
    distance: f64,
    slope: f64,
    curvature: f64,
    region: Region,
}

/// A local minimum of d along the circle.
#[derive(Clone, Copy)]
struct Minimum {
    angle: f64,
    distance: f64,
    /// What is nearest there; `None` when the angle itself is fixed (an end of the arc).
    region: Option<Region>,
}

struct Search<'a> {
    circle: Circle<f64>,
    min: &'a Vector3<f64>,
    max: &'a Vector3<f64>,
}

impl Search<'_> {
    fn sample(&self, angle: f64) -> Sample {
        let (s, c) = angle.sin_cos();
        let radial = self.circle.radial(c, s) * self.circle.radius;
        let x = self.circle.center + radial;
        let tangent = self.circle.radial(-s, c) * self.circle.radius;
        let (distance, normal) = box_distance(&x, self.min, self.max, &Vector3::zeros());
        let mut region = [0; 3];
        // Part of the tangent that leaves the nearest feature: the distance is curved across it.
        let mut across = 0.0;
        for k in 0..3 {
            let outside = x[k] > self.max[k] || x[k] < self.min[k];
            if outside || distance <= 0.0 {
                region[k] = i8::from(normal[k] > 0.0) - i8::from(normal[k] < 0.0);
            }
            if outside {
                across += tangent[k] * tangent[k];
            }
        }
        let slope = normal.dot(&tangent);
        let bend = if distance > 0.0 {
            (across - slope * slope).max(0.0) / distance
        } else {
            0.0
        };
        Sample {
            angle,
            distance,
            slope,
            curvature: bend - normal.dot(&radial),
            region,
        }
    }

    /// Narrows a bracket whose slope is negative at the left and not negative at the right.
    fn narrow(&self, mut left: Sample, mut right: Sample) -> Minimum {
        let mut at = if left.distance < right.distance {
            left
        } else {
            right
        };
        for _ in 0..NARROWINGS {
            let newton = at.angle - at.slope / at.curvature;
            let middle = 0.5 * (left.angle + right.angle);
            let next = if newton > left.angle && newton < right.angle {
                newton
            } else {
                middle
            };
            if next <= left.angle || next >= right.angle {
                break;
            }
            let step = (next - at.angle).abs();
            let width = right.angle - left.angle;
            at = self.sample(next);
            if at.slope < 0.0 {
                left = at;
            } else {
                right = at;
            }
            if at.slope == 0.0 || step <= 4.0 * f64::EPSILON {
                break;
            }
            // Newton's steps that do not halve the bracket (a kink, a flat spot) alternate with
            // bisection.
            if right.angle - left.angle > 0.5 * width {
                let half = self.sample(0.5 * (left.angle + right.angle));
                if half.slope < 0.0 {
                    left = half;
                } else {
                    right = half;
                }
                if half.distance < at.distance {
                    at = half;
                }
            }
        }
        let kink = left.region != right.region
            && right.angle - left.angle < 1e-9
            && at.slope.abs() > 1e-6 * self.circle.radius;
        let region = if kink {
            joint_region(&left.region, &right.region)
        } else {
            Some(at.region)
        };
        Minimum {
            angle: at.angle,
            distance: at.distance,
            region,
        }
    }

    /// The lowest minimum.
    fn minimum(&self) -> Minimum {
        let limits = self.circle.range.unwrap_or([0.0, TAU]);
        let (mut best, mut lowest) = self.scan(limits);
        let mut step = (limits[1] - limits[0]) / GRID as f64;
        // Round-off of distances is far below, the depth of a hidden minimum far above.
        let slack = 1e-13 * self.circle.radius;
        let hidden = |best: &Option<Minimum>, lowest: &Sample| {
            best.is_none_or(|b| b.distance > lowest.distance + slack)
        };
        for _ in 0..REFINEMENTS {
            if !hidden(&best, &lowest) {
                break;
            }
            let mut window = [lowest.angle - step, lowest.angle + step];
            if self.circle.range.is_some() {
                window = [window[0].max(limits[0]), window[1].min(limits[1])];
            }
            let (inner, inner_lowest) = self.scan(window);
            best = inner.or(best);
            if inner_lowest.distance < lowest.distance {
                lowest = inner_lowest;
            }
            step = (window[1] - window[0]) / GRID as f64;
        }
        best.filter(|b| !hidden(&Some(*b), &lowest))
            .unwrap_or(Minimum::fixed(&lowest))
    }

    /// The lowest minimum that a grid over a window shows, and the lowest point of the grid.
    fn scan(&self, window: [f64; 2]) -> (Option<Minimum>, Sample) {
        let mut best: Option<Minimum> = None;
        let mut consider = |m: Minimum| {
            if best.is_none_or(|b| m.distance < b.distance) {
                best = Some(m);
            }
        };
        let is_end = |angle: f64| self.circle.range.is_some_and(|r| r.contains(&angle));
        let mut left = self.sample(window[0]);
        let mut lowest = left;
        if is_end(window[0]) && left.slope >= 0.0 {
            consider(Minimum::fixed(&left));
        }
        for i in 1..=GRID {
            let part = i as f64 / GRID as f64;
            let right = self.sample(window[0] * (1.0 - part) + window[1] * part);
            if left.slope < 0.0 && right.slope >= 0.0 {
                consider(self.narrow(left, right));
            }
            if right.distance < lowest.distance {
                lowest = right;
            }
            left = right;
        }
        if is_end(window[1]) && left.slope < 0.0 {
            consider(Minimum::fixed(&left));
        }
        (best, lowest)
    }
}

impl Minimum {
    fn fixed(sample: &Sample) -> Self {
        Self {
            angle: sample.angle,
            distance: sample.distance,
            region: None,
        }
    }
}

/// The edge between two faces; `None` for opposite faces, which have none.
fn joint_region(a: &Region, b: &Region) -> Option<Region> {
    let mut joint = [0; 3];
    for k in 0..3 {
        if a[k] * b[k] < 0 {
            return None;
        }
        joint[k] = if a[k] != 0 { a[k] } else { b[k] };
    }
    Some(joint)
}

/// Closest points of a circle (or arc) and a box.
pub(crate) fn circle_box<T: Scalar>(
    circle: &Circle<T>,
    min: &Vector3<f64>,
    max: &Vector3<f64>,
) -> Touch<T> {
    let search = Search {
        circle: Circle {
            center: circle.center.map(value),
            axes: circle.axes.map(|a| a.map(value)),
            radius: value(circle.radius),
            tube: value(circle.tube),
            range: circle.range,
        },
        min,
        max,
    };
    let found = search.minimum();
    let fixed = || {
        let x = circle.point_at(found.angle);
        ball_box(&x, circle.tube, (min, max), &Vector3::zeros()).at(found.angle)
    };
    let Some(region) = found.region else {
        return fixed();
    };
    let bound = Vector3::from_fn(|k, _| if region[k] > 0 { max[k] } else { min[k] });
    let feature = match region.iter().filter(|r| **r != 0).count() {
        1 => face(circle, &region, &bound),
        2 => edge(circle, &found, &region, &bound),
        _ => corner(circle, &bound),
    };
    feature.unwrap_or_else(fixed)
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
