//! The guarantee that reflections terminate.
//!
//! If some momentum c separates all contacts strictly, ⟨c, û_i⟩ > 0, every admissible sequence is
//! finite: each reflection raises ⟨p, c⟩ while ‖p‖ stays, so the momenta converge, and contacts used
//! infinitely often would end up fixing their own limit. Such a c exists exactly when no non-trivial
//! non-negative combination of the normals vanishes (Gordan).
//!
//! The best c is the point of least norm in the convex hull of the û_i, and its norm κ is the
//! margin: ⟨c/κ, û_i⟩ ≥ κ for all i. With weights w it is found as min ‖Σ w_i û_i‖² + (Σ w_i − 1)²
//! over w ≥ 0, whose minimiser is that point times 1/(1 + κ²).

use crate::impact::ImpactError;
use crate::impact::plastic::NonNegative;
use crate::impact::unit_contacts::{UnitContacts, UnitNormals};

/// Whether some momentum separates all contacts strictly.
#[derive(Debug, Clone, PartialEq)]
pub struct Separation {
    /// κ, the largest number with ⟨c, û_i⟩ ≥ κ for all i and some c of unit kinetic length, in \[0, 1\].
    pub margin: f64,
    /// Weights of the unit normals in the point of least norm, summing to 1; m of them.
    pub weights: Vec<f64>,
    /// False when the margin cannot be told from zero: the contacts with positive weight are wedged.
    pub separable: bool,
}

impl Separation {
    pub(crate) fn of_normals(
        unit: &UnitContacts,
        normals: &UnitNormals,
    ) -> Result<Self, ImpactError> {
        let m = unit.len();
        if m == 0 {
            return Ok(Self {
                margin: 1.0,
                weights: Vec::new(),
                separable: true,
            });
        }
        let mut weights = Vec::new();
        least_norm_weights(unit, &mut NonNegative::default(), &mut weights)?;
        let total: f64 = weights.iter().sum();
        for w in &mut weights {
            *w /= total;
        }
        let margin = normals.momentum_change(&weights).norm();
        Ok(Self {
            margin,
            weights,
            separable: margin > normals.accuracy,
        })
    }

    /// Indices of the contacts whose normals take part in the vanishing combination; empty when
    /// the contacts are separable.
    #[must_use]
    pub fn wedged(&self) -> Vec<usize> {
        if self.separable {
            return Vec::new();
        }
        (0..self.weights.len())
            .filter(|&i| self.weights[i] > 1e-9)
            .collect()
    }
}

/// Scratch memory of [`TerminationCheck::guaranteed`].
#[derive(Debug, Clone, Default)]
pub(crate) struct TerminationCheck {
    factor: Vec<f64>,
    regularised: Vec<f64>,
    linear: Vec<f64>,
    weights: Vec<f64>,
    solver: NonNegative,
}

impl TerminationCheck {
    /// The check of the fast path: no allocation once warm. Linearly independent normals can always be
    /// separated (Ĝw = 1 gives such a c), which a Cholesky factorisation shows; only dependent ones
    /// need the active set.
    ///
    /// # Errors
    /// [`ImpactError::Wedged`] with contacts by index.
    pub(crate) fn guaranteed(&mut self, unit: &UnitContacts) -> Result<(), ImpactError> {
        if self.independent(unit) {
            return Ok(());
        }
        let m = unit.len();
        self.regularised.clear();
        self.regularised
            .extend(unit.gram().iter().map(|cosine| cosine + 1.0));
        self.linear.clear();
        self.linear.resize(m, -1.0);
        self.solver
            .solve(&self.regularised, &self.linear, &mut self.weights)
            .map_err(not_converged)?;
        let total: f64 = self.weights.iter().sum();
        let mut square = 0.0;
        for i in 0..m {
            for j in 0..m {
                square += self.weights[i] * unit.cosine(i, j) * self.weights[j];
            }
        }
        if square > 4e-14 * total * total {
            return Ok(());
        }
        Err(ImpactError::Wedged {
            contacts: (0..m)
                .filter(|&i| self.weights[i] > 1e-9 * total)
                .map(crate::impact::unit_contacts::place)
                .collect(),
        })
    }

