//! Links of a robot under construction.

use std::path::PathBuf;

use nalgebra::{Matrix3, Vector3};

use crate::model::{Geometry, LinkMesh, LinkShape};
use crate::spatial::Pose;

/// A link of a robot under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub(in crate::model) name: String,
    pub(in crate::model) mass: f64,
    pub(in crate::model) center: Vector3<f64>,
    pub(in crate::model) central: Matrix3<f64>,
    pub(in crate::model) has_inertia: bool,
    pub(in crate::model) shapes: Vec<LinkShape>,
    pub(in crate::model) meshes: Vec<LinkMesh>,
    /// Whether it is none of the description but stands between the freedoms of one joint.
    pub(in crate::model) between: bool,
}

impl Link {
    /// A massless frame; give it mass with [`Link::inertial`] unless a fixed joint carries it.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_string(),
            mass: 0.0,
            center: Vector3::zeros(),
            central: Matrix3::zeros(),
            has_inertia: false,
            shapes: Vec::new(),
            meshes: Vec::new(),
            between: false,
        }
    }

    /// What stands between two freedoms of one joint.
    pub(super) fn between(name: &str) -> Self {
        Self {
            between: true,
            ..Self::new(name)
        }
    }

    /// Mass \[kg\], centre of mass in the link frame \[m\], rotational inertia about the centre of mass
    /// in the axes of the link frame \[kg m²\].
    #[must_use]
    pub fn inertial(mut self, mass: f64, center: Vector3<f64>, central: Matrix3<f64>) -> Self {
        self.mass = mass;
        self.center = center;
        self.central = central;
        self.has_inertia = true;
        self
    }

    /// A uniform thin rod of given mass \[kg\] from `from` to `to` \[m\].
    #[must_use]
    pub fn rod(self, mass: f64, from: Vector3<f64>, to: Vector3<f64>) -> Self {
        let d = to - from;
        let central = (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * (mass / 12.0);
        self.inertial(mass, (from + to) * 0.5, central)
    }

    /// A uniform solid sphere of given mass \[kg\] and radius \[m\].
    #[must_use]
    pub fn solid_sphere(self, mass: f64, radius: f64, center: Vector3<f64>) -> Self {
        self.inertial(
            mass,
            center,
            Matrix3::identity() * (0.4 * mass * radius * radius),
        )
    }

    /// A uniform solid box of given mass \[kg\] and edge lengths \[m\].
    #[must_use]
    pub fn solid_box(self, mass: f64, size: [f64; 3], center: Vector3<f64>) -> Self {
        let [x, y, z] = size.map(|s| s * s);
        let moments = Vector3::new(y + z, x + z, x + y) * (mass / 12.0);
        self.inertial(mass, center, Matrix3::from_diagonal(&moments))
    }

    /// A primitive shape placed in the link frame; those for `collision` can become contact sites.
    #[must_use]
    pub fn shape(mut self, pose: Pose<f64>, geometry: Geometry, collision: bool) -> Self {
        self.shapes.push(LinkShape {
            link: 0,
            pose,
            geometry,
            collision,
            color: None,
        });
        self
    }

    /// A mesh placed in the link frame, by its file, with factors on its coordinates.
    #[must_use]
    pub fn mesh(
        mut self,
        pose: Pose<f64>,
        file: PathBuf,
        scale: [f64; 3],
        collision: bool,
    ) -> Self {
        self.meshes.push(LinkMesh {
            link: 0,
            pose,
            file,
            scale,
            collision,
            color: None,
        });
        self
    }

    /// A colour of the shape that was added last.
    pub(in crate::model) fn shape_color(mut self, color: Option<[f64; 3]>) -> Self {
        if let Some(shape) = self.shapes.last_mut() {
            shape.color = color;
        }
        self
    }

    /// A colour of the mesh that was added last.
    pub(in crate::model) fn mesh_color(mut self, color: Option<[f64; 3]>) -> Self {
        if let Some(mesh) = self.meshes.last_mut() {
            mesh.color = color;
        }
        self
    }
}
