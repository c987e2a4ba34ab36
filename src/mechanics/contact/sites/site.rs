use std::fmt;

use nalgebra::Vector3;

use crate::contact::{Inactivity, Material};
use crate::model::{Geometry, LinkFrame, Model, ModelError};
use crate::spatial::Pose;

/// What two sites in one place are apart by roundings \[m\].
const SAME_PLACE: f64 = 1e-9;

/// Shape of a contact site; directions in the frame that the site's documentation names.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum SiteShape {
    /// The centre itself.
    Point,
    /// Sphere around the centre.
    Sphere {
        /// \[m\], at least 0.
        radius: f64,
    },
    /// Arc of a circle around the centre, as of a C-leg: the points
    /// centre + radius (cos θ axes₀ + sin θ axes₁), start ≤ θ ≤ end. It touches terrain with its
    /// closest inner point and with both ends; a full turn is the edge of a disc.
    Arc {
        /// Two orthogonal directions of the circle's plane, of any length.
        axes: [Vector3<f64>; 2],
        /// \[m\], positive.
        radius: f64,
        /// First angle θ \[rad\].
        start: f64,
        /// Last angle θ \[rad\], above the first by at most 2π.
        end: f64,
        /// Radius of the tube around the arc \[m\], at least 0.
        thickness: f64,
    },
    /// Edge of a disc (a wheel) around the centre: its closest point and, when it lies nearly flat,
    /// eight points evenly spaced along it.
    DiscEdge {
        /// Normal of the disc, of any length.
        axis: Vector3<f64>,
        /// \[m\], positive.
        radius: f64,
    },
}

impl SiteShape {
    /// The same shape with its directions seen from the frame's parent.
    fn turned(&self, pose: &Pose<f64>) -> Self {
        let mut shape = *self;
        match &mut shape {
            Self::Arc { axes, .. } => *axes = axes.map(|a| pose.rotation * a),
            Self::DiscEdge { axis, .. } => *axis = pose.rotation * *axis,
            Self::Point | Self::Sphere { .. } => {}
        }
        shape
    }
}

/// A part of a link that can touch terrain or other sites.
#[derive(Debug, Clone, PartialEq)]
pub struct Site {
    /// Unique name.
    pub name: String,
    /// The link it was declared on.
    pub link: String,
    /// The centre in the link's frame \[m\].
    pub position: Vector3<f64>,
    /// The body that carries the link, `None` when it is fixed in the world.
    pub body: Option<usize>,
    /// The centre in the body's internal frame \[m\] (in the world for a fixed link).
    pub center: Vector3<f64>,
    /// Shape, directions in the body's internal frame.
    pub shape: SiteShape,
    /// Friction and restitution.
    pub material: Material,
    /// When the site touches nothing.
    pub inactive: Option<Inactivity>,
    /// Whether it touches terrain, beside what other bodies carry.
    pub(in crate::contact) on_terrain: bool,
    /// A point in the solid that the site belongs to, in the body's internal frame \[m\].
    pub(in crate::contact) inside: Vector3<f64>,
    /// The edges of a box from its corner that the site is, in the body's internal frame \[m\].
    pub(in crate::contact) edges: Option<[Vector3<f64>; 3]>,
}

impl Site {
    /// The same, which touches nothing while a condition on the configuration holds.
    #[must_use]
    pub fn inactive_while(mut self, condition: Inactivity) -> Self {
        self.inactive = Some(condition);
        self
    }

    /// The same, which terrain does not touch: what other bodies carry does.
    #[must_use]
    pub fn beside_terrain(mut self) -> Self {
        self.on_terrain = false;
        self
    }

    /// Whether another one is the same shape in the same place.
    #[doc(hidden)]
    pub fn is_at(&self, other: &Self) -> bool {
        let apart = (self.center - other.center).norm();
        self.body == other.body && self.shape == other.shape && apart <= SAME_PLACE
    }

    /// A site on a link: centre \[m\] and directions of the shape in the link's frame. Numbers are
    /// checked when contacts are made.
    ///
    /// # Errors
    /// [`ModelError::UnknownName`] with the nearest link.
    pub fn new(
        model: &Model,
        name: &str,
        link: &str,
        center: [f64; 3],
        shape: SiteShape,
        material: Material,
    ) -> Result<Self, ModelError> {
        let frame = model.link(link)?;
        let name = name.to_string();
        Ok(Self::placed(frame, name, center.into(), shape, material))
    }

    /// The same on a link that was found.
    pub(in crate::contact) fn placed(
        frame: &LinkFrame,
        name: String,
        position: Vector3<f64>,
        shape: SiteShape,
        material: Material,
    ) -> Self {
        Self {
            name,
            link: frame.name.clone(),
            position,
            body: frame.body,
            center: frame.pose.point(&position),
            shape: shape.turned(&frame.pose),
            material,
            inactive: None,
            on_terrain: true,
            edges: None,
            inside: (frame.body).map_or(frame.pose.translation, |_| Vector3::zeros()),
        }
    }

