//! What the parser has read, in the terms of a model.

use nalgebra::{Matrix3, Vector3};
use urdf_rs::JointType;

use super::material::Materials;
use super::primitive;
use super::xml_tree::Element;
use crate::model::{Geometry, Joint, JointLimits, Link};
use crate::spatial::{Pose, rotation_from_rpy};

fn pose(origin: &urdf_rs::Pose) -> Pose<f64> {
    Pose::new(rotation_from_rpy(&origin.rpy), Vector3::from(origin.xyz.0))
}

/// A link with its inertia and shapes; meshes are left to [`super::mesh`].
pub(super) fn convert_link(urdf: &urdf_rs::Link, element: &Element, materials: &Materials) -> Link {
    let mut link = Link::new(&urdf.name);
    if element.child("inertial").is_some() {
        let i = &urdf.inertial.inertia;
        let central = Matrix3::new(
            i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz,
        );
        let placed = pose(&urdf.inertial.origin);
        let turned = placed.rotation * central * placed.rotation.transpose();
        // Exactly symmetric: the two products round differently.
        let turned = (turned + turned.transpose()) * 0.5;
        link = link.inertial(urdf.inertial.mass.value, placed.translation, turned);
    }
    // Those that are no primitives were cut out of what the parser saw.
    let mut colors = (element.children.iter())
        .filter(|child| child.name == "visual" && primitive(child).is_some())
        .map(|visual| materials.color(visual));
    let visuals = urdf.visual.iter().map(|v| (&v.origin, &v.geometry, false));
    let collisions = urdf
        .collision
        .iter()
        .map(|c| (&c.origin, &c.geometry, true));
    for (origin, geometry, collision) in visuals.chain(collisions) {
        let geometry = match geometry {
            urdf_rs::Geometry::Box { size } => Geometry::Box(size.0),
            urdf_rs::Geometry::Cylinder { radius, length } => Geometry::Cylinder(*radius, *length),
            urdf_rs::Geometry::Capsule { radius, length } => Geometry::Capsule(*radius, *length),
            urdf_rs::Geometry::Sphere { radius } => Geometry::Sphere(*radius),
            urdf_rs::Geometry::Mesh { .. } => continue,
        };
        let color = if collision {
            None
        } else {
            colors.next().flatten()
        };
        link = link
            .shape(pose(origin), geometry, collision)
            .shape_color(color);
    }
    link
}

/// A joint of its own kind.
pub(super) fn convert_joint(
    urdf: &urdf_rs::Joint,
    element: &Element,
    warnings: &mut Vec<String>,
) -> Joint {
    let (name, parent, child) = (&urdf.name, &urdf.parent.link, &urdf.child.link);
    let place = format!("joint \"{name}\"");
    let joint = match urdf.joint_type {
        JointType::Fixed => Joint::fixed(name, parent, child),
        JointType::Revolute | JointType::Continuous => Joint::revolute(name, parent, child),
        JointType::Prismatic => Joint::prismatic(name, parent, child),
        JointType::Floating => Joint::floating(name, parent, child),
        JointType::Planar => Joint::planar(name, parent, child),
        JointType::Spherical => Joint::spherical(name, parent, child),
    };
    let mut joint = joint.origin(urdf.origin.xyz.0, urdf.origin.rpy.0);
    if urdf.joint_type == JointType::Fixed {
        // Some exporters write a zero axis here; it means nothing.
        return joint;
    }
    joint = joint.axis(urdf.axis.xyz.0);
    if let Some(mimic) = &urdf.mimic {
        let (ratio, offset) = (mimic.multiplier.unwrap_or(1.0), mimic.offset.unwrap_or(0.0));
        joint = joint.mimics(&mimic.joint, ratio, offset);
    }
    if let Some(dynamics) = &urdf.dynamics {
        joint = joint.dynamics(dynamics.damping, dynamics.friction);
    }
    let stated = |value: f64| (value.is_finite() && value != 0.0).then_some(value);
    let limit = &urdf.limit;
    let mut limits = JointLimits {
        position: None,
        effort: stated(limit.effort),
        velocity: stated(limit.velocity),
    };
    if urdf.joint_type != JointType::Continuous {
        let ranged = limit.lower != 0.0 || limit.upper != 0.0;
        let single = matches!(urdf.joint_type, JointType::Revolute | JointType::Prismatic);
        if !ranged && single {
            let why = if element.child("limit").is_none() {
                "it has no <limit>"
            } else {
                "its <limit> gives no range"
            };
            warnings.push(format!("{place} moves without bounds: {why}"));
        } else if ranged && (limit.lower.is_finite() || limit.upper.is_finite()) {
            limits.position = Some((limit.lower, limit.upper));
        }
    }
    joint.limits(limits)
}
