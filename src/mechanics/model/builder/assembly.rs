//! Placement of links on bodies: merging of fixed joints, order of bodies, names of coordinates.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, Vector3};

use super::{CompositeJoint, Joint, ModelBuilder, MotionKind};
use crate::model::{
    Base, Body, Coupling, Follower, JointActing, JointKind, JointLimits, LinkFrame, LinkMesh,
    LinkShape, Model, Tree,
};
use crate::spatial::{Inertia, Pose};

/// A rotation that takes the z axis to `axis` (unit).
pub(super) fn align_z(axis: &Vector3<f64>) -> Matrix3<f64> {
    // Axes along a coordinate direction get an exact permutation, free of rounding.
    let helper = if axis.x.abs() > 0.9 {
        Vector3::y()
    } else {
        Vector3::x()
    };
    let y = axis.cross(&helper).normalize();
    let x = y.cross(axis);
    Matrix3::from_columns(&[x, y, *axis])
}

/// The model while links are being placed.
pub(super) struct Assembly<'a> {
    source: &'a ModelBuilder,
    /// Where each link landed: body and placement in its internal frame.
    placed: Vec<Option<(Option<usize>, Pose<f64>)>>,
    bodies: Vec<Body>,
    composites: Vec<CompositeJoint>,
    nq: usize,
    nv: usize,
    warnings: Vec<String>,
}

impl<'a> Assembly<'a> {
    pub(super) fn new(source: &'a ModelBuilder) -> Self {
        Self {
            source,
            placed: vec![None; source.links.len()],
            bodies: Vec::new(),
            composites: Vec::new(),
            nq: 0,
            nv: 0,
            warnings: Vec::new(),
        }
    }

    fn add_body(
        &mut self,
        name: &str,
        joint: &str,
        parent: Option<usize>,
        kind: JointKind,
        placement: Pose<f64>,
    ) -> usize {
        self.bodies.push(Body {
            name: name.to_string(),
            joint: joint.to_string(),
            parent,
            kind,
            placement,
            inertia: Inertia::zero(),
            q_index: 0,
            v_index: 0,
            limits: JointLimits::default(),
            damping: 0.0,
            friction: 0.0,
            armature: 0.0,
            latches: false,
            own: JointActing::default(),
            follows: None,
        });
        self.bodies.len() - 1
    }

    /// Numbers the coordinates in the order of the bodies; a joint that mimics another has that one's, and gives what
    /// acts at it to that one.
    fn number(&mut self) {
        for body in &mut self.bodies {
            if body.follows.is_none() {
                (body.q_index, body.v_index) = (self.nq, self.nv);
                self.nq += body.kind.configuration_width();
                self.nv += body.kind.velocity_width();
            }
        }
        for i in 0..self.bodies.len() {
            let Some(follower) = self.bodies[i].follows else {
                continue;
            };
            let moved = std::mem::take(&mut self.bodies[i].limits);
            let body = &mut self.bodies[i];
            let acting = [&mut body.damping, &mut body.friction, &mut body.armature];
            let [damping, friction, armature] = acting.map(std::mem::take);
            let ratio = follower.ratio;
            let name = body.joint.clone();
            let leader = &mut self.bodies[follower.leader];
            leader.damping += ratio * ratio * damping;
            leader.friction += ratio.abs() * friction;
            leader.armature += ratio * ratio * armature;
            if let Some(contradiction) = limit_leader(&mut leader.limits, &moved, &follower) {
                self.warnings.push(format!(
                    "joint \"{name}\" mimics \"{}\", but {contradiction}; its own limits are left out",
                    leader.joint
                ));
            }
            let (q_index, v_index) = (leader.q_index, leader.v_index);
            let body = &mut self.bodies[i];
            (body.q_index, body.v_index) = (q_index, v_index);
        }
    }

    /// Says whose coordinates move the joints that mimic others.
    fn couple(&mut self) {
        let body_of: BTreeMap<String, usize> = self
            .bodies
            .iter()
            .enumerate()
            .map(|(i, body)| (body.joint.clone(), i))
            .collect();
        for joint in &self.source.joints {
            let (Some(imitation), Some(&own)) = (&joint.imitates, body_of.get(&joint.name)) else {
                continue;
            };
            self.bodies[own].follows = body_of.get(&imitation.leader).map(|&leader| Follower {
                leader,
                ratio: imitation.ratio,
                offset: imitation.offset,
            });
        }
    }

