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

use std::path::PathBuf;

use nalgebra::Vector3;

use super::composite::no_coordinate;
use super::{CompositeJoint, Coupling, Follower, ModelError, Tree};
use crate::spatial::{
    Inertia, Motion, Pose, Scalar, lift, quaternion_exp, quaternion_product, quaternion_to_matrix,
};

/// What moves a body relative to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointKind {
    /// Rotation about the z axis of the internal frame \[rad\].
    Revolute,
    /// Translation along the z axis of the internal frame \[m\].
    Prismatic,
    /// Rigid motion relative to the world: position and unit quaternion (x, y, z, w) in q, body
    /// twist (linear, angular) in v.
    Floating,
}

impl JointKind {
    /// Entries of q.
    #[must_use]
    pub fn configuration_width(self) -> usize {
        match self {
            Self::Floating => 7,
            _ => 1,
        }
    }

    /// Entries of v.
    #[must_use]
    pub fn velocity_width(self) -> usize {
        match self {
            Self::Floating => 6,
            _ => 1,
        }
    }
}

/// Limits of a joint as the robot description states them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointLimits {
    /// Lowest and highest position \[rad or m\], if bounded.
    pub position: Option<(f64, f64)>,
    /// Largest effort \[N m or N\], if stated.
    pub effort: Option<f64>,
    /// Largest speed \[rad/s or m/s\], if stated.
    pub velocity: Option<f64>,
}

/// A link frame of the robot description, fixed in a body.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkFrame {
    /// Name of the link.
    pub name: String,
    /// Index of the body that carries it; `None` when it is fixed in the world.
    pub body: Option<usize>,
    /// Placement in the body's internal frame.
    pub pose: Pose<f64>,
}

/// A primitive shape of a link, for contact sites and pictures.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkShape {
    /// Index into [`Model::links`].
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

/// A mesh of a link: where its file is. Nothing reads it before it is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkMesh {
    /// Index into [`Model::links`].
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

/// What acts along the coordinate of a joint.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JointActing {
    /// Viscous damping \[N m s/rad or N s/m\].
    pub damping: f64,
    /// Dry friction \[N m or N\].
    pub friction: f64,
    /// Reflected inertia of the rotor \[kg m² or kg\].
    pub armature: f64,
}

/// One moving body: all links that no joint separates.
#[derive(Debug, Clone, PartialEq)]
pub struct Body {
    /// Name of the link that the joint moves; that of the joint between two freedoms of one joint.
    pub name: String,
    /// Name of the joint.
    pub joint: String,
    /// Parent body, `None` for the world.
    pub parent: Option<usize>,
    /// What the joint does.
    pub kind: JointKind,
    /// Joint frame in the parent's internal frame at q = 0.
    pub placement: Pose<f64>,
    /// Inertia of all merged links about the internal frame's origin.
    pub inertia: Inertia<f64>,
    /// First entry in q.
    pub q_index: usize,
    /// First entry in v.
    pub v_index: usize,
    /// Limits.
    pub limits: JointLimits,
    /// Viscous damping of the joint \[N m s/rad or N s/m\].
    pub damping: f64,
    /// Dry friction of the joint \[N m or N\].
    pub friction: f64,
    /// Reflected inertia a of the joint's rotor \[kg m² or kg\]; see [`Joint::armature`](super::Joint::armature).
    pub armature: f64,
    /// Whether something may hold the joint where it is; see [`Model::with_latch`].
    pub latches: bool,
    /// What the joint has itself of damping, friction and rotor inertia; a leader also carries that of its followers.
    pub own: JointActing,
    /// Whose coordinate moves the joint, if it mimics another: `q_index` and `v_index` are then those of the leader, which
    /// carries what the joint has of limits, damping, friction and rotor inertia.
    pub follows: Option<Follower>,
}

/// How the root of the robot is held.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Base {
    /// The root link is fixed in the world.
    Fixed,
    /// The root link moves in the x-z plane: coordinates x, z and pitch (about +y).
    Planar,
    /// The root link moves freely.
    Floating,
}

/// Spring and damper of one joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointSpring {
    /// Body whose joint it acts on.
    pub body: usize,
    /// Position without force \[rad or m\].
    pub rest: f64,
    /// \[N m/rad or N/m\].
    pub stiffness: f64,
    /// \[N m s/rad or N s/m\].
    pub damping: f64,
}