    fn independent(&mut self, unit: &UnitContacts) -> bool {
        let m = unit.len();
        self.factor.clear();
        self.factor.resize(m * m, 0.0);
        for i in 0..m {
            for j in 0..=i {
                let mut sum = unit.cosine(i, j);
                for k in 0..j {
                    sum -= self.factor[i * m + k] * self.factor[j * m + k];
                }
                if i == j {
                    if sum < 1e-10 {
                        return false;
                    }
                    self.factor[i * m + i] = sum.sqrt();
                } else {
                    self.factor[i * m + j] = sum / self.factor[j * m + j];
                }
            }
        }
        true
    }
}

fn least_norm_weights(
    unit: &UnitContacts,
    solver: &mut NonNegative,
    weights: &mut Vec<f64>,
) -> Result<(), ImpactError> {
    let regularised: Vec<f64> = unit.gram().iter().map(|cosine| cosine + 1.0).collect();
    solver
        .solve(&regularised, &vec![-1.0; unit.len()], weights)
        .map_err(not_converged)
}

fn not_converged(residual: f64) -> ImpactError {
    ImpactError::NotConverged {
        law: "propagative",
        residual,
        iterations: 0,
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector, dvector};

    use super::Separation;
    use crate::impact::unit_contacts::{UnitContacts, UnitNormals};
    use crate::impact::{Contact, ImpactProblem, PreImpact};

    fn separation(normals: &[DVector<f64>]) -> Separation {
        let n = normals[0].len();
        let contacts: Vec<_> = normals
            .iter()
            .enumerate()
            .map(|(i, u)| Contact::new(&format!("c{i}"), u.clone()))
            .collect();
        let problem = ImpactProblem::new(
            DMatrix::identity(n, n),
            PreImpact::Velocity(DVector::zeros(n)),
            &contacts,
        )
        .expect("valid");
        let mut unit = UnitContacts::default();
        unit.load(problem.contact_space()).expect("valid");
        // From the contact space alone: margins below 2e-7 cannot be seen there, because it holds the squares.
        Separation::of_normals(&unit, &UnitNormals::of_contacts(&unit)).expect("solved")
    }

    #[test]
    fn margin_of_two_normals_is_the_sine_of_half_the_wedge() {
        // ⟨û, v̂⟩ = −cos 2γ; the hull's nearest point is the midpoint, of norm sin γ.
        for gamma in [0.7_f64, 0.1, 1e-3] {
            let angle = std::f64::consts::PI - 2.0 * gamma;
            let s = separation(&[dvector![1.0, 0.0], dvector![angle.cos(), angle.sin()]]);
            assert!(s.separable);
            // The margin is the root of a square known to 1e-16: error ≤ 1e-16/γ.
            assert!((s.margin - gamma.sin()).abs() <= 4e-16 / gamma);
        }
    }

    #[test]
    fn a_wedge_names_the_contacts_of_its_combination_only() {
        let s = separation(&[
            dvector![0.0, 0.0, 1.0],
            dvector![2.0, 0.0, 0.0],
            dvector![-1.0, 1.0, 0.0],
            dvector![-1.0, -1.0, 0.0],
        ]);
        assert!(!s.separable);
        assert_eq!(s.wedged(), vec![1, 2, 3]);
    }

    #[test]
    fn four_corners_of_a_block_are_not_wedged() {
        let s = separation(&[
            dvector![1.0, 1.0, 1.0],
            dvector![1.0, -1.0, 1.0],
            dvector![1.0, 1.0, -1.0],
            dvector![1.0, -1.0, -1.0],
        ]);
        assert!(s.separable);
    }
}
