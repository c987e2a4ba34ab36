//! Joints of several freedoms as chains of joints with one, and bodies without mass between them.
//!
//! | joint | coordinates, from parent to child | meaning |
//! |---|---|---|
//! | planar | `_x`, `_y`, `_turn` | slides along two axes in the plane, then turns about its normal |
//! | spherical | `_rx`, `_ry`, `_rz` | R = R_x(rx) R_y(ry) R_z(rz) in the axes of the joint |
//! | floating | `_x`, `_y`, `_z`, `_rx`, `_ry`, `_rz` | slides along the axes of the joint, then turns as a spherical one |
//!
//! The axes of a planar joint's slides are e_x and e_y with e_x × e_y the normal; e_x is what lies in the plane of the
//! joint's x axis, and of its y axis where the normal is nearly along x.
//!
//! Angles of three turns are singular where the middle one is ±π/2: the first and the third axis are then one. With an
//! isotropic body the mass matrix of the turns has the eigenvalues I (1 ± sin ry) and I. The middle turn stops at ±1.5 rad,
//! where the condition number is 8·10² and angles are at most 14 times faster than the body; the model's warnings say so,
//! as the stop is no part of the robot. Elsewhere the chain is the joint exactly. Damping, friction, rotors, springs and
//! servos act on the angles: away from zero the axes of the first and the third are not at right angles.

use std::collections::BTreeMap;
use std::ops::Range;

use nalgebra::Vector3;

use super::assembly::align_z;
use super::{Joint, Link, MotionKind};
use crate::model::{Model, ModelError};
use crate::spatial::Pose;

/// Where the middle of three turns stops \[rad\].
const MIDDLE_STOP: f64 = 1.5;
/// The middle of three turns.
const MIDDLE: &str = "_ry";

/// What a joint of several freedoms does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompositeKind {
    /// Slides in a plane and turns about its normal.
    Planar,
    /// Turns about a point.
    Spherical,
    /// Moves freely.
    Floating,
}

impl CompositeKind {
    /// As a URDF calls it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Planar => "planar",
            Self::Spherical => "spherical",
            Self::Floating => "floating",
        }
    }

    /// Its coordinates from parent to child: what their names end with, how they move, and along or about which axis.
    fn freedoms(self, axis: &Vector3<f64>) -> Vec<(&'static str, MotionKind, Vector3<f64>)> {
        let [x, y, z] = [Vector3::x(), Vector3::y(), Vector3::z()];
        let slides = [("_x", x), ("_y", y), ("_z", z)];
        let turns = [("_rx", x), (MIDDLE, y), ("_rz", z)];
        let slides = slides.map(|(name, axis)| (name, MotionKind::Prismatic, axis));
        let turns = turns.map(|(name, axis)| (name, MotionKind::Revolute, axis));
        match self {
            Self::Spherical => turns.to_vec(),
            Self::Floating => [slides, turns].concat(),
            Self::Planar => {
                // An axis without direction is refused with the joint's name when the model is built.
                let frame = match axis.norm() < 1e-12 {
                    true => nalgebra::Matrix3::zeros(),
                    false => align_z(&axis.normalize()),
                };
                let along = |k: usize| frame.column(k).into();
                vec![
                    ("_x", MotionKind::Prismatic, along(0)),
                    ("_y", MotionKind::Prismatic, along(1)),
                    ("_turn", MotionKind::Revolute, along(2)),
                ]
            }
        }
    }
}

/// That a joint under construction is one freedom of another.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Part {
    /// Name of the joint in the description.
    pub(super) whole: String,
    pub(super) kind: CompositeKind,
}

/// A joint of several freedoms in a model.
#[derive(Debug, Clone, PartialEq)]
pub struct CompositeJoint {
    /// Name of the joint in the description.
    pub name: String,
    /// What it does.
    pub kind: CompositeKind,
    /// The bodies in [`Model::bodies`] that its coordinates move, one each: the last is the link that it moves, those before
    /// have no mass and carry no link of the description.
    pub bodies: Range<usize>,
}

impl Joint {
    /// The child turns about the origin of the joint: coordinates `<name>_rx`, `_ry` and `_rz`, R = R_x R_y R_z in the axes of
    /// the joint. The middle one stops at ±1.5 rad where limits of joints are contacts: zero should be in the middle of where
    /// the child moves to.
    ///
    /// [`ModelBuilder::joint`](crate::model::ModelBuilder::joint) makes one joint for each coordinate, which have the limits of
    /// effort and speed, the damping, friction and armature of this one; they can be adjusted by their names.
    #[must_use]
    pub fn spherical(name: &str, parent: &str, child: &str) -> Self {
        Self::composite(CompositeKind::Spherical, name, parent, child)
    }

