//! Boxes that touch by their edges, and terrain that touches boxes by its corners.
//!
//! | of a box | touches |
//! |---|---|
//! | a corner, as a site of its body | faces of terrain and of boxes that other bodies carry |
//! | an edge | edges of boxes that other bodies carry, and of terrain: two boxes have 36 crossings (page of `crossing`) |
//! | a face | corners of boxes that other bodies carry, and of terrain |
//!
//! Two bodies' boxes touch by their edges where one's corners touch the other: [`Contacts::with_carried`] lists the crossings
//! of each such pair, named `<box>:<edge>@<box>:<edge>`. [`Contacts::with_terrain_edges`] lists those of boxes with
//! terrain, and the corners of terrain as `<piece>_<k>@<box>`. An edge is `x`, `y` or `z` by its direction in the frame of its
//! box, with `a` on like sides along the two other axes and `b` on unlike ones.
//!
//! Edges and corners of terrain that other pieces cover or continue are not there. A crossing has no columns in series.csv and
//! events.csv, where 36 of every pair would hide the rest ([`Contacts::is_listed`]); its name stands in events.csv.

use nalgebra::{Matrix3, Vector3};

use super::broad_phase::{Against, Group};
use super::contacts::Contacts;
use super::error::{check_material, check_range};
use super::listing::{Potential, Sides, check_names};
use super::site::corners;
use super::{
    Block, CarriedSurface, Combination, ContactError, Crossing, ExposedBox, Extent, Ground,
    Material, Meeting, Outline, Site, Surface, Touch, ball_box, grounds, value,
};
use crate::dynamics::Kinematics;
use crate::model::Geometry;
use crate::spatial::{Pose, Scalar, lift3};

/// A site this near to a corner of a box is one of it, as a share of the box's size.
const SAME: f64 = 1e-9;

/// A box whose edges and corners touch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EdgedBox {
    pub body: Option<usize>,
    /// The piece of terrain that it is.
    pub piece: Option<usize>,
    /// Index among the surfaces that bodies carry.
    pub surface: Option<usize>,
    /// The link that carries it, or the piece's name.
    name: String,
    /// In the body's internal frame.
    pose: Pose<f64>,
    half: Vector3<f64>,
    /// In its own frame, of terrain in the world.
    exposed: Box<ExposedBox>,
}

impl EdgedBox {
    fn carried(surface: &CarriedSurface, index: Option<usize>) -> Option<Self> {
        let Geometry::Box(edges) = surface.geometry else {
            return None;
        };
        let half = Vector3::from(edges) * 0.5;
        let alone = [Surface::Box {
            min: -half,
            max: half,
        }];
        let Ground::Box(exposed) = grounds(&alone, |_, _| true).swap_remove(0) else {
            return None;
        };
        Some(Self {
            body: surface.body,
            piece: None,
            surface: index,
            name: surface.link.clone(),
            pose: surface.pose,
            half,
            exposed,
        })
    }

    fn terrain(piece: usize, name: &str, exposed: &ExposedBox) -> Self {
        let (min, max) = exposed.bounds();
        Self {
            body: None,
            piece: Some(piece),
            surface: None,
            name: name.to_string(),
            pose: Pose::new(Matrix3::identity(), (min + max) * 0.5),
            half: (max - min) * 0.5,
            exposed: Box::new(exposed.clone()),
        }
    }

    /// In the frame of the body.
    fn corners(&self) -> [Vector3<f64>; 8] {
        corners(&self.pose, &(self.half * 2.0).into())
    }

    fn has_corner(&self, site: &Site, outline: &Outline) -> bool {
        let rounding = SAME * self.half.norm();
        let near = |corner: &Vector3<f64>| (corner - site.center).norm() <= rounding;
        matches!(outline, Outline::Ball { radius } if *radius == 0.0)
            && self.body == site.body
            && self.corners().iter().any(near)
    }

    /// Farthest point from the origin of the body's frame \[m\].
    fn reach(&self) -> f64 {
        self.pose.translation.norm() + self.half.norm()
    }

    /// Signed distance of a point in the box's frame to it \[m\], not above that of its surface.
    pub fn distance_bound(&self, x: &Vector3<f64>) -> f64 {
        (x.abs() - self.half).sup(&Vector3::zeros()).norm()
    }

