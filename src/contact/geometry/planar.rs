use nalgebra::Vector3;

use crate::dynamics::Kinematics;
use crate::model::{JointKind, Model};
use crate::spatial::{Scalar, lift3};

/// How far axes may be from parallel or perpendicular: round-off of a chain of rotations.
const PARALLEL: f64 = 1e-9;

/// Unit normal of the plane that all motion of a model is parallel to, if there is one: no floating
/// body, every revolute axis along the normal and every prismatic axis across it. Its largest
/// component is positive. Where only prismatic joints leave a choice, the y axis is preferred.
#[must_use]
pub fn planar_normal(model: &Model) -> Option<Vector3<f64>> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, &model.neutral_configuration());
    let axes = |kind: JointKind| {
        let joints = model.bodies().iter().zip(&kinematics.world);
        joints
            .filter(move |(b, _)| b.kind == kind)
            .map(|(_, x)| x.rotation.column(2).into_owned())
    };
    if axes(JointKind::Floating).next().is_some() {
        return None;
    }
    let normal = match axes(JointKind::Revolute).next() {
        Some(axis) => axis,
        None => perpendicular_to_all(axes(JointKind::Prismatic)),
    };
    let parallel = axes(JointKind::Revolute).all(|a| a.cross(&normal).norm() < PARALLEL);
    let across = axes(JointKind::Prismatic).all(|a| a.dot(&normal).abs() < PARALLEL);
    (parallel && across).then(|| normal * normal[normal.iamax()].signum())
}

/// A unit vector across the first two independent directions.
fn perpendicular_to_all(directions: impl Iterator<Item = Vector3<f64>>) -> Vector3<f64> {
    let mut first: Option<Vector3<f64>> = None;
    for d in directions {
        match first {
            None => first = Some(d),
            Some(f) if f.cross(&d).norm() > PARALLEL => return f.cross(&d).normalize(),
            Some(_) => {}
        }
    }
    let Some(f) = first else {
        return Vector3::y();
    };
    // Closest to y among the perpendicular directions.
    let y = Vector3::y() - f * f.y;
    if y.norm() > 0.5 {
        y.normalize()
    } else {
        (Vector3::z() - f * f.z).normalize()
    }
}

/// Two unit tangents that complete a unit normal. In a planar model the first lies in the plane of
/// motion (plane normal × n: +x on level ground and y across); otherwise both depend on n alone,
/// smoothly except for downward normals, and are x and y for n = z.
pub(crate) fn tangents<T: Scalar>(
    normal: &Vector3<T>,
    planar: Option<&Vector3<f64>>,
) -> [Vector3<T>; 2] {
    if let Some(across) = planar {
        let t = lift3::<T>(across).cross(normal);
        let square = t.norm_squared();
        // A wall parallel to the plane of motion has no tangent in it: any will do.
        if super::gap::value(square) > PARALLEL * PARALLEL {
            let t = t / square.sqrt();
            return [t, normal.cross(&t)];
        }
    }
    let n = normal;
    // The smallest rotation that takes z (or −z) to n, applied to x and y.
    let up = if super::gap::value(n.z) > -0.9 {
        T::one()
    } else {
        -T::one()
    };
    let a = up / (up + n.z);
    let first = Vector3::new(T::one() - n.x * n.x * a, -n.x * n.y * a, -n.x * up);
    [first, n.cross(&first)]
}
