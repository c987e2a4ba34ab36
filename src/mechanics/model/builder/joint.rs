//! Joints of a robot under construction.

use nalgebra::Vector3;

use super::composite::{CompositeKind, Part};
use super::mimic::Imitation;
use crate::model::JointLimits;
use crate::spatial::{Pose, rotation_from_rpy};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum MotionKind {
    Fixed,
    Revolute,
    Prismatic,
}

/// A joint of a robot under construction.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    pub(super) name: String,
    pub(super) motion: MotionKind,
    pub(super) parent: String,
    pub(super) child: String,
    pub(super) origin: Pose<f64>,
    pub(super) axis: Vector3<f64>,
    pub(super) limits: JointLimits,
    pub(super) damping: f64,
    pub(super) friction: f64,
    pub(super) armature: f64,
    pub(super) imitates: Option<Imitation>,
    /// Several freedoms, which are not a chain yet.
    pub(super) composite: Option<CompositeKind>,
    /// Of what it is one freedom.
    pub(super) part: Option<Part>,
}

impl Joint {
    fn new(name: &str, motion: MotionKind, parent: &str, child: &str) -> Self {
        Self {
            name: name.to_string(),
            motion,
            parent: parent.to_string(),
            child: child.to_string(),
            origin: Pose::identity(),
            axis: Vector3::x(),
            limits: JointLimits::default(),
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            imitates: None,
            composite: None,
            part: None,
        }
    }

    /// The child does not move relative to the parent.
    #[must_use]
    pub fn fixed(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, MotionKind::Fixed, parent, child)
    }

    /// The child turns about the axis.
    #[must_use]
    pub fn revolute(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, MotionKind::Revolute, parent, child)
    }

    /// The child slides along the axis.
    #[must_use]
    pub fn prismatic(name: &str, parent: &str, child: &str) -> Self {
        Self::new(name, MotionKind::Prismatic, parent, child)
    }

    /// Placement of the joint in the parent link: translation \[m\], roll-pitch-yaw \[rad\].
    #[must_use]
    pub fn origin(mut self, xyz: [f64; 3], rpy: [f64; 3]) -> Self {
        self.origin = Pose::new(rotation_from_rpy(&rpy), Vector3::from(xyz));
        self
    }

    /// Axis in the joint frame; any length but zero.
    #[must_use]
    pub fn axis(mut self, axis: [f64; 3]) -> Self {
        self.axis = Vector3::from(axis);
        self
    }

    /// Limits.
    #[must_use]
    pub fn limits(mut self, limits: JointLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Viscous damping \[N m s/rad or N s/m\] and dry friction \[N m or N\].
    #[must_use]
    pub fn dynamics(self, damping: f64, friction: f64) -> Self {
        self.damping(damping).friction(friction)
    }

    /// Viscous damping \[N m s/rad or N s/m\].
    #[must_use]
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Dry friction \[N m or N\].
    #[must_use]
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = friction;
        self
    }

    /// The joint follows another one: q = `ratio` q_leader + `offset` (rad or m). Both are moved by one coordinate, that of
    /// the leader, unless [`ModelBuilder::mimic`](super::ModelBuilder::mimic) says otherwise.
    #[must_use]
    pub fn mimics(mut self, leader: &str, ratio: f64, offset: f64) -> Self {
        self.imitates = Some(Imitation {
            leader: leader.to_string(),
            ratio,
            offset,
        });
        self
    }

    /// Reflected inertia a ≥ 0 of the rotor that drives the joint through a gear \[kg m² or kg\]: the
    /// rotor's own inertia times the square of the gear ratio. It adds ½ a q̇² to the kinetic energy and
    /// nothing else: the rotor's mass belongs to a link, and the small gyroscopic effect of its axle being
    /// carried along is left out (\[F\] §9.6).
    #[must_use]
    pub fn armature(mut self, inertia: f64) -> Self {
        self.armature = inertia;
        self
    }
}
