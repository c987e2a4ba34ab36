//! Contacts that strike together on an orbit: how far apart they are, and their kinetic cosines.
//!
//! Contacts that are held while others strike take part in the impact. So the cosines are those of the metric in which the
//! directions that held contacts resist count nothing: with H their rows (normals, and tangents where there is friction),
//!
//! ```text
//! ⟨a, b⟩ = a (M⁻¹ − M⁻¹Hᵀ (H M⁻¹ Hᵀ)⁺ H M⁻¹) bᵀ
//! ```

use nalgebra::{DMatrix, DVector};

use crate::contact::Contacts;
use crate::dynamics::{Kinematics, mass_matrix};
use crate::model::Model;

/// Singular values below this share of the largest are those of rows that others imply.
const REDUNDANT: f64 = 1e-10;

/// Gaps \[m\] and cosines of some contacts.
pub(super) struct Meeting {
    pub gaps: Vec<f64>,
    pub cosines: DMatrix<f64>,
}

/// The contacts `striking` at configuration `q` while `held` are held; `None` where the mass matrix is not positive definite,
/// or what is held lets a contact not move.
pub(super) fn meeting(
    (model, contacts): (&Model, &Contacts),
    q: &[f64],
    striking: &[usize],
    held: &[usize],
) -> Option<Meeting> {
    let n = model.dof();
    if striking.is_empty() {
        return None;
    }
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    let factor = mass_matrix(model, &kinematics).cholesky()?;
    let mut gaps = Vec::with_capacity(striking.len());
    let mut rows: [Vec<DVector<f64>>; 2] = [Vec::new(), Vec::new()];
    for (kind, own) in [striking, held].into_iter().enumerate() {
        for &contact in own {
            let frame = contacts.frame(&kinematics, contact);
            let mut along = |direction| {
                let mut row = DVector::zeros(n);
                frame.row(model, &kinematics, direction, row.as_mut_slice());
                rows[kind].push(row);
            };
            along(&frame.normal);
            if kind == 0 {
                gaps.push(frame.gap);
            } else if contacts.friction(contact) > 0.0 && !contacts.is_limit(contact) {
                let tangents = &frame.tangents[..contacts.tangent_count(contact)];
                tangents.iter().for_each(along);
            }
        }
    }
    // Columns W = L⁻¹Jᵀ: their Euclidean products are the kinetic ones.
    let columns = |rows: &[DVector<f64>]| {
        let rows = DMatrix::from_columns(rows);
        factor.l().solve_lower_triangular(&rows)
    };
    let mut own = columns(&rows[0])?;
    if !rows[1].is_empty() {
        let svd = columns(&rows[1])?.svd(true, false);
        let (basis, largest) = (svd.u?, svd.singular_values.max());
        for (column, size) in basis.column_iter().zip(&svd.singular_values) {
            if *size > REDUNDANT * largest {
                let shares = own.tr_mul(&column);
                own -= column * shares.transpose();
            }
        }
    }
    for mut column in own.column_iter_mut() {
        let length = column.norm();
        if length <= f64::MIN_POSITIVE {
            return None;
        }
        column /= length;
    }
    Some(Meeting {
        gaps,
        cosines: own.tr_mul(&own),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Experiment, Scenario};
    use std::path::Path;

    /// A bar pitched by θ on feet at ∓a: gaps z ∓ a sin θ, normals (1, ∓a cos θ), mass 1 kg and inertia a² = 0.04 kg m². What
    /// stands on B turns about it alone: seen from there A has one direction left, whatever its normal.
    #[test]
    fn feet_of_a_bar_meet_as_its_geometry_says() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/bar/two_feet.toml");
        let scenario = Scenario::read(&file, &[]).unwrap();
        let bar = Experiment::new("bar", scenario).unwrap();
        let robot = (&*bar.model, &*bar.contacts);
        let (z, pitch) = (0.3_f64, 0.4_f64);
        let met = meeting(robot, &[z, pitch], &[0, 1], &[]).unwrap();
        for (gap, side) in met.gaps.iter().zip([1.0, -1.0]) {
            assert!((gap.abs() - (z - side * 0.2 * pitch.sin()).abs()).abs() < 1e-15);
        }
        let share = pitch.cos().powi(2);
        let wanted = (1.0 - share) / (1.0 + share);
        assert!((met.cosines[(0, 1)] - wanted).abs() < 1e-14);
        assert!(meeting(robot, &[z, pitch], &[0], &[1]).is_some());
    }
}
