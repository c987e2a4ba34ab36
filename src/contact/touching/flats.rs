//! Corners of terrain on the flats of discs.

use super::edges::DEEP;
use crate::contact::contacts::Contacts;
use crate::contact::listing::CornerOver;
use crate::contact::value;
use crate::dynamics::Kinematics;
use crate::spatial::{Scalar, lift};

/// Sine of the angle below which an edge is level with a disc: where its chord is longer than it, its corner comes to the disc as it
/// is.
const LEVEL: f64 = 1e-9;

impl Contacts {
    /// Whether a corner of terrain is there for the flat of a disc: inside of the rim, all edges of its box on this side, of which one
    /// that is deep crosses the disc inside of the rim as well. Needs placements.
    pub(super) fn has_flat(&self, kinematics: &Kinematics<f64>, over: &CornerOver) -> bool {
        if self.inside_flat(kinematics, over) <= 0.0 {
            return false;
        }
        let (seen, _) = self.corner_seen(kinematics, over);
        let flat = &self.edged[over.carried];
        let depth = flat.half().z - seen.z;
        let out = self.shape_pose(kinematics, over.carried).rotation;
        let into = self.edged[over.piece].pose().translation - over.corner;
        depth <= DEEP
            || (0..3).all(|k| {
                let edge = out.row(k) * into[k].signum();
                let way = depth / edge[2];
                let crosses = (seen.x + way * edge[0]).hypot(seen.y + way * edge[1]);
                crosses <= flat.radius() && way <= 2.0 * into[k].abs()
            })
    }

    /// Whether such a corner, which was on this side of the disc, has gone through it: its box is not beyond its middle on the other
    /// one.
    pub(super) fn may_pass_flat(&self, kinematics: &Kinematics<f64>, over: &CornerOver) -> bool {
        let (seen, inward) = self.corner_seen(kinematics, over);
        seen.z + inward.z > 0.0 && self.inside_flat(kinematics, over) > 0.0
    }

    /// How far such a corner is inside of the rim, or, times the radius, the sine of the angle at which the flattest edge from it
    /// leaves the disc, whichever is less \[m\].
    pub(super) fn inside_flat(&self, kinematics: &Kinematics<f64>, over: &CornerOver) -> f64 {
        let radius = self.edged[over.carried].radius();
        let (seen, _) = self.corner_seen(kinematics, over);
        let out = self.shape_pose(kinematics, over.carried).rotation;
        let into = self.edged[over.piece].pose().translation - over.corner;
        let sines = (0..3).map(|k| out[(k, 2)] * into[k].signum() + LEVEL);
        let flattest = sines.fold(f64::INFINITY, f64::min);
        (radius - seen.x.hypot(seen.y)).min(radius * flattest)
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
