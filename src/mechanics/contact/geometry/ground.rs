//! What contacts are measured against: pieces of terrain among others, and surfaces that bodies carry.

use nalgebra::Vector3;

use super::coverage::ExposedBox;
use super::cylinder::Cylinder;
use super::extent::Extent;
use crate::contact::surfaces::{SmoothGround, Surface};

/// Bounds closer than this share of the smallest box are one, and so are boxes and planes.
const JOINED: f64 = 1e-9;

/// A piece of terrain among others.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ground {
    /// Half-space below a plane with a unit normal.
    Plane {
        point: Vector3<f64>,
        normal: Vector3<f64>,
    },
    Box(Box<ExposedBox>),
    /// Heights or a surface of one's own: nothing covers it and it covers nothing.
    Smooth(SmoothGround),
    /// Carried by bodies only.
    Cylinder(Cylinder),
}

impl Ground {
    /// Indices of the boxes that a box touches.
    pub fn touching(&self) -> impl Iterator<Item = usize> {
        let exposed = match self {
            Self::Plane { .. } | Self::Smooth(_) | Self::Cylinder(_) => None,
            Self::Box(exposed) => Some(exposed),
        };
        exposed.into_iter().flat_map(|exposed| exposed.touching())
    }

    /// Whether gaps of it have no kinks along a smooth motion, apart from seams.
    pub fn is_smooth(&self) -> bool {
        match self {
            Self::Plane { .. } | Self::Smooth(_) => true,
            Self::Box(_) | Self::Cylinder(_) => false,
        }
    }
}

/// All pieces of terrain; `same` says whether two are of one material.
pub(crate) fn grounds(surfaces: &[Surface], same: impl Fn(usize, usize) -> bool) -> Vec<Ground> {
    let (boxes, joined) = aligned(surfaces);
    let ground = |(i, surface): (usize, &Surface)| {
        let extent = match (surface, boxes[i]) {
            (_, Some(extent)) => extent,
            (Surface::Box { min, max }, None) => Extent {
                min: *min,
                max: *max,
            },
            (Surface::Plane { point, normal }, None) => {
                return Ground::Plane {
                    point: *point,
                    normal: *normal,
                };
            }
            (Surface::Heights(field), None) => {
                return Ground::Smooth(SmoothGround::Heights(field.clone()));
            }
            (Surface::Own(own), None) => return Ground::Smooth(SmoothGround::Own(own.clone())),
        };
        let mut exposed = ExposedBox::new(extent, joined);
        for (j, surface) in surfaces.iter().enumerate().filter(|(j, _)| *j != i) {
            match (surface, boxes[j]) {
                (Surface::Plane { point, normal }, _) => exposed.add_plane(*point, *normal),
                (Surface::Box { .. }, Some(other)) if extent.touches(&other) => {
                    exposed.add_neighbour(j, other, j < i, same(i, j));
                }
                (Surface::Box { .. } | Surface::Heights(_) | Surface::Own(_), _) => {}
            }
        }
        exposed.open_covered();
        Ground::Box(Box::new(exposed))
    };
    surfaces.iter().enumerate().map(ground).collect()
}

/// Extents of the boxes with bounds that are nearly equal made equal, and how near that is.
fn aligned(surfaces: &[Surface]) -> (Vec<Option<Extent>>, f64) {
    let mut boxes: Vec<Option<Extent>> = surfaces
        .iter()
        .map(|s| match s {
            Surface::Box { min, max } => Some(Extent {
                min: *min,
                max: *max,
            }),
            Surface::Plane { .. } | Surface::Heights(_) | Surface::Own(_) => None,
        })
        .collect();
    let sizes = boxes.iter().flatten().map(|b| (b.max - b.min).max());
    let joined = JOINED * sizes.fold(f64::INFINITY, f64::min);
    for k in 0..3 {
        let bounds = boxes.iter().flatten().flat_map(|b| [b.min[k], b.max[k]]);
        let mut bounds: Vec<f64> = bounds.collect();
        bounds.sort_by(f64::total_cmp);
        bounds.dedup_by(|next, kept| *next - *kept <= joined);
        let align = |x: &mut f64| {
            let at = bounds.partition_point(|b| *b <= *x);
            *x = bounds[at.saturating_sub(1)];
        };
        for b in boxes.iter_mut().flatten() {
            // A box thinner than the tolerance keeps its own bounds.
            if b.max[k] - b.min[k] > 2.0 * joined {
                align(&mut b.min[k]);
                align(&mut b.max[k]);
            }
        }
    }
    (boxes, joined)
}
