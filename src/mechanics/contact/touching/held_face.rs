//! Contacts held over one face of a box or a cylinder, which go on smoothly beyond its edges.

use nalgebra::Vector3;

use super::held_place::{HeldPlace, ROUND, Side, Tilt, Turn};
use crate::contact::contacts::Contacts;
use crate::contact::listing::{CornerOver, Sides, SiteOver};
use crate::contact::{
    BESIDE, CYLINDER_FACES, Cylinder, ExposedBox, FACES, Ground, Outline, ball_plane, face_of,
    plane_below,
};
use crate::contact::{Circle, ContactFrame, Touch};
use crate::dynamics::Kinematics;
use crate::spatial::Scalar;

/// A face of a box, or of a cylinder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct BoxFace(pub(super) usize);

impl BoxFace {
    /// The outward normal of the face of a box.
    pub(super) fn normal(self) -> Vector3<f64> {
        let mut normal = Vector3::zeros();
        normal[self.0 / 2] = if self.0.is_multiple_of(2) { -1.0 } else { 1.0 };
        normal
    }
}

/// A surface with faces.
#[derive(Clone, Copy)]
pub(super) enum Faced<'a> {
    Box(&'a ExposedBox),
    Cylinder(&'a Cylinder),
}

/// What is over a face.
#[derive(Clone, Copy)]
pub(super) enum Over<'a> {
    Site(&'a SiteOver),
    Corner(&'a CornerOver),
}

/// The sides of a contact with such a surface.
pub(super) struct FacedSides<'a> {
    pub over: Over<'a>,
    pub surface: Faced<'a>,
}

impl Contacts {
    /// The face over which the closest point of contact i is; `None` over edges and corners, and with
    /// what has no faces. Needs placements.
    #[must_use]
    pub fn face(&self, kinematics: &Kinematics<f64>, i: usize) -> Option<BoxFace> {
        let sides = self.faced_sides(i)?;
        match sides.surface {
            Faced::Box(exposed) => {
                let touch = match sides.over {
                    Over::Site(over) => self.touch_box(kinematics, over, exposed).0,
                    Over::Corner(over) => self.touch_corner(kinematics, over),
                };
                face_of(&touch.normal).map(BoxFace)
            }
            Faced::Cylinder(cylinder) => {
                let (center, radius) = self.faced_ball(kinematics, &sides);
                Cylinder::face_of(&cylinder.touch(&center, radius).normal).map(BoxFace)
            }
        }
    }

    /// As [`Contacts::frame`], with a box continued to the half-space below one of its faces, and a cylinder
    /// beyond its rims: what a contact that is held over the face sees on the way past its edge, without the kink there.
    /// With what has no faces it is [`Contacts::frame`] itself.
    #[must_use]
    pub fn frame_over<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        i: usize,
        face: BoxFace,
    ) -> ContactFrame<T> {
        match self.faced_sides(i) {
            None => self.frame(kinematics, i),
            Some(sides) => {
                let touch = self.touch_face(kinematics, &sides, face, None);
                self.frame_of(kinematics, i, &touch)
            }
        }
    }

    /// The frame of a contact as it is held.
    #[must_use]
    pub fn held_frame<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        i: usize,
        held: HeldPlace,
    ) -> ContactFrame<T> {
        let over_face = held.face.zip(self.faced_sides(i));
        let touch = match (over_face, held.side, &self.contacts[i].sides) {
            (Some((face, sides)), side, _) => self.touch_face(kinematics, &sides, face, side),
            (None, Some(side), Sides::Terrain(over)) => match self.plane(kinematics, over) {
                Some([point, normal]) => {
                    self.touch_plane(kinematics, over, (&point, &normal), Some(side))
                }
                None => match self.rim_part(kinematics, over) {
                    Some(part) => part.touch_held(side),
                    None => return self.frame(kinematics, i),
                },
            },
            _ => return self.frame(kinematics, i),
        };
        self.frame_of(kinematics, i, &touch)
    }

    /// The side of a circle that contact i, held over a face if it has any, is held by; none of other contacts, of arcs
    /// that do not lie nearly flat, whose lowest points do not run, and where the circle is flat. Needs placements.
    #[must_use]
    pub(crate) fn side(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        face: Option<BoxFace>,
    ) -> Option<Side> {
        if let Some(part) = self.rim_part_of(kinematics, i) {
            return part.side();
        }
        let (circle, normal) = self.circle_over(kinematics, i, face)?;
        if circle.range.is_some() && !circle.is_nearly_flat(&normal) {
            return None;
        }
        Some(Side {
            angle: circle.lowest(&normal)?,
            is_fixed: circle.tilt(&normal) < ROUND,
        })
    }

    /// A signed length \[m\] that changes sign where the circle of a contact that is held by a side falls flat, or its lowest
    /// point has turned by a quarter from there, or leaves its part of the rim; infinite without a side. Needs placements.
    #[must_use]
    pub(crate) fn side_seam(&self, kinematics: &Kinematics<f64>, i: usize, held: HeldPlace) -> f64 {
        let turning = held.side.filter(|side| !side.is_fixed);
        turning.map_or(f64::INFINITY, |side| {
            if let Some(part) = self.rim_part_of(kinematics, i) {
                return part.inside(side);
            }
            let over = self.circle_over(kinematics, i, held.face);
            over.map_or(f64::INFINITY, |(circle, normal)| {
                circle.depth_of(side.angle, &normal)
            })
        })
    }

    /// The tilt of such a circle, and how far the highest point of its rim is above the lowest \[m\]. Needs placements.
    #[must_use]
    pub(crate) fn tilt(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        face: Option<BoxFace>,
    ) -> Option<Tilt> {
        let (circle, normal) = self.circle_over(kinematics, i, face)?;
        Some(Tilt::new(circle.radius, circle.tilt(&normal)))
    }

    /// How the lowest point of such a circle, or of one that an arc is part of, has turned between two moments. Needs placements.
    #[must_use]
    pub(crate) fn turn(
        &self,
        moments: [&Kinematics<f64>; 2],
        i: usize,
        face: Option<BoxFace>,
    ) -> Option<Turn> {
        let [from, to] = moments.map(|kinematics| {
            let (circle, normal) = self.circle_over(kinematics, i, face)?;
            // The normal as far as it is in the plane of the circle: as long as the sine of the tilt.
            let [a, b] = circle.axes.map(|axis| axis * axis.dot(&normal));
            Some((a + b, circle.radius))
        });
        let ((from, radius), (to, _)) = (from?, to?);
        let across = from.cross(&to).norm();
        let way = (to - from).norm();
        (way > 0.0).then(|| Turn {
            angle: across.atan2(from.dot(&to)),
            tilt: Tilt::new(radius, across / way),
        })
    }

    /// The circle, full or of an arc, whose nearest point to a plane, or a face, makes contact i, and the normal, in the frame of the
    /// surface.
    fn circle_over(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        face: Option<BoxFace>,
    ) -> Option<(Circle<f64>, Vector3<f64>)> {
        let Sides::Terrain(over) = &self.contacts[i].sides else {
            return None;
        };
        let normal = match (self.ground(over), face) {
            (Ground::Box(_), Some(face)) => face.normal(),
            _ => self.plane(kinematics, over)?[1],
        };
        Some((self.nearest_circle(kinematics, over)?, normal))
    }

    /// The plane that a site is over, a point and the normal: all of the ground or what a circle sees of it.
    fn plane<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &SiteOver,
    ) -> Option<[Vector3<f64>; 2]> {
        match self.ground(over) {
            Ground::Plane { point, normal } => Some([*point, *normal]),
            Ground::Smooth(surface) => {
                let circle = self.nearest_circle(kinematics, over)?.numbers();
                plane_below(&circle, surface)
            }
            Ground::Box(_) | Ground::Cylinder(_) => None,
        }
    }

    /// As [`Contacts::seam`], for a contact held over a face: positive over what there is of the face and
    /// negative past its edges, with slope one. Needs placements.
    #[must_use]
    pub fn seam_over(&self, kinematics: &Kinematics<f64>, i: usize, face: BoxFace) -> f64 {
        self.seam_beside(kinematics, i, face, None)
    }

    /// The same of a disc that is held by a side.
    #[must_use]
    pub(crate) fn seam_beside(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        face: BoxFace,
        side: Option<Side>,
    ) -> f64 {
        let Some(sides) = self.faced_sides(i) else {
            return self.seam(kinematics, i);
        };
        let along_arc = match (sides.surface, sides.over) {
            (Faced::Box(_), Over::Site(over)) => {
                let circle = self.circle(kinematics, over);
                circle.map_or(f64::INFINITY, |c| {
                    c.seam_at_plane(&over.place, &face.normal())
                })
            }
            _ => f64::INFINITY,
        };
        along_arc.min(self.edge_over(kinematics, i, face, side))
    }

    /// How far it is to the edge of the face that contact i is held over \[m\]: negative past it, infinite without faces.
    /// Needs placements.
    #[must_use]
    pub(crate) fn edge_over(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        face: BoxFace,
        side: Option<Side>,
    ) -> f64 {
        self.faced_sides(i).map_or(f64::INFINITY, |sides| {
            let touch = self.touch_face(kinematics, &sides, face, side);
            match sides.surface {
                Faced::Cylinder(cylinder) => cylinder.rim_distance(&touch.points[1], face.0),
                Faced::Box(exposed) => exposed.to_edge(&touch, self.reaches_beside(&sides)),
            }
        })
    }

    /// How far what is over a face reaches past its edge and is still over it: corners do.
    fn reaches_beside(&self, sides: &FacedSides<'_>) -> f64 {
        let is_point = match sides.over {
            Over::Site(over) => {
                matches!(self.outlines[over.site], Outline::Ball { radius } if radius == 0.0)
            }
            Over::Corner(_) => true,
        };
        if is_point { BESIDE } else { 0.0 }
    }

    /// Whether contact i is with something that has this face.
    #[must_use]
    pub(crate) fn has_face(&self, i: usize, face: BoxFace) -> bool {
        self.faced_sides(i)
            .is_some_and(|sides| match sides.surface {
                Faced::Box(_) => face.0 < FACES,
                Faced::Cylinder(_) => face.0 < CYLINDER_FACES,
            })
    }

    pub(super) fn faced_sides(&self, i: usize) -> Option<FacedSides<'_>> {
        let (over, surface) = match &self.contacts[i].sides {
            Sides::Terrain(over) => (Over::Site(over), faced(self.ground(over))?),
            Sides::Corner(over) => (
                Over::Corner(over),
                faced(self.edged[over.carried].ground())?,
            ),
            Sides::Rim(_) | Sides::Edges(_) | Sides::Pair(_) | Sides::Limit(_) => return None,
        };
        Some(FacedSides { over, surface })
    }

    fn faced_ball<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        sides: &FacedSides<'_>,
    ) -> (Vector3<T>, T) {
        match sides.over {
            Over::Site(over) => self.ball(kinematics, over),
            Over::Corner(over) => (self.corner_seen(kinematics, over).0, T::zero()),
        }
    }

    fn touch_face<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        sides: &FacedSides<'_>,
        over: BoxFace,
        side: Option<Side>,
    ) -> Touch<T> {
        let BoxFace(face) = over;
        let exposed = match sides.surface {
            Faced::Box(exposed) => exposed,
            Faced::Cylinder(cylinder) => {
                let (center, radius) = self.faced_ball(kinematics, sides);
                return cylinder.touch_face(&center, radius, face);
            }
        };
        let (min, max) = exposed.bounds();
        let normal = over.normal();
        let corner = if face.is_multiple_of(2) { min } else { max };
        match sides.over {
            Over::Site(over) => self.touch_plane(kinematics, over, (corner, &normal), side),
            Over::Corner(over) => {
                let (center, _) = self.corner_seen(kinematics, over);
                ball_plane(&center, T::zero(), corner, &normal)
            }
        }
    }
}

/// What has faces.
fn faced(ground: &Ground) -> Option<Faced<'_>> {
    match ground {
        Ground::Box(exposed) => Some(Faced::Box(exposed)),
        Ground::Cylinder(cylinder) => Some(Faced::Cylinder(cylinder)),
        Ground::Plane { .. } | Ground::Smooth(_) => None,
    }
}