    pub fn extent(&self) -> &ExposedBox {
        &self.exposed
    }
}

impl Contacts {
    /// Adds what boxes that bodies carry and terrain boxes touch by other than the boxes' corners: their edges, and the corners
    /// of the terrain with the boxes' faces. After all others but limits of joints. What is no box is left out.
    ///
    /// # Errors
    /// [`ContactError`]: names that occur twice, sizes that are not positive, coefficients out of range.
    pub fn with_terrain_edges(
        mut self,
        boxes: &[CarriedSurface],
        combination: Combination,
    ) -> Result<Self, ContactError> {
        let first = self.boxes.len();
        for (piece, ground) in self.grounds[..self.terrains().len()].iter().enumerate() {
            if let Ground::Box(exposed) = ground {
                let name = &self.terrains()[piece].name;
                self.boxes.push(EdgedBox::terrain(piece, name, exposed));
            }
        }
        let pieces = first..self.boxes.len();
        let listed = self.contacts.len();
        for surface in boxes.iter().filter(|surface| surface.body.is_some()) {
            let Some(own) = EdgedBox::carried(surface, None) else {
                continue;
            };
            let place = format!("surface \"{}\"", surface.name);
            check_material(&place, &surface.material)?;
            let (place, sizes) = (format!("{place}: size"), own.half.as_slice());
            check_range(&place, sizes, "finite and positive", |x| x > 0.0)?;
            let carried = self.boxes.len();
            self.boxes.push(own);
            for at in pieces.clone() {
                let Some(piece) = self.boxes[at].piece else {
                    continue;
                };
                let terrain = &self.terrains()[piece];
                let material = combination.material(&surface.material, &terrain.material);
                let names = [surface.name.clone(), terrain.name.clone()];
                let group = self.add_crossings([carried, at], &names, material);
                let corners = self.boxes[at].corners();
                for (k, corner) in corners.into_iter().enumerate() {
                    if !self.boxes[at].exposed.has_corner(&corner) {
                        continue;
                    }
                    self.contacts.push(Potential {
                        name: format!("{}_{k}@{}", names[1], names[0]),
                        sides: Sides::Corner {
                            carried,
                            piece: at,
                            corner,
                        },
                        material,
                    });
                    self.groups.add(self.contacts.len() - 1, Some(group));
                }
            }
        }
        self.add_siblings(listed);
        check_names("contact", self.contacts.iter().map(|c| c.name.as_str()))?;
        Ok(self)
    }

