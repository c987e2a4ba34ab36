//! Bodies: what each joint moves, how, and within which limits.

use crate::model::Follower;
use crate::spatial::{Inertia, Pose};

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

    /// `revolute`, `prismatic` or `floating`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Revolute => "revolute",
            Self::Prismatic => "prismatic",
            Self::Floating => "floating",
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
    /// Reflected inertia a of the joint's rotor \[kg m² or kg\]; see [`Joint::armature`](crate::model::Joint::armature).
    pub armature: f64,
    /// Whether something may hold the joint where it is; see [`Model::with_latch`](super::Model::with_latch).
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
