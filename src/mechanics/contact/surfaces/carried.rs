//! Surfaces that bodies carry: what touches when bodies touch bodies.
//!
//! A carried surface is a shape of a link, fixed in the frame of its body with the pose X. Sites of other bodies are
//! measured in that frame, with the formulas that terrain has:
//!
//! ```text
//! φ(q) = φ_surface(X(q)⁻¹ x(q)),     n = R(q) n_surface,     Dφ = nᵀ(J_site(x₀) − J_carrier(x₁))
//! ```
//!
//! The row is exact by the envelope theorem, and both bodies' momentum goes through it: what one gets the other gives, along
//! one line, so the sums of momenta and of their moments stay. Tangents over flat faces turn with the carrier.
//!
//! # What touches what
//!
//! | site | of a carried sphere or capsule | box | cylinder |
//! |---|---|---|---|
//! | point, sphere | yes | yes | yes |
//! | arc | its nearest point and ends | yes | places over its side and ends, its own ends, and rims |
//! | disc edge | its nearest point and rim points | yes | places over its side and ends, and its rims |
//!
//! What is round goes over the flats of discs as well (page of `carried_flats`).
//!
//! Boxes, capsules and cylinders touch each other by their edges and sides as well (page of `edges`). Two shapes may touch by sites of either. Where a sphere is both a site of its body and a surface, the contact of the
//! surface with a site inside of another carried surface says less than that of the sphere with that surface, and is left
//! out; of two spheres one contact stays.

use nalgebra::{Matrix3, Vector3};

use super::carried_listing::Listing;
use super::carried_rims::Ends;
use super::smooth::Capsule;
use super::terrain::Surface;
use crate::contact::broad_phase::{Against, Group};
use crate::contact::contacts::Contacts;
use crate::contact::error::{check_material, check_range};
use crate::contact::listing::{
    Potential, RimOver, Sides, SiteOver, at_edges, check_names, places_on,
};
use crate::contact::sites::CollisionKind;
use crate::contact::{
    Combination, ContactError, Cylinder, CylinderParts, Ground, Material, Outline, Part, Place,
    Site, SmoothGround, ball_box, grounds,
};
use crate::dynamics::Kinematics;
use crate::model::{Geometry, LinkFrame, LinkShape, Model, ModelError};
use crate::spatial::{Pose, Scalar, lift3};

/// Roundings of what lies in a shape or at the same place as another, as a share of its size.
pub(super) const SAME: f64 = 1e-9;
/// Places of a circle at which it is asked whether it lies in a shape.
const LOOKS: usize = 16;

/// A convex shape of a link that sites of other bodies can touch.
#[derive(Debug, Clone, PartialEq)]
pub struct CarriedSurface {
    /// Unique name.
    pub name: String,
    /// The link it was declared on.
    pub link: String,
    /// The body that carries the link, `None` when it is fixed in the world.
    pub body: Option<usize>,
    /// Placement in the body's internal frame (in the world for a fixed link).
    pub pose: Pose<f64>,
    /// The shape.
    pub geometry: Geometry,
    /// Friction and restitution.
    pub material: Material,
}

impl CarriedSurface {
    /// A shape with its placement in the frame of a link. Numbers are checked when contacts are made.
    ///
    /// # Errors
    /// [`ModelError::UnknownName`] with the nearest link.
    pub fn new(
        model: &Model,
        name: &str,
        link: &str,
        pose: &Pose<f64>,
        geometry: Geometry,
        material: Material,
    ) -> Result<Self, ModelError> {
        let frame = model.link(link)?;
        Ok(Self::placed(
            frame,
            name.to_string(),
            pose,
            geometry,
            material,
        ))
    }

    fn placed(
        frame: &LinkFrame,
        name: String,
        pose: &Pose<f64>,
        geometry: Geometry,
        material: Material,
    ) -> Self {
        Self {
            name,
            link: frame.name.clone(),
            body: frame.body,
            pose: frame.pose.compose(pose),
            geometry,
            material,
        }
    }