    /// Adds the crossings of those boxes of bodies of which the corners of one touch the other.
    pub(super) fn add_carried_edges(&mut self, combination: Combination) {
        let surfaces = std::mem::take(&mut self.surfaces);
        let first = self.boxes.len();
        let boxes = surfaces.iter().enumerate();
        let boxes = boxes.filter_map(|(k, surface)| EdgedBox::carried(surface, Some(k)));
        self.boxes.extend(boxes);
        let listed = self.contacts.len();
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for contact in &self.contacts {
            let Sides::Terrain { site, terrain, .. } = contact.sides else {
                continue;
            };
            let Some(surface) = terrain.checked_sub(self.terrains().len()) else {
                continue;
            };
            let boxes = first..self.boxes.len();
            let with = boxes
                .clone()
                .find(|&k| self.boxes[k].surface == Some(surface));
            let Some(with) = with else {
                continue;
            };
            let (site, outline) = (&self.sites[site], &self.outlines[site]);
            for own in boxes.filter(|&k| self.boxes[k].has_corner(site, outline)) {
                // The side that moves comes first.
                let pair = match (self.boxes[own].body, self.boxes[with].body) {
                    (None, _) => [with, own],
                    (Some(_), None) => [own, with],
                    (Some(_), Some(_)) => [own.min(with), own.max(with)],
                };
                pairs.push(pair);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        for pair in pairs {
            let [one, other] = pair.map(|k| &surfaces[self.boxes[k].surface.unwrap_or_default()]);
            let material = combination.material(&one.material, &other.material);
            let names = [one.name.clone(), other.name.clone()];
            self.add_crossings(pair, &names, material);
        }
        self.surfaces = surfaces;
        self.add_siblings(listed);
    }

    /// Adds all crossings of two boxes, of which the first is carried by a body, and says their group.
    fn add_crossings(
        &mut self,
        boxes: [usize; 2],
        names: &[String; 2],
        material: Material,
    ) -> usize {
        let [own, other] = boxes.map(|k| &self.boxes[k]);
        let sphere = (own.body, own.pose.translation, own.half.norm());
        let against = Against::Box(boxes[1]);
        let group = Group::around(sphere, against, (other.body, other.reach()));
        let group = self.groups.add_group(group);
        for crossing in Crossing::all() {
            let [own, other] =
                [0, 1].map(|side| format!("{}:{}", names[side], crossing.word(side)));
            self.contacts.push(Potential {
                name: format!("{own}@{other}"),
                sides: Sides::Edges { boxes, crossing },
                material,
            });
            self.groups.add(self.contacts.len() - 1, Some(group));
        }
        group
    }

    /// Of each contact from `listed` on the others between the same bodies, with terrain those with the same piece or one
    /// that touches it.
    fn add_siblings(&mut self, listed: usize) {
        let of = |i: usize| {
            let [one, other] = self.bodies(i);
            (one.min(other), one.max(other), self.terrain_of(i))
        };
        let related = |one: Option<usize>, other: Option<usize>| match (one, other) {
            (Some(one), Some(other)) => one == other || self.grounds[one].touches(other),
            (None, None) => true,
            _ => false,
        };
        let mut known = None;
        let mut others: Vec<usize> = Vec::new();
        let mut found = Vec::with_capacity(self.contacts.len() - listed);
        for i in listed..self.contacts.len() {
            let own = of(i);
            if known != Some(own) {
                known = Some(own);
                let same = |j: &usize| {
                    let other = of(*j);
                    (own.0, own.1) == (other.0, other.1) && related(own.2, other.2)
                };
                let all = (0..self.contacts.len()).filter(|&j| !self.is_limit(j));
                others = all.filter(same).collect();
            }
            found.push(others.iter().copied().filter(|j| *j != i).collect());
        }
        self.siblings.extend(found);
    }

    /// Whether contact i has columns of its own in tables: all but crossings of edges.
    #[must_use]
    pub fn is_listed(&self, i: usize) -> bool {
        !matches!(self.contacts[i].sides, Sides::Edges { .. })
    }

    /// The link of the box and the name of the piece whose corner contact i is of; `None` of all other contacts.
    pub(crate) fn cornered(&self, i: usize) -> Option<[&str; 2]> {
        match self.contacts[i].sides {
            Sides::Corner { carried, piece, .. } => {
                Some([carried, piece].map(|k| self.boxes[k].name.as_str()))
            }
            _ => None,
        }
    }

    /// Placement of a box in the world. Needs placements.
    pub(super) fn box_pose<T: Scalar>(&self, kinematics: &Kinematics<T>, k: usize) -> Pose<T> {
        let own = &self.boxes[k];
        let mut pose: Pose<T> = own.pose.lift();
        let shaking = own.piece.and_then(|piece| self.shaking(piece));
        if let Some(shaking) = shaking {
            pose.translation += lift3::<T>(&shaking.displacement(kinematics.clock.time));
        }
        match own.body {
            None => pose,
            Some(body) => kinematics.world[body].compose(&pose),
        }
    }

    fn blocks<T: Scalar>(&self, kinematics: &Kinematics<T>, boxes: [usize; 2]) -> [Block<T>; 2] {
        boxes.map(|k| Block {
            pose: self.box_pose(kinematics, k),
            half: self.boxes[k].half,
        })
    }

    /// Two edges at their closest points, in the world.
    pub(super) fn meet<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        boxes: [usize; 2],
        crossing: Crossing,
    ) -> Meeting<T> {
        crossing.meet(&self.blocks(kinematics, boxes))
    }

    /// The gap of two edges where they can touch, else the distance between them.
    pub(super) fn edge_distance<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        boxes: [usize; 2],
        crossing: Crossing,
    ) -> T {
        let blocks = self.blocks(kinematics, boxes);
        let meeting = crossing.meet(&blocks);
        let gap = meeting.touch.gap;
        if self.is_crossed(&meeting, boxes) {
            return gap;
        }
        if meeting.inside >= 0.0 {
            gap.abs()
        } else {
            crossing.distance(&blocks, &meeting.sides)
        }
    }

