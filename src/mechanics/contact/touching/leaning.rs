//! Corners of boxes above a face that their own box leans against from beside.

use nalgebra::Vector3;

use super::held_face::{Faced, FacedSides, Over};
use crate::contact::contacts::Contacts;
use crate::contact::{Extent, Touch, face_of};
use crate::dynamics::Kinematics;

impl Contacts {
    /// Whether contact i is a corner over a face of a box with its own solid behind that face, which is all out of the box sooner past
    /// another: the edge below the corner leans against that side, and nothing comes in where the corner is. Needs placements.
    #[must_use]
    pub(crate) fn leans_beside(&self, kinematics: &Kinematics<f64>, i: usize) -> bool {
        let Some(FacedSides {
            over,
            surface: Faced::Box(exposed),
        }) = self.faced_sides(i)
        else {
            return false;
        };
        match over {
            Over::Site(over) if self.sites[over.site].edges.is_some() => {
                let (touch, extent) = self.touch_box(kinematics, over, exposed);
                let (x, _) = self.ball(kinematics, over);
                let reach = |k, sign| self.reach_behind(kinematics, over, k, sign);
                is_behind(&x, &touch, &extent, reach)
            }
            Over::Corner(over) => {
                let (x, inward) = self.corner_seen(kinematics, over);
                let (touch, extent) = self.corner_box(kinematics, (over, &x, &inward), exposed);
                let reach = self.corner_reach(kinematics, over);
                is_behind(&x, &touch, &extent, reach)
            }
            Over::Site(_) => false,
        }
    }
}

/// Whether a point is over a face of a box, and the way out past that longer than another for all of the solid that it belongs to,
/// which reaches that far behind the planes through it.
fn is_behind(
    x: &Vector3<f64>,
    touch: &Touch<f64>,
    extent: &Extent,
    reach: impl Fn(usize, f64) -> f64,
) -> bool {
    let Some(face) = face_of(&touch.normal).filter(|_| touch.gap > 0.0) else {
        return false;
    };
    let ways = [0, 1, 2].map(|k| {
        let (below, above) = (extent.beyond(2 * k, x), extent.beyond(2 * k + 1, x));
        let sign = if above >= below { 1.0 } else { -1.0 };
        reach(k, sign) - above.max(below)
    });
    ways.iter().any(|way| *way < ways[face / 2])
}
