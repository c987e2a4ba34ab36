//! Which sites touch which surfaces that bodies carry.

use nalgebra::Vector3;

use super::carried::{CarriedSurface, SAME};
use crate::contact::{Ground, Outline, Place, Site};
use crate::model::Geometry;

/// What the contacts with carried surfaces are listed from.
pub(super) struct Listing<'a, F: Fn(&Site, &CarriedSurface) -> bool> {
    pub sites: &'a [Site],
    pub outlines: &'a [Outline],
    pub surfaces: &'a [CarriedSurface],
    pub grounds: &'a [Ground],
    pub touches: F,
}

impl<F: Fn(&Site, &CarriedSurface) -> bool> Listing<'_, F> {
    /// Whether a site and a surface can touch and may.
    pub fn meets(&self, site: usize, surface: usize) -> bool {
        let round_on_cylinder = matches!(self.outlines[site], Outline::Circle { .. })
            && matches!(self.grounds[surface], Ground::Cylinder(_))
            && self.side_beside(site, surface).is_none();
        let (site, surface) = (&self.sites[site], &self.surfaces[surface]);
        site.body != surface.body && !round_on_cylinder && (self.touches)(site, surface)
    }

    /// What a disc edge that is the end of a cylinder touches another cylinder with: the ball in that end, where the cylinder is long
    /// enough for one.
    pub fn side_beside(&self, site: usize, surface: usize) -> Option<Place> {
        let Outline::Circle {
            radius,
            range: None,
            ..
        } = self.outlines[site]
        else {
            return None;
        };
        if !matches!(self.grounds[surface], Ground::Cylinder(_)) {
            return None;
        }
        let site = &self.sites[site];
        let own = self.surfaces.iter().filter(|s| s.body == site.body);
        own.flat_map(|s| [-1.0, 1.0].map(|end| (s, end)))
            .find_map(|(shape, end)| {
                let Geometry::Cylinder(own, length) = shape.geometry else {
                    return None;
                };
                let rounding = SAME * shape.size();
                let along = |z: f64| shape.pose.point(&Vector3::new(0.0, 0.0, end * z));
                let is_end = (along(0.5 * length) - site.center).norm() <= rounding
                    && (own - radius).abs() <= rounding;
                (is_end && length >= 2.0 * radius).then(|| Place::Side {
                    point: along(0.5 * length - radius),
                    radius,
                })
            })
    }

    /// Whether the contact of a site with a sphere says less than one of the sphere with what the site is part of.
    pub fn is_implied(&self, site: usize, sphere: usize) -> bool {
        let (own, outline) = (&self.sites[site], &self.outlines[site]);
        let around = |k: &usize| {
            let surface = &self.surfaces[*k];
            surface.body == own.body && surface.holds(&self.grounds[*k], own, outline)
        };
        let same = |t: &usize| self.surfaces[sphere].is_site(&self.sites[*t], &self.outlines[*t]);
        let spheres = || (0..self.sites.len()).filter(same);
        (0..self.surfaces.len()).filter(around).any(|k| {
            // Of two spheres that are sites each says what the other does: that of the first body that moves stays.
            let second = match (own.body, self.surfaces[sphere].body) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(own), Some(other)) => own > other,
            };
            let counts = second || !self.surfaces[k].is_site(own, outline);
            counts && spheres().any(|t| self.meets(t, k))
        })
    }
}