    /// The child slides in the plane through the origin of the joint with the axis as its normal, and turns about that:
    /// coordinates `<name>_x`, `_y` (along e_x and e_y = axis × e_x; e_x is what of the joint's x axis lies in the plane, of
    /// its y axis where the normal is nearly along x) and `_turn`. As [`Joint::spherical`] otherwise, without a stop.
    #[must_use]
    pub fn planar(name: &str, parent: &str, child: &str) -> Self {
        Self::composite(CompositeKind::Planar, name, parent, child)
    }

    /// The child moves freely relative to the parent: coordinates `<name>_x`, `_y`, `_z` along the axes of the joint, then
    /// `_rx`, `_ry`, `_rz` as of [`Joint::spherical`]. A robot whose root moves freely has a
    /// [`Base::Floating`](crate::model::Base::Floating) instead, which has no singular attitude.
    #[must_use]
    pub fn floating(name: &str, parent: &str, child: &str) -> Self {
        Self::composite(CompositeKind::Floating, name, parent, child)
    }

    fn composite(kind: CompositeKind, name: &str, parent: &str, child: &str) -> Self {
        Self {
            composite: Some(kind),
            ..Self::revolute(name, parent, child)
        }
    }

    /// Name of the joint in the description: of one freedom of a composite joint that one's.
    pub(super) fn described_name(&self) -> &str {
        self.part.as_ref().map_or(&self.name, |part| &part.whole)
    }
}

/// A joint of several freedoms as joints of one, the links between them, and a remark if something of it means nothing.
pub(super) struct Chain {
    pub(super) joints: Vec<Joint>,
    pub(super) links: Vec<Link>,
    pub(super) remark: Option<String>,
}

pub(super) fn chain(joint: &Joint, kind: CompositeKind) -> Chain {
    let freedoms = kind.freedoms(&joint.axis);
    let last = freedoms.len() - 1;
    let mut parent = joint.parent.clone();
    let mut chain = Chain {
        joints: Vec::new(),
        links: Vec::new(),
        remark: joint.limits.position.map(|_| {
            let (name, word) = (&joint.name, kind.word());
            format!(
                "joint \"{name}\": its position limits are left out, a {word} joint of a URDF has none"
            )
        }),
    };
    for (i, (suffix, motion, axis)) in freedoms.into_iter().enumerate() {
        let name = format!("{}{suffix}", joint.name);
        let child = match i == last {
            true => joint.child.clone(),
            false => name.clone(),
        };
        if i < last {
            chain.links.push(Link::between(&name));
        }
        let mut part = Joint {
            parent: std::mem::replace(&mut parent, child.clone()),
            name,
            motion,
            child,
            axis,
            composite: None,
            part: Some(Part {
                whole: joint.name.clone(),
                kind,
            }),
            ..joint.clone()
        };
        if i > 0 {
            part.origin = Pose::identity();
        }
        part.limits.position = (suffix == MIDDLE).then_some((-MIDDLE_STOP, MIDDLE_STOP));
        chain.joints.push(part);
    }
    chain
}

/// Whether the names of coordinates are free, and joints of several freedoms were all made into chains.
pub(super) fn check_composites(joints: &[Joint], links: &[Link]) -> Result<(), ModelError> {
    if let Some((joint, kind)) = joints.iter().find_map(|j| Some((j, j.composite?))) {
        return Err(ModelError::Unsupported {
            place: format!("joint \"{}\"", joint.name),
            what: format!("a {} joint in place of another", kind.word()),
            remedy: "add it to the builder by `joint`".to_string(),
        });
    }
    if joints.iter().all(|joint| joint.part.is_none()) {
        return Ok(());
    }
    let mut holders: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
    for joint in joints {
        holders.entry(&joint.name).or_default().push("joint");
    }
    for link in links.iter().filter(|link| !link.between) {
        holders.entry(&link.name).or_default().push("link");
    }
    let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
    for part in joints.iter().filter_map(|joint| joint.part.as_ref()) {
        let count = parts.entry(&part.whole).or_default();
        *count += 1;
        let is_joint = (holders.get(part.whole.as_str())).is_some_and(|h| h.contains(&"joint"));
        if is_joint || *count > part.kind.freedoms(&Vector3::x()).len() {
            return Err(ModelError::DuplicateName {
                kind: "joint",
                name: part.whole.clone(),
            });
        }
    }
    for (joint, part) in joints.iter().filter_map(|j| Some((j, j.part.as_ref()?))) {
        // The first holder of the name is a joint: this one, or another.
        let Some(other) = holders.get(joint.name.as_str()).and_then(|h| h.get(1)) else {
            continue;
        };
        return Err(ModelError::BadElement {
            place: format!("joint \"{}\"", part.whole),
            reason: format!(
                "it is {}, so a coordinate of it is called \"{}\", and so is a {other} of the robot; rename one of them",
                part.kind.word(),
                joint.name
            ),
        });
    }
    Ok(())
}

