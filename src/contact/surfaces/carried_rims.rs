//! Which rims of cylinders meet which.

use nalgebra::Vector3;

use super::carried::{CarriedSurface, SAME};
use super::carried_listing::Listing;
use crate::contact::contacts::Contacts;
use crate::contact::listing::{Potential, Ridge, RimOver, Sides, SiteOver};
use crate::contact::{Combination, CylinderRim, Ground, Outline, Part, Place, Site};
use crate::model::Geometry;

/// A site and the rim of a surface, by their indices.
pub(super) type MetRim = (usize, usize, CylinderRim);

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

impl<F: Fn(&Site, &CarriedSurface) -> bool> Listing<'_, F> {
    /// The rims of cylinders that full circles meet, of sites and surfaces that touch each other: where both are ends of cylinders
    /// each meets the other, and one of them is listed.
    pub fn rims(&self, found: &[(usize, usize)]) -> Vec<MetRim> {
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
        let earlier = |&(site, k, rim): &MetRim| {
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
}

impl Contacts {
    /// Adds the contacts of rims with rims of surfaces, whose grounds begin at `first`, and their siblings.
    pub(super) fn add_rims(
        &mut self,
        rims: Vec<MetRim>,
        surfaces: &[CarriedSurface],
        first: usize,
        combination: Combination,
    ) {
        let listed = self.contacts.len();
        for (site, k, rim) in rims {
            let (carrier, surface) = (&self.sites[site], &surfaces[k]);
            let over = SiteOver {
                site,
                place: Place::Nearest,
                terrain: first + k,
                part: Part::Whole,
            };
            self.contacts.push(Potential {
                name: format!("{}:{}@{}", carrier.name, rim.word(), surface.name),
                sides: Sides::Rim(RimOver {
                    over,
                    ridge: Ridge::Rim(rim),
                }),
                material: combination.material(&carrier.material, &surface.material),
            });
            let group = self.carried_group(site, surface, first + k);
            self.groups
                .add_carried(self.contacts.len() - 1, group.as_ref());
        }
        self.add_siblings(listed);
    }
}
