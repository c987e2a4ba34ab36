//! Balls and circles against smooth surfaces.
//!
//! Along a circle p(θ) of radius R the distance d of a smooth surface has
//!
//! ```text
//! d′ = n·p′,     d″ = p′ᵀ ∇²d p′ − R n·(p − centre)/R
//! ```
//!
//! and where R κ < 1 in the valleys the lowest point is the only minimum near the surface: Newton's steps lead to it from
//! the lowest point over the plane below the centre. As over a plane the circle is taken as full; where the arc ends is
//! for the places to say. At the minimum d′ = 0 the envelope theorem gives the derivatives of the gap, and one more step
//! in dual numbers those of the lowest point.

use nalgebra::Vector3;

use super::circle_heights::lowest_over_heights;
use super::gap::{Circle, Touch, value};
use super::place::FLAT;
use crate::contact::surfaces::{Proximity, SmoothGround};
use crate::spatial::{Scalar, lift, lift3};

/// Steps at most towards the lowest point of a circle.
const STEPS: usize = 60;
/// A step this short \[rad\] is the last one: the next would be its square.
pub(super) const LAST_STEP: f64 = 1e-9;
/// Points of the grid on a circle over a capsule.
const GRID: usize = 32;
/// Longest step \[rad\].
pub(super) const LONGEST: f64 = 0.5;

/// Signed distance of a point and the unit normal there.
pub(crate) fn smooth_distance<T: Scalar>(
    x: &Vector3<T>,
    surface: &SmoothGround,
) -> (T, Vector3<T>) {
    distance_by(x, &surface.proximity(&x.map(value)))
}

/// The same by what is there without dual parts.
fn distance_by<T: Scalar>(x: &Vector3<T>, here: &Proximity) -> (T, Vector3<T>) {
    // Zero but for the dual parts.
    let beyond = x - lift3::<T>(&x.map(value));
    let bent = here.curvature.map(lift::<T>) * beyond;
    let normal = lift3::<T>(&here.normal);
    let half: T = lift(0.5);
    let distance = lift::<T>(here.distance) + (normal + bent * half).dot(&beyond);
    (distance, normal + bent)
}

/// Ball against a smooth surface.
pub(crate) fn ball_smooth<T: Scalar>(
    center: &Vector3<T>,
    radius: T,
    surface: &SmoothGround,
) -> Touch<T> {
    let (height, normal) = smooth_distance(center, surface);
    Touch::new(center, radius, normal, height)
}

/// Lowest point of the full circle; its middle point when it is flat.
pub(crate) fn circle_smooth<T: Scalar>(circle: &Circle<T>, surface: &SmoothGround) -> Touch<T> {
    let plain = circle.numbers();
    let Some(lowest) = lowest(&plain, surface) else {
        let x = circle.point_at(circle.middle());
        return ball_smooth(&x, circle.tube, surface);
    };
    touch_at(circle, surface, &lowest)
}

/// A circle at a minimum of its distance.
pub(super) fn touch_at<T: Scalar>(
    circle: &Circle<T>,
    surface: &SmoothGround,
    lowest: &Lowest,
) -> Touch<T> {
    let Lowest {
        angle,
        curvature,
        beside,
    } = *lowest;
    // A step from the solution itself, in which only dual parts move.
    let (s, c) = angle.sin_cos();
    let (cosine, sine): (T, T) = (lift(c), lift(s));
    let x = circle.point(cosine, sine);
    let (nearby, known) = &beside;
    let point = x.map(value);
    let here = if point == *nearby {
        *known
    } else {
        surface.proximity_beside(&point, (nearby, known))
    };
    let (_, normal) = distance_by(&x, &here);
    let slope = normal.dot(&circle.radial(-sine, cosine)) * circle.radius;
    let theta = lift::<T>(angle) - (slope - lift(value(slope))) / lift(curvature);
    let (sine, cosine) = theta.sin_cos();
    let x = circle.point(cosine, sine);
    let (height, normal) = distance_by(&x, &here);
    Touch::new(&x, circle.tube, normal, height).at(angle)
}

/// Angle of the lowest point of the full circle between −π and π, `None` when it is flat.
pub(crate) fn lowest_on_smooth(circle: &Circle<f64>, surface: &SmoothGround) -> Option<f64> {
    lowest(circle, surface).map(|lowest| lowest.angle)
}

/// Change of the distance to a surface along a circle at an angle, per length.
pub(crate) fn slope_on_smooth(circle: &Circle<f64>, surface: &SmoothGround, angle: f64) -> f64 {
    Sample::new(circle, angle, |x| surface.proximity(x)).slope
}

/// The same on what is small beside the circle: the lowest point of a grid leads to the minimum, which lies between its
/// neighbours.
fn lowest_on_capsule(circle: &Circle<f64>, surface: &SmoothGround) -> Option<Lowest> {
    let at = |angle: f64| Sample::new(circle, angle, |x| surface.proximity(x));
    let spacing = std::f64::consts::TAU / GRID as f64;
    let mut best = (f64::INFINITY, 0.0);
    let mut highest = f64::NEG_INFINITY;
    for k in 0..GRID {
        let angle = spacing * k as f64;
        let distance = at(angle).beside.1.distance;
        highest = highest.max(distance);
        if distance < best.0 {
            best = (distance, angle);
        }
    }
    if highest - best.0 <= FLAT * circle.radius {
        return None;
    }
    let bracket = [best.1 - spacing, best.1 + spacing];
    Some(narrowed(circle, bracket, best.1, at))
}

