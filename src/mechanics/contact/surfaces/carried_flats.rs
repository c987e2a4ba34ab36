//! The flats of discs that are no ends of cylinders among the surfaces that bodies carry, for what is round.
//!
//! A disc touches the shapes of other bodies by its rim. What goes over the flats inside of that is corners of boxes (page of `edges`),
//! balls, ends of capsules and rims of cylinders: for these a disc is a cylinder as high as its tube is thick, of which the ends are
//! there.

use nalgebra::{Matrix3, Vector3};

use super::carried::{CarriedSurface, Carrier, SAME};
use super::carried_rims::Ends;
use crate::contact::contacts::Contacts;
use crate::contact::listing::{Potential, Sides, SiteOver, places_on_ends};
use crate::contact::{Combination, Cylinder, CylinderParts, Ground, Outline, Site};
use crate::model::Geometry;
use crate::spatial::Pose;

impl CarriedSurface {
    /// The disc that a site is, if it is one.
    fn of_disc(site: &Site, outline: &Outline) -> Option<(Self, Cylinder)> {
        let ([x, y], radius, tube) = outline.disc()?;
        let axes = Matrix3::from_columns(&[x, y, x.cross(&y)]);
        let surface = Self {
            name: site.name.clone(),
            link: site.link.clone(),
            body: site.body,
            pose: Pose::new(axes, site.center),
            geometry: Geometry::Cylinder(radius, 2.0 * tube),
            material: site.material,
        };
        Some((surface, Cylinder { radius, half: tube }))
    }

    /// Whether a site goes over the flats of discs as a part of it that is round: the whole of a sphere, an end of a capsule, or one of a
    /// cylinder, which others know.
    fn has_round(&self, (site, outline): (&Site, &Outline), is_end: bool) -> bool {
        let rounding = SAME * self.size();
        let is_at = |place: &Vector3<f64>, z: f64| {
            (self.pose.point(&Vector3::new(0.0, 0.0, z)) - place).norm() <= rounding
        };
        match (self.geometry, outline) {
            (Geometry::Capsule(own, length), Outline::Ball { radius }) => {
                let is_end = |end: f64| is_at(&site.center, end * length);
                self.body == site.body
                    && (own - radius).abs() <= rounding
                    && [-0.5, 0.5].into_iter().any(is_end)
            }
            // Its middle tells on which side it is.
            (Geometry::Cylinder(..), _) => is_end && is_at(&site.inside, 0.0),
            _ => self.is_site(site, outline),
        }
    }
}

impl Contacts {
    /// Adds what is round of other bodies over the flats of discs that touch it, each disc as a surface of its own after all others.
    pub(super) fn add_round_over_flats(
        &mut self,
        ends: &Ends,
        touches: impl Fn(&Site, &CarriedSurface) -> bool,
        combination: Combination,
    ) {
        if self.planar_normal().is_some() {
            return;
        }
        let declared = self.surfaces.len();
        let listed = self.contacts.len();
        for disc in 0..self.sites.len() {
            let own = &self.sites[disc];
            let flat = CarriedSurface::of_disc(own, &self.outlines[disc]);
            let Some((surface, cylinder)) = flat.filter(|_| self.ends[disc] == 0.0) else {
                continue;
            };
            let touched: Vec<usize> = (self.surfaces[..declared].iter().enumerate())
                .filter(|(_, with)| with.body != own.body && touches(own, with))
                .map(|(k, _)| k)
                .collect();
            let is_part = |site: &usize| {
                let shape = (&self.sites[*site], &self.outlines[*site]);
                let has =
                    |k: &usize| self.surfaces[*k].has_round(shape, ends.of(*site) == Some(*k));
                touched.iter().any(has)
            };
            let parts: Vec<usize> = (0..self.sites.len()).filter(is_part).collect();
            if parts.is_empty() {
                continue;
            }
            let terrain = self.grounds.len();
            self.grounds.push(Ground::Cylinder(cylinder));
            self.parts.push(Some(CylinderParts::of_disc(cylinder)));
            self.carriers.push(Carrier {
                body: surface.body,
                pose: surface.pose,
            });
            for site in parts {
                self.add_over_flat(site, (&surface, terrain), combination);
            }
            self.surfaces.push(surface);
        }
        self.add_siblings(listed);
    }

    /// Adds the places of a site over both flats of a disc.
    fn add_over_flat(
        &mut self,
        site: usize,
        (surface, terrain): (&CarriedSurface, usize),
        combination: Combination,
    ) {
        let group = self.carried_group(site, surface, terrain);
        let (round, outline) = (&self.sites[site], &self.outlines[site]);
        let material = combination.material(&round.material, &surface.material);
        let planar = self.planar_normal();
        // Points of both rims are over each other where one lies on the other.
        let places: Vec<_> = places_on_ends(round, outline, planar, [true; 2]).collect();
        for (suffix, place, part) in places {
            let over = SiteOver {
                site,
                place,
                terrain,
                part,
            };
            self.contacts.push(Potential {
                name: format!("{}{suffix}@{}", self.sites[site].name, surface.name),
                sides: Sides::Terrain(over),
                material,
            });
            let last = self.contacts.len() - 1;
            self.groups.add_carried(last, group.as_ref());
        }
    }
}
