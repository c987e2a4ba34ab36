//! The mass matrix by the composite-rigid-body algorithm (\[F\] ch. 6), with the reflected inertias of
//! rotors on its diagonal.

use nalgebra::DMatrix;

use super::Kinematics;
use super::kinematics::joint_motion;
use crate::model::{Body, JointKind, Model};
use crate::spatial::{Force, Inertia, Scalar, lift};

/// Inertia of each body and all that it carries, about the origin of its frame. Needs placements. O(n).
fn composite_inertias<T: Scalar>(model: &Model, kinematics: &Kinematics<T>) -> Vec<Inertia<T>> {
    let mut composite = vec![Inertia::zero(); model.bodies().len()];
    write_composite_inertias(model, kinematics, &mut composite);
    composite
}

fn write_composite_inertias<T: Scalar>(
    model: &Model,
    kinematics: &Kinematics<T>,
    composite: &mut [Inertia<T>],
) {
    let bodies = model.bodies();
    for (own, body) in composite.iter_mut().zip(bodies) {
        *own = body.inertia.lift();
    }
    for i in (0..bodies.len()).rev() {
        if let Some(p) = bodies[i].parent {
            let carried = composite[i].to_parent(&kinematics.local[i]);
            composite[p] = composite[p].merged(&carried);
        }
    }
}

/// The diagonal of M(q), n. Needs placements. O(n).
#[must_use]
pub fn mass_diagonal(model: &Model, kinematics: &Kinematics<f64>) -> Vec<f64> {
    if model.coupling().is_some() {
        let m = mass_matrix(model, kinematics);
        return m.diagonal().iter().copied().collect();
    }
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
    let Some(coupling) = model.coupling() else {
        let mut mass = MassMatrix::new(model);
        mass.update(model, kinematics);
        return mass.matrix;
    };
    let n = model.dof();
    let tree = mass_matrix(coupling.tree(), kinematics);
    let mut m = DMatrix::zeros(n, n);
    coupling.gather_matrix(n, tree.as_slice(), m.as_mut_slice());
    m
}

/// M(q) of a tree without shared coordinates, in memory that is reused.
#[derive(Debug, Clone)]
pub(super) struct MassMatrix<T: Scalar> {
    matrix: DMatrix<T>,
    composite: Vec<Inertia<T>>,
    unit: Vec<T>,
}

impl<T: Scalar> MassMatrix<T> {
    /// Memory for one model.
    pub(super) fn new(model: &Model) -> Self {
        let n = model.dof();
        Self {
            matrix: DMatrix::zeros(n, n),
            composite: vec![Inertia::zero(); model.bodies().len()],
            unit: vec![T::zero(); n],
        }
    }

    /// M at the configuration of `kinematics`.
    pub(super) fn update(&mut self, model: &Model, kinematics: &Kinematics<T>) -> &DMatrix<T> {
        let bodies = model.bodies();
        let (m, composite, unit) = (&mut self.matrix, &mut self.composite, &mut self.unit);
        write_composite_inertias(model, kinematics, composite);
        // Entries of branches that do not support each other stay zero.
        for (i, body) in bodies.iter().enumerate() {
            for column in body.v_index..body.v_index + body.kind.velocity_width() {
                unit[column] = T::one();
                let mut h = composite[i].momentum(&joint_motion(body, unit));
                unit[column] = T::zero();
                write_column(m, body, column, &h);
                let mut at = i;
                while let Some(p) = bodies[at].parent {
                    h = kinematics.local[at].force_to_parent(&h);
                    write_column(m, &bodies[p], column, &h);
                    at = p;
                }
            }
            if body.kind != JointKind::Floating {
                m[(body.v_index, body.v_index)] += lift(body.armature);
            }
        }
        m
    }
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
