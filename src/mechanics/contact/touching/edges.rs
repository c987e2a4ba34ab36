//! Edges, sides and corners of terrain against each other: gaps, and whether they are there.

use nalgebra::{Matrix3, Vector3};

use crate::contact::broad_phase::LastSeen;
use crate::contact::contacts::Contacts;
use crate::contact::listing::{CornerOver, EdgePair, Sides, SiteOver};
use crate::contact::{
    Block, Circle, DEEP, ExposedBox, Extent, Ground, Meeting, OverlapSearch, SmoothGround, Solid,
    Touch, ball_box, ball_plane, ball_smooth, overlap_at_most, reach_behind, value,
};
use crate::dynamics::Kinematics;
use crate::spatial::{Pose, Scalar, lift3};

use super::presence::{ball_to_edge, ball_to_rim};

/// Cosine of the angle between n and the normal of a planar model from which on a crossing pushes across the plane, up to
/// roundings.
const OUT_OF_PLANE: f64 = 1.0 - 1e-9;

/// What share of the depth of two edges the nearest way out of two shapes is at least, where it is theirs.
const NEARLY: f64 = 0.5;

/// Whether two edges are there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EdgePresence {
    /// As [`Contacts::is_present`].
    pub is_crossed: bool,
    /// As [`Contacts::is_passable`].
    pub is_passable: bool,
}

/// What was placed last: contacts of a group that follow each other are mostly of the same shapes.
#[derive(Debug, Default)]
pub(crate) struct LastPlaced {
    blocks: Option<([usize; 2], [Block<f64>; 2])>,
    circle: Option<(SiteOver, Option<Circle<f64>>)>,
    pub(in crate::contact) seen: LastSeen,
}

