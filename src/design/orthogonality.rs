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
use crate::spatial::Scalar;

/// Gaps and pairwise kinetic cosines of some contacts.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactGram<T: Scalar> {
    /// Gap of each contact \[m\].
    pub gaps: Vec<T>,
    /// c_ij, symmetric with unit diagonal.
    pub cosines: DMatrix<T>,
}

/// Gaps and cosines of the contacts `touching` (indices) at the placements in `kinematics`; `None`
/// where the mass matrix is not positive definite or a normal vanishes.
#[must_use]
pub fn contact_gram<T: Scalar>(
    model: &Model,
    contacts: &Contacts,
    kinematics: &Kinematics<T>,
    touching: &[usize],
) -> Option<ContactGram<T>> {
    let (gaps, rows) = contact_rows(model, contacts, kinematics, touching);
    let factor = mass_matrix(model, kinematics).cholesky()?;
    // Columns W = L⁻¹Jᵀ: their Euclidean products are the kinetic ones.
    let mut columns = factor.l().solve_lower_triangular(&rows.transpose())?;
    for mut column in columns.column_iter_mut() {
        let length = column.dot(&column).sqrt();
        if length <= T::zero() {
            return None;
        }
        column /= length;
    }
    Some(ContactGram {
        gaps,
        cosines: columns.tr_mul(&columns),
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
pub fn impact_at(
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
