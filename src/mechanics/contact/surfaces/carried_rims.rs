//! Which rims of cylinders meet which.

use std::collections::BTreeMap;

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
    upper: bool,
    /// The sign of the axis of the circle out of it.
    outward: f64,
}

impl End {
    fn of(site: &Site, outline: &Outline, surfaces: &[CarriedSurface]) -> Option<Self> {
        let (axes, radius, _) = outline.disc()?;
        let own = surfaces.iter().enumerate();
        let own = own.filter(|(_, shape)| shape.body == site.body);
        let mut ends = own.flat_map(|(k, shape)| [false, true].map(|upper| (k, shape, upper)));
        ends.find_map(|(surface, shape, upper)| {
            let Geometry::Cylinder(own, length) = shape.geometry else {
                return None;
            };
            let end = if upper { 1.0 } else { -1.0 };
            let rounding = SAME * shape.size();
            let center = (shape.pose).point(&Vector3::new(0.0, 0.0, 0.5 * end * length));
            let is_end =
                (center - site.center).norm() <= rounding && (own - radius).abs() <= rounding;
            let outward = shape.pose.rotation * Vector3::new(0.0, 0.0, end);
            is_end.then(|| Self {
                surface,
                upper,
                outward: axes[0].cross(&axes[1]).dot(&outward).signum(),
            })
        })
    }
}

/// Which sites are ends of cylinders.
pub(super) struct Ends {
    of_sites: Vec<Option<End>>,
    /// The sites that are the lower or upper end of a surface, ascending.
    sites: BTreeMap<(usize, bool), Vec<usize>>,
}

impl Ends {
    pub fn new(sites: &[Site], outlines: &[Outline], surfaces: &[CarriedSurface]) -> Self {
        let of_sites: Vec<Option<End>> = (sites.iter().zip(outlines))
            .map(|(site, outline)| End::of(site, outline, surfaces))
            .collect();
        let mut at = BTreeMap::<_, Vec<usize>>::new();
        for (site, end) in of_sites.iter().enumerate() {
            if let Some(end) = end {
                at.entry((end.surface, end.upper)).or_default().push(site);
            }
        }
        Self {
            of_sites,
            sites: at,
        }
    }

    /// Of each site that is the end of a cylinder the sign of its axis out of that, else zero.
    pub fn outward(&self) -> Vec<f64> {
        let outward = |end: &Option<End>| end.as_ref().map_or(0.0, |end| end.outward);
        self.of_sites.iter().map(outward).collect()
    }

    /// The surface that a site is an end of, if it is of one.
    pub fn of(&self, site: usize) -> Option<usize> {
        self.of_sites[site].as_ref().map(|end| end.surface)
    }

    /// Whether a site meets the end of a surface that is an earlier site, which meets the one that it is an end of: each says what the
    /// other does. `found` are the sites and the surfaces that they meet, ascending.
    pub fn is_second(
        &self,
        found: &[(usize, usize)],
        (site, surface): (usize, usize),
        upper: bool,
    ) -> bool {
        let twins = self.sites.get(&(surface, upper));
        self.of_sites[site].as_ref().is_some_and(|own| {
            let mut earlier = twins.into_iter().flatten().filter(|twin| **twin < site);
            earlier.any(|twin| found.binary_search(&(*twin, own.surface)).is_ok())
        })
    }
}

impl<F: Fn(&Site, &CarriedSurface) -> bool> Listing<'_, F> {
    /// The rims of cylinders that circles and arcs meet, of sites and surfaces that touch each other: where both are ends of cylinders
    /// each meets the other, and one of them is listed.
    pub fn rims(&self, ends: &Ends, found: &[(usize, usize)]) -> Vec<MetRim> {
        let is_circle = |site: usize| matches!(self.outlines[site], Outline::Circle { .. });
        let is_cylinder = |k: usize| matches!(self.grounds[k], Ground::Cylinder(_));
        let all = (found.iter()).filter(|(site, k)| is_circle(*site) && is_cylinder(*k));
        let all = all.flat_map(|(site, k)| CylinderRim::all().map(|rim| (*site, *k, rim)));
        all.filter(|(site, k, rim)| !ends.is_second(found, (*site, *k), rim.is_upper()))
            .collect()
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
