//! Which limbs of a robot are legs.
//!
//! A limb is what hangs at the base by one joint. It is a leg if it has a joint about the lateral axis (y; x is forwards)
//! and its foot, the lowest point of its contact sites or else of its shapes, is about as low as that of the other limbs.

use nalgebra::Vector3;

use crate::contact::{Contacts, MeshPoints};
use crate::dynamics::Kinematics;
use crate::model::{Geometry, JointKind, Model};

/// Least share of a joint's axis that points sideways.
const LATERAL: f64 = 0.7;
/// A foot is not higher above the lowest one than this share of the height of its limb's first joint above that.
const HIGH: f64 = 0.25;

/// A leg where a robot stands.
#[derive(Debug, Clone)]
pub(super) struct Leg {
    /// The link that its limb begins with.
    pub name: String,
    /// Bodies of its joints about the lateral axis, from the base to the foot.
    pub joints: Vec<usize>,
    /// The body of the foot, and its lowest point in the body's frame \[m\].
    pub foot: (usize, Vector3<f64>),
    /// The first of these joints in the world where the leg was found \[m\].
    pub hip: Vector3<f64>,
}

impl Leg {
    /// The foot in the world \[m\].
    pub fn foot_at(&self, kinematics: &Kinematics<f64>) -> Vector3<f64> {
        kinematics.world_point(Some(self.foot.0), &self.foot.1)
    }

    /// The first of its joints in the world \[m\].
    pub fn hip_at(&self, kinematics: &Kinematics<f64>) -> Vector3<f64> {
        self.joints
            .first()
            .map_or(self.hip, |joint| kinematics.world[*joint].translation)
    }

    /// What the foot moves for each radian of a joint, in the world \[m/rad\].
    pub fn lever(&self, kinematics: &Kinematics<f64>, joint: usize) -> Vector3<f64> {
        let body = &kinematics.world[joint];
        let axis: Vector3<f64> = body.rotation.column(2).into();
        axis.cross(&(self.foot_at(kinematics) - body.translation))
    }
}

/// The legs of a robot, from front to rear, of each pair the left one first.
pub(super) fn find(model: &Model, contacts: &Contacts, kinematics: &Kinematics<f64>) -> Vec<Leg> {
    let Some(base) = model
        .trees()
        .first()
        .and_then(|tree| tree.base_bodies().last())
    else {
        return Vec::new();
    };
    let bodies = model.bodies().iter().enumerate();
    let limbs = bodies.filter(|(_, body)| body.parent == Some(base));
    let mut found: Vec<(Leg, f64)> = Vec::new();
    for (root, _) in limbs {
        let Some((at, point)) = lowest_point(model, contacts, kinematics, root) else {
            continue;
        };
        let mut joints = Vec::new();
        let mut next = Some(at);
        while let Some(b) = next.filter(|b| *b != base) {
            let own = &model.bodies()[b];
            let sideways = kinematics.world[b].rotation[(1, 2)].abs() > LATERAL;
            if own.kind == JointKind::Revolute && own.follows.is_none() && sideways {
                joints.insert(0, b);
            }
            next = own.parent;
        }
        let Some(first) = joints.first() else {
            continue;
        };
        let leg = Leg {
            name: model.moved_link(root).to_string(),
            hip: kinematics.world[*first].translation,
            foot: (at, kinematics.world[at].inverse().point(&point)),
            joints,
        };
        found.push((leg, point.z));
    }
    let ground = found.iter().fold(f64::INFINITY, |m, (_, z)| m.min(*z));
    found.retain(|(leg, z)| z - ground <= HIGH * (leg.hip.z - ground));
    let mut legs: Vec<Leg> = found.into_iter().map(|(leg, _)| leg).collect();
    let order = |a: &Leg, b: &Leg| {
        let rows = b.hip.x.total_cmp(&a.hip.x);
        // Two hips of a row differ by roundings.
        match (a.hip.x - b.hip.x).abs() < 1e-3 {
            true => b.hip.y.total_cmp(&a.hip.y),
            false => rows,
        }
    };
    legs.sort_by(order);
    legs
}

/// The contacts of the bodies that the feet are on.
pub(super) fn feet(contacts: &Contacts, legs: &[Leg]) -> Vec<usize> {
    let of_foot = |i: &usize| {
        let body = contacts.bodies(*i)[0];
        legs.iter().any(|leg| Some(leg.foot.0) == body)
    };
    (0..contacts.len()).filter(of_foot).collect()
}

/// Whether a body hangs at `root`, or is it.
fn hangs_at(model: &Model, body: usize, root: usize) -> bool {
    let mut at = Some(body);
    while let Some(b) = at {
        if b == root {
            return true;
        }
        at = model.bodies()[b].parent;
    }
    false
}

/// The lowest point of a limb and the body that it is on.
fn lowest_point(
    model: &Model,
    contacts: &Contacts,
    kinematics: &Kinematics<f64>,
    root: usize,
) -> Option<(usize, Vector3<f64>)> {
    let touching = (0..contacts.len()).filter_map(|i| {
        let body = contacts.bodies(i)[0].filter(|b| hangs_at(model, *b, root))?;
        Some((body, contacts.frame(kinematics, i).points[0]))
    });
    touching.min_by(|a, b| a.1.z.total_cmp(&b.1.z))
}

/// Points of the shapes of links that move, for a robot without collision shapes: ends of cylinders and capsules, corners
/// of boxes, lowest and other extreme points of spheres.
pub(super) fn points_of_shapes(model: &Model) -> Vec<MeshPoints> {
    let mut all: Vec<MeshPoints> = Vec::new();
    for shape in model.shapes() {
        let link = &model.links()[shape.link];
        if link.body.is_none() {
            continue;
        }
        let corners = |half: [f64; 3]| -> Vec<[f64; 3]> {
            let sign = |k: usize, axis: usize| {
                if k >> axis & 1 == 0 {
                    -half[axis]
                } else {
                    half[axis]
                }
            };
            (0..8)
                .map(|k| [0, 1, 2].map(|axis| sign(k, axis)))
                .collect()
        };
        let own = match shape.geometry {
            Geometry::Sphere(r) => corners([r; 3].map(|r: f64| r / 3.0_f64.sqrt())),
            Geometry::Box(edges) => corners(edges.map(|x| 0.5 * x)),
            Geometry::Cylinder(_, length) | Geometry::Capsule(_, length) => {
                vec![[0.0, 0.0, -0.5 * length], [0.0, 0.0, 0.5 * length]]
            }
            _ => Vec::new(),
        };
        let placed = own.into_iter().map(|x| {
            let at = shape.pose.point(&Vector3::from(x));
            [at.x, at.y, at.z].map(|x| (1e6 * x).round() / 1e6)
        });
        match all.iter_mut().find(|mesh| mesh.link == link.name) {
            Some(mesh) => mesh.points.extend(placed),
            None => all.push(MeshPoints {
                name: link.name.clone(),
                link: link.name.clone(),
                points: placed.collect(),
            }),
        }
    }
    all
}