    /// Radius of the sphere around the shape's own centre \[m\].
    pub(in crate::contact) fn size(&self) -> f64 {
        match self.geometry {
            Geometry::Sphere(radius) => radius,
            Geometry::Box(edges) => 0.5 * Vector3::from(edges).norm(),
            Geometry::Cylinder(radius, length) => radius.hypot(0.5 * length),
            Geometry::Capsule(radius, length) => radius + 0.5 * length,
        }
    }

    /// Half of the edges of the box around it in its own frame \[m\].
    pub(in crate::contact) fn box_around(&self) -> Vector3<f64> {
        match self.geometry {
            Geometry::Sphere(radius) => Vector3::repeat(radius),
            Geometry::Box(edges) => Vector3::from(edges) * 0.5,
            Geometry::Cylinder(radius, length) => Vector3::new(radius, radius, 0.5 * length),
            Geometry::Capsule(radius, length) => {
                Vector3::new(radius, radius, radius + 0.5 * length)
            }
        }
    }

    /// What sites are measured against, in the shape's own frame.
    pub(in crate::contact) fn ground(&self) -> Result<Ground, ContactError> {
        let place = |what: &str| format!("surface \"{}\": {what}", self.name);
        check_material(&format!("surface \"{}\"", self.name), &self.material)?;
        let positive = |what: &str, x: &[f64]| {
            check_range(&place(what), x, "finite and positive", |x| x > 0.0)
        };
        Ok(match self.geometry {
            Geometry::Sphere(radius) => {
                positive("radius", &[radius])?;
                Ground::Smooth(SmoothGround::Capsule(Capsule { radius, half: 0.0 }))
            }
            Geometry::Capsule(radius, length) => {
                positive("radius", &[radius])?;
                check_range(&place("length"), &[length], "finite and at least 0", |x| {
                    x >= 0.0
                })?;
                let half = 0.5 * length;
                Ground::Smooth(SmoothGround::Capsule(Capsule { radius, half }))
            }
            Geometry::Cylinder(radius, length) => {
                positive("radius", &[radius])?;
                positive("length", &[length])?;
                let half = 0.5 * length;
                Ground::Cylinder(Cylinder { radius, half })
            }
            Geometry::Box(edges) => {
                positive("size", &edges)?;
                let max = Vector3::from(edges) * 0.5;
                let alone = [Surface::Box { min: -max, max }];
                grounds(&alone, |_, _| true).swap_remove(0)
            }
        })
    }

    /// Signed distance of a point in the body's internal frame to the surface \[m\].
    fn distance(&self, ground: &Ground, x: &Vector3<f64>) -> f64 {
        let x = self.pose.inverse().point(x);
        match ground {
            Ground::Smooth(surface) => surface.proximity(&x).distance,
            Ground::Cylinder(cylinder) => cylinder.touch(&x, 0.0).gap,
            Ground::Box(exposed) => {
                let (min, max) = exposed.bounds();
                ball_box(&x, 0.0, (min, max), &Vector3::zeros(), |_, _| 0.0).gap
            }
            Ground::Plane { point, normal } => normal.dot(&(x - point)),
        }
    }

    /// Whether a site of the same body lies in the shape, its surface included.
    pub(super) fn holds(&self, ground: &Ground, site: &Site, outline: &Outline) -> bool {
        let rounding = SAME * self.size();
        match outline {
            Outline::Ball { radius } => self.distance(ground, &site.center) + radius <= rounding,
            Outline::Circle {
                axes, radius, tube, ..
            } => (0..LOOKS).all(|k| {
                let (s, c) = (std::f64::consts::TAU * k as f64 / LOOKS as f64).sin_cos();
                let x = site.center + (axes[0] * c + axes[1] * s) * *radius;
                self.distance(ground, &x) + tube <= rounding
            }),
        }
    }

    /// Whether another one is the same shape in the same place.
    #[doc(hidden)]
    pub fn is_at(&self, other: &Self) -> bool {
        let rounding = SAME * self.size();
        let turned = (self.pose.rotation - other.pose.rotation).amax();
        let apart = (self.pose.translation - other.pose.translation).amax();
        let same = self.body == other.body && self.geometry == other.geometry;
        same && turned <= SAME && apart <= rounding
    }

