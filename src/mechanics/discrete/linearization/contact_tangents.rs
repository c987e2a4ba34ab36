//! The changes of a state that held contacts and sticking joints allow.

use nalgebra::DMatrix;

use super::HeldStep;
use super::constrained::ContactVariation;
use crate::discrete::held::rubbing_joints;
use crate::dynamics::Kinematics;
use crate::friction::HeldMode;

/// Singular values of the rows below this share of the largest are rounding: the contact is redundant.
const RANK_TOLERANCE: f64 = 1e-9;
/// Of columns whose lengths differ by less, the first is taken.
const SAME_LENGTH: f64 = 1e-6;

/// Tangent space of the contact manifold at one end of a step, at the velocity there.
pub(crate) struct ContactTangents {
    /// N, n × r, orthonormal: C N = 0.
    pub basis: DMatrix<f64>,
    /// −C⁺ ∂(C v)/∂q, n × n.
    pub velocity_slope: DMatrix<f64>,
}

impl ContactTangents {
    /// At the placements and twists of `kinematics`. The basis is as near as it can be to `near`, where its columns are as
    /// many.
    pub fn new(
        step: &HeldStep<'_>,
        kinematics: &Kinematics<f64>,
        near: Option<&DMatrix<f64>>,
    ) -> Self {
        let n = step.model.dof();
        let (rows, rates) = rows(step, kinematics);
        if rows.nrows() == 0 {
            return Self {
                basis: DMatrix::identity(n, n),
                velocity_slope: DMatrix::zeros(n, n),
            };
        }
        let svd = rows.svd(true, true);
        let largest = svd.singular_values.max();
        let mut projector = DMatrix::identity(n, n);
        let mut velocity_slope = DMatrix::zeros(n, n);
        let mut free = n;
        if let (Some(left), Some(right)) = (&svd.u, &svd.v_t) {
            for (k, value) in svd.singular_values.iter().enumerate() {
                if *value > RANK_TOLERANCE * largest {
                    let direction = right.row(k).transpose();
                    let rate = left.column(k).transpose() * &rates;
                    projector -= &direction * direction.transpose();
                    velocity_slope -= (direction / *value) * rate;
                    free -= 1;
                }
            }
        }
        let basis = match near.filter(|near| near.ncols() == free) {
            Some(near) => orthonormal(projector * near),
            None => pivoted(projector, free),
        };
        Self {
            basis,
            velocity_slope,
        }
    }
}

/// C and ∂(C v)/∂q.
fn rows(step: &HeldStep<'_>, kinematics: &Kinematics<f64>) -> (DMatrix<f64>, DMatrix<f64>) {
    let (model, contacts) = (step.model, step.contacts);
    let n = model.dof();
    let mut variation = ContactVariation::new(model);
    variation.place(model, kinematics, step.held.len());
    let (mut rows, mut rates) = (Vec::new(), Vec::new());
    for (slot, held) in step.held.iter().enumerate() {
        let modes = [0, 1].map(|end| step.mode(held, end));
        if modes.contains(&HeldMode::Open) {
            continue;
        }
        let directions = if modes == [HeldMode::Stick; 2] {
            1 + step.tangents(held)
        } else {
            1
        };
        let frame = variation.frame(contacts, held);
        variation.add_rows(model, &frame, slot, directions);
        variation.add_rates(model, &frame, slot, directions);
        for k in 0..directions {
            rows.extend_from_slice(variation.row(slot, k));
            rates.extend_from_slice(variation.rate(slot, k));
        }
    }
    for ((_, at, _), joint) in rubbing_joints(model).zip(step.joints) {
        if joint.modes == [HeldMode::Stick; 2] {
            rows.extend((0..n).map(|i| f64::from(u8::from(i == at))));
            rates.extend((0..n).map(|_| 0.0));
        }
    }
    let count = rows.len() / n.max(1);
    let matrix = |entries: &[f64]| DMatrix::from_row_slice(count, n, entries);
    (matrix(&rows), matrix(&rates))
}

/// An orthonormal basis of the columns of a projector of rank `count`, from its longest columns.
fn pivoted(mut projector: DMatrix<f64>, count: usize) -> DMatrix<f64> {
    let mut basis = DMatrix::zeros(projector.nrows(), count);
    for k in 0..count {
        let mut longest = (0, 0.0);
        for (j, column) in projector.column_iter().enumerate() {
            if column.norm() > (1.0 + SAME_LENGTH) * longest.1 {
                longest = (j, column.norm());
            }
        }
        basis.set_column(k, &projector.column(longest.0));
        let chosen = orthonormal(basis.columns(0, k + 1).into_owned());
        let direction = chosen.column(k).into_owned();
        let shares = direction.transpose() * &projector;
        projector -= &direction * shares;
        basis.set_column(k, &direction);
    }
    basis
}

/// Makes independent columns orthonormal, one after another; twice is enough.
fn orthonormal(mut columns: DMatrix<f64>) -> DMatrix<f64> {
    for k in 0..columns.ncols() {
        let mut own = columns.column(k).into_owned();
        for _ in 0..2 {
            for j in 0..k {
                let other = columns.column(j);
                let share = other.dot(&own);
                own.axpy(-share, &other, 1.0);
            }
            own.normalize_mut();
        }
        columns.set_column(k, &own);
    }
    columns
}
