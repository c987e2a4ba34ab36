//! The mass matrix by the composite-rigid-body algorithm (\[F\] ch. 6), with the reflected inertias of
//! rotors on its diagonal.

use nalgebra::DMatrix;

use super::Kinematics;
use super::kinematics::joint_motion;
use crate::model::{Body, JointKind, Model};
use crate::spatial::{Force, Inertia, Scalar, lift};

/// Inertia of each body and all that it carries, about the origin of its frame. Needs placements. O(n).
fn composite_inertias<T: Scalar>(model: &Model, kinematics: &Kinematics<T>) -> Vec<Inertia<T>> {
    let bodies = model.bodies();
    let mut composite: Vec<Inertia<T>> = bodies.iter().map(|b| b.inertia.lift()).collect();
    for i in (0..bodies.len()).rev() {
        if let Some(p) = bodies[i].parent {
            let carried = composite[i].to_parent(&kinematics.local[i]);
            composite[p] = composite[p].merged(&carried);
        }
    }
    composite
}

/// The diagonal of M(q), n. Needs placements. O(n).
#[must_use]
pub fn mass_diagonal(model: &Model, kinematics: &Kinematics<f64>) -> Vec<f64> {
    let composite = composite_inertias(model, kinematics);
    let mut diagonal = vec![0.0; model.dof()];
    for (body, inertia) in model.bodies().iter().zip(&composite) {
        let at = body.v_index;
        match body.kind {
            JointKind::Revolute => diagonal[at] = inertia.rotational[(2, 2)] + body.armature,
            JointKind::Prismatic => diagonal[at] = inertia.mass + body.armature,
            JointKind::Floating => {
                for k in 0..3 {
                    diagonal[at + k] = inertia.mass;
                    diagonal[at + 3 + k] = inertia.rotational[(k, k)];
                }
            }
        }
    }
    diagonal
}

/// M(q), n × n. Needs placements. O(n d) with d the depth of the tree.
#[must_use]
pub fn mass_matrix<T: Scalar>(model: &Model, kinematics: &Kinematics<T>) -> DMatrix<T> {
    let bodies = model.bodies();
    let n = model.dof();
    let composite = composite_inertias(model, kinematics);
    let mut m = DMatrix::zeros(n, n);
    let mut unit = vec![T::zero(); n];
    for (i, body) in bodies.iter().enumerate() {
        for column in body.v_index..body.v_index + body.kind.velocity_width() {
            unit[column] = T::one();
            let mut h = composite[i].momentum(&joint_motion(body, &unit));
            unit[column] = T::zero();
            write_column(&mut m, body, column, &h);
            let mut at = i;
            while let Some(p) = bodies[at].parent {
                h = kinematics.local[at].force_to_parent(&h);
                write_column(&mut m, &bodies[p], column, &h);
                at = p;
            }
        }
        if body.kind != JointKind::Floating {
            m[(body.v_index, body.v_index)] += lift(body.armature);
        }
    }
    m
}

/// S_iᵀ H for the rows of one body, mirrored.
fn write_column<T: Scalar>(m: &mut DMatrix<T>, body: &Body, column: usize, h: &Force<T>) {
    let at = body.v_index;
    let mut set = |row: usize, value: T| {
        m[(row, column)] = value;
        m[(column, row)] = value;
    };
    match body.kind {
        JointKind::Revolute => set(at, h.angular.z),
        JointKind::Prismatic => set(at, h.linear.z),
        JointKind::Floating => {
            for k in 0..6 {
                set(at + k, h.component(k));
            }
        }
    }
}
