//! The flats of discs among the shapes that corners of terrain touch.

use std::ops::Range;

use nalgebra::{Matrix3, Vector3};

use super::EdgedShape;
use crate::contact::contacts::Contacts;
use crate::contact::{Combination, Ground, Outline, Site};
use crate::spatial::Pose;

impl EdgedShape {
    /// The flat of the disc that a site is, seen from one side: what is above the plane of its own x and y, inside of the rim.
    fn flat(site: &Site, outline: &Outline, upper: bool) -> Option<Self> {
        let Outline::Circle {
            axes: [x, y],
            radius,
            tube,
            range: None,
        } = outline
        else {
            return None;
        };
        let y = if upper { *y } else { -y };
        let z = x.cross(&y);
        let above = Vector3::new(0.0, 0.0, *tube);
        Some(Self {
            body: site.body,
            piece: None,
            surface: None,
            name: site.link.clone(),
            pose: Pose::new(Matrix3::from_columns(&[*x, y, z]), site.center),
            half: above,
            radius: *radius,
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
        let shapes = &self.edged[pieces.end..];
        let sites = self.sites.iter().zip(&self.outlines);
        let own = sites.filter(|(site, _)| site.body.is_some() && site.on_terrain);
        let discs = own.filter(|(site, outline)| !shapes.iter().any(|s| s.has_site(site, outline)));
        let flats: Vec<_> = discs
            .flat_map(|(site, outline)| {
                [("lower", false), ("upper", true)].map(|(side, upper)| {
                    let flat = EdgedShape::flat(site, outline, upper)?;
                    Some((flat, format!("{}:{side}", site.name), site.material))
                })
            })
            .flatten()
            .collect();
        for (flat, name, material) in flats {
            self.add_over_terrain(flat, &name, material, (pieces, combination));
        }
    }
}
