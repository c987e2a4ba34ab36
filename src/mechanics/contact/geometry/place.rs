//! The places in which one site may touch one piece of terrain.
//!
//! | place | of | there while |
//! |---|---|---|
//! | nearest | ball | always |
//! | nearest | circle | it is inside of the arc, and its tilt defines it; but for a chord (page of `rim_edge`), and of a disc that lies on what is bent |
//! | end | arc | the gap does not shrink from there into the arc |
//! | rim point | circle | it lies nearly flat, and the nearest point is not beside it; over what is bent, as said in `circle_sector` |
//!
//! A circle flat on a surface has no lowest point, and one that is nearly flat has one that runs around
//! the rim at any speed. Eight points fixed in the body then carry it, of an arc its ends and as many between
//! them as are no farther from each other. The rim between them is at
//! most R(1 − cos π/8) times the sine of the tilt lower than they are: at the tilt where the lowest
//! point is given up, 1e-9 m for any radius below a metre.

use std::f64::consts::{FRAC_1_SQRT_2, PI, TAU};

use nalgebra::Vector3;

use super::gap::{Circle, value};
use crate::spatial::{Scalar, lift3};

/// Sine of the tilt up to which a circle is flat and its lowest point undefined.
pub(crate) const FLAT: f64 = 1e-8;
/// Sine of the tilt up to which rim points are there: a hundred times more than a disc that falls at
/// 0.2 rad/s turns in a millisecond, so that they are there well before they strike.
const NEARLY_FLAT: f64 = 0.02;
/// Rim points of a full circle; an arc has as many for its length at least.
pub(crate) const RIM_POINTS: usize = 8;

/// Parts of a circle over what is bent: where a lowest point splits in two, these are further apart by the time that they touch.
const SECTORS: usize = 2 * RIM_POINTS;
/// Longest half of a part \[rad\].
pub(crate) const LONGEST_HALF: f64 = PI / SECTORS as f64 + SHARED;
/// What two parts have in common, from the end of either \[rad\].
const SHARED: f64 = 1e-9;

/// A place of a site.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Place {
    /// The point nearest to the terrain: of an arc, as if its circle were full where that is a plane.
    Nearest,
    /// The first or last point of an arc.
    End {
        last: bool,
        /// In the body's internal frame \[m\].
        point: Vector3<f64>,
    },
    /// A point of a full circle, or inside of an arc.
    Rim {
        sector: Sector,
        /// Whether it is one of those that only bent surfaces ask for.
        is_between: bool,
        /// In the body's internal frame \[m\].
        point: Vector3<f64>,
    },
}

/// A part of a circle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sector {
    /// Angle of its middle \[rad\].
    pub middle: f64,
    /// From there to either end \[rad\].
    pub half: f64,
}

/// The parts of a circle, full or between the ends of an arc: none is longer than a sixteenth of the full one, and each so little
/// longer than its share that what is between two is in one at least.
pub(crate) fn sectors(range: Option<[f64; 2]>) -> impl Iterator<Item = Sector> {
    let (first, share, count) = match range {
        None => (0.0, TAU / SECTORS as f64, SECTORS),
        Some([start, end]) => {
            let count = ((end - start) / TAU * SECTORS as f64).ceil().max(1.0);
            let share = (end - start) / count;
            (start + 0.5 * share, share, count as usize)
        }
    };
    (0..count).map(move |k| Sector {
        middle: first + share * k as f64,
        half: 0.5 * share + SHARED,
    })
}

/// The angle between −π and π that is equal up to full turns.
pub(crate) fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// Whether a point of the rim is next to the nearest point, if that is at an angle.
pub(crate) fn is_beside(rim: f64, nearest: Option<f64>) -> bool {
    nearest.is_some_and(|at| wrapped(rim - at).abs() < PI / RIM_POINTS as f64)
}

impl<T: Scalar> Circle<T> {
    /// Angle from an end of the arc inwards to `angle`; infinite without ends.
    pub fn inside_of_end(&self, last: bool, angle: f64) -> f64 {
        match self.range {
            None => f64::INFINITY,
            Some([_, end]) if last => wrapped(end - angle),
            Some([start, _]) => wrapped(angle - start),
        }
    }

