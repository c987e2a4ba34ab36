//! Corners of boxes on the flats of discs.

use nalgebra::Vector3;

use super::EdgePresence;
use crate::contact::contacts::Contacts;
use crate::contact::listing::CornerOver;
use crate::contact::{DEEP, value};
use crate::dynamics::Kinematics;
use crate::spatial::{Scalar, lift};

/// Sine of the angle below which an edge is level with a disc: where its chord is longer than it, its corner comes to the disc as it
/// is.
const LEVEL: f64 = 1e-9;

/// A corner of a box as the flat of a disc sees it.
struct CornerSeen {
    /// In the frame of the disc \[m\].
    place: Vector3<f64>,
    /// The edges of its box from there \[m\].
    edges: [Vector3<f64>; 3],
    radius: f64,
    /// How far the flat is above the middle of the disc \[m\].
    above: f64,
}

impl CornerSeen {
    /// How far it is inside of the rim, or, times the radius, the sine of the angle at which the flattest edge from it leaves the disc,
    /// whichever is less \[m\].
    fn inside(&self) -> f64 {
        let sines = self.edges.map(|edge| edge.z / edge.norm() + LEVEL);
        let flattest = sines.into_iter().fold(f64::INFINITY, f64::min);
        (self.radius - self.place.x.hypot(self.place.y)).min(self.radius * flattest)
    }

    /// It is there inside of the rim with all edges of its box on this side, of which one that is deep crosses the disc inside of the
    /// rim as well. One that was on this side has gone through if its box is not beyond its middle on the other one.
    fn presence(&self) -> EdgePresence {
        let is_inside = self.inside() > 0.0;
        let depth = self.above - self.place.z;
        let crosses = |edge: &Vector3<f64>| {
            let share = depth / edge.z;
            let at = self.place + edge * share;
            at.x.hypot(at.y) <= self.radius && share <= 1.0
        };
        let middle = self.place + self.edges.iter().sum::<Vector3<f64>>() * 0.5;
        EdgePresence {
            is_crossed: is_inside && (depth <= DEEP || self.edges.iter().all(crosses)),
            is_passable: is_inside && middle.z > 0.0,
        }
    }
}

impl Contacts {
    fn see_corner(&self, kinematics: &Kinematics<f64>, over: &CornerOver) -> CornerSeen {
        let flat = &self.edged[over.carried];
        let (place, _) = self.corner_seen(kinematics, over);
        let out = self.shape_pose(kinematics, over.carried).rotation;
        let own = self.edged[over.piece].pose();
        let into = own.rotation.tr_mul(&(own.translation - over.corner));
        let axes = out.tr_mul(&self.shape_pose(kinematics, over.piece).rotation);
        let edges = [0, 1, 2].map(|k| axes.column(k) * (2.0 * into[k]));
        CornerSeen {
            place,
            edges,
            radius: flat.radius(),
            above: flat.half().z,
        }
    }

    /// Whether a corner of a box is there for the flat of a disc. Needs placements.
    pub(super) fn flat_presence(
        &self,
        kinematics: &Kinematics<f64>,
        over: &CornerOver,
    ) -> EdgePresence {
        self.see_corner(kinematics, over).presence()
    }

    /// As [`Contacts::seam`] of such a corner.
    pub(super) fn flat_seam(&self, kinematics: &Kinematics<f64>, over: &CornerOver) -> f64 {
        self.see_corner(kinematics, over).inside()
    }

    /// The gap of a corner that is there for the flat of a disc, else how far it is from the disc \[m\].
    pub(super) fn flat_distance<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        i: usize,
        over: &CornerOver,
    ) -> T {
        let gap = self.mechanical_gap(kinematics, i);
        let (seen, _) = self.corner_seen(kinematics, over);
        let beyond = (seen.x * seen.x + seen.y * seen.y).sqrt()
            - lift::<T>(self.edged[over.carried].radius());
        if value(gap) >= 0.0 && value(beyond) <= 0.0 {
            gap
        } else {
            let beyond = beyond.max(T::zero());
            (gap * gap + beyond * beyond).sqrt()
        }
    }
}
