//! Smooth forces other than gravity: joint damping and springs. Dry joint friction is no function of
//! the velocity: a step treats it with the contacts.

use nalgebra::Vector3;

use super::Kinematics;
use crate::model::{Model, PointSpring};
use crate::spatial::{Scalar, lift, lift3};

/// Adds the passive forces at (q, v) to `out` (n): joint damping and springs, point
/// springs. Needs placements and twists when the model has point springs. Returns the power of the
/// dissipative part \[W\], ≤ 0.
pub fn add_passive_forces<T: Scalar>(
    model: &Model,
    kinematics: &Kinematics<T>,
    q: &[T],
    v: &[T],
    out: &mut [T],
) -> T {
    let mut power = T::zero();
    for body in model.bodies() {
        if body.damping == 0.0 {
            continue;
        }
        let rate = v[body.v_index];
        let f = -(rate * lift(body.damping));
        out[body.v_index] += f;
        power += f * rate;
    }
    for spring in model.joint_springs() {
        let body = &model.bodies()[spring.body];
        let rate = v[body.v_index];
        let damping = -(rate * lift(spring.damping));
        out[body.v_index] +=
            (lift::<T>(spring.rest) - q[body.q_index]) * lift(spring.stiffness) + damping;
        power += damping * rate;
    }
    power + add_point_spring_forces(model, kinematics, out)
}

/// Adds the forces of springs between points to `out` (n) and returns the power of their dampers
/// \[W\], ≤ 0. Needs placements and twists.
pub(crate) fn add_point_spring_forces<T: Scalar>(
    model: &Model,
    kinematics: &Kinematics<T>,
    out: &mut [T],
) -> T {
    let mut power = T::zero();
    for spring in model.point_springs() {
        let (a, b, direction, length) = spring_line(kinematics, spring);
        let rate = (kinematics.point_velocity(spring.bodies[1], &b)
            - kinematics.point_velocity(spring.bodies[0], &a))
        .dot(&direction);
        let damping = -(rate * lift(spring.damping));
        let tension = (length - lift(spring.rest_length)) * lift(spring.stiffness) - damping;
        let mut pull = direction * tension;
        if length == T::zero() && spring.rest_length == 0.0 {
            // No pull at length zero, but its derivative is that of k d.
            pull = (b - a) * lift::<T>(spring.stiffness);
        }
        kinematics.add_point_force(model, spring.bodies[0], &a, &pull, out);
        kinematics.add_point_force(model, spring.bodies[1], &b, &-pull, out);
        power += damping * rate;
    }
    power
}

/// Writes the coefficients of the dampers of joints to `out` (n) \[N s/m or N m s/rad\].
pub(crate) fn joint_dampers(model: &Model, out: &mut [f64]) {
    out.fill(0.0);
    for body in model.bodies().iter().filter(|body| body.damping > 0.0) {
        out[body.v_index] += body.damping;
    }
    for spring in model.joint_springs() {
        out[model.bodies()[spring.body].v_index] += spring.damping;
    }
}

/// Writes what dampers and springs of joints add to the diagonal of the matrix of an implicit
/// midpoint step of `h`, (h/2) c + (h²/4) k, to `out` (n). Without it in the quasi-Newton matrix
/// light links with dampers need dozens of iterations.
pub(crate) fn passive_load(model: &Model, h: f64, out: &mut [f64]) {
    out.fill(0.0);
    for body in model.bodies().iter().filter(|body| body.damping > 0.0) {
        out[body.v_index] += 0.5 * h * body.damping;
    }
    for spring in model.joint_springs() {
        let at = model.bodies()[spring.body].v_index;
        out[at] += 0.5 * h * spring.damping + 0.25 * h * h * spring.stiffness;
    }
}

/// Rows that [`point_spring_load`] writes for each spring: along it and across it.
pub const POINT_SPRING_ROWS: usize = 3;

