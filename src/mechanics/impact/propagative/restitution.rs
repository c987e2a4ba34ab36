//! Restitution R between the elastic and the plastic outcome.
//!
//! p⁺ = α p_e + (1 − α) p_p with 1 − ΔE/E_p = R² \[SM, eq. 16-17\]. \[SM\] prints α = √(1 − R²), which
//! contradicts its own limits (R = 1 elastic, R = 0 plastic); with the projection of eq. 11 it is α = R.
//! With the cone-constrained p_p the kept share of the separable energy is
//!
//! ```text
//! R² E_p = b α + d α²,    b = ⟨p_p, p_e − p_p⟩ ≥ 0,    d = ½‖p_e − p_p‖²,    b + d = E_p
//! ```
//!
//! whose only root in \[0, 1\] is α = 2R²E_p / (b + √(b² + 4dR²E_p)); b = 0 gives α = R. Here
//! b = Σ λ̂_e ⟨p_p, û⟩, because Moreau's decomposition makes ⟨p_p, p_p − p⁻⟩ = 0.
//!
//! Contacts with different restitution in one impact: R² is the mean of their e², weighted by the
//! work of compression Σ ½⟨p_k, û⟩² each takes in the elastic solution.

use crate::impact::ImpactError;
use crate::impact::plastic::ConeProjection;
use crate::impact::unit_contacts::UnitContacts;

/// Blends elastic outcomes with the plastic one.
#[derive(Debug, Clone, Default)]
pub(crate) struct RestitutionBlend {
    pub(crate) plastic: ConeProjection,
    energy: f64,
    needed: bool,
}

/// How an elastic outcome was blended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Blend {
    /// α, the share of the elastic outcome.
    pub(crate) share: f64,
    /// R.
    pub(crate) restitution: f64,
}

impl RestitutionBlend {
    /// Prepares the plastic outcome, unless every contact is elastic.
    pub(crate) fn prepare(&mut self, unit: &UnitContacts) -> Result<(), ImpactError> {
        self.needed = !unit.all_restitution(1.0);
        self.energy = 0.0;
        if self.needed {
            self.plastic.project(unit)?;
            self.energy = self.plastic.energy(unit);
        }
        Ok(())
    }

    /// Turns the elastic unit impulse (m) into the blended one. `work` is the work of compression of each
    /// contact in the elastic solution.
    pub(crate) fn apply(
        &self,
        unit: &UnitContacts,
        work: &[f64],
        unit_impulse: &mut [f64],
    ) -> Blend {
        if !self.needed {
            return Blend {
                share: 1.0,
                restitution: 1.0,
            };
        }
        let square = mean_square_restitution(unit, work);
        let b: f64 = unit_impulse
            .iter()
            .zip(&self.plastic.velocity)
            .map(|(s, v)| s * v.max(0.0))
            .sum();
        let share = elastic_share(square, self.energy, b);
        for (s, p) in unit_impulse.iter_mut().zip(&self.plastic.unit_impulse) {
            *s = share * *s + (1.0 - share) * p;
        }
        Blend {
            share,
            restitution: square.sqrt(),
        }
    }
}

/// R² from the works of compression; one value for all contacts is taken as it is.
fn mean_square_restitution(unit: &UnitContacts, work: &[f64]) -> f64 {
    let total: f64 = work.iter().sum();
    if unit.uniform_restitution() || total <= 0.0 {
        return unit.restitution.first().map_or(1.0, |e| e * e);
    }
    let weighted: f64 = work
        .iter()
        .zip(&unit.restitution)
        .map(|(w, e)| w * e * e)
        .sum();
    weighted / total
}

/// α from R², E_p and b.
fn elastic_share(square: f64, energy: f64, b: f64) -> f64 {
    let b = b.min(energy);
    let d = energy - b;
    let denominator = b + (b * b + 4.0 * d * square * energy).sqrt();
    if denominator > 0.0 {
        (2.0 * square * energy / denominator).min(1.0)
    } else {
        square.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::elastic_share;

    #[test]
    fn share_is_the_restitution_when_the_plastic_outcome_is_the_orthogonal_projection() {
        for r in [0.0, 0.1, 0.37, 0.5, 0.99, 1.0] {
            // Three roundings of numbers below 1.
            assert!((elastic_share(r * r, 2.5, 0.0) - r).abs() < 1e-15);
        }
    }

    #[test]
    fn share_solves_the_quadratic_and_keeps_the_limits() {
        for b in [0.0, 0.3, 1.0, 1.7, 2.0] {
            assert_eq!(elastic_share(0.0, 2.0, b), 0.0);
            assert!((elastic_share(1.0, 2.0, b) - 1.0).abs() < 1e-15);
            let alpha = elastic_share(0.49, 2.0, b);
            assert!((b * alpha + (2.0 - b) * alpha * alpha - 0.98).abs() < 1e-15);
        }
    }
}
