//! Boxes that touch by their edges, capsules and cylinders by their sides, and terrain that touches all of them by its corners.
//!
//! | part of a shape | touches |
//! |---|---|
//! | a corner of a box, an end of a capsule or cylinder, as sites of its body | surfaces of terrain and of shapes that other bodies carry |
//! | an edge of a box | edges and sides of other bodies' shapes, and edges of terrain: two boxes have 36 crossings (page of `crossing`) |
//! | a side of a capsule or cylinder | the same: two of them have one crossing, one and a box have six |
//! | a face of a box, a side, an end of a cylinder | corners of boxes that other bodies carry, and of terrain |
//!
//! Two bodies' shapes touch by edges and sides where a site of one may touch the other: [`Contacts::with_carried`] lists the
//! crossings of each such pair, named `<shape>:<edge>@<shape>:<edge>`. [`Contacts::with_terrain_edges`] lists those with
//! terrain, and the corners of terrain as `<piece>_<k>@<shape>`. An edge is `x`, `y` or `z` by its direction in the frame of
//! its box, with `a` on like sides along the two other axes and `b` on unlike ones; what is no edge is `side`.
//!
//! The flat of a disc that is no end of such a shape touches corners of terrain by either of its sides
//! (`<piece>_<k>@<site>:upper` and `:lower`): inside of the rim, and where all edges of the box lead away from it.
//!
//! Edges and corners of terrain that other pieces cover or continue are not there. A crossing, the end of a chord of a disc, or
//! a corner over a side, has no columns in series.csv and events.csv, where 36 of every pair would hide the rest
//! ([`Contacts::is_listed`]); its name stands in events.csv.

mod flats;

use std::ops::Range;

use nalgebra::{Matrix3, Vector3};

use super::broad_phase::{Against, Cluster, Group};
use super::contacts::Contacts;
use super::listing::{CornerOver, EdgePair, Potential, Sides, check_names};
use super::sites::corners;
use super::{
    Block, CarriedSurface, Combination, ContactError, Crossing, ExposedBox, Ground, Material,
    Outline, Site, SmoothGround,
};
use crate::spatial::{Pose, Scalar};

/// A site this near to a corner of a box, or to an end of a capsule or cylinder, is one of it, as a share of the shape's size.
const SAME: f64 = 1e-9;

/// A shape whose edges, side and corners touch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EdgedShape {
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
    radius: f64,
    /// In its own frame, of terrain in the world.
    ground: Ground,
}

impl EdgedShape {
    /// Of a box, a capsule or a cylinder.
    fn carried(surface: &CarriedSurface, index: Option<usize>, ground: &Ground) -> Option<Self> {
        let along = |half: f64| Vector3::new(0.0, 0.0, half);
        let (half, radius) = match ground {
            Ground::Box(exposed) => (*exposed.bounds().1, 0.0),
            Ground::Smooth(SmoothGround::Capsule(capsule)) if capsule.half > 0.0 => {
                (along(capsule.half), capsule.radius)
            }
            Ground::Cylinder(cylinder) => (along(cylinder.half), cylinder.radius),
            Ground::Plane { .. } | Ground::Smooth(_) => return None,
        };
        Some(Self {
            body: surface.body,
            piece: None,
            surface: index,
            name: surface.link.clone(),
            pose: surface.pose,
            half,
            radius,
            ground: ground.clone(),
        })
    }

    fn terrain(piece: usize, name: &str, exposed: &ExposedBox) -> Self {
        let (min, max) = exposed.outgrown_bounds();
        Self {
            body: None,
            piece: Some(piece),
            surface: None,
            name: name.to_string(),
            pose: Pose::new(Matrix3::identity(), (min + max) * 0.5),
            half: (max - min) * 0.5,
            radius: 0.0,
            ground: Ground::Box(Box::new(exposed.clone())),
        }
    }

    /// Those of a box, or of the box around an axis, in the frame of the body.
    fn corners(&self) -> [Vector3<f64>; 8] {
        corners(&self.pose, &(self.half * 2.0).into())
    }

    /// Whether a site is a corner of the box, or an end of the capsule or cylinder.
    fn has_site(&self, site: &Site, outline: &Outline) -> bool {
        let rounding = SAME * self.size();
        let near = |corner: &Vector3<f64>| (corner - site.center).norm() <= rounding;
        let radius = match outline {
            Outline::Ball { radius } | Outline::Circle { radius, .. } => *radius,
        };
        (radius - self.radius).abs() <= rounding
            && self.body == site.body
            && self.corners().iter().any(near)
    }

    /// The axis out of the capsule at the end that a site is, in the frame of the body.
    fn outward(&self, site: &Site, outline: &Outline) -> Option<Vector3<f64>> {
        let is_end = self.is_capsule() && self.has_site(site, outline);
        let axis = self.pose.rotation.column(2).into_owned();
        is_end.then(|| axis * axis.dot(&(site.center - self.pose.translation)).signum())
    }

