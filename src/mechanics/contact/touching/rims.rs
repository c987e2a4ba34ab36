//! Rims of discs and arcs against edges of boxes and rims of cylinders: gaps, and whether they are there.

use nalgebra::Vector3;

use super::presence::has_nearest_point;
use super::{EdgePresence, lowest_of_arc};
use crate::contact::contacts::Contacts;
use crate::contact::listing::{Ridge, RimOver};
use crate::contact::{Circle, ExposedBox, Ground, RimEdge, RimMeeting, Touch, circle_box, value};
use crate::dynamics::Kinematics;
use crate::spatial::Scalar;

impl Contacts {
    /// A circle at the end of its chord with an edge, or with a rim, in the frame of the surface.
    pub(super) fn meet_rim<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        rim: &RimOver,
    ) -> RimMeeting<T> {
        self.meet_circle(self.circle(kinematics, &rim.over).as_ref(), rim)
    }

    /// The same of a circle that is placed; nowhere of what is no circle, or has no such edges, of which none are listed.
    fn meet_circle<T: Scalar>(&self, circle: Option<&Circle<T>>, rim: &RimOver) -> RimMeeting<T> {
        let Some(circle) = circle else {
            return RimMeeting::nowhere();
        };
        match (rim.ridge, self.ground(&rim.over)) {
            (Ridge::Edge(edge), Ground::Box(exposed)) => {
                edge.meet(circle, self.ends[rim.over.site], exposed.bounds())
            }
            (Ridge::Rim(other), Ground::Cylinder(cylinder)) => {
                other.meet(circle, self.ends[rim.over.site], cylinder)
            }
            _ => RimMeeting::nowhere(),
        }
    }

    /// Whether the edge of a box is there where a circle meets it; a rim always is.
    pub(super) fn is_rim_outermost<T: Scalar>(
        &self,
        meeting: &RimMeeting<T>,
        rim: &RimOver,
    ) -> bool {
        match (rim.ridge, self.ground(&rim.over)) {
            (Ridge::Edge(edge), Ground::Box(exposed)) => {
                let place = meeting.touch.points[1].map(value);
                exposed.is_outermost(&place, edge.sides())
            }
            _ => true,
        }
    }

    /// The gap, and whether it is there.
    pub(super) fn measure_rim(
        &self,
        circle: Option<&Circle<f64>>,
        rim: &RimOver,
    ) -> (f64, EdgePresence) {
        let meeting = self.meet_circle(circle, rim);
        let is_passable = meeting.is_between() && self.is_rim_outermost(&meeting, rim);
        let presence = EdgePresence {
            is_crossed: is_passable && meeting.is_present(),
            is_passable,
        };
        (meeting.touch.gap, presence)
    }

    pub(super) fn rim_presence(&self, kinematics: &Kinematics<f64>, rim: &RimOver) -> EdgePresence {
        let circle = self.circle(kinematics, &rim.over);
        self.measure_rim(circle.as_ref(), rim).1
    }

    /// As [`Contacts::is_present`] of them.
    pub(super) fn has_rim(&self, kinematics: &Kinematics<f64>, rim: &RimOver) -> bool {
        self.rim_presence(kinematics, rim).is_crossed
    }

    /// The gap where they can touch, else the distance between circle and box, or circle and rim.
    pub(super) fn rim_distance<T: Scalar>(&self, kinematics: &Kinematics<T>, rim: &RimOver) -> T {
        let meeting = self.meet_rim(kinematics, rim);
        if meeting.is_present() && self.is_rim_outermost(&meeting, rim) {
            return meeting.touch.gap;
        }
        let Some(circle) = self.circle(kinematics, &rim.over) else {
            return meeting.touch.gap;
        };
        let distance = match (rim.ridge, self.ground(&rim.over)) {
            (Ridge::Rim(other), Ground::Cylinder(cylinder)) => other.distance(&circle, cylinder),
            (_, Ground::Box(exposed)) => {
                let (min, max) = exposed.bounds();
                let nearest = circle_box(&circle, (min, max), &Vector3::zeros());
                lowest_of_arc(&circle, (min, max), nearest.gap)
            }
            _ => meeting.touch.gap,
        };
        distance.max(T::zero())
    }

    /// Whether the nearest point of a circle to a box is there, and not the ends of a chord or what bends around an edge instead. A
    /// thin one passes a corner of the box on one of the edges beside it: at the corner itself no direction is across both.
    pub(super) fn has_nearest(
        &self,
        circle: &Circle<f64>,
        exposed: &ExposedBox,
        touch: &Touch<f64>,
    ) -> bool {
        let is_chord =
            || self.planar_normal().is_none() && RimEdge::is_chord(circle, exposed.bounds(), touch);
        let is_around = || RimEdge::is_around(circle, exposed.bounds(), touch);
        let at_corner = circle.tube == 0.0 && touch.normal.iter().all(|x| *x != 0.0);
        has_nearest_point(circle, touch) && !at_corner && !is_chord() && !is_around()
    }
}
