//! Contact space in the form the LCP laws work in: unit scales and a linearised friction cone.
//!
//! Rows are scaled so that the Delassus matrix has unit diagonal and velocities are of order one;
//! tolerances are then plain numbers and the result does not depend on the units of the problem:
//!
//! ```text
//! ã_i = a_i s_i / E,   G̃_ij = s_i G_ij s_j,   Λ_i = λ_i s_i E,
//! s_i = G_ii^(−½),     E = max_i |a_i| s_i,   μ̃ = μ s_n / s_t
//! ```
//!
//! Two tangents of one contact share one scale, so that the cone stays round. The cone of a contact
//! with two tangents is replaced by the inscribed pyramid of F facets, |Λ_t| ≤ μ Λ_n by
//! Λ_t ∈ μ Λ_n conv{d_1 … d_F} with d_k = (cos 2πk/F, sin 2πk/F) (\[HP\] §2.1.3). With one tangent
//! d = ±1 and the cone is exact. Two consequences for spatial contacts: the friction impulse of a
//! sliding contact is up to μ Λ_n (1 − cos π/F) too small, and up to π/F off the direction of
//! sliding (F = 8: 7.6 % and 22.5°; F = 4: 29 % and 45°).

use crate::impact::{ContactSpace, ImpactError};

/// One contact in scaled space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LinearizedContact {
    /// Row of the normal; tangents follow.
    pub(crate) normal: usize,
    /// Number of tangent rows.
    pub(crate) tangents: usize,
    /// μ̃.
    pub(crate) friction: f64,
    /// Number of facets of the friction cone: 0 (no friction), 2 (planar) or F.
    pub(crate) facets: usize,
}

/// A scaled contact space. Buffers are reused from one [`LinearizedContacts::load`] to the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinearizedContacts {
    pub(crate) contacts: Vec<LinearizedContact>,
    /// G̃, row-major r × r.
    pub(crate) delassus: Vec<f64>,
    /// ã, r.
    pub(crate) velocity: Vec<f64>,
    /// s, r.
    pub(crate) scale: Vec<f64>,
    /// E \[kg^½ m/s\]; 0 when no contact moves.
    pub(crate) unit: f64,
    /// d_k of the spatial contacts.
    directions: Vec<[f64; 2]>,
}

/// Normal velocities above −(this) count as separating, in units of E/√G.
pub(crate) const CLOSING: f64 = 1e-10;

impl LinearizedContacts {
    /// Scales `space`; spatial contacts get pyramids of `facets` facets.
    pub(crate) fn load(&mut self, space: &ContactSpace, facets: usize) -> Result<(), ImpactError> {
        let r = space.rows();
        if !(4..=64).contains(&facets) || facets % 2 == 1 {
            return Err(ImpactError::OutOfRange {
                place: "facets".to_string(),
                value: facets as f64,
                range: "an even number from 4 to 64",
            });
        }
        space.check()?;
        self.scale.clear();
        self.scale.resize(r, 1.0);
        for contact in &space.contacts {
            self.scale[contact.normal] =
                unit_scale(space.delassus[(contact.normal, contact.normal)]);
            let mean = contact
                .tangent_rows()
                .map(|t| space.delassus[(t, t)])
                .sum::<f64>()
                / contact.tangents.max(1) as f64;
            for t in contact.tangent_rows() {
                self.scale[t] = unit_scale(mean);
            }
        }
        self.unit = (0..r).fold(0.0, |m: f64, i| {
            m.max(space.velocity[i].abs() * self.scale[i])
        });
        let inverse = if self.unit > 0.0 {
            1.0 / self.unit
        } else {
            0.0
        };
        self.velocity.clear();
        self.velocity
            .extend((0..r).map(|i| space.velocity[i] * self.scale[i] * inverse));
        self.delassus.clear();
        for i in 0..r {
            for j in 0..r {
                let g = space.delassus[(i, j)] * self.scale[i] * self.scale[j];
                self.delassus.push(g);
            }
        }
        self.contacts.clear();
        for contact in &space.contacts {
            let slides = contact.tangents > 0 && contact.friction > 0.0;
            let friction = if slides {
                contact.friction * self.scale[contact.normal] / self.scale[contact.normal + 1]
            } else {
                0.0
            };
            self.contacts.push(LinearizedContact {
                normal: contact.normal,
                tangents: contact.tangents,
                friction,
                facets: match (slides, contact.tangents) {
                    (false, _) => 0,
                    (true, 1) => 2,
                    (true, _) => facets,
                },
            });
        }
        if self.directions.len() != facets {
            self.directions.clear();
            self.directions.extend((0..facets).map(|k| {
                let angle = std::f64::consts::TAU * k as f64 / facets as f64;
                [angle.cos(), angle.sin()]
            }));
        }
        Ok(())
    }