/// The distance along a circle at one angle.
pub(super) struct Sample {
    /// d′/R
    pub slope: f64,
    /// d″/R
    turn: f64,
    /// The point, and what is there.
    pub beside: (Vector3<f64>, Proximity),
}

impl Sample {
    pub fn new(
        circle: &Circle<f64>,
        angle: f64,
        proximity: impl Fn(&Vector3<f64>) -> Proximity,
    ) -> Self {
        let (s, c) = angle.sin_cos();
        let (radial, tangent) = (circle.radial(c, s), circle.radial(-s, c));
        let x = circle.center + radial * circle.radius;
        let here = proximity(&x);
        let bend = circle.radius * tangent.dot(&(here.curvature * tangent));
        Self {
            slope: here.normal.dot(&tangent),
            turn: bend - here.normal.dot(&radial),
            beside: (x, here),
        }
    }
}

/// The minimum between two angles, from one between them: Newton's steps, and half of what is left where they lead out of it.
pub(super) fn narrowed(
    circle: &Circle<f64>,
    [mut before, mut after]: [f64; 2],
    mut angle: f64,
    at: impl Fn(f64) -> Sample,
) -> Lowest {
    for _ in 0..STEPS {
        let Sample { slope, turn, .. } = at(angle);
        if slope > 0.0 {
            after = angle;
        } else {
            before = angle;
        }
        let newton = angle - slope / turn;
        let inside = turn > FLAT && newton > before && newton < after;
        let next = if inside {
            newton
        } else {
            0.5 * (before + after)
        };
        let step = next - angle;
        angle = next;
        if step == 0.0 || (inside && step.abs() <= LAST_STEP) {
            break;
        }
    }
    let (s, c) = angle.sin_cos();
    let Sample { turn, beside, .. } = at(angle);
    Lowest {
        angle: s.atan2(c),
        curvature: turn * circle.radius,
        beside,
    }
}

/// The minimum that Newton's steps reach from an angle; `None` where they do not lead to one.
pub(super) fn minimum_beside(
    circle: &Circle<f64>,
    surface: &SmoothGround,
    mut angle: f64,
) -> Option<Lowest> {
    let (sine, cosine) = angle.sin_cos();
    let start = circle.point(cosine, sine);
    let known = surface.proximity(&start);
    if let Some(field) = surface.heights() {
        return lowest_over_heights(circle, field, angle, &(start, known));
    }
    for _ in 0..STEPS {
        let at = Sample::new(circle, angle, |x| surface.proximity(x));
        if at.turn <= FLAT {
            return None;
        }
        let step = -at.slope / at.turn;
        if step.abs() > LONGEST {
            return None;
        }
        angle += step;
        if step.abs() <= LAST_STEP {
            let (s, c) = angle.sin_cos();
            return Some(Lowest {
                angle: s.atan2(c),
                curvature: at.turn * circle.radius,
                beside: at.beside,
            });
        }
    }
    None
}

/// A minimum of the distance along a circle.
pub(super) struct Lowest {
    /// Between −π and π.
    pub angle: f64,
    /// d″ there, positive.
    pub curvature: f64,
    /// A point nearby, and what is there.
    pub beside: (Vector3<f64>, Proximity),
}

impl Lowest {
    /// Of the point from the surface \[m\].
    pub fn distance(&self) -> f64 {
        self.beside.1.distance
    }
}

fn lowest(circle: &Circle<f64>, surface: &SmoothGround) -> Option<Lowest> {
    if matches!(surface, SmoothGround::Capsule(_)) {
        return lowest_on_capsule(circle, surface);
    }
    let mut beside = surface.nearby(&circle.center);
    let mut angle = circle.lowest(&beside.1.normal)?;
    if let Some(field) = surface.heights()
        && let Some(found) = lowest_over_heights(circle, field, angle, &beside)
    {
        return Some(found);
    }
    let mut curvature = circle.radius;
    for _ in 0..STEPS {
        let (s, c) = angle.sin_cos();
        let radial = circle.radial(c, s);
        let tangent = circle.radial(-s, c);
        let x = circle.center + radial * circle.radius;
        let here = surface.proximity_beside(&x, (&beside.0, &beside.1));
        beside = (x, here);
        let slope = here.normal.dot(&tangent);
        let bend = circle.radius * tangent.dot(&(here.curvature * tangent));
        let turn = bend - here.normal.dot(&radial);
        let step = if turn > FLAT {
            curvature = turn * circle.radius;
            -slope / turn
        } else {
            // Not near a minimum: towards the lowest point over the plane below this one.
            let over = circle.lowest(&here.normal)?;
            let turn = (over - angle).sin().atan2((over - angle).cos());
            curvature = circle.radius * circle.tilt(&here.normal);
            turn
        };
        angle += step.clamp(-LONGEST, LONGEST);
        if step.abs() <= LAST_STEP {
            break;
        }
    }
    let (s, c) = angle.sin_cos();
    Some(Lowest {
        angle: s.atan2(c),
        curvature,
        beside,
    })
}
