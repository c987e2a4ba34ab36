//! The mass matrix by the composite-rigid-body algorithm (\[F\] ch. 6), with the reflected inertias of
//! rotors on its diagonal, and its factor along branches.

mod branch_factor;
mod branch_rows;
mod unrolled;

use nalgebra::{DMatrix, Vector3};

pub(super) use self::branch_factor::BranchFactor;
use self::branch_rows::BASE;
pub(super) use self::branch_rows::BranchRows;
use super::Kinematics;
use crate::model::{Body, JointKind, Model};
use crate::spatial::{Force, Inertia, Scalar, lift};

/// The diagonal of M(q), n. Needs placements. O(n d) with d the depth of the tree.
#[must_use]
pub fn mass_diagonal(model: &Model, kinematics: &Kinematics<f64>) -> Vec<f64> {
    let m = mass_matrix(model, kinematics);
    m.diagonal().iter().copied().collect()
}

/// M(q), n × n. Needs placements. O(n d) with d the depth of the tree.
#[must_use]
pub fn mass_matrix<T: Scalar>(model: &Model, kinematics: &Kinematics<T>) -> DMatrix<T> {
    let mut mass = MassMatrix::new(model);
    mass.update(model, kinematics);
    mass.shared.unwrap_or(mass.tree)
}

/// M(q) with all its entries, in memory that is reused.
#[derive(Debug, Clone)]
pub(super) struct MassMatrix<T: Scalar> {
    rows: BranchRows,
    entries: Vec<T>,
    composite: CompositeBodies<T>,
    /// With a coordinate for every joint. Entries of branches that do not support each other stay zero.
    tree: DMatrix<T>,
    /// M, where joints share coordinates.
    shared: Option<DMatrix<T>>,
}

impl<T: Scalar> MassMatrix<T> {
    /// Memory for one model.
    pub(super) fn new(model: &Model) -> Self {
        let coupling = model.coupling();
        let tree = coupling.map_or(model, |coupling| coupling.tree());
        let rows = BranchRows::of(tree);
        Self {
            entries: vec![T::zero(); rows.len()],
            composite: CompositeBodies::new(tree),
            tree: DMatrix::zeros(tree.dof(), tree.dof()),
            shared: coupling.map(|_| DMatrix::zeros(model.dof(), model.dof())),
            rows,
        }
    }

    /// M at the configuration of `kinematics`.
    pub(super) fn update(&mut self, model: &Model, kinematics: &Kinematics<T>) -> &DMatrix<T> {
        let coupling = model.coupling();
        let tree = coupling.map_or(model, |coupling| coupling.tree());
        let (rows, entries) = (&self.rows, &mut self.entries);
        self.composite.write_rows(tree, kinematics, rows, entries);
        for k in 0..rows.coordinates() {
            for (column, entry) in rows.columns(k).zip(&entries[rows.range(k)]) {
                self.tree[(k, column)] = *entry;
                self.tree[(column, k)] = *entry;
            }
        }
        let (Some(coupling), Some(shared)) = (coupling, &mut self.shared) else {
            return &self.tree;
        };
        coupling.gather_matrix(model.dof(), self.tree.as_slice(), shared.as_mut_slice());
        shared
    }
}

/// Inertia of each body and all that it carries, about the origin of its frame, with the axes of the world: then
/// nothing is turned on the way to the root.
#[derive(Debug, Clone)]
pub(super) struct CompositeBodies<T: Scalar> {
    composite: Vec<Inertia<T>>,
}

impl<T: Scalar> CompositeBodies<T> {
    /// Memory for one model.
    pub(super) fn new(model: &Model) -> Self {
        Self {
            composite: vec![Inertia::zero(); model.bodies().len()],
        }
    }

    /// Writes the rows of M at the configuration of `kinematics`, of a tree without shared coordinates.
    pub(super) fn write_rows(
        &mut self,
        model: &Model,
        kinematics: &Kinematics<T>,
        rows: &BranchRows,
        entries: &mut [T],
    ) {
        let bodies = model.bodies();
        for ((own, body), pose) in self.composite.iter_mut().zip(bodies).zip(&kinematics.world) {
            *own = body.inertia.lift().turned(&pose.rotation);
        }
        for (i, body) in bodies.iter().enumerate().rev() {
            let composite = self.composite[i];
            let pose = &kinematics.world[i];
            if let Some(p) = body.parent {
                let offset = pose.translation - kinematics.world[p].translation;
                self.composite[p] = self.composite[p].merged(&composite.shifted(&offset));
            }
            let axis = Vector3::from(pose.rotation.column(2));
            // Momentum for a unit of the joint's velocity, about the body's origin.
            let momentum = match body.kind {
                JointKind::Revolute => Force::new(
                    axis.cross(&composite.first_moment),
                    composite.rotational * axis,
                ),
                JointKind::Prismatic => {
                    Force::new(axis * composite.mass, composite.first_moment.cross(&axis))
                }
                JointKind::Floating => {
                    let inertia = composite.turned(&pose.rotation.transpose());
                    write_floating(&inertia, &mut entries[rows.range(body.v_index).start..]);
                    continue;
                }
            };
            let own = &mut entries[rows.range(body.v_index)];
            let [before @ .., diagonal] = own else {
                continue;
            };
            *diagonal = along(body, &axis, &momentum) + lift(body.armature);
            write_ancestors(bodies, kinematics, i, momentum, before);
        }
    }
}

/// S · H of a joint with one coordinate.
fn along<T: Scalar>(body: &Body, axis: &Vector3<T>, momentum: &Force<T>) -> T {
    match body.kind {
        JointKind::Prismatic => axis.dot(&momentum.linear),
        _ => axis.dot(&momentum.angular),
    }
}

/// Writes the entries of a joint's row before its own, S_j · H for all joints j below it.
fn write_ancestors<T: Scalar>(
    bodies: &[Body],
    kinematics: &Kinematics<T>,
    of: usize,
    mut momentum: Force<T>,
    row: &mut [T],
) {
    let mut at = of;
    let mut free = row.len();
    while let Some(p) = bodies[at].parent {
        let (body, pose) = (&bodies[p], &kinematics.world[p]);
        let offset = kinematics.world[at].translation - pose.translation;
        momentum.angular += offset.cross(&momentum.linear);
        free -= body.kind.velocity_width();
        if body.kind == JointKind::Floating {
            let linear = pose.rotation.tr_mul(&momentum.linear);
            let angular = pose.rotation.tr_mul(&momentum.angular);
            row[free..free + 3].copy_from_slice(linear.as_slice());
            row[free + 3..free + 6].copy_from_slice(angular.as_slice());
        } else {
            row[free] = along(body, &pose.rotation.column(2).into(), &momentum);
        }
        at = p;
    }
}

/// The rows of a floating base, which nothing carries: (m 1, −m c×; m c×, I_o), lower triangle.
fn write_floating<T: Scalar>(inertia: &Inertia<T>, rows: &mut [T]) {
    let (m, z) = (inertia.mass, T::zero());
    let [x, y, w] = inertia.first_moment.into();
    let i = &inertia.rotational;
    rows[..BASE * BASE].copy_from_slice(&[
        m,
        z,
        z,
        z,
        z,
        z, //
        z,
        m,
        z,
        z,
        z,
        z, //
        z,
        z,
        m,
        z,
        z,
        z, //
        z,
        -w,
        y,
        i[(0, 0)],
        z,
        z, //
        w,
        z,
        -x,
        i[(1, 0)],
        i[(1, 1)],
        z, //
        -y,
        x,
        z,
        i[(2, 0)],
        i[(2, 1)],
        i[(2, 2)],
    ]);
}