    /// Whether two edges can touch where they meet.
    fn is_crossed<T: Scalar>(&self, meeting: &Meeting<T>, boxes: [usize; 2]) -> bool {
        meeting.is_present() && self.is_on_edge(meeting, boxes)
    }

    /// Whether the edge of terrain is there where another meets it.
    fn is_on_edge<T: Scalar>(&self, meeting: &Meeting<T>, boxes: [usize; 2]) -> bool {
        let other = &self.boxes[boxes[1]];
        other.piece.is_none() || {
            let place = meeting.touch.points[1].map(value);
            other.exposed.has_edge(&place, &meeting.sides[1])
        }
    }

    /// As [`Contacts::is_present`] of edges.
    pub(super) fn has_crossing(
        &self,
        kinematics: &Kinematics<f64>,
        boxes: [usize; 2],
        crossing: Crossing,
    ) -> bool {
        self.is_crossed(&self.meet(kinematics, boxes, crossing), boxes)
    }

    /// Whether contact i, which was held, is not there any more. Needs placements.
    #[must_use]
    pub(crate) fn has_ended(&self, kinematics: &Kinematics<f64>, i: usize) -> bool {
        match self.contacts[i].sides {
            Sides::Edges { boxes, crossing } => {
                let meeting = self.meet(kinematics, boxes, crossing);
                meeting.has_ended() || !self.is_on_edge(&meeting, boxes)
            }
            _ => !self.is_present(kinematics, i),
        }
    }

    /// Whether contact i may have closed on the way from one moment to a later one, its gap having been `before` \[m\]: it was
    /// there, or it is. Edges that were not must have been apart, since the gap of lines says nothing past their ends; such that
    /// have gone into each other may be nearer to a way out past an end. Needs placements.
    #[must_use]
    pub(crate) fn may_close(
        &self,
        [from, to]: [&Kinematics<f64>; 2],
        i: usize,
        (before, closed): (f64, f64),
    ) -> bool {
        match self.contacts[i].sides {
            Sides::Edges { .. } => {
                self.is_present(from, i) || before >= -closed && self.is_passable(to, i)
            }
            _ => self.is_present(to, i) || self.is_present(from, i),
        }
    }

    /// Whether a gap of contact i below zero is that of something: of edges only where they are over each other. Needs
    /// placements.
    #[must_use]
    pub(crate) fn is_passable(&self, kinematics: &Kinematics<f64>, i: usize) -> bool {
        match self.contacts[i].sides {
            Sides::Edges { boxes, crossing } => {
                let meeting = self.meet(kinematics, boxes, crossing);
                meeting.is_between() && self.is_on_edge(&meeting, boxes)
            }
            _ => true,
        }
    }

    /// A corner of terrain in the frame of a box that a body carries, and the direction from it into the piece.
    pub(super) fn corner_seen<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        (carried, piece): (usize, usize),
        corner: &Vector3<f64>,
    ) -> (Vector3<T>, Vector3<f64>) {
        let own = self.boxes[piece].piece;
        let moved = own.and_then(|piece| self.shaking(piece));
        let moved = moved.map_or_else(Vector3::zeros, |shaking| {
            shaking.displacement(kinematics.clock.time)
        });
        let pose = self.box_pose(kinematics, carried);
        let inward = lift3::<T>(&(self.boxes[piece].pose.translation - corner));
        let seen = pose.inverse().point(&lift3(&(corner + moved)));
        (seen, pose.rotation.tr_mul(&inward).map(value))
    }

    /// A corner of terrain against such a box, in its frame and out of it.
    pub(super) fn touch_corner<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        (carried, piece): (usize, usize),
        corner: &Vector3<f64>,
    ) -> (Touch<T>, Extent) {
        let (seen, inward) = self.corner_seen(kinematics, (carried, piece), corner);
        let exposed = &self.boxes[carried].exposed;
        exposed.touch(|min, max| ball_box(&seen, T::zero(), (min, max), &inward))
    }
}