impl Contacts {
    /// Placement of a shape with edges or a side in the world. Needs placements.
    pub(in crate::contact) fn shape_pose<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        k: usize,
    ) -> Pose<T> {
        let own = &self.edged[k];
        let mut pose: Pose<T> = own.pose().lift();
        let shaking = own.piece.and_then(|piece| self.shaking(piece));
        if let Some(shaking) = shaking {
            pose.translation += lift3::<T>(&shaking.displacement(kinematics.clock.time));
        }
        match own.body {
            None => pose,
            Some(body) => kinematics.world[body].compose(&pose),
        }
    }

    fn blocks<T: Scalar>(&self, kinematics: &Kinematics<T>, shapes: [usize; 2]) -> [Block<T>; 2] {
        shapes.map(|k| self.edged[k].block(self.shape_pose(kinematics, k)))
    }

    /// Of each two shapes of which the edges or sides may touch, the first of their contacts, and how far the shapes are inside
    /// of each other \[m\], where that is more than `enough`. Needs placements.
    #[doc(hidden)]
    pub fn overlaps(
        &self,
        kinematics: &Kinematics<f64>,
        enough: f64,
    ) -> impl Iterator<Item = (usize, f64)> {
        let pairs = self.shape_pairs();
        let mut search = OverlapSearch::default();
        let deep = pairs.filter_map(move |i| {
            let none = std::iter::empty();
            Some((i, self.overlap(&mut search, kinematics, i, enough, none)?))
        });
        deep.filter(move |(_, overlap)| *overlap > enough)
    }

    /// How far the two shapes of which contact i is an edge's or a side's are inside of each other \[m\], no more than `enough`
    /// where it is no more than that; of other contacts none. Of what touches there, `held` are the contacts that are known: the way
    /// out is along one of their normals, or nearly. These the search keeps for other shapes of the moment. Needs placements.
    pub(crate) fn overlap(
        &self,
        search: &mut OverlapSearch,
        kinematics: &Kinematics<f64>,
        i: usize,
        enough: f64,
        held: impl Iterator<Item = usize>,
    ) -> Option<f64> {
        let Sides::Edges(EdgePair { shapes, .. }) = self.contacts[i].sides else {
            return None;
        };
        let blocks = self.blocks(kinematics, shapes);
        let solids = self.solids(&blocks, shapes);
        let bodies = self.bodies(i);
        let swapped = [bodies[1], bodies[0]];
        let is_between = |k: usize| [bodies, swapped].contains(&self.bodies(k));
        let mut normals = std::mem::take(&mut search.normals);
        for k in held.filter(|k| is_between(*k)) {
            if normals.iter().all(|(known, _)| *known != k) {
                normals.push((k, self.frame(kinematics, k).normal));
            }
        }
        let first = normals.iter().filter(|(k, _)| is_between(*k));
        let overlap = search.overlap(&solids, enough, first.map(|(_, normal)| *normal));
        search.normals = normals;
        Some(overlap)
    }

    fn solids<T: Scalar>(&self, blocks: &[Block<T>; 2], shapes: [usize; 2]) -> [Solid; 2] {
        [0, 1].map(|side| Solid {
            block: blocks[side].numbers(),
            is_capsule: self.edged[shapes[side]].is_capsule(),
        })
    }

    /// Two edges or sides at their closest points, in the world.
    pub(super) fn meet<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        pair: &EdgePair,
    ) -> Meeting<T> {
        pair.crossing.meet(&self.blocks(kinematics, pair.shapes))
    }

    /// The direction of the edge or side of the first of two, in the world.
    pub(super) fn first_edge<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        pair: &EdgePair,
    ) -> Vector3<T> {
        pair.crossing
            .first_axis(&self.shape_pose(kinematics, pair.shapes[0]))
    }

    /// The gap of two edges or sides where they can touch, else the distance between them. Zero where only what is past
    /// their ends is nearer than their radii: ends have contacts of their own, and a cylinder's is flat.
    pub(super) fn edge_distance<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        pair: &EdgePair,
    ) -> T {
        let blocks = self.blocks(kinematics, pair.shapes);
        let meeting = pair.crossing.meet(&blocks);
        let gap = meeting.touch.gap;
        if self.is_crossed(&meeting, &blocks, pair.shapes) {
            return gap;
        }
        if meeting.inside >= 0.0 {
            gap.abs()
        } else {
            let distance = pair.crossing.distance(&blocks, &meeting.sides);
            distance.max(T::zero())
        }
    }

    /// Whether two edges can touch where they meet.
    fn is_crossed<T: Scalar>(
        &self,
        meeting: &Meeting<T>,
        blocks: &[Block<T>; 2],
        shapes: [usize; 2],
    ) -> bool {
        meeting.is_present()
            && self.is_on_edge(meeting, shapes)
            && self.is_way_out(meeting, blocks, shapes)
    }

    /// Whether edges that are in each other are on the nearest way out of that, or nearly: of shapes that are apart, or touch elsewhere,
    /// they are not.
    fn is_way_out<T: Scalar>(
        &self,
        meeting: &Meeting<T>,
        blocks: &[Block<T>; 2],
        shapes: [usize; 2],
    ) -> bool {
        let depth = -value(meeting.touch.gap);
        depth <= DEEP || {
            let enough = NEARLY * depth;
            overlap_at_most(&self.solids(blocks, shapes), enough, std::iter::empty()) > enough
        }
    }

    /// Whether the edge of terrain is there where another meets it, and the crossing pushes along what can move.
    fn is_on_edge<T: Scalar>(&self, meeting: &Meeting<T>, shapes: [usize; 2]) -> bool {
        let across = self.planar_normal();
        let normal = meeting.touch.normal.map(value);
        if across.is_some_and(|across| normal.dot(across).abs() > OUT_OF_PLANE) {
            return false;
        }
        let other = &self.edged[shapes[1]];
        match other.ground() {
            Ground::Box(exposed) if other.piece.is_some() => {
                let place = meeting.touch.points[1].map(value);
                exposed.is_outermost(&place, &meeting.sides[1])
            }
            _ => true,
        }
    }

    /// As [`Contacts::is_present`] of edges.
    pub(super) fn has_crossing(&self, kinematics: &Kinematics<f64>, pair: &EdgePair) -> bool {
        let blocks = self.blocks(kinematics, pair.shapes);
        self.is_crossed(&pair.crossing.meet(&blocks), &blocks, pair.shapes)
    }

    /// As [`Contacts::mechanical_gap`]; of edges also whether they are there. Needs placements, with which all that is `last`
    /// was placed.
    pub(crate) fn measure(
        &self,
        kinematics: &Kinematics<f64>,
        i: usize,
        last: &mut LastPlaced,
    ) -> (f64, Option<EdgePresence>) {
        let pair = match &self.contacts[i].sides {
            Sides::Edges(pair) => pair,
            Sides::Rim(rim) => {
                let circle = match &last.circle {
                    Some((over, circle)) if *over == rim.over => *circle,
                    _ => self.circle(kinematics, &rim.over),
                };
                last.circle = Some((rim.over, circle));
                let (gap, presence) = self.measure_rim(circle.as_ref(), rim);
                return (gap, Some(presence));
            }
            Sides::Corner(over) if self.edged[over.carried].is_flat() => {
                let presence = self.flat_presence(kinematics, over);
                return (self.mechanical_gap(kinematics, i), Some(presence));
            }
            _ => return (self.mechanical_gap(kinematics, i), None),
        };
        let (_, blocks) = match &mut last.blocks {
            Some(known) if known.0 == pair.shapes => known,
            blocks => blocks.insert((pair.shapes, self.blocks(kinematics, pair.shapes))),
        };
        let meeting = pair.crossing.meet(blocks);
        let presence = EdgePresence {
            is_crossed: self.is_crossed(&meeting, blocks, pair.shapes),
            is_passable: meeting.is_between() && self.is_on_edge(&meeting, pair.shapes),
        };
        (meeting.touch.gap, Some(presence))
    }

    /// Whether contact i is of two edges or sides, of the rim of a disc and an edge, or of its flat and a corner: past its ends its gap
    /// is that of nothing.
    #[inline]
    pub(crate) fn is_crossing(&self, i: usize) -> bool {
        match &self.contacts[i].sides {
            Sides::Edges(_) | Sides::Rim(_) => true,
            Sides::Corner(over) => self.edged[over.carried].is_flat(),
            Sides::Terrain(_) | Sides::Pair(_) | Sides::Limit(_) => false,
        }
    }

    /// Whether contact i is of the side of a capsule, which goes on smoothly in its ends.
    pub(crate) fn is_of_capsule(&self, i: usize) -> bool {
        match &self.contacts[i].sides {
            Sides::Edges(pair) => pair.shapes.iter().any(|k| self.edged[*k].is_capsule()),
            _ => false,
        }
    }

    /// Whether contact i, which was held, is not there any more. Needs placements.
    #[must_use]
    pub(crate) fn has_ended(&self, kinematics: &Kinematics<f64>, i: usize) -> bool {
        match &self.contacts[i].sides {
            Sides::Edges(pair) => {
                let meeting = self.meet(kinematics, pair);
                meeting.has_ended() || !self.is_on_edge(&meeting, pair.shapes)
            }
            Sides::Rim(rim) => {
                let meeting = self.meet_rim(kinematics, rim);
                meeting.has_ended() || !self.is_rim_outermost(&meeting, rim)
            }
            _ => !self.is_present(kinematics, i),
        }
    }

    /// Whether a gap of contact i below zero is that of something: of edges only where they are over each other, of what else
    /// is there. Needs placements.
    #[must_use]
    pub(crate) fn is_passable(&self, kinematics: &Kinematics<f64>, i: usize) -> bool {
        match &self.contacts[i].sides {
            Sides::Edges(pair) => {
                let meeting = self.meet(kinematics, pair);
                meeting.is_between() && self.is_on_edge(&meeting, pair.shapes)
            }
            Sides::Rim(rim) => self.rim_presence(kinematics, rim).is_passable,
            Sides::Corner(over) if self.edged[over.carried].is_flat() => {
                self.flat_presence(kinematics, over).is_passable
            }
            _ => self.is_present(kinematics, i),
        }
    }

    /// A corner of terrain in the frame of a shape that a body carries, and the direction from it into the piece.
    pub(super) fn corner_seen<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &CornerOver,
    ) -> (Vector3<T>, Vector3<f64>) {
        let CornerOver {
            carried,
            piece,
            corner,
        } = over;
        let own = &self.edged[*piece];
        let moved = own.piece.and_then(|piece| self.shaking(piece));
        let moved = moved.map_or_else(Vector3::zeros, |shaking| {
            shaking.displacement(kinematics.clock.time)
        });
        let pose = self.shape_pose(kinematics, *carried);
        let inward = lift3::<T>(&(own.pose().translation - corner));
        let inward = kinematics.world_direction(own.body, &inward);
        let corner = kinematics.world_point(own.body, &lift3(&(corner + moved)));
        let seen = pose.inverse().point(&corner);
        (seen, pose.rotation.tr_mul(&inward).map(value))
    }

    /// A corner of terrain against such a shape, in its frame and out of it.
    pub(super) fn touch_corner<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &CornerOver,
    ) -> Touch<T> {
        let (seen, inward) = self.corner_seen(kinematics, over);
        match self.edged[over.carried].ground() {
            Ground::Box(exposed) => {
                let corner = (over, &seen, &inward);
                self.corner_box(kinematics, corner, exposed).0
            }
            Ground::Cylinder(cylinder) => cylinder.touch(&seen, T::zero()),
            Ground::Smooth(surface) => ball_smooth(&seen, T::zero(), surface),
            Ground::Plane { point, normal } => ball_plane(&seen, T::zero(), point, normal),
        }
    }

    /// As [`Contacts::seam`] of such a corner.
    pub(super) fn corner_seam(&self, kinematics: &Kinematics<f64>, over: &CornerOver) -> f64 {
        let (seen, inward) = self.corner_seen(kinematics, over);
        match self.edged[over.carried].ground() {
            Ground::Box(exposed) => {
                let corner = (over, &seen, &inward);
                let (touch, extent) = self.corner_box(kinematics, corner, exposed);
                ball_to_edge(&extent.all_beyond(&touch.points[0]), 0.0)
            }
            Ground::Cylinder(cylinder) => ball_to_rim(cylinder, &seen, 0.0),
            Ground::Smooth(SmoothGround::Capsule(capsule)) => capsule.end_distance(&seen),
            Ground::Plane { .. } => self.flat_seam(kinematics, over),
            Ground::Smooth(_) => f64::INFINITY,
        }
    }

    /// How far the piece of terrain of such a corner reaches behind the plane through it across an axis of the frame of the shape, seen
    /// up (1) or down (-1) along that \[m\].
    pub(super) fn corner_reach<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        over: &CornerOver,
    ) -> impl Fn(usize, f64) -> f64 {
        let pose = self.shape_pose(kinematics, over.carried);
        let into = self.edged[over.piece].pose().translation - over.corner;
        // Edges of terrain lead along the axes of the world.
        let edges = Matrix3::from_diagonal(&(into * 2.0));
        let edges = [0, 1, 2].map(|k| edges.column(k).into_owned());
        move |k, sign| {
            let out = pose.rotation.column(k).map(|x| sign * value(x));
            reach_behind(&edges, &out)
        }
    }

    pub(super) fn corner_box<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        (over, seen, inward): (&CornerOver, &Vector3<T>, &Vector3<f64>),
        exposed: &ExposedBox,
    ) -> (Touch<T>, Extent) {
        let reach = self.corner_reach(kinematics, over);
        exposed.touch(|min, max| ball_box(seen, T::zero(), (min, max), inward, &reach))
    }
}
