//! Frames of contacts: the directions along which what was measured acts, in the world.
//!
//! Tangents span the plane across the normal; any two do for friction, which is the same in all directions, but those of the
//! start, the middle and the end of a step are taken for one pair. So they go on smoothly with what touches:
//!
//! | contact | tangents |
//! |---|---|
//! | of a planar model | one in its plane |
//! | over terrain, over faces, edges and sides of carried boxes and cylinders | of the normal alone, x and y for z, in the frame of the surface |
//! | edges and sides that cross | the first edge or axis, and across |
//! | over carried spheres and capsules, pairs, rims | of the normal alone, smooth but for one direction that is not vertical |

use nalgebra::Vector3;

use crate::contact::contacts::Contacts;
use crate::contact::frame::ContactFrame;
use crate::contact::listing::{RimOver, Sides};
use crate::contact::{Ground, Part, Touch, smooth_tangents, tangents, tangents_along};
use crate::dynamics::Kinematics;
use crate::spatial::Scalar;

impl Contacts {
    /// The frame of what was measured in the frame of the surface.
    pub(super) fn frame_of<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        i: usize,
        touch: &Touch<T>,
    ) -> ContactFrame<T> {
        let (mut normal, mut points) = (touch.normal, touch.points);
        let planar = self.planar_normal();
        let mut along = match (planar, &self.contacts[i].sides) {
            (None, Sides::Edges(pair)) => {
                tangents_along(&normal, &self.first_edge(kinematics, pair))
            }
            (None, Sides::Pair(_) | Sides::Rim(_)) => smooth_tangents(&normal),
            _ => tangents(&normal, planar),
        };
        if let Sides::Corner(over) = &self.contacts[i].sides {
            // Measured out of the shape: side 1 is the terrain.
            let view = self.shape_pose(kinematics, over.carried);
            normal = -(view.rotation * normal);
            let [corner, face] = points.map(|x| view.point(&x));
            points = [face, corner];
            along = match (planar, self.edged[over.carried].ground()) {
                (None, Ground::Box(_) | Ground::Cylinder(_)) => along.map(|t| view.rotation * t),
                (None, _) => smooth_tangents(&normal),
                (Some(_), _) => tangents(&normal, planar),
            };
        }
        if let Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) = &self.contacts[i].sides
            && let Some(view) = self.view(kinematics, over.terrain)
        {
            normal = view.rotation * normal;
            points = points.map(|x| view.point(&x));
            // Over faces the tangents turn with the body, elsewhere they are those of the normal.
            along = match (planar, self.ground(over)) {
                (None, Ground::Box(_) | Ground::Cylinder(_)) => along.map(|t| view.rotation * t),
                (None, _) if over.part != Part::Whole => along.map(|t| view.rotation * t),
                (None, _) if self.carrier(over.terrain).is_some() => smooth_tangents(&normal),
                _ => tangents(&normal, planar),
            };
        }
        let shaking = self.shaking_of(i);
        let piece = shaking.map_or_else(Vector3::zeros, |s| s.velocity(&kinematics.clock));
        ContactFrame {
            gap: touch.gap,
            normal,
            tangents: along,
            bodies: self.bodies(i),
            points,
            surface_velocity: self.belt_velocity(i) + piece,
            piece_velocity: piece,
            limit: None,
        }
    }
}