    /// The same of a solid around a place in the frame of its link \[m\].
    pub(in crate::contact) fn of_solid(mut self, frame: &LinkFrame, middle: &Vector3<f64>) -> Self {
        self.inside = frame.pose.point(middle);
        self
    }

    /// The same of the corner of a box.
    pub(in crate::contact) fn corner_of(self, frame: &LinkFrame, pose: &Pose<f64>) -> Self {
        let half = pose.inverse().point(&self.position);
        let turned = frame.pose.rotation * pose.rotation;
        let edge = |k: usize| turned.column(k) * (-2.0 * half[k]);
        let edges = Some([0, 1, 2].map(edge));
        Self { edges, ..self }.of_solid(frame, &pose.translation)
    }

    /// A point on a link, in the link's frame \[m\].
    ///
    /// # Errors
    /// As [`Site::new`].
    pub fn point(
        model: &Model,
        name: &str,
        link: &str,
        center: [f64; 3],
        material: Material,
    ) -> Result<Self, ModelError> {
        Self::new(model, name, link, center, SiteShape::Point, material)
    }

    /// A sphere on a link: centre in the link's frame \[m\] and radius \[m\].
    ///
    /// # Errors
    /// As [`Site::new`].
    pub fn sphere(
        model: &Model,
        name: &str,
        link: &str,
        center: [f64; 3],
        radius: f64,
        material: Material,
    ) -> Result<Self, ModelError> {
        let shape = SiteShape::Sphere { radius };
        Self::new(model, name, link, center, shape, material)
    }

    /// The eight corners of a box as points `<name>_0` … `<name>_7`: placement of the box in the
    /// link's frame and edge lengths \[m\]. Bit 0 of the number is the side in x, bit 1 in y, bit 2
    /// in z.
    ///
    /// # Errors
    /// As [`Site::new`].
    pub fn box_corners(
        model: &Model,
        name: &str,
        link: &str,
        pose: &Pose<f64>,
        size: [f64; 3],
        material: Material,
    ) -> Result<Vec<Self>, ModelError> {
        let frame = model.link(link)?;
        let named = corners(pose, &size).into_iter().enumerate();
        Ok(named
            .map(|(i, corner)| {
                let name = format!("{name}_{i}");
                Self::placed(frame, name, corner, SiteShape::Point, material).corner_of(frame, pose)
            })
            .collect())
    }
}

/// The corners of a box in the frame of its link, as [`Site::box_corners`] numbers them.
pub(in crate::contact) fn corners(pose: &Pose<f64>, size: &[f64; 3]) -> [Vector3<f64>; 8] {
    std::array::from_fn(|i| {
        let half = |k: usize| size[k] * if i >> k & 1 == 1 { 0.5 } else { -0.5 };
        pose.point(&Vector3::new(half(0), half(1), half(2)))
    })
}

/// One site for every sphere among the model's collision shapes, named after its link; where a link
/// has several, `<link>_0`, `<link>_1` …
#[must_use]
pub fn sphere_sites(model: &Model, material: Material) -> Vec<Site> {
    let spheres = || {
        model.shapes().iter().filter_map(|s| match s.geometry {
            Geometry::Sphere(radius) if s.collision => Some((s.link, s.pose, radius)),
            _ => None,
        })
    };
    spheres()
        .enumerate()
        .map(|(i, (link, pose, radius))| {
            let frame = &model.links()[link];
            let name = if spheres().filter(|s| s.0 == link).count() == 1 {
                frame.name.clone()
            } else {
                let earlier = spheres().take(i).filter(|s| s.0 == link).count();
                format!("{}_{earlier}", frame.name)
            };
            let shape = SiteShape::Sphere { radius };
            Site::placed(frame, name, pose.translation, shape, material)
        })
        .collect()
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        match &self.shape {
            SiteShape::Point => write!(f, "point")?,
            SiteShape::Sphere { radius } => write!(f, "sphere of radius {radius} m")?,
            SiteShape::Arc {
                radius,
                start,
                end,
                thickness,
                ..
            } => {
                write!(f, "arc of radius {radius} m from {start} to {end} rad")?;
                if *thickness > 0.0 {
                    write!(f, ", thickness {thickness} m")?;
                }
            }
            SiteShape::DiscEdge { radius, .. } => write!(f, "disc edge of radius {radius} m")?,
        }
        let p = &self.position;
        write!(f, " on link {} at ({}, {}, {}) m", self.link, p.x, p.y, p.z)?;
        let Material {
            friction,
            restitution,
        } = self.material;
        write!(f, ", friction {friction}, restitution {restitution}")
    }
}
