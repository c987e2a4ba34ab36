//! Shapes and meshes of links.

use std::path::PathBuf;

use crate::spatial::Pose;

/// A primitive shape of a link, for contact sites and pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkShape {
    /// Index into [`Model::links`](super::Model::links).
    pub link: usize,
    /// Placement in the link's frame.
    pub pose: Pose<f64>,
    /// The shape.
    pub geometry: Geometry,
    /// Whether it is a collision shape (otherwise it is visual).
    pub collision: bool,
    /// Red, green and blue from 0 to 1, where the description gives a colour.
    pub color: Option<[f64; 3]>,
}

/// Primitive geometry, centred at its own frame; cylinders and capsules along z.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Geometry {
    /// Radius \[m\].
    Sphere(f64),
    /// Edge lengths \[m\].
    Box([f64; 3]),
    /// Radius and length \[m\].
    Cylinder(f64, f64),
    /// Radius and length of the cylindrical part \[m\].
    Capsule(f64, f64),
}

impl Geometry {
    /// Whether it has a volume. Descriptions have spheres of radius 0 in place of nothing, and boxes without thickness.
    #[must_use]
    pub fn has_volume(&self) -> bool {
        match self {
            Self::Sphere(radius) | Self::Capsule(radius, _) => *radius > 0.0,
            Self::Box(edges) => edges.iter().all(|edge| *edge > 0.0),
            Self::Cylinder(radius, length) => *radius > 0.0 && *length > 0.0,
        }
    }

    /// The longest edge of the box around it \[m\].
    #[must_use]
    pub fn extent(&self) -> f64 {
        match *self {
            Self::Sphere(radius) => 2.0 * radius,
            Self::Box(edges) => edges.into_iter().fold(0.0, f64::max),
            Self::Cylinder(radius, length) => length.max(2.0 * radius),
            Self::Capsule(radius, length) => length + 2.0 * radius,
        }
    }
}

/// A mesh of a link: where its file is. Nothing reads it before it is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkMesh {
    /// Index into [`Model::links`](super::Model::links).
    pub link: usize,
    /// Placement in the link's frame.
    pub pose: Pose<f64>,
    /// The file.
    pub file: PathBuf,
    /// Factors on the file's coordinates along x, y, z.
    pub scale: [f64; 3],
    /// Whether it is a collision shape (otherwise it is visual).
    pub collision: bool,
    /// Red, green and blue from 0 to 1, where the description gives a colour.
    pub color: Option<[f64; 3]>,
}