    /// Whether the surface is the sphere that a site of the same body is.
    pub(super) fn is_site(&self, site: &Site, outline: &Outline) -> bool {
        match (self.geometry, outline) {
            (Geometry::Sphere(own), Outline::Ball { radius }) => {
                let rounding = SAME * own;
                let apart = self.pose.translation - site.center;
                self.body == site.body
                    && apart.norm() <= rounding
                    && (own - radius).abs() <= rounding
            }
            _ => false,
        }
    }
}

/// The collision shapes of a model of the given kinds as surfaces, in the order of the description, named as
/// [`collision_sites`](crate::contact::collision_sites) are, without the number of the site. Meshes are none, nor is
/// what has no volume.
#[must_use]
pub fn collision_surfaces(
    model: &Model,
    kinds: &[CollisionKind],
    material: Material,
) -> Vec<CarriedSurface> {
    let collisions: Vec<&LinkShape> = model.shapes().iter().filter(|s| s.collision).collect();
    let mut surfaces = Vec::new();
    for (i, shape) in collisions.iter().enumerate() {
        let kind = CollisionKind::of(&shape.geometry);
        if !kinds.contains(&kind) || !shape.geometry.has_volume() {
            continue;
        }
        let same = |other: &&&LinkShape| {
            other.link == shape.link && CollisionKind::of(&other.geometry) == kind
        };
        let earlier = collisions[..i].iter().filter(same).count();
        let link = &model.links()[shape.link];
        let name = match earlier {
            0 => format!("{}_{}", link.name, kind.word()),
            n => format!("{}_{}{}", link.name, kind.word(), n + 1),
        };
        surfaces.push(CarriedSurface::placed(
            link,
            name,
            &shape.pose,
            shape.geometry,
            material,
        ));
    }
    surfaces
}

/// Where a carried surface is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::contact) struct Carrier {
    pub body: Option<usize>,
    /// In the body's internal frame.
    pub pose: Pose<f64>,
}

impl Contacts {
    /// Adds the contacts of sites with surfaces that other bodies carry, after all others: each site with each
    /// surface of which `touches` says so, named `<site>@<surface>`. Sites touch no surface of their own body, and what
    /// says less than another contact is left out (page of this file). Surfaces and sites of links that are fixed in the
    /// world take part. To be called once, before [`Contacts::with_joint_limits`].
    ///
    /// # Errors
    /// [`ContactError`]: names that occur twice, sizes that are not positive, numbers that are not finite or out of range.
    pub fn with_carried(
        mut self,
        surfaces: Vec<CarriedSurface>,
        touches: impl Fn(&Site, &CarriedSurface) -> bool + Copy,
        combination: Combination,
    ) -> Result<Self, ContactError> {
        let names = self.terrains().iter().map(|t| t.name.as_str());
        check_names(
            "terrain",
            names.chain(surfaces.iter().map(|s| s.name.as_str())),
        )?;
        let first = self.grounds.len();
        for surface in &surfaces {
            self.grounds.push(surface.ground()?);
            self.carriers.push(Carrier {
                body: surface.body,
                pose: surface.pose,
            });
            let ground = &self.grounds[self.grounds.len() - 1];
            self.parts.push(match ground {
                Ground::Cylinder(cylinder) => Some(CylinderParts::new(*cylinder)),
                _ => None,
            });
        }
        let ends = Ends::new(&self.sites, &self.outlines, &surfaces);
        self.ends = ends.outward();
        let own = self.grounds[first..].to_vec();
        let listing = Listing::new((&self.sites, &self.outlines), (&surfaces, &own), touches);
        let mut found: Vec<(usize, usize)> = Vec::new();
        for site in 0..self.sites.len() {
            let counts = |k: &usize| listing.meets(site, *k) && !listing.is_implied(site, *k);
            found.extend((0..surfaces.len()).filter(counts).map(|k| (site, k)));
        }
        let rims = if self.planar_normal().is_none() {
            listing.rims(&ends, &found)
        } else {
            Vec::new()
        };
        for &(site, k) in &found {
            let (carrier, surface) = (&self.sites[site], &surfaces[k]);
            let (before, terrain) = (self.contacts.len(), first + k);
            let group = self.carried_group(site, surface, terrain);
            let material = combination.material(&carrier.material, &surface.material);
            let over = |place: Place, part: Part| SiteOver {
                site,
                place,
                terrain,
                part,
            };
            let (outline, planar) = (&self.outlines[site], self.planar_normal());
            let is_second = [false, true].map(|upper| ends.is_second(&found, (site, k), upper));
            let at_edges = at_edges(
                over(Place::Nearest, Part::Whole),
                &self.grounds[terrain],
                outline,
                planar,
            );
            let places = places_on(carrier, outline, planar, &self.grounds[terrain], is_second);
            let places = places
                .into_iter()
                .map(|(suffix, place, part)| (suffix, Sides::Terrain(over(place, part))));
            for (suffix, sides) in places.chain(at_edges) {
                self.contacts.push(Potential {
                    name: format!("{}{suffix}@{}", carrier.name, surface.name),
                    sides,
                    material,
                });
                let last = self.contacts.len() - 1;
                self.groups.add_carried(last, group.as_ref());
            }
            self.siblings.add_set(before..self.contacts.len());
        }
        self.add_rims(rims, &surfaces, first, combination);
        self.surfaces = surfaces;
        self.add_carried_edges(touches, combination);
        self.add_round_over_flats(&ends, touches, combination);
        self.pair_groups();
        check_names("contact", self.contacts.iter().map(|c| c.name.as_str()))?;
        Ok(self)
    }