/// What springs between points add to the matrix of an implicit midpoint step of `h`: Σ w u uᵀ, all
/// w ≥ 0, with three rows u a spring. Writes them one after the other to `rows` (3 n for each spring) and
/// the weights to `weights` (3 for each).
///
/// The first u is the gradient of the spring's length, with w = (h/2) c + (h²/4) k. The other two
/// move the second end across the spring against the first, with w = (h²/4) T/ℓ of the elastic
/// tension T over the length ℓ: a taut string turns back. A spring of rest length zero has T/ℓ = k, as stiff
/// across as along, and that is how closed loops are held. Left out are the compressed spring's
/// tendency to turn away (w would be negative) and the curvature of u. Needs placements.
pub fn point_spring_load(
    model: &Model,
    kinematics: &Kinematics<f64>,
    h: f64,
    rows: &mut [f64],
    weights: &mut [f64],
) {
    let n = model.dof();
    rows.fill(0.0);
    let blocks = rows.chunks_exact_mut(POINT_SPRING_ROWS * n);
    let (weights, _) = weights.as_chunks_mut::<POINT_SPRING_ROWS>();
    for ((spring, block), weights) in model.point_springs().iter().zip(blocks).zip(weights) {
        let (a, b, direction, length) = spring_line(kinematics, spring);
        let k = spring.stiffness;
        // A spring of length zero has no direction to be damped along, and pulls back only if that is
        // its rest length.
        let (along, stiffness, turning, damping) = if length > 0.0 {
            let turning = k * (1.0 - spring.rest_length / length);
            (direction, k, turning, spring.damping)
        } else {
            let k = if spring.rest_length == 0.0 { k } else { 0.0 };
            (Vector3::x(), k, k, 0.0)
        };
        let square = 0.25 * h * h;
        // Stages with a negative step are solved with the bare mass matrix.
        let along_weight = (0.5 * h * damping + square * stiffness).max(0.0);
        let across_weight = (square * turning).max(0.0);
        *weights = [along_weight, across_weight, across_weight];
        let across = along.cross(&Vector3::ith(along.iamin(), 1.0)).normalize();
        let axes = [along, across, along.cross(&across)];
        for (row, axis) in block.chunks_exact_mut(n.max(1)).zip(&axes) {
            kinematics.add_point_force(model, spring.bodies[1], &b, axis, row);
            kinematics.add_point_force(model, spring.bodies[0], &a, &-axis, row);
        }
    }
}

/// Energy stored in all springs \[J\].
#[must_use]
pub fn spring_energy<T: Scalar>(model: &Model, kinematics: &Kinematics<T>, q: &[T]) -> T {
    let half: T = lift(0.5);
    let joints = model.joint_springs().iter().fold(T::zero(), |sum, spring| {
        let stretch = q[model.bodies()[spring.body].q_index] - lift(spring.rest);
        sum + half * stretch * stretch * lift(spring.stiffness)
    });
    model.point_springs().iter().fold(joints, |sum, spring| {
        let (_, _, _, length) = spring_line(kinematics, spring);
        let stretch = length - lift(spring.rest_length);
        sum + half * stretch * stretch * lift(spring.stiffness)
    })
}

/// End points in the world, unit direction from the first to the second, and length. The direction
/// of a spring of length zero is zero: it then exerts no force.
pub(crate) fn spring_line<T: Scalar>(
    kinematics: &Kinematics<T>,
    spring: &PointSpring,
) -> (Vector3<T>, Vector3<T>, Vector3<T>, T) {
    let a = kinematics.world_point(spring.bodies[0], &lift3(&spring.points[0]));
    let b = kinematics.world_point(spring.bodies[1], &lift3(&spring.points[1]));
    let d = b - a;
    let squared = d.norm_squared();
    if squared == T::zero() {
        return (a, b, Vector3::zeros(), T::zero());
    }
    let length = squared.sqrt();
    (a, b, d / length, length)
}
