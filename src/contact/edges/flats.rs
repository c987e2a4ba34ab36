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
    pub(super) fn add_flats(&mut self, pieces: Range<usize>, combination: Combination) {
        if self.planar_normal().is_some() {
            return;
        }
        let shapes = pieces.end..self.edged.len();
        for site in 0..self.sites.len() {
            let (own, outline) = (&self.sites[site], &self.outlines[site]);
            let mut shapes = self.edged[shapes.clone()].iter();
            let moves = own.body.is_some() && own.on_terrain;
            if !moves || shapes.any(|shape| shape.has_site(own, outline)) {
                continue;
            }
            for (side, upper) in [("lower", false), ("upper", true)] {
                let (own, outline) = (&self.sites[site], &self.outlines[site]);
                let Some(flat) = EdgedShape::flat(own, outline, upper) else {
                    break;
                };
                let (name, own) = (format!("{}:{side}", own.name), own.material);
                let carried = self.edged.len();
                self.edged.push(flat);
                for at in pieces.clone() {
                    let Some(piece) = self.edged[at].piece else {
                        continue;
                    };
                    let terrain = &self.terrains()[piece];
                    let material = combination.material(&own, &terrain.material);
                    let names = [name.clone(), terrain.name.clone()];
                    let group = self.add_shape_group([carried, at]);
                    self.add_corners([carried, at], &names, material, group);
                }
            }
        }
    }
}
