//! Which sites touch which surfaces that bodies carry.

use super::carried::CarriedSurface;
use crate::contact::{Ground, Outline, Site};

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
        let is_arc = matches!(self.outlines[site], Outline::Circle { range: Some(_), .. });
        let arc_on_cylinder = is_arc && matches!(self.grounds[surface], Ground::Cylinder(_));
        let (site, surface) = (&self.sites[site], &self.surfaces[surface]);
        site.body != surface.body && !arc_on_cylinder && (self.touches)(site, surface)
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
