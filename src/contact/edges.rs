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
use super::listing::{CornerOver, EdgePair, Potential, Sides, check_names};
use super::site::corners;
use super::{
    CarriedSurface, Combination, ContactError, Crossing, ExposedBox, Ground, Material, Outline,
    Site,
};
use crate::spatial::Pose;

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
    fn carried(surface: &CarriedSurface, index: Option<usize>, ground: &Ground) -> Option<Self> {
        let Ground::Box(exposed) = ground else {
            return None;
        };
        let (_, half) = exposed.bounds();
        Some(Self {
            body: surface.body,
            piece: None,
            surface: index,
            name: surface.link.clone(),
            pose: surface.pose,
            half: *half,
            exposed: exposed.clone(),
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

    pub fn extent(&self) -> &ExposedBox {
        &self.exposed
    }

    /// In the body's internal frame.
    pub fn pose(&self) -> &Pose<f64> {
        &self.pose
    }

    /// Half of its edges \[m\].
    pub fn half(&self) -> &Vector3<f64> {
        &self.half
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
            let Some(own) = EdgedBox::carried(surface, None, &surface.ground()?) else {
                continue;
            };
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
                        sides: Sides::Corner(CornerOver {
                            carried,
                            piece: at,
                            corner,
                        }),
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
        let carried = &self.grounds[self.terrains().len()..];
        let boxes = surfaces.iter().zip(carried).enumerate();
        let boxes =
            boxes.filter_map(|(k, (surface, ground))| EdgedBox::carried(surface, Some(k), ground));
        self.boxes.extend(boxes);
        let listed = self.contacts.len();
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for contact in &self.contacts {
            let Sides::Terrain(over) = &contact.sides else {
                continue;
            };
            let Some(surface) = over.terrain.checked_sub(self.terrains().len()) else {
                continue;
            };
            let boxes = first..self.boxes.len();
            let with = boxes
                .clone()
                .find(|&k| self.boxes[k].surface == Some(surface));
            let Some(with) = with else {
                continue;
            };
            let (site, outline) = (&self.sites[over.site], &self.outlines[over.site]);
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
                sides: Sides::Edges(EdgePair { boxes, crossing }),
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
        !matches!(self.contacts[i].sides, Sides::Edges(_))
    }

    /// The link of the box and the name of the piece whose corner contact i is of; `None` of all other contacts.
    pub(crate) fn cornered(&self, i: usize) -> Option<[&str; 2]> {
        match self.contacts[i].sides {
            Sides::Corner(over) => {
                Some([over.carried, over.piece].map(|k| self.boxes[k].name.as_str()))
            }
            _ => None,
        }
    }
}
