//! Which sites touch which surfaces that bodies carry.

use super::carried::CarriedSurface;
use crate::contact::{Ground, Outline, Site};

/// What the contacts with carried surfaces are listed from.
pub(super) struct Listing<'a, F: Fn(&Site, &CarriedSurface) -> bool> {
    sites: &'a [Site],
    pub outlines: &'a [Outline],
    surfaces: &'a [CarriedSurface],
    pub grounds: &'a [Ground],
    touches: F,
    /// Of each site the surfaces of its body in which it lies.
    around: Vec<Vec<usize>>,
    /// Of each surface the sites that are the same sphere.
    same: Vec<Vec<usize>>,
}

impl<'a, F: Fn(&Site, &CarriedSurface) -> bool> Listing<'a, F> {
    pub fn new(
        (sites, outlines): (&'a [Site], &'a [Outline]),
        (surfaces, grounds): (&'a [CarriedSurface], &'a [Ground]),
        touches: F,
    ) -> Self {
        let mut around = vec![Vec::new(); sites.len()];
        let mut same = vec![Vec::new(); surfaces.len()];
        for (site, (own, outline)) in sites.iter().zip(outlines).enumerate() {
            for (k, (surface, ground)) in surfaces.iter().zip(grounds).enumerate() {
                if surface.body == own.body && surface.holds(ground, own, outline) {
                    around[site].push(k);
                }
                if surface.is_site(own, outline) {
                    same[k].push(site);
                }
            }
        }
        Self {
            sites,
            outlines,
            surfaces,
            grounds,
            touches,
            around,
            same,
        }
    }

    /// Whether a site and a surface can touch and may.
    pub fn meets(&self, site: usize, surface: usize) -> bool {
        let (site, surface) = (&self.sites[site], &self.surfaces[surface]);
        site.body != surface.body && (self.touches)(site, surface)
    }

    /// Whether the contact of a site with a sphere says less than one of the sphere with what the site is part of.
    pub fn is_implied(&self, site: usize, sphere: usize) -> bool {
        let own = self.sites[site].body;
        self.around[site].iter().any(|&k| {
            // Of two spheres that are sites each says what the other does: that of the first body that moves stays.
            let second = match (own, self.surfaces[sphere].body) {
                (None, _) => true,
                (Some(_), None) => false,
                (Some(own), Some(other)) => own > other,
            };
            let counts = second || !self.same[k].contains(&site);
            counts && self.same[sphere].iter().any(|&t| self.meets(t, k))
        })
    }
}