/// Spring and damper between two points of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointSpring {
    /// The two bodies; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// The points in the bodies' internal frames (or in the world) \[m\].
    pub points: [Vector3<f64>; 2],
    /// Length without force \[m\].
    pub rest_length: f64,
    /// \[N/m\].
    pub stiffness: f64,
    /// \[N s/m\].
    pub damping: f64,
}

/// A robot as a tree of rigid bodies. Immutable, shared between threads; every computation keeps
/// its intermediates in a workspace of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    pub(super) name: String,
    pub(super) base: Base,
    pub(super) bodies: Vec<Body>,
    pub(super) composites: Vec<CompositeJoint>,
    pub(super) links: Vec<LinkFrame>,
    pub(super) shapes: Vec<LinkShape>,
    pub(super) meshes: Vec<LinkMesh>,
    pub(super) gravity: Vector3<f64>,
    pub(super) coordinate_names: Vec<String>,
    pub(super) configuration_names: Vec<String>,
    pub(super) joint_springs: Vec<JointSpring>,
    pub(super) point_springs: Vec<PointSpring>,
    pub(super) subtree_mass: Vec<f64>,
    pub(super) coupling: Option<Box<Coupling>>,
    pub(super) nq: usize,
    pub(super) nv: usize,
    pub(super) warnings: Vec<String>,
    pub(super) trees: Vec<Tree>,
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

    /// Configuration reached from `q` (length of q) by the velocity `v` (n) in time `h`: writes `out`
    /// (length of q). Of a floating body with `v` = (u, w), the position moves by h R̄ u and the rotation R
    /// to R exp(h w), where R̄ = R exp(h w/2) lies half way: u is the velocity of the frame's origin in
    /// the axes of the middle.
    pub fn integrate<T: Scalar>(&self, q: &[T], v: &[T], h: T, out: &mut [T]) {
        self.displace(q, v, h, out, false);
    }

    /// The middle of what [`Model::integrate`] does in the time `h`: the average of the positions and
    /// coordinates at both ends, and the rotation half way between.
    pub fn integrate_half<T: Scalar>(&self, q: &[T], v: &[T], h: T, out: &mut [T]) {
        self.displace(q, v, h, out, true);
    }

    #[inline]
    fn displace<T: Scalar>(&self, q: &[T], v: &[T], h: T, out: &mut [T], half: bool) {
        let covered = if half { h * lift(0.5) } else { h };
        for body in &self.bodies {
            let (iq, iv) = (body.q_index, body.v_index);
            if body.kind == JointKind::Floating {
                let twist = Motion::from_slice(&v[iv..iv + 6]);
                let half_turn = twist.angular * (h * lift(0.5));
                let moved = twist.linear * covered;
                let out = &mut out[iq..iq + 7];
                displace_pose(&q[iq..iq + 7], &moved, &half_turn, half, out);
            } else {
                out[iq] = q[iq] + v[iv] * covered;
            }
        }
    }

    /// Pose of a floating body read from `q`.
    #[inline]
    #[must_use]
    pub fn floating_pose<T: Scalar>(&self, body: usize, q: &[T]) -> Pose<T> {
        let at = self.bodies[body].q_index;
        pose_from_configuration(&q[at..at + 7])
    }
}

/// Pose from (x, y, z, qx, qy, qz, qw).
#[inline]
pub(crate) fn pose_from_configuration<T: Scalar>(q: &[T]) -> Pose<T> {
    Pose::new(
        quaternion_to_matrix(&[q[3], q[4], q[5], q[6]]),
        Vector3::new(q[0], q[1], q[2]),
    )
}

/// (position, quaternion) moved by `moved` in the axes that have turned by `half_turn`, and turned by that
/// once or twice. The quaternion is renormalised, so that a million steps do not let it drift off the unit
/// sphere.
fn displace_pose<T: Scalar>(
    q: &[T],
    moved: &Vector3<T>,
    half_turn: &Vector3<T>,
    half: bool,
    out: &mut [T],
) {
    let turn = quaternion_exp(half_turn);
    let middle = quaternion_product(&[q[3], q[4], q[5], q[6]], &turn);
    let moved = quaternion_to_matrix(&middle) * moved;
    for i in 0..3 {
        out[i] = q[i] + moved[i];
    }
    if half {
        out[3..7].copy_from_slice(&middle);
    } else {
        out[3..7].copy_from_slice(&quaternion_product(&middle, &turn));
    }
}

const fn assert_shareable<T: Send + Sync>() {}
const _: () = assert_shareable::<Model>();
