//! What rims of discs touch of a cylinder that a body carries: its side, and its two ends.
//!
//! A point of a rim is over one of them: over the side between the ends, over an end inside of its rim. In the cylinder it is over
//! the one that is nearest. What is beyond a rim is over neither; there the rim of the cylinder itself is over the other body.

use nalgebra::Vector3;

use super::cylinder::Cylinder;
use super::gap::{BESIDE, DEEP, Touch, length_and_direction};
use super::ground::Ground;
use crate::contact::surfaces::{CylinderSide, SmoothGround};

/// Cosine of the angle between the normals of one and directions out of the other up to which they are opposite: a rim that lies
/// nearly flat is, up to its tilt.
const OPPOSITE: f64 = 0.1;

/// A part of a surface that a site is measured against.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Part {
    /// All of it.
    Whole,
    /// The side of a cylinder.
    Side,
    /// An end of a cylinder.
    End {
        upper: bool,
        /// Whether the rim of that end has points over the end that the site is, which are there where both rims are one.
        is_second: bool,
    },
}

/// A cylinder, and its parts as surfaces of their own.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CylinderParts {
    cylinder: Cylinder,
    side: Ground,
    ends: [Ground; 2],
    /// Whether it is a disc, which has no inside.
    is_flat: bool,
}

impl CylinderParts {
    pub fn new(cylinder: Cylinder) -> Self {
        let radius = cylinder.radius;
        let end = |sign: f64| Ground::Plane {
            point: Vector3::new(0.0, 0.0, sign * cylinder.half),
            normal: Vector3::new(0.0, 0.0, sign),
        };
        Self {
            cylinder,
            side: Ground::Smooth(SmoothGround::Side(CylinderSide { radius })),
            ends: [end(-1.0), end(1.0)],
            is_flat: false,
        }
    }

    /// Both flats of a disc, whose tube is half of the cylinder.
    pub fn of_disc(disc: Cylinder) -> Self {
        Self {
            is_flat: true,
            ..Self::new(disc)
        }
    }

    /// Whether it is a disc.
    pub fn is_flat(&self) -> bool {
        self.is_flat
    }

    /// The surface that a part goes on as; none of the whole.
    pub fn ground(&self, part: Part) -> Option<&Ground> {
        match part {
            Part::Whole => None,
            Part::Side => Some(&self.side),
            Part::End { upper, .. } => Some(&self.ends[usize::from(upper)]),
        }
    }

    /// How far a touch with a part is from the rim at which it ends \[m\]: negative past it.
    pub fn inside(&self, part: Part, touch: &Touch<f64>) -> f64 {
        let place = &touch.points[1];
        match part {
            Part::Whole => f64::INFINITY,
            Part::Side => self.cylinder.half - place.z.abs(),
            Part::End { .. } => self.cylinder.radius - place.x.hypot(place.y),
        }
    }

    /// Whether a touch is with a flat of a disc: inside of the rim, what touches, the middle of which is known, being on this side of
    /// it. Such that has gone in has done so where it crosses the disc; from the other side of a rim it reaches below that.
    pub fn has_flat(&self, part: Part, touch: &Touch<f64>, middle: &Vector3<f64>) -> bool {
        let Part::End { upper, is_second } = part else {
            return false;
        };
        let up = if upper { 1.0 } else { -1.0 };
        let [place, _] = &touch.points;
        let [depth, above] = [place, middle].map(|x| up * x.z - self.cylinder.half);
        let crossing = if depth < -DEEP && above > 0.0 {
            place + (middle - place) * (depth / (depth - above))
        } else {
            *place
        };
        let least = if is_second { BESIDE } else { -BESIDE };
        up * middle.z > 0.0 && self.cylinder.radius - crossing.x.hypot(crossing.y) > least
    }

    /// Whether a touch is with a part: over it, and no deeper than beside of the others, unless the way out of these leads into what
    /// touches; and with the rim of something that is beyond it. `outward` are directions out of that at its rim: of flush rims only
    /// those touch that are opposite.
    pub fn has(&self, part: Part, touch: &Touch<f64>, outward: [Vector3<f64>; 2]) -> bool {
        let is_way = |normal: &Vector3<f64>| outward.iter().all(|out| out.dot(normal) <= OPPOSITE);
        if !is_way(&touch.normal) {
            return false;
        }
        let [_, place] = &touch.points;
        let (middle, beside) = match part {
            Part::Whole => (self.cylinder.radius, Vector3::zeros()),
            Part::Side => (self.cylinder.radius, Vector3::z() * place.z.signum()),
            Part::End { .. } => {
                let radial = Vector3::new(place.x, place.y, 0.0);
                let radial = length_and_direction(&radial).map(|(_, direction)| direction);
                (self.cylinder.half, radial.unwrap_or_default())
            }
        };
        let inside = self.inside(part, touch);
        let least = match part {
            Part::End {
                is_second: true, ..
            } => BESIDE,
            _ => -BESIDE,
        };
        let deepest = if is_way(&beside) {
            (inside + BESIDE).min(middle)
        } else {
            middle
        };
        inside > least && -touch.gap <= deepest
    }
}
