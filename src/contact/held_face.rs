//! Contacts held over one face of a box, which go on smoothly beyond its edges.

use nalgebra::Vector3;

use super::contacts::Contacts;
use super::listing::Sides;
use super::{ContactFrame, Place, Touch};
use super::{ExposedBox, FACES, Ground, face_of};
use crate::dynamics::Kinematics;
use crate::spatial::Scalar;

/// A face of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BoxFace(usize);

impl Contacts {
    /// The face over which the closest point of contact i is; `None` over edges and corners, and with
    /// what is no box. Needs placements.
    #[must_use]
    pub fn face(&self, kinematics: &Kinematics<f64>, i: usize) -> Option<BoxFace> {
        let (site, place, exposed) = self.box_sides(i)?;
        let (touch, _) = self.touch_box(kinematics, site, place, exposed);
        face_of(&touch.normal).map(BoxFace)
    }

    /// As [`Contacts::frame`], with the box continued to the half-space below one of its faces: what a
    /// contact that is held over the face sees on the way past its edge, without the kink there. With
    /// what is no box it is [`Contacts::frame`] itself.
    #[must_use]
    pub fn frame_over<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        i: usize,
        face: BoxFace,
    ) -> ContactFrame<T> {
        match self.box_sides(i) {
            None => self.frame(kinematics, i),
            Some((site, place, exposed)) => {
                let touch = self.touch_face(kinematics, site, place, exposed, face);
                self.frame_of(i, &touch)
            }
        }
    }

    /// The frame of a contact that is held over a face, or of one that is not.
    #[must_use]
    pub fn held_frame<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        i: usize,
        face: Option<BoxFace>,
    ) -> ContactFrame<T> {
        match face {
            Some(face) => self.frame_over(kinematics, i, face),
            None => self.frame(kinematics, i),
        }
    }

    /// As [`Contacts::seam`], for a contact held over a face: positive over what there is of the face and
    /// negative past its edges, with slope one. Needs placements.
    #[must_use]
    pub fn seam_over(&self, kinematics: &Kinematics<f64>, i: usize, face: BoxFace) -> f64 {
        let Some((site, place, exposed)) = self.box_sides(i) else {
            return self.seam(kinematics, i);
        };
        let touch = self.touch_face(kinematics, site, place, exposed, face);
        let along_arc = match self.circle(kinematics, site) {
            Some(circle) => circle.seam_at_plane(place, &touch.normal),
            None => f64::INFINITY,
        };
        along_arc.min(exposed.to_edge(&touch))
    }

    /// Whether contact i is with a box that has this face.
    #[must_use]
    pub(crate) fn has_face(&self, i: usize, face: BoxFace) -> bool {
        face.0 < FACES && self.box_sides(i).is_some()
    }

    fn box_sides(&self, i: usize) -> Option<(usize, &Place, &ExposedBox)> {
        let Sides::Terrain {
            site,
            place,
            terrain,
        } = &self.contacts[i].sides
        else {
            return None;
        };
        match &self.grounds[*terrain] {
            Ground::Box(exposed) => Some((*site, place, exposed)),
            Ground::Plane { .. } | Ground::Smooth(_) => None,
        }
    }

    fn touch_face<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        site: usize,
        place: &Place,
        exposed: &ExposedBox,
        face: BoxFace,
    ) -> Touch<T> {
        let BoxFace(face) = face;
        let (min, max) = exposed.bounds();
        let mut normal = Vector3::zeros();
        normal[face / 2] = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
        let corner = if face.is_multiple_of(2) { min } else { max };
        self.touch_plane(kinematics, site, place, corner, &normal)
    }
}