    /// Fixes a link in a body (or the world) and adds its inertia there.
    fn place_link(&mut self, link: usize, body: Option<usize>, pose: Pose<f64>) {
        self.placed[link] = Some((body, pose));
        let l = &self.source.links[link];
        if let Some(b) = body {
            let inertia = Inertia::from_central(l.mass, l.center, l.central).to_parent(&pose);
            self.bodies[b].inertia = self.bodies[b].inertia.merged(&inertia);
        }
    }

    pub(super) fn place_root(&mut self, root: usize) {
        let name = &self.source.links[root].name;
        match self.source.base {
            Base::Fixed => self.place_link(root, None, Pose::identity()),
            Base::Floating => {
                let body = self.add_body(name, "base", None, JointKind::Floating, Pose::identity());
                self.place_link(root, Some(body), Pose::identity());
            }
            Base::Planar => {
                let along_x = align_z(&Vector3::x());
                let along_z = along_x.transpose() * align_z(&Vector3::z());
                let about_y = align_z(&Vector3::z()).transpose() * align_z(&Vector3::y());
                let turn = |rotation| Pose::new(rotation, Vector3::zeros());
                let x = self.add_body(
                    "base.x",
                    "base.x",
                    None,
                    JointKind::Prismatic,
                    turn(along_x),
                );
                let z = self.add_body(
                    "base.z",
                    "base.z",
                    Some(x),
                    JointKind::Prismatic,
                    turn(along_z),
                );
                let pitch = self.add_body(
                    name,
                    "base.pitch",
                    Some(z),
                    JointKind::Revolute,
                    turn(about_y),
                );
                let link_pose = turn(align_z(&Vector3::y()).transpose());
                self.place_link(root, Some(pitch), link_pose);
            }
        }
    }

    /// Places all links below `root`, depth first, siblings in the order of their joints.
    pub(super) fn place_children(&mut self, root: usize) {
        let source = self.source;
        let mut children_of: BTreeMap<&str, Vec<&Joint>> = BTreeMap::new();
        for joint in &source.joints {
            children_of.entry(&joint.parent).or_default().push(joint);
        }
        let index_of: BTreeMap<&str, usize> = source
            .links
            .iter()
            .enumerate()
            .map(|(i, link)| (link.name.as_str(), i))
            .collect();
        let joints_of = |link: usize| {
            let name = source.links[link].name.as_str();
            children_of.get(name).into_iter().flatten().rev().copied()
        };
        let mut waiting: Vec<&Joint> = joints_of(root).collect();
        while let Some(joint) = waiting.pop() {
            let index = |name: &str| index_of.get(name).copied();
            let (Some(parent), Some(child)) = (index(&joint.parent), index(&joint.child)) else {
                continue;
            };
            let Some((body, link_pose)) = self.placed[parent] else {
                continue;
            };
            self.place_joint(joint, child, body, &link_pose.compose(&joint.origin));
            waiting.extend(joints_of(child));
        }
    }

    fn place_joint(
        &mut self,
        joint: &Joint,
        child: usize,
        body: Option<usize>,
        joint_pose: &Pose<f64>,
    ) {
        let kind = match joint.motion {
            MotionKind::Fixed => return self.place_link(child, body, *joint_pose),
            MotionKind::Revolute => JointKind::Revolute,
            MotionKind::Prismatic => JointKind::Prismatic,
        };
        let align = align_z(&joint.axis.normalize());
        let placement = joint_pose.compose(&Pose::new(align, Vector3::zeros()));
        let moved = self.add_body(&joint.child, &joint.name, body, kind, placement);
        self.add_part(joint, moved);
        self.bodies[moved].limits = joint.limits;
        let own = JointActing {
            damping: joint.damping,
            friction: joint.friction,
            armature: joint.armature,
        };
        let body = &mut self.bodies[moved];
        (body.damping, body.friction, body.armature) = (own.damping, own.friction, own.armature);
        body.own = own;
        let link_pose = Pose::new(align.transpose(), Vector3::zeros());
        self.place_link(child, Some(moved), link_pose);
    }