    /// Of the sphere around it \[m\].
    pub fn size(&self) -> f64 {
        self.half.norm() + self.radius
    }

    /// Half of the edges of the box around it in its own frame \[m\].
    pub fn box_around(&self) -> Vector3<f64> {
        let end = match &self.ground {
            Ground::Smooth(_) => self.radius,
            _ => 0.0,
        };
        self.half + Vector3::new(self.radius, self.radius, end)
    }

    /// Farthest point from the origin of the body's frame \[m\].
    fn reach(&self) -> f64 {
        self.pose.translation.norm() + self.size()
    }

    /// Whether its side goes on smoothly in its ends.
    pub(super) fn is_capsule(&self) -> bool {
        matches!(self.ground, Ground::Smooth(_))
    }

    /// Whether it has a side around an axis, and no edges.
    pub(super) fn is_round(&self) -> bool {
        self.radius > 0.0
    }

    /// In its own frame, of terrain in the world.
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// A place in the world for its edges.
    pub fn block<T: Scalar>(&self, pose: Pose<T>) -> Block<T> {
        Block {
            pose,
            half: self.half,
            radius: self.radius,
        }
    }

    /// In the body's internal frame.
    pub fn pose(&self) -> &Pose<f64> {
        &self.pose
    }

    /// Half of its edges \[m\]; of its axis, and zero across, where it has a side.
    pub fn half(&self) -> &Vector3<f64> {
        &self.half
    }
}

impl Contacts {
    /// Adds what boxes, capsules and cylinders that bodies carry and terrain boxes touch by other than sites: their edges and
    /// sides, and the corners of the terrain with their surfaces. After all others but limits of joints. What is a sphere is
    /// left out.
    ///
    /// # Errors
    /// [`ContactError`]: names that occur twice, sizes that are not positive, coefficients out of range.
    pub fn with_terrain_edges(
        mut self,
        shapes: &[CarriedSurface],
        combination: Combination,
    ) -> Result<Self, ContactError> {
        let first = self.edged.len();
        for (piece, ground) in self.grounds[..self.terrains().len()].iter().enumerate() {
            if let Ground::Box(exposed) = ground {
                let name = &self.terrains()[piece].name;
                self.edged.push(EdgedShape::terrain(piece, name, exposed));
            }
        }
        let pieces = first..self.edged.len();
        let listed = self.contacts.len();
        for surface in shapes.iter().filter(|surface| surface.body.is_some()) {
            let Some(own) = EdgedShape::carried(surface, None, &surface.ground()?) else {
                continue;
            };
            self.add_over_terrain(own, &surface.name, surface.material, (&pieces, combination));
        }
        self.add_flats(&pieces, combination);
        self.add_caps(first);
        self.add_siblings(listed);
        self.pair_groups();
        check_names("contact", self.contacts.iter().map(|c| c.name.as_str()))?;
        Ok(self)
    }

    /// Adds a shape that a body carries with its crossings with pieces of terrain, and their corners against it.
    fn add_over_terrain(
        &mut self,
        own: EdgedShape,
        name: &str,
        material: Material,
        (pieces, combination): (&Range<usize>, Combination),
    ) {
        let carried = self.edged.len();
        self.edged.push(own);
        for at in pieces.clone() {
            let Some(piece) = self.edged[at].piece else {
                continue;
            };
            let terrain = &self.terrains()[piece];
            let material = combination.material(&material, &terrain.material);
            let names = [name.to_string(), terrain.name.clone()];
            let group = self.add_crossings([carried, at], &names, material);
            self.add_corners([carried, at], &names, (material, group));
        }
    }

    /// Adds the corners of a box, the second of two shapes with these names, against the first; of terrain those that no other piece
    /// covers.
    fn add_corners(
        &mut self,
        [carried, piece]: [usize; 2],
        names: &[String; 2],
        (material, group): (Material, usize),
    ) {
        let own = &self.edged[piece];
        let is_exposed = |corner: &Vector3<f64>| match own.piece.map(|piece| &self.grounds[piece]) {
            Some(Ground::Box(exposed)) => exposed.has_corner(corner),
            Some(_) => false,
            None => true,
        };
        let corners = own.corners().into_iter().enumerate();
        let corners: Vec<_> = corners.filter(|(_, corner)| is_exposed(corner)).collect();
        for (k, corner) in corners {
            let over = CornerOver {
                carried,
                piece,
                corner,
            };
            self.contacts.push(Potential {
                name: format!("{}_{k}@{}", names[1], names[0]),
                sides: Sides::Corner(over),
                material,
            });
            self.groups.add(self.contacts.len() - 1, Some(group));
        }
    }