    /// What a site is asked for with a carried surface; none of a site that is fixed in the world.
    pub(super) fn carried_group(
        &self,
        site: usize,
        surface: &CarriedSurface,
        terrain: usize,
    ) -> Option<Group> {
        let cluster = self.groups.cluster(self.sites[site].body?)?;
        let reach = surface.pose.translation.norm() + surface.size();
        let against = Against::Surface(terrain);
        Some(Group::new(cluster.clone(), against, (surface.body, reach)))
    }

    /// The surfaces that bodies carry, in the order given, and after them discs over whose flats something round goes.
    #[must_use]
    pub fn carried(&self) -> &[CarriedSurface] {
        &self.surfaces
    }

    /// What carries the surface of contact i, as an index into [`Contacts::carried`]; `None` of all other contacts.
    #[must_use]
    pub fn carried_of(&self, i: usize) -> Option<usize> {
        match self.contacts[i].sides {
            Sides::Terrain(over) | Sides::Rim(RimOver { over, .. }) => {
                over.terrain.checked_sub(self.terrains().len())
            }
            Sides::Edges(pair) => self.edged[pair.shapes[1]].surface,
            Sides::Corner(over) => self.edged[over.piece].surface,
            Sides::Pair(_) | Sides::Limit(_) => None,
        }
    }

    pub(in crate::contact) fn carrier(&self, terrain: usize) -> Option<&Carrier> {
        let at = terrain.checked_sub(self.terrains().len())?;
        self.carriers.get(at)
    }

    /// The frame of a carried surface in the world, or of a piece of terrain that moves. Needs placements.
    pub(in crate::contact) fn view<T: Scalar>(
        &self,
        kinematics: &Kinematics<T>,
        terrain: usize,
    ) -> Option<Pose<T>> {
        if let Some(piece) = self.terrains().get(terrain) {
            let moved = piece.shaking?.displacement(kinematics.clock.time);
            return Some(Pose::new(Matrix3::identity(), lift3(&moved)));
        }
        let carrier = self.carrier(terrain)?;
        let own = carrier.pose.lift();
        Some(match carrier.body {
            None => own,
            Some(body) => kinematics.world[body].compose(&own),
        })
    }
}
