//! Planes that smooth surfaces are in part.

use std::f64::consts::TAU;

use nalgebra::Vector3;

use super::gap::Circle;
use super::place::RIM_POINTS;
use crate::contact::surfaces::SmoothGround;

/// What a plane may differ from a surface by \[m\]: rounding of coordinates, far below what closes a contact.
const EVEN: f64 = 1e-12;

/// Sine of the tilt beyond which the lowest point of a circle turns no faster than the circle.
pub(crate) const UPRIGHT: f64 = 0.5;

/// The plane that a smooth surface is below a circle which does not stand upright on it: a point and the normal. Ramps and fields
/// of heights have such parts.
pub(crate) fn plane_below(
    circle: &Circle<f64>,
    surface: &SmoothGround,
) -> Option<[Vector3<f64>; 2]> {
    let (nearby, below) = surface.nearby(&circle.center);
    let normal = below.normal;
    if circle.tilt(&normal) > UPRIGHT {
        return None;
    }
    let point = nearby - normal * below.distance;
    let is_plane = (0..RIM_POINTS).all(|k| {
        let (sine, cosine) = (TAU * k as f64 / RIM_POINTS as f64).sin_cos();
        let rim = circle.point(cosine, sine);
        let distance = surface.proximity(&rim).distance;
        (distance - normal.dot(&(rim - point))).abs() <= EVEN
    });
    is_plane.then_some([point, normal])
}