    /// Adds the crossings of those shapes of bodies of which a site of one may touch the other.
    pub(super) fn add_carried_edges(
        &mut self,
        touches: impl Fn(&Site, &CarriedSurface) -> bool,
        combination: Combination,
    ) {
        let surfaces = std::mem::take(&mut self.surfaces);
        let first = self.edged.len();
        let carried = &self.grounds[self.terrains().len()..];
        let shapes = surfaces.iter().zip(carried).enumerate();
        let shapes = shapes
            .filter_map(|(k, (surface, ground))| EdgedShape::carried(surface, Some(k), ground));
        self.edged.extend(shapes);
        self.add_caps(first);
        let listed = self.contacts.len();
        let shapes = first..self.edged.len();
        let mut pairs: Vec<[usize; 2]> = Vec::new();
        for own in shapes.clone() {
            let shape = &self.edged[own];
            let sites = self.sites.iter().zip(&self.outlines);
            let sites: Vec<&Site> = sites
                .filter(|(site, outline)| shape.has_site(site, outline))
                .map(|(site, _)| site)
                .collect();
            for with in shapes.clone() {
                let other = &self.edged[with];
                let surface = other.surface.map(|k| &surfaces[k]);
                let touches = |surface| sites.iter().any(|site| touches(site, surface));
                if shape.body == other.body || !surface.is_some_and(touches) {
                    continue;
                }
                // The side that moves comes first.
                pairs.push(match (shape.body, other.body) {
                    (None, _) => [with, own],
                    (Some(_), None) => [own, with],
                    (Some(_), Some(_)) => [own.min(with), own.max(with)],
                });
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        for pair in pairs {
            let [one, other] = pair.map(|k| &surfaces[self.edged[k].surface.unwrap_or_default()]);
            let material = combination.material(&one.material, &other.material);
            let names = [one.name.clone(), other.name.clone()];
            self.add_crossings(pair, &names, material);
        }
        self.add_carried_flats((&surfaces, &shapes), touches, combination);
        self.surfaces = surfaces;
        self.add_siblings(listed);
    }

    /// Finds the sites that are ends of capsules, of the shapes from `first` on.
    fn add_caps(&mut self, first: usize) {
        let sites = self.sites.iter().zip(&self.outlines);
        for (cap, (site, outline)) in self.caps.iter_mut().zip(sites) {
            let mut shapes = self.edged[first..].iter();
            *cap = cap.or_else(|| shapes.find_map(|shape| shape.outward(site, outline)));
        }
    }

    /// Adds all crossings of two shapes, of which the first is carried by a body, and says their group. A flat has none: its rim does.
    fn add_crossings(
        &mut self,
        shapes: [usize; 2],
        names: &[String; 2],
        material: Material,
    ) -> usize {
        let [own, other] = shapes.map(|k| &self.edged[k]);
        let round = [own.is_round(), other.is_round()];
        let is_flat = own.is_flat();
        let body = own.body.unwrap_or_default();
        let cluster = Cluster::new(body, own.pose, &own.box_around(), own.size());
        let against = Against::Shape(shapes[1]);
        let group = Group::new(cluster, against, (other.body, other.reach()));
        let group = self.groups.add_group(group);
        for crossing in Crossing::all(round).filter(|_| !is_flat) {
            let [own, other] =
                [0, 1].map(|side| format!("{}:{}", names[side], crossing.word(side)));
            self.contacts.push(Potential {
                name: format!("{own}@{other}"),
                sides: Sides::Edges(EdgePair { shapes, crossing }),
                material,
            });
            self.groups.add(self.contacts.len() - 1, Some(group));
        }
        group
    }

    /// Of each contact from `listed` on the others between the same bodies, with terrain those with the same piece or one
    /// that touches it.
    pub(super) fn add_siblings(&mut self, listed: usize) {
        let mut siblings = std::mem::take(&mut self.siblings);
        let between = |i: usize| {
            let [one, other] = self.bodies(i);
            (!self.is_limit(i)).then(|| (one.min(other), one.max(other), self.terrain_of(i)))
        };
        let beside = |(one, other, piece): (_, _, Option<usize>)| {
            let touching = piece.map(|piece| self.grounds[piece].touching());
            let touching = touching.into_iter().flatten();
            touching.map(move |piece| (one, other, Some(piece)))
        };
        siblings.add(listed..self.contacts.len(), between, beside);
        self.siblings = siblings;
    }

    /// The link or piece of terrain of either shape of contact i, if that is one of edges or sides.
    pub(crate) fn edged_names(&self, i: usize) -> Option<[&str; 2]> {
        match self.contacts[i].sides {
            Sides::Edges(pair) => Some(pair.shapes.map(|k| self.edged[k].name.as_str())),
            _ => None,
        }
    }

    /// The link of the shape and the name of the piece whose corner contact i is of; `None` of all other contacts.
    #[doc(hidden)]
    pub fn cornered(&self, i: usize) -> Option<[&str; 2]> {
        match self.contacts[i].sides {
            Sides::Corner(over) => {
                Some([over.carried, over.piece].map(|k| self.edged[k].name.as_str()))
            }
            _ => None,
        }
    }
}
