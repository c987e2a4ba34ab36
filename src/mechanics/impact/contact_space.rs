//! The impact seen from the contacts: the Delassus matrix and the contact velocities.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | G | [`ContactSpace::delassus`] | J M⁻¹ Jᵀ, symmetric positive semidefinite, r × r |
//! | a | [`ContactSpace::velocity`] | J v⁻, contact velocities before the impact, r |
//! | Λ | (argument of the laws) | contact impulses, r; v⁺ contact velocities = a + G Λ |
//!
//! Rows of one contact are adjacent: the normal, then its tangents (0, 1 or 2).

use nalgebra::{DMatrix, DVector};

use super::ImpactError;
use super::error::{check_finite, check_size};
use super::unit_contacts::place;

/// The rows of one contact and its material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactRows {
    /// Row of the normal; the tangents follow it.
    pub normal: usize,
    /// Number of tangent rows: 0 (frictionless), 1 (planar) or 2 (spatial).
    pub tangents: usize,
    /// Coefficient of friction, ≥ 0.
    pub friction: f64,
    /// Coefficient of restitution in \[0, 1\].
    pub restitution: f64,
}

impl ContactRows {
    /// All rows of the contact: the normal, then its tangents.
    #[must_use]
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.normal..self.normal + 1 + self.tangents
    }

    /// The tangent rows.
    #[must_use]
    pub fn tangent_rows(&self) -> std::ops::Range<usize> {
        self.normal + 1..self.normal + 1 + self.tangents
    }
}

/// An impact problem projected on its contacts. Everything an impact law computes happens here, in
/// r numbers, whatever the number of degrees of freedom behind them.
#[derive(Debug, Clone, PartialEq)]
pub struct ContactSpace {
    /// G = J M⁻¹ Jᵀ, r × r \[1/kg for translational rows\].
    pub delassus: DMatrix<f64>,
    /// a = J v⁻, r \[m/s\].
    pub velocity: DVector<f64>,
    /// Largest term in the sum that each entry of `velocity` is, r \[m/s\]: what its rounding is relative to.
    pub terms: DVector<f64>,
    /// Which rows belong to which contact.
    pub contacts: Vec<ContactRows>,
}

impl ContactSpace {
    /// A contact space whose velocities are known to their own rounding. Laws check sizes and numbers.
    #[must_use]
    pub fn new(delassus: DMatrix<f64>, velocity: DVector<f64>, contacts: Vec<ContactRows>) -> Self {
        Self {
            terms: velocity.abs(),
            delassus,
            velocity,
            contacts,
        }
    }

    /// What every kernel asks of its input: sizes that fit, numbers that are finite, coefficients in their ranges.
    pub(crate) fn check(&self) -> Result<(), ImpactError> {
        let rows = self.rows();
        let last = self.contacts.last().map_or(0, |c| c.rows().end);
        check_size("delassus (rows)", rows, self.delassus.nrows())?;
        check_size("delassus (columns)", rows, self.delassus.ncols())?;
        check_size("velocity", last, rows)?;
        check_size("terms", rows, self.terms.len())?;
        check_finite("delassus", self.delassus.as_slice())?;
        check_finite("velocity", self.velocity.as_slice())?;
        check_finite("terms", self.terms.as_slice())?;
        for (i, contact) in self.contacts.iter().enumerate() {
            let (restitution, friction) = (contact.restitution, contact.friction);
            let (what, value, range) = if !(0.0..=1.0).contains(&restitution) {
                ("restitution", restitution, "between 0 and 1")
            } else if friction.is_nan() || friction < 0.0 {
                ("friction", friction, "at least 0")
            } else {
                continue;
            };
            return Err(ImpactError::OutOfRange {
                place: format!("{}: {what}", place(i)),
                value,
                range,
            });
        }
        Ok(())
    }

    /// Number of contacts m.
    #[must_use]
    pub fn len(&self) -> usize {
        self.contacts.len()
    }

    /// True when there is no contact.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty()
    }

    /// True when no contact can carry a tangential impulse.
    #[must_use]
    pub fn is_frictionless(&self) -> bool {
        let frictionless = |c: &ContactRows| c.friction == 0.0 || c.tangents == 0;
        self.contacts.iter().all(frictionless)
    }

    /// Number of rows r (normals and tangents).
    #[must_use]
    pub fn rows(&self) -> usize {
        self.velocity.len()
    }

    /// Change of kinetic energy by the impulse Λ: aᵀΛ + ½ ΛᵀGΛ \[J\].
    #[must_use]
    pub fn energy_change(&self, impulse: &DVector<f64>) -> f64 {
        let mut change = 0.0;
        for i in 0..self.rows() {
            let mut g = 0.0;
            for j in 0..self.rows() {
                g += self.delassus[(i, j)] * impulse[j];
            }
            change += impulse[i] * (self.velocity[i] + 0.5 * g);
        }
        change
    }
}