    /// The lowest point of the full circle over a plane with a unit normal, on the way on which it was at the angle `side`:
    /// where the circle passes through being flat that is the highest one, and no jump across it. Up to a quarter turn,
    /// where a piece of a step ends, and half of one more it is the lowest one.
    pub fn lowest_beside(&self, side: f64, normal: &Vector3<f64>) -> Vector3<T> {
        let Some([c, s]) = self.furthest(&-lift3::<T>(normal), FLAT) else {
            return self.point_at(side);
        };
        let (sine, cosine) = side.sin_cos();
        if value(c) * cosine + value(s) * sine < -FRAC_1_SQRT_2 {
            self.point(-c, -s)
        } else {
            self.point(c, s)
        }
    }

    /// Angle from `angle` to the nearer end of the arc, negative beyond it; infinite without ends.
    pub fn inside(&self, angle: f64) -> f64 {
        let beyond_middle = wrapped(angle - self.middle()) >= 0.0;
        self.inside_of_end(beyond_middle, angle)
    }
}

impl Circle<f64> {
    /// Whether a place beside the full circle is beside the arc.
    pub fn is_on(&self, place: &Vector3<f64>) -> bool {
        let [x, y] = self.axes.map(|axis| axis.dot(&(place - self.center)));
        self.inside(y.atan2(x)) >= 0.0
    }

    /// Sine of the angle between a unit normal and the circle's axis.
    pub fn tilt(&self, normal: &Vector3<f64>) -> f64 {
        self.axes[0].dot(normal).hypot(self.axes[1].dot(normal))
    }

    /// Angle of the lowest point over a plane with a unit normal; `None` when the circle is flat.
    pub fn lowest(&self, normal: &Vector3<f64>) -> Option<f64> {
        let along = self.axes.map(|a| -a.dot(normal));
        (along[0].hypot(along[1]) > FLAT).then(|| along[1].atan2(along[0]))
    }

    /// Seam of a place over a plane with a unit normal: along the arc to where it ends.
    pub fn seam_at_plane(&self, place: &Place, normal: &Vector3<f64>) -> f64 {
        self.seam_at(place, self.lowest(normal))
    }

    /// The same where the lowest point of the full circle is known.
    pub fn seam_at(&self, place: &Place, lowest: Option<f64>) -> f64 {
        match (lowest, place) {
            (Some(at), Place::Nearest) => self.inside(at) * self.radius,
            (Some(at), Place::End { last, .. }) => -self.inside_of_end(*last, at) * self.radius,
            (None, _) | (_, Place::Rim { .. }) => f64::INFINITY,
        }
    }

    /// How much lower over a plane with a unit normal the point at the angle `side` is than the centre: zero where the
    /// circle is flat, or its lowest point a quarter turn away from there.
    pub fn depth_of(&self, side: f64, normal: &Vector3<f64>) -> f64 {
        let (sine, cosine) = side.sin_cos();
        -self.radius * normal.dot(&self.radial(cosine, sine))
    }

    /// Whether a rim point is there, the circle being over a surface with a unit normal and its nearest
    /// point, if it has one, at an angle.
    pub fn has_rim_point(&self, rim: f64, normal: &Vector3<f64>, nearest: Option<f64>) -> bool {
        self.is_nearly_flat(normal) && !is_beside(rim, nearest)
    }

    /// Whether a place is there whose surface is a plane or like one, the lowest point of the full circle being at
    /// an angle. `rim` says it of points of the rim that a plane asks for.
    pub fn has_place(
        &self,
        place: &Place,
        lowest: Option<f64>,
        rim: impl FnOnce(f64) -> bool,
    ) -> bool {
        match place {
            Place::Nearest => lowest.is_some_and(|at| self.inside(at) > 0.0),
            Place::End { last, .. } => lowest.is_none_or(|at| self.inside_of_end(*last, at) <= 0.0),
            Place::Rim {
                sector, is_between, ..
            } => !is_between && rim(sector.middle),
        }
    }

    /// Whether rim points may be there.
    pub fn is_nearly_flat(&self, normal: &Vector3<f64>) -> bool {
        self.tilt(normal) < NEARLY_FLAT
    }
}
