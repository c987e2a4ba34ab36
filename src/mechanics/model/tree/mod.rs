//! The immutable tree: bodies in an order in which parents precede children.
//!
//! Every body has an internal frame chosen so that its joint acts along or about the z axis: a
//! revolute joint turns columns x and y of one matrix, a prismatic joint adds to one translation.
//! Link frames of the robot description are constant placements in the internal frame of the body
//! that they were merged into.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | λ(i) | [`Body::parent`] | parent of body i, `None` for the world |
//! | X_T | [`Body::placement`] | joint frame of body i in its parent's internal frame, at q = 0 |
//! | S_i | e_z | motion subspace of a revolute (angular) or prismatic (linear) joint |
//! | n | [`Model::dof`] | number of degrees of freedom (entries of v) |

mod body;
mod displacement;
mod joined;
mod joint_indices;
mod shape;
mod spring;

pub use body::{Base, Body, JointActing, JointKind, JointLimits, LinkFrame};
pub(crate) use displacement::pose_from_configuration;
pub use joined::Tree;
pub use joint_indices::JointIndices;
pub use shape::{Geometry, LinkMesh, LinkShape};
pub use spring::{JointSpring, PointSpring};

use nalgebra::Vector3;

use super::builder::{CompositeJoint, no_coordinate};
use super::{Coupling, Follower, ModelError};

/// A robot as a tree of rigid bodies. Immutable, shared between threads; every computation keeps
/// its intermediates in a workspace of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(in crate::model) name: String,
    pub(in crate::model) base: Base,
    pub(in crate::model) bodies: Vec<Body>,
    pub(in crate::model) composites: Vec<CompositeJoint>,
    pub(in crate::model) links: Vec<LinkFrame>,
    pub(in crate::model) shapes: Vec<LinkShape>,
    pub(in crate::model) meshes: Vec<LinkMesh>,
    pub(in crate::model) gravity: Vector3<f64>,
    pub(in crate::model) coordinate_names: Vec<String>,
    pub(in crate::model) configuration_names: Vec<String>,
    pub(in crate::model) joint_springs: Vec<JointSpring>,
    pub(in crate::model) point_springs: Vec<PointSpring>,
    pub(in crate::model) subtree_mass: Vec<f64>,
    pub(in crate::model) coupling: Option<Box<Coupling>>,
    pub(in crate::model) nq: usize,
    pub(in crate::model) nv: usize,
    pub(in crate::model) warnings: Vec<String>,
    pub(in crate::model) trees: Vec<Tree>,
}

impl Model {
    /// Name of the robot.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How the root is held.
    #[must_use]
    pub fn base(&self) -> Base {
        self.base
    }

    /// Bodies, parents before children.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Every link of the description, merged or not.
    #[must_use]
    pub fn links(&self) -> &[LinkFrame] {
        &self.links
    }

    /// Primitive shapes of the links.
    #[must_use]
    pub fn shapes(&self) -> &[LinkShape] {
        &self.shapes
    }

    /// Meshes of the links whose files were found.
    #[must_use]
    pub fn meshes(&self) -> &[LinkMesh] {
        &self.meshes
    }

    /// Acceleration of gravity in the world \[m/s²\].
    #[must_use]
    pub fn gravity(&self) -> &Vector3<f64> {
        &self.gravity
    }

    /// The same robot in another field of gravity \[m/s²\].
    #[must_use]
    pub fn with_gravity(mut self, gravity: Vector3<f64>) -> Self {
        self.gravity = gravity;
        if let Some(coupling) = &mut self.coupling {
            coupling.set_gravity(gravity);
        }
        self
    }

    /// Number of degrees of freedom n, the length of v and p.
    #[must_use]
    pub fn dof(&self) -> usize {
        self.nv
    }

    /// Length of q: one more than n for every floating body.
    #[must_use]
    pub fn configuration_len(&self) -> usize {
        self.nq
    }

    /// Names of the entries of v, in order: `base.vx` …, then joint names.
    #[must_use]
    pub fn coordinate_names(&self) -> &[String] {
        &self.coordinate_names
    }

    /// Names of the entries of q, in order: `base.x` … `base.qw`, then joint names.
    #[must_use]
    pub fn configuration_names(&self) -> &[String] {
        &self.configuration_names
    }

    /// How joints share coordinates, if any do.
    #[inline]
    pub(crate) fn coupling(&self) -> Option<&Coupling> {
        self.coupling.as_deref()
    }

    /// Bodies whose joints have coordinates of their own.
    pub fn leading_bodies(&self) -> impl Iterator<Item = &Body> {
        self.bodies.iter().filter(|body| body.follows.is_none())
    }

    /// Bodies whose joints mimic others, in order.
    pub fn following_bodies(&self) -> impl Iterator<Item = (&Body, Follower)> {
        let followers = self.bodies.iter();
        followers.filter_map(|body| Some((body, body.follows?)))
    }

    /// Springs and dampers at joints.
    #[must_use]
    pub fn joint_springs(&self) -> &[JointSpring] {
        &self.joint_springs
    }

    /// Springs and dampers between points.
    #[must_use]
    pub fn point_springs(&self) -> &[PointSpring] {
        &self.point_springs
    }

    /// Total mass \[kg\].
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.bodies.iter().map(|b| b.inertia.mass).sum()
    }

    /// Mass of the whole tree that body i is part of \[kg\]: of a robot, or of an object beside it.
    #[must_use]
    pub fn tree_mass(&self, body: usize) -> f64 {
        let mut root = body;
        while let Some(parent) = self.bodies[root].parent {
            root = parent;
        }
        self.subtree_mass[root]
    }

    /// Mass of body i and everything it carries \[kg\].
    #[must_use]
    pub fn subtree_mass(&self, body: usize) -> f64 {
        self.subtree_mass[body]
    }

    /// Things a user should know that are not errors.
    #[must_use]
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// The body that a joint moves.
    ///
    /// # Errors
    /// [`ModelError::UnknownName`] with the nearest name; [`ModelError::Composite`] for a joint of several freedoms.
    pub fn body_of_joint(&self, joint: &str) -> Result<usize, ModelError> {
        self.bodies
            .iter()
            .position(|b| b.joint == joint)
            .ok_or_else(|| self.no_joint(joint))
    }

    fn no_joint(&self, name: &str) -> ModelError {
        match self.composites.iter().find(|c| c.name == name) {
            Some(composite) => no_coordinate(name, composite.kind, self.coordinates_of(composite)),
            None => {
                ModelError::unknown("joint", name, self.bodies.iter().map(|b| b.joint.as_str()))
            }
        }
    }

    /// A link frame by name.
    ///
    /// # Errors
    /// [`ModelError::UnknownName`] with the nearest name.
    pub fn link(&self, name: &str) -> Result<&LinkFrame, ModelError> {
        self.links.iter().find(|l| l.name == name).ok_or_else(|| {
            ModelError::unknown("link", name, self.links.iter().map(|l| l.name.as_str()))
        })
    }

    /// The configuration with every coordinate zero (unit quaternions for floating bodies).
    #[must_use]
    pub fn neutral_configuration(&self) -> Vec<f64> {
        let mut q = vec![0.0; self.nq];
        for body in &self.bodies {
            if body.kind == JointKind::Floating {
                q[body.q_index + 6] = 1.0;
            }
        }
        q
    }
}

const fn assert_shareable<T: Send + Sync>() {}
const _: () = assert_shareable::<Model>();
