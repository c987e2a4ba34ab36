//! Which sites touch which surfaces that bodies carry.

use nalgebra::Vector3;

use super::carried::{CarriedSurface, SAME};
use crate::contact::{CylinderRim, Ground, Outline, Site};
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
        let is_arc = matches!(self.outlines[site], Outline::Circle { range: Some(_), .. });
        let arc_on_cylinder = is_arc && matches!(self.grounds[surface], Ground::Cylinder(_));
        let (site, surface) = (&self.sites[site], &self.surfaces[surface]);
        site.body != surface.body && !arc_on_cylinder && (self.touches)(site, surface)
    }

    /// The rims of cylinders that full circles meet, of sites and surfaces that touch each other: where both are ends of cylinders
    /// each meets the other, and one of them is listed.
    pub fn rims(&self, found: &[(usize, usize)]) -> Vec<(usize, usize, CylinderRim)> {
        let ends: Vec<Option<End>> = (self.sites.iter().zip(self.outlines))
            .map(|(site, outline)| which_end(site, outline, self.surfaces))
            .collect();
        let is_circle =
            |site: usize| matches!(self.outlines[site], Outline::Circle { range: None, .. });
        let is_cylinder = |k: usize| matches!(self.grounds[k], Ground::Cylinder(_));
        let all = found
            .iter()
            .filter(|(site, k)| is_circle(*site) && is_cylinder(*k));
        let all = all.flat_map(|(site, k)| CylinderRim::all().map(|rim| (*site, *k, rim)));
        let earlier = |&(site, k, rim): &(usize, usize, CylinderRim)| {
            let own = ends[site].as_ref();
            found.iter().any(|(other, with)| {
                *other < site
                    && own.is_some_and(|own| own.surface == *with)
                    && ends[*other]
                        .as_ref()
                        .is_some_and(|end| end.surface == k && end.end == rim.end())
            })
        };
        all.filter(|rim| !earlier(rim)).collect()
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

/// The end of a cylinder of its body that a full circle is.
struct End {
    /// Index of the cylinder among the surfaces.
    surface: usize,
    /// −1 or 1 along its axis.
    end: f64,
    /// The sign of the axis of the circle out of it.
    outward: f64,
}

/// Of a full circle that is the end of a cylinder of its body the sign of its axis out of that, else zero.
pub(super) fn end_of(site: &Site, outline: &Outline, surfaces: &[CarriedSurface]) -> f64 {
    which_end(site, outline, surfaces).map_or(0.0, |end| end.outward)
}

fn which_end(site: &Site, outline: &Outline, surfaces: &[CarriedSurface]) -> Option<End> {
    let Outline::Circle {
        axes,
        radius,
        range: None,
        ..
    } = outline
    else {
        return None;
    };
    let own = surfaces.iter().enumerate();
    let own = own.filter(|(_, shape)| shape.body == site.body);
    let mut ends = own.flat_map(|(k, shape)| [-1.0, 1.0].map(|end| (k, shape, end)));
    ends.find_map(|(surface, shape, end)| {
        let Geometry::Cylinder(own, length) = shape.geometry else {
            return None;
        };
        let rounding = SAME * shape.size();
        let center = shape
            .pose
            .point(&Vector3::new(0.0, 0.0, 0.5 * end * length));
        let is_end = (center - site.center).norm() <= rounding && (own - radius).abs() <= rounding;
        let outward = shape.pose.rotation * Vector3::new(0.0, 0.0, end);
        is_end.then(|| End {
            surface,
            end,
            outward: axes[0].cross(&axes[1]).dot(&outward).signum(),
        })
    })
}