/// That one joint of several freedoms is named where a coordinate is wanted.
pub(in crate::model) fn no_coordinate<'a>(
    name: &str,
    kind: CompositeKind,
    coordinates: impl Iterator<Item = &'a str>,
) -> ModelError {
    ModelError::Composite {
        joint: name.to_string(),
        kind: kind.word(),
        coordinates: coordinates.map(str::to_string).collect(),
    }
}

impl Model {
    /// Joints of several freedoms, in the order of their bodies.
    #[must_use]
    pub fn composite_joints(&self) -> &[CompositeJoint] {
        &self.composites
    }

    /// The joint of several freedoms that a body belongs to.
    #[must_use]
    pub fn composite_of(&self, body: usize) -> Option<&CompositeJoint> {
        let before = |composite: &CompositeJoint| composite.bodies.end <= body;
        let next = self
            .composites
            .get(self.composites.partition_point(before))?;
        next.bodies.contains(&body).then_some(next)
    }

    /// Name of the link that the joint of a body moves: of a joint of several freedoms the one at its end.
    #[must_use]
    pub fn moved_link(&self, body: usize) -> &str {
        let last = self.composite_of(body).map_or(body, |c| c.bodies.end - 1);
        &self.bodies[last].name
    }

    /// The body that carries the parent link of the joint of a body, `None` for the world: not one inside of a joint of
    /// several freedoms.
    #[must_use]
    pub fn holder(&self, body: usize) -> Option<usize> {
        let first = self.composite_of(body).map_or(body, |c| c.bodies.start);
        self.bodies[first].parent
    }

    /// Names of the coordinates of a joint of several freedoms.
    pub fn coordinates_of<'a>(
        &'a self,
        composite: &CompositeJoint,
    ) -> impl Iterator<Item = &'a str> {
        let bodies = self.bodies[composite.bodies.clone()].iter();
        bodies.map(|body| body.joint.as_str())
    }

    /// What a user should know of joints whose turns are singular somewhere: where they stop, and how to keep clear of it.
    #[must_use]
    pub fn singular_turns(&self) -> Vec<String> {
        type Stop = Option<(f64, f64)>;
        let mut stops: Vec<(Stop, Vec<String>)> = Vec::new();
        let turning = self
            .composites
            .iter()
            .filter(|c| c.kind != CompositeKind::Planar);
        let middles = turning.clone().filter_map(|c| c.bodies.end.checked_sub(2));
        for middle in middles.filter_map(|at| self.bodies.get(at)) {
            let (stop, name) = (middle.limits.position, format!("\"{}\"", middle.joint));
            match stops.iter_mut().find(|(known, _)| *known == stop) {
                Some((_, names)) => names.push(name),
                None => stops.push((stop, vec![name])),
            }
        }
        let remedy = match turning.clone().any(|c| c.kind == CompositeKind::Floating) {
            true => {
                "; if a floating joint moves the whole robot, take it out and choose the floating base, which is singular nowhere"
            }
            false => "",
        };
        let notices = stops.into_iter().map(|(stop, names)| {
            let what = match stop {
                Some((low, high)) => format!(
                    "the middle one of three turns stops at {low} and {high} rad, where the robot has no stop, because at \
                     ±π/2 the angles are singular"
                ),
                None => "nothing stops the middle one of three turns (joint limits are off), and at ±π/2, where the angles \
                         are singular, a run fails"
                    .to_string(),
            };
            format!(
                "{what}: {}; turn the origin (rpy) of such a joint so that zero is in the middle of where it moves to{remedy}",
                names.join(", ")
            )
        });
        notices.collect()
    }
}
