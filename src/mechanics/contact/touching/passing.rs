//! Points that pass the edge of a box, or the rim of a cylinder, on a level with it.

use nalgebra::Vector3;

use super::held_face::{BoxFace, Faced, Over};
use crate::contact::contacts::Contacts;
use crate::contact::listing::SiteOver;
use crate::contact::{BESIDE, Circle, ExposedBox, Touch};
use crate::dynamics::Kinematics;

/// A point at an edge goes past it if it goes into a face beside it no faster than this share of how it goes into the other.
const PAST: f64 = 1e-3;
/// The same of a rim: what is [`BESIDE`] an edge goes less than 1e-9 m into it until it is past.
const RIM_PAST: f64 = 0.05;
/// Sine of the angle between an edge and a rim below which all that is across one is across the other.
const PARALLEL: f64 = 1e-4;
/// How far a normal may be beyond those of faces, side and end that it is between \[rad\].
const TILTED: f64 = 1e-6;

/// Whether what goes into one face and along another at these rates \[m/s\] goes past the edge between them.
fn goes_past(into: f64, along: f64, speed: f64) -> bool {
    into < -speed && along >= PAST * into
}

/// Whether a unit vector is between two others that are across each other, up to how far it leaves their plane.
fn is_between([one, other]: &[Vector3<f64>; 2], normal: &Vector3<f64>) -> bool {
    normal.dot(one) >= -TILTED && normal.dot(other) >= -TILTED
}

impl Contacts {
    /// Whether contact i is of a point at an edge of a box that goes past it faster than a speed \[m/s\]: into a face beside
    /// the edge, but along another or away from it, beside which its own body is as well. It does not go into the box; what
    /// slides on a level with corners of another box passes them so. A corner of terrain passes the rim of a cylinder in the same
    /// way, or leaves it: at the rim itself its distance has no direction. Needs placements and twists.
    #[must_use]
    pub(crate) fn passes_edge(&self, kinematics: &Kinematics<f64>, i: usize, speed: f64) -> bool {
        let Some(sides) = self.faced_sides(i) else {
            return false;
        };
        let exposed = match (sides.surface, sides.over) {
            (Faced::Box(exposed), _) => exposed,
            (Faced::Cylinder(cylinder), Over::Corner(over)) => {
                let (corner, _) = self.corner_seen(kinematics, over);
                return (cylinder.faces_at_rim(&corner, BESIDE)).is_some_and(|faces| {
                    let [a, b] = faces.map(|face| self.rate_over(kinematics, i, BoxFace(face)));
                    let (into, along) = (a.min(b), a.max(b));
                    along > speed || goes_past(into, along, speed)
                });
            }
            (Faced::Cylinder(_), Over::Site(_)) => return false,
        };
        let (center, inward) = match sides.over {
            Over::Site(over) => {
                if let Some(circle) = self.nearest_circle(kinematics, over) {
                    return self.passes_by_its_rim(kinematics, i, (over, exposed), &circle, speed);
                }
                let (center, radius) = self.ball(kinematics, over);
                let inward = self.inward(kinematics, over, (&center, radius));
                (center, inward)
            }
            Over::Corner(over) => self.corner_seen(kinematics, over),
        };
        let (mut into, mut along) = (f64::INFINITY, f64::NEG_INFINITY);
        for face in exposed.faces_near(&center, BESIDE) {
            let outward = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
            if outward * inward[face / 2] > 0.0 {
                let rate = self.rate_over(kinematics, i, BoxFace(face));
                into = into.min(rate);
                along = along.max(rate);
            }
        }
        goes_past(into, along, speed)
    }

    /// The same of the rim of a cylinder at an edge of a box, between whose faces and whose side and end all normals are along
    /// which the two may press: the rim passes if it goes into the box along none of them.
    fn passes_by_its_rim(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        (over, exposed): (&SiteOver, &ExposedBox),
        circle: &Circle<f64>,
        speed: f64,
    ) -> bool {
        let (touch, _) = self.touch_box(kinematics, over, exposed);
        let [point, _] = touch.points;
        let Some(angle) = touch.angle.filter(|_| circle.tube == 0.0) else {
            return false;
        };
        let mut faces = exposed.faces_near(&point, BESIDE);
        let (Some(one), Some(other), None) = (faces.next(), faces.next(), faces.next()) else {
            return false;
        };
        let wedge = [one, other].map(|face| BoxFace(face).normal());
        let (sine, cosine) = angle.sin_cos();
        let side = -circle.radial(cosine, sine);
        // Into the cylinder, which is where its body is.
        let axis = circle.axes[0].cross(&circle.axes[1]);
        let end = axis
            * axis
                .dot(&self.inward(kinematics, over, (&point, 0.0)))
                .signum();
        let rim = [side, end];
        let edge = wedge[0].cross(&wedge[1]);
        let across = edge.cross(&circle.radial(-sine, cosine));
        let normals = if across.norm() > PARALLEL {
            let across = across.normalize();
            [Some(across), Some(-across), None, None]
        } else {
            [Some(wedge[0]), Some(wedge[1]), Some(side), Some(end)]
        };
        let normals = normals.into_iter().flatten();
        let presses = normals.filter(|n| is_between(&wedge, n) && is_between(&rim, n));
        let rates = presses.map(|normal| {
            let along = Touch { normal, ..touch };
            self.frame_of(kinematics, i, &along).rate(kinematics)
        });
        let [least, most] = rates.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], rate| {
            [a.min(rate), b.max(rate)]
        });
        least >= -speed.max(RIM_PAST * most) && most >= least
    }

    /// Rate of the gap of contact i over a face \[m/s\]. Needs placements and twists.
    fn rate_over(&self, kinematics: &Kinematics<f64>, i: usize, face: BoxFace) -> f64 {
        self.frame_over(kinematics, i, face).rate(kinematics)
    }
}