    /// Number of rows r.
    pub(crate) fn rows(&self) -> usize {
        self.velocity.len()
    }

    /// d_k of a contact (the second entry is 0 in the plane).
    pub(crate) fn direction(&self, contact: &LinearizedContact, k: usize) -> [f64; 2] {
        match contact.facets {
            2 => [if k == 0 { 1.0 } else { -1.0 }, 0.0],
            _ => self.directions[k],
        }
    }

    /// d_k · v_t for a stacked vector of rows.
    pub(crate) fn along(&self, contact: &LinearizedContact, k: usize, rows: &[f64]) -> f64 {
        let d = self.direction(contact, k);
        let first = d[0] * rows[contact.normal + 1];
        if contact.tangents > 1 {
            first + d[1] * rows[contact.normal + 2]
        } else {
            first
        }
    }

    /// out = before + G̃ λ.
    pub(crate) fn velocity_after(&self, before: &[f64], lambda: &[f64], out: &mut [f64]) {
        let r = self.rows();
        for (i, o) in out.iter_mut().enumerate().take(r) {
            let row = &self.delassus[i * r..(i + 1) * r];
            *o = before[i] + row.iter().zip(lambda).map(|(g, x)| g * x).sum::<f64>();
        }
    }

    /// Whether any contact closes at the scaled velocity `v`.
    pub(crate) fn colliding(&self, v: &[f64]) -> bool {
        self.contacts.iter().any(|c| v[c.normal] < -CLOSING)
    }

    /// Appends μ̃ λ_n − n_k · λ_t / cos(π/F) for every facet of the pyramid, all ≥ 0 inside of it.
    /// Divided by 1 + μ̃, so that it is of the order of the impulse whatever μ.
    pub(crate) fn append_cone_slacks(
        &self,
        contact: &LinearizedContact,
        lambda: &[f64],
        out: &mut Vec<f64>,
    ) {
        let bound = contact.friction * lambda[contact.normal];
        let scale = 1.0 / (1.0 + contact.friction);
        if contact.facets == 2 {
            let along = lambda[contact.normal + 1];
            out.push((bound - along) * scale);
            out.push((bound + along) * scale);
            return;
        }
        // d_k + d_{k+1} = 2 cos(π/F) n_k, so n_k · λ_t / cos(π/F) = (a + b) / (2 cos²(π/F)).
        let cosine = (std::f64::consts::PI / contact.facets as f64).cos();
        for k in 0..contact.facets {
            let a = self.along(contact, k, lambda);
            let b = self.along(contact, (k + 1) % contact.facets, lambda);
            out.push((bound - (a + b) / (2.0 * cosine * cosine)) * scale);
        }
    }

    /// λ_t = p d_k + q d_{k+1}; returns (p, q) / (1 + μ̃).
    pub(crate) fn split(
        &self,
        contact: &LinearizedContact,
        k: usize,
        lambda: &[f64],
    ) -> (f64, f64) {
        let (d, e) = (
            self.direction(contact, k),
            self.direction(contact, (k + 1) % contact.facets),
        );
        let (x, y) = (lambda[contact.normal + 1], lambda[contact.normal + 2]);
        let area = (d[0] * e[1] - d[1] * e[0]) * (1.0 + contact.friction);
        ((x * e[1] - y * e[0]) / area, (d[0] * y - d[1] * x) / area)
    }

    /// Λ_i = λ_i s_i E.
    pub(crate) fn unscale_impulse(&self, lambda: &[f64], out: &mut [f64]) {
        for ((o, x), s) in out.iter_mut().zip(lambda).zip(&self.scale) {
            *o = x * s * self.unit;
        }
    }
}

fn unit_scale(diagonal: f64) -> f64 {
    if diagonal > 0.0 {
        1.0 / diagonal.sqrt()
    } else {
        1.0
    }
}
