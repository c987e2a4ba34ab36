//! Kinetic cosines of contact normals at a configuration.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | u_i | row i of J | gap gradient Dφ_i(q), n |
//! | ⟨a, b⟩ | a M⁻¹ bᵀ | kinetic metric on covectors |
//! | c_ij | [`ContactGram::cosines`] | ⟨u_i, u_j⟩ / (‖u_i‖ ‖u_j‖), free of units |
//!
//! Generic in the number type: with dual numbers the derivatives by the configuration are exact.

use nalgebra::{DMatrix, DVector};

use crate::contact::Contacts;
use crate::dynamics::{Kinematics, mass_matrix};
use crate::impact::{Contact, ImpactError, ImpactProblem, PreImpact};
use crate::model::Model;
use crate::spatial::{Scalar, lift};

/// Gaps and pairwise kinetic cosines of some contacts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ContactGram<T: Scalar> {
    /// Gap of each contact \[m\].
    pub gaps: Vec<T>,
    /// c_ij, symmetric with unit diagonal.
    pub cosines: DMatrix<T>,
    /// u_i, one a row.
    rows: DMatrix<T>,
    /// ‖u_i‖.
    lengths: Vec<T>,
    mass: DMatrix<T>,
}

impl<T: Scalar> ContactGram<T> {
    /// How far the two orders in which contacts i and j reflect once each leave the momentum Mv apart, over ‖Mv‖,
    /// with the sign of c_ij: 4 c √(a² + b² − 2abc)/‖v‖ with the speeds a and b along the unit normals. It is ξ
    /// where both orders end after these reflections, and smooth. 0 for v = 0 and where neither contact moves.
    #[must_use]
    pub fn two_reflections(&self, (i, j): (usize, usize), v: &[T]) -> T {
        let v = DVector::from_column_slice(v);
        let speed = |i: usize| self.rows.row(i).transpose().dot(&v) / self.lengths[i];
        let (a, b, c) = (speed(i), speed(j), self.cosines[(i, j)]);
        let apart = a * a + b * b - a * b * c * lift(2.0);
        let square = v.dot(&(&self.mass * &v));
        if apart <= T::zero() || square <= T::zero() {
            return T::zero();
        }
        c * (apart / square).sqrt() * lift(4.0)
    }
}

/// Gaps and cosines of the contacts `touching` (indices) at the placements in `kinematics`; `None`
/// where the mass matrix is not positive definite or a normal vanishes.
#[must_use]
pub(crate) fn contact_gram<T: Scalar>(
    model: &Model,
    contacts: &Contacts,
    kinematics: &Kinematics<T>,
    touching: &[usize],
) -> Option<ContactGram<T>> {
    let (gaps, rows) = contact_rows(model, contacts, kinematics, touching);
    let mass = mass_matrix(model, kinematics);
    let factor = mass.clone().cholesky()?;
    // Columns W = L⁻¹Jᵀ: their Euclidean products are the kinetic ones.
    let mut columns = factor.l().solve_lower_triangular(&rows.transpose())?;
    let mut lengths = Vec::with_capacity(touching.len());
    for mut column in columns.column_iter_mut() {
        let length = column.dot(&column).sqrt();
        if length <= T::zero() {
            return None;
        }
        column /= length;
        lengths.push(length);
    }
    Some(ContactGram {
        gaps,
        cosines: columns.tr_mul(&columns),
        rows,
        lengths,
        mass,
    })
}

/// Gaps and normals (one row a contact, n columns) of some contacts.
fn contact_rows<T: Scalar>(
    model: &Model,
    contacts: &Contacts,
    kinematics: &Kinematics<T>,
    touching: &[usize],
) -> (Vec<T>, DMatrix<T>) {
    let n = model.dof();
    let mut rows = DMatrix::zeros(touching.len(), n);
    let mut row = vec![T::zero(); n];
    let mut gaps = Vec::with_capacity(touching.len());
    for (i, &contact) in touching.iter().enumerate() {
        let frame = contacts.frame(kinematics, contact);
        frame.row(model, kinematics, &frame.normal, &mut row);
        rows.row_mut(i).copy_from_slice(&row);
        gaps.push(frame.gap);
    }
    (gaps, rows)
}

/// The frictionless elastic impact of some contacts at configuration `q` with velocity `v` (n) before it.
///
/// # Errors
/// As [`ImpactProblem::new`].
pub(crate) fn impact_at(
    model: &Model,
    contacts: &Contacts,
    q: &[f64],
    v: &[f64],
    touching: &[usize],
) -> Result<ImpactProblem, ImpactError> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    let (_, rows) = contact_rows(model, contacts, &kinematics, touching);
    let list: Vec<Contact> = touching
        .iter()
        .enumerate()
        .map(|(i, &c)| Contact::new(contacts.name(c), rows.row(i).transpose()))
        .collect();
    ImpactProblem::new(
        mass_matrix(model, &kinematics),
        PreImpact::Velocity(DVector::from_row_slice(v)),
        &list,
    )
}
