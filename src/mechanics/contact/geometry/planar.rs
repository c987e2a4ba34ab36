use nalgebra::Vector3;

use super::outline::Outline;
use crate::dynamics::Kinematics;
use crate::model::{JointKind, Model};
use crate::spatial::{Scalar, lift3};

/// How far axes may be from parallel or perpendicular: round-off of a chain of rotations.
const PARALLEL: f64 = 1e-9;
/// The same of circles, whose lowest points are single ones all the same: quarter turns are written as 1.57 in files.
const UPRIGHT: f64 = 1e-3;

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

/// The same where contacts of sites on these bodies, with these outlines in their frames, stay in such a plane as well: that of every
/// circle is parallel to it. The rim of a can that stands on its end leaves it, and touches in more than one place.
pub(crate) fn planar_with(
    model: &Model,
    sites: &[(Option<usize>, &Outline)],
) -> Option<Vector3<f64>> {
    let normal = planar_normal(model)?;
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, &model.neutral_configuration());
    let is_along = |(body, outline): &(Option<usize>, &Outline)| match outline {
        Outline::Ball { .. } => true,
        Outline::Circle { axes, .. } => (axes.iter())
            .all(|axis| kinematics.world_direction(*body, axis).dot(&normal).abs() < UPRIGHT),
    };
    sites.iter().all(is_along).then_some(normal)
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

/// A direction along whose opposite shapes seldom touch, and one across it.
const BASE: Vector3<f64> = Vector3::new(6.0 / 7.0, 3.0 / 7.0, 2.0 / 7.0);
const ACROSS: Vector3<f64> = Vector3::new(2.0 / 7.0, -6.0 / 7.0, 3.0 / 7.0);

/// Two unit tangents that complete a unit normal in space, which depend on n alone, smoothly except for one direction:
/// the smallest rotation from the opposite of that, b, to n, applied to what is across it. On that it is the reflection
/// e ↦ e − 2 (e·w) w/(w·w), w = b + n, which keeps lengths however n is rounded.
pub(crate) fn smooth_tangents<T: Scalar>(normal: &Vector3<T>) -> [Vector3<T>; 2] {
    let (base, across) = (lift3::<T>(&BASE), lift3::<T>(&ACROSS));
    let between = base + normal;
    let share = across.dot(&between) / between.norm_squared();
    let first = across - between * (share + share);
    [first, normal.cross(&first)]
}

/// Two unit tangents that complete a unit normal across an axis: that axis, and across both.
pub(crate) fn tangents_along<T: Scalar>(normal: &Vector3<T>, axis: &Vector3<T>) -> [Vector3<T>; 2] {
    let off = normal.dot(axis);
    if super::gap::value(off).abs() > PARALLEL {
        return smooth_tangents(normal);
    }
    let along = axis - normal * off;
    [along, normal.cross(&along)]
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;
    use nalgebra::Matrix3;

    use super::*;

    fn is_frame(normal: &Vector3<f64>, [first, second]: &[Vector3<f64>; 2]) {
        let frame = Matrix3::from_columns(&[*normal, *first, *second]);
        assert_relative_eq!(
            frame.transpose() * frame,
            Matrix3::identity(),
            epsilon = 1e-13
        );
        assert!(frame.determinant() > 0.0);
    }

    /// Around the vertical, over it and under it, a normal that goes on by a thousandth of a radian takes its tangents along by no more
    /// than 1 + tan(β/2) times that, β ≤ 2.3 its angle from the base: less than four.
    #[test]
    fn smooth_tangents_are_smooth_beside_the_vertical() {
        for (height, way) in [
            (1.0, 0.0),
            (-1.0, 0.0),
            (-1.0, 0.3),
            (-1.0, 0.49),
            (1.0, 0.5),
        ] {
            let at =
                |turn: f64| Vector3::new(way * turn.cos(), way * turn.sin(), height).normalize();
            let mut last = smooth_tangents(&at(0.0));
            for k in 1..=6284 {
                let normal = at(1e-3 * f64::from(k));
                let tangents = smooth_tangents(&normal);
                is_frame(&normal, &tangents);
                assert!((tangents[0] - last[0]).norm() < 4e-3 * way.max(1e-9));
                last = tangents;
            }
        }
        let axis = Vector3::new(0.6, 0.8, 0.0);
        let normal = Vector3::new(-0.8, 0.6, 0.0);
        assert_eq!(tangents_along(&normal, &axis)[0], axis);
        is_frame(&normal, &tangents_along(&normal, &axis));
        is_frame(&normal, &tangents_along(&normal, &normal));
    }
}