    /// Notes that a body is moved by one freedom of a joint. They come one after the other.
    fn add_part(&mut self, joint: &Joint, body: usize) {
        let Some(part) = &joint.part else {
            return;
        };
        match self.composites.last_mut() {
            Some(composite) if composite.name == part.whole => composite.bodies.end = body + 1,
            _ => self.composites.push(CompositeJoint {
                name: part.whole.clone(),
                kind: part.kind,
                bodies: body..body + 1,
            }),
        }
    }

    pub(super) fn finish(mut self) -> Model {
        self.couple();
        self.number();
        let source = self.source;
        let mut links = Vec::new();
        let (mut shapes, mut meshes) = (Vec::new(), Vec::new());
        let all = source.links.iter().zip(&self.placed);
        for (link, placed) in all.filter(|(link, _)| !link.between) {
            let (body, pose) = placed.unwrap_or((None, Pose::identity()));
            shapes.extend(link.shapes.iter().map(|shape| LinkShape {
                link: links.len(),
                ..shape.clone()
            }));
            meshes.extend(link.meshes.iter().map(|mesh| LinkMesh {
                link: links.len(),
                ..mesh.clone()
            }));
            links.push(LinkFrame {
                name: link.name.clone(),
                body,
                pose,
            });
        }
        let mut subtree_mass: Vec<f64> = self.bodies.iter().map(|b| b.inertia.mass).collect();
        for i in (0..self.bodies.len()).rev() {
            if let Some(p) = self.bodies[i].parent {
                subtree_mass[p] += subtree_mass[i];
            }
        }
        let mut warnings = source.warnings.clone();
        warnings.append(&mut self.warnings);
        let massless: Vec<String> = source
            .links
            .iter()
            .filter(|link| !link.between)
            .zip(&links)
            .filter(|(link, frame)| !link.has_inertia && frame.body.is_some())
            .map(|(link, _)| format!("\"{}\"", link.name))
            .collect();
        if !massless.is_empty() {
            warnings.push(format!(
                "links without inertia count as massless: {}",
                massless.join(", ")
            ));
        }
        let (coordinate_names, configuration_names) = name_coordinates(&self.bodies, source.base);
        let mut model = Model {
            name: source.name.clone(),
            base: source.base,
            bodies: self.bodies,
            composites: self.composites,
            links,
            shapes,
            meshes,
            gravity: source.gravity,
            coordinate_names,
            configuration_names,
            joint_springs: Vec::new(),
            point_springs: Vec::new(),
            subtree_mass,
            coupling: None,
            nq: self.nq,
            nv: self.nv,
            warnings,
            trees: Vec::new(),
        };
        model.trees = vec![Tree::of(&model)];
        model.coupling = Coupling::of(&model);
        model
    }
}

/// Narrows the limits of a leader to where its follower is within its own; says what is wrong where there is no such place.
fn limit_leader(
    leader: &mut JointLimits,
    follower: &JointLimits,
    map: &Follower,
) -> Option<String> {
    if let Some(speed) = follower.velocity.map(|v| v / map.ratio.abs()) {
        leader.velocity = Some(leader.velocity.map_or(speed, |own| own.min(speed)));
    }
    let (low, high) = follower.position?;
    let ends = [low, high].map(|end| (end - map.offset) / map.ratio);
    let (low, high) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let (own_low, own_high) = leader
        .position
        .unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let (low, high) = (low.max(own_low), high.min(own_high));
    if low < high {
        leader.position = Some((low, high));
        return None;
    }
    Some("no position of that one has it within its limits".to_string())
}

fn name_coordinates(bodies: &[Body], base: Base) -> (Vec<String>, Vec<String>) {
    let mut velocity = Vec::new();
    let mut configuration = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        if body.follows.is_some() {
            continue;
        }
        if body.kind == JointKind::Floating {
            velocity.extend(["vx", "vy", "vz", "wx", "wy", "wz"].map(|c| format!("base.{c}")));
            configuration
                .extend(["x", "y", "z", "qx", "qy", "qz", "qw"].map(|c| format!("base.{c}")));
        } else if base == Base::Planar && i < 3 {
            velocity.push(["base.vx", "base.vz", "base.wpitch"][i].to_string());
            configuration.push(body.joint.clone());
        } else {
            velocity.push(body.joint.clone());
            configuration.push(body.joint.clone());
        }
    }
    (velocity, configuration)
}
