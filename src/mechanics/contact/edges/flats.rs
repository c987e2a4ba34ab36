//! The flats of discs among the shapes that corners of boxes touch.

use std::ops::Range;

use nalgebra::{Matrix3, Vector3};

use super::EdgedShape;
use crate::contact::contacts::Contacts;
use crate::contact::{CarriedSurface, Combination, Ground, Material, Outline, Site};
use crate::spatial::Pose;

impl EdgedShape {
    /// The flat of the disc that a site is, seen from one side: what is above the plane of its own x and y, inside of the rim.
    fn flat(site: &Site, outline: &Outline, upper: bool) -> Option<Self> {
        let ([x, y], radius, tube) = outline.disc()?;
        let y = if upper { y } else { -y };
        let z = x.cross(&y);
        let above = Vector3::new(0.0, 0.0, tube);
        Some(Self {
            body: site.body,
            piece: None,
            surface: None,
            name: site.link.clone(),
            pose: Pose::new(Matrix3::from_columns(&[x, y, z]), site.center),
            half: above,
            radius,
            ground: Ground::Plane {
                point: above,
                normal: Vector3::z(),
            },
        })
    }

    /// Whether it is the flat of a disc.
    pub(in crate::contact) fn is_flat(&self) -> bool {
        matches!(self.ground, Ground::Plane { .. })
    }

    /// Radius of its side, or of its rim \[m\]; zero of a box.
    pub(in crate::contact) fn radius(&self) -> f64 {
        self.radius
    }
}

impl Contacts {
    /// Adds the corners of pieces of terrain against the flats of discs that are no ends of shapes, which are those after the pieces.
    pub(super) fn add_flats(&mut self, pieces: &Range<usize>, combination: Combination) {
        if self.planar_normal().is_some() {
            return;
        }
        for (_, flat, name, material) in self.flats_beside(&(pieces.end..self.edged.len()), true) {
            self.add_over_terrain(flat, &name, material, (pieces, combination));
        }
    }

    /// The same of boxes that other bodies carry, of those shapes: a disc touches their corners by its flats.
    pub(super) fn add_carried_flats(
        &mut self,
        (surfaces, shapes): (&[CarriedSurface], &Range<usize>),
        touches: impl Fn(&Site, &CarriedSurface) -> bool,
        combination: Combination,
    ) {
        if self.planar_normal().is_some() {
            return;
        }
        for (site, flat, name, material) in self.flats_beside(shapes, false) {
            let touched: Vec<(usize, &CarriedSurface)> = shapes
                .clone()
                .filter_map(|k| {
                    let own = &self.edged[k];
                    let surface = &surfaces[own.surface.filter(|_| !own.is_round())?];
                    let meets = own.body != flat.body && touches(&self.sites[site], surface);
                    meets.then_some((k, surface))
                })
                .collect();
            if touched.is_empty() {
                continue;
            }
            let carried = self.edged.len();
            self.edged.push(flat);
            for (k, surface) in touched {
                let material = combination.material(&material, &surface.material);
                let names = [name.clone(), surface.name.clone()];
                let group = self.add_crossings([carried, k], &names, material);
                self.add_corners([carried, k], &names, (material, group));
            }
        }
    }

    /// Both flats of each disc on a body that is no end of these shapes: the site, the flat, its name and what it is made of.
    fn flats_beside(
        &self,
        shapes: &Range<usize>,
        on_terrain: bool,
    ) -> Vec<(usize, EdgedShape, String, Material)> {
        let shapes = &self.edged[shapes.clone()];
        let sites = self.sites.iter().zip(&self.outlines).enumerate();
        let own = sites
            .filter(|(_, (site, _))| site.body.is_some() && (site.on_terrain || !on_terrain))
            .filter(|(_, (site, outline))| !shapes.iter().any(|s| s.has_site(site, outline)));
        own.flat_map(|(k, (site, outline))| {
            [("lower", false), ("upper", true)].map(|(side, upper)| {
                let flat = EdgedShape::flat(site, outline, upper)?;
                Some((k, flat, format!("{}:{side}", site.name), site.material))
            })
        })
        .flatten()
        .collect()
    }
}
