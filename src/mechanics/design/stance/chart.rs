//! Independent coordinates of a configuration: one number a degree of freedom.
//!
//! A quaternion has four entries for three freedoms, so a floating base is described by its position
//! and roll, pitch and yaw (fixed axes, as in a URDF); every other joint by its entry of q.

use crate::model::{JointKind, Model};
use crate::spatial::{Scalar, lift};

/// Names of the coordinates, n: `base.x` …, then joint names.
#[must_use]
pub fn coordinate_names(model: &Model) -> Vec<String> {
    let mut names = vec![String::new(); model.dof()];
    for body in model.bodies() {
        if body.kind == JointKind::Floating {
            for (k, part) in ["x", "y", "z", "roll", "pitch", "yaw"].iter().enumerate() {
                names[body.v_index + k] = format!("base.{part}");
            }
        } else {
            names[body.v_index] = model.configuration_names()[body.q_index].clone();
        }
    }
    names
}

/// The configuration q with the given coordinates (n).
#[must_use]
pub fn configuration<T: Scalar>(model: &Model, coordinates: &[T]) -> Vec<T> {
    let mut q = vec![T::zero(); model.configuration_len()];
    for body in model.bodies() {
        let (iq, iv) = (body.q_index, body.v_index);
        if body.kind == JointKind::Floating {
            q[iq..iq + 3].copy_from_slice(&coordinates[iv..iv + 3]);
            let half = |k: usize| (coordinates[iv + 3 + k] * lift(0.5)).sin_cos();
            let ((sr, cr), (sp, cp), (sy, cy)) = (half(0), half(1), half(2));
            q[iq + 3] = sr * cp * cy - cr * sp * sy;
            q[iq + 4] = cr * sp * cy + sr * cp * sy;
            q[iq + 5] = cr * cp * sy - sr * sp * cy;
            q[iq + 6] = cr * cp * cy + sr * sp * sy;
        } else {
            q[iq] = coordinates[iv];
        }
    }
    q
}

/// The coordinates (n) of a configuration; at a pitch of ±π/2 the yaw is 0.
#[must_use]
pub fn coordinates(model: &Model, q: &[f64]) -> Vec<f64> {
    let mut coordinates = vec![0.0; model.dof()];
    for body in model.bodies() {
        let (iq, iv) = (body.q_index, body.v_index);
        if body.kind == JointKind::Floating {
            coordinates[iv..iv + 3].copy_from_slice(&q[iq..iq + 3]);
            let rotation = model.floating_pose(model_index(model, iv), q).rotation;
            let rpy = roll_pitch_yaw(&rotation);
            coordinates[iv + 3..iv + 6].copy_from_slice(&rpy);
        } else {
            coordinates[iv] = q[iq];
        }
    }
    coordinates
}

fn model_index(model: &Model, v_index: usize) -> usize {
    let found = model.bodies().iter().position(|b| b.v_index == v_index);
    found.unwrap_or(0)
}

fn roll_pitch_yaw(r: &nalgebra::Matrix3<f64>) -> [f64; 3] {
    let across = r[(0, 0)].hypot(r[(1, 0)]);
    let pitch = (-r[(2, 0)]).atan2(across);
    if across < 1e-12 {
        return [(-r[(1, 2)]).atan2(r[(1, 1)]), pitch, 0.0];
    }
    [
        r[(2, 1)].atan2(r[(2, 2)]),
        pitch,
        r[(1, 0)].atan2(r[(0, 0)]),
    ]
}
