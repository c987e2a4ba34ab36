//! Contacts whose normals have unit length in the kinetic metric: where reflections happen.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | û_i | | u_i / ‖u_i‖ |
//! | ⟨û_i, û_j⟩ | [`UnitContacts::cosine`] | G_ij / √(G_ii G_jj) |
//! | z_i | [`UnitContacts::approach`] | ⟨p, û_i⟩ = a_i / √G_ii, negative when approaching |
//! | λ̂_i | (impulses of the kernels) | Λ_i √G_ii, so that Δp = Σ λ̂_i û_i |
//!
//! [`UnitNormals`] holds the û_i as Euclidean vectors. Distances of momenta taken from them keep the
//! accuracy that the quadratic form λ̂ᵀĜλ̂ loses when normals are dependent or nearly opposite.

use nalgebra::{Cholesky, DMatrix, DVector};

use super::error::{check_finite, check_size};
use super::{ContactSpace, ImpactError, ImpactProblem};

/// The normals of a contact space, normalised. Reused between problems without allocation.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnitContacts {
    gram: Vec<f64>,
    pub(crate) approach: Vec<f64>,
    pub(crate) length: Vec<f64>,
    pub(crate) restitution: Vec<f64>,
    /// Largest unit speed over all contact rows, tangents included.
    pub(crate) speed: f64,
    /// Largest term of the sum behind each `approach`.
    terms: Vec<f64>,
    /// Contact k is violated when z_k < −floor_k.
    pub(crate) floor: Vec<f64>,
    /// Unit velocities of contact k that agree to merge_k ≤ floor_k are the same.
    pub(crate) merge: Vec<f64>,
    stack: Vec<usize>,
    group: Vec<usize>,
}

/// Cosines below this couple nothing: what they carry over is below every tolerance.
const COUPLED: f64 = 1e-12;
/// Share of the scale of a contact to which momenta are told apart.
const MERGED: f64 = 1e-12;
/// Rounding of a few dozen reflections, in units of the largest speed.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

impl UnitContacts {
    /// Reads the normal rows of `space`.
    ///
    /// # Errors
    /// Sizes that do not match, numbers that are not finite, a normal of zero length, restitution
    /// outside of \[0, 1\].
    pub(crate) fn load(&mut self, space: &ContactSpace) -> Result<(), ImpactError> {
        space.check()?;
        let m = space.len();
        self.length.clear();
        self.approach.clear();
        self.restitution.clear();
        self.terms.clear();
        self.speed = 0.0;
        for (i, contact) in space.contacts.iter().enumerate() {
            let row = contact.normal;
            let square = space.delassus[(row, row)];
            if square <= 0.0 {
                return Err(ImpactError::ZeroRow {
                    contact: place(i),
                    row: "normal",
                });
            }
            self.length.push(square.sqrt());
            self.approach.push(space.velocity[row] / square.sqrt());
            self.terms.push(space.terms[row] / square.sqrt());
            self.restitution.push(contact.restitution);
            for row in contact.rows() {
                let square = space.delassus[(row, row)];
                if square > 0.0 {
                    self.speed = self.speed.max(space.velocity[row].abs() / square.sqrt());
                }
            }
        }
        self.gram.clear();
        self.gram.resize(m * m, 1.0);
        for i in 0..m {
            for j in 0..i {
                let (a, b) = (space.contacts[i].normal, space.contacts[j].normal);
                let cosine =
                    (space.delassus[(a, b)] / (self.length[i] * self.length[j])).clamp(-1.0, 1.0);
                self.gram[i * m + j] = cosine;
                self.gram[j * m + i] = cosine;
            }
        }
        Ok(())
    }

    /// Sets when a contact counts as violated: relative to what its own velocity is made of, and to the speeds of the
    /// contacts that it is coupled to, directly or through others. What takes no part in the impact, however
    /// heavy or fast, does not matter, and neither do the units.
    ///
    /// # Errors
    /// A tolerance or a scale that is not finite.
    pub(crate) fn set_tolerance(&mut self, tolerance: f64) -> Result<(), ImpactError> {
        let m = self.len();
        self.group_coupled();
        let fastest = self.approach.iter().fold(0.0, |s: f64, z| s.max(z.abs()));
        let rounding = ROUNDING * fastest;
        self.floor.clear();
        self.merge.clear();
        for k in 0..m {
            let coupled = (0..m)
                .filter(|&i| self.group[i] == self.group[k])
                .fold(0.0, |s: f64, i| s.max(self.approach[i].abs()));
            let scale = coupled.max(self.terms[k]);
            self.floor.push(tolerance * scale + rounding);
            self.merge.push(tolerance.min(MERGED) * coupled + rounding);
        }
        check_finite("tolerance times the contact velocities", &self.floor)
    }

    /// Numbers the groups of contacts that are coupled through cosines.
    fn group_coupled(&mut self) {
        let m = self.len();
        self.group.clear();
        self.group.resize(m, usize::MAX);
        for first in 0..m {
            if self.group[first] != usize::MAX {
                continue;
            }
            self.group[first] = first;
            self.stack.push(first);
            while let Some(k) = self.stack.pop() {
                for i in 0..m {
                    if self.group[i] == usize::MAX && self.gram[i * m + k].abs() > COUPLED {
                        self.group[i] = first;
                        self.stack.push(i);
                    }
                }
            }
        }
    }

    /// True when no contact is violated.
    pub(crate) fn is_feasible(&self, approach: &[f64]) -> bool {
        approach.iter().zip(&self.floor).all(|(z, f)| *z >= -f)
    }

    /// Whether contact k is violated at the unit velocity `z`.
    pub(crate) fn is_violated(&self, k: usize, z: f64) -> bool {
        z < -self.floor[k]
    }

    /// Whether two sets of unit velocities (m, or 2m with works in units of speed) are the same.
    pub(crate) fn are_same(&self, a: &[f64], b: &[f64]) -> bool {
        let tolerances = self.merge.iter().cycle();
        let mut all = a.iter().zip(b).zip(tolerances);
        all.all(|((x, y), merge)| (x - y).abs() <= *merge)
    }

    /// The largest distance of entries that are the same.
    pub(crate) fn widest_merge(&self) -> f64 {
        self.merge.iter().copied().fold(0.0, f64::max)
    }

    /// Number of contacts.
    pub(crate) fn len(&self) -> usize {
        self.approach.len()
    }

    /// ⟨û_i, û_j⟩.
    pub(crate) fn cosine(&self, i: usize, j: usize) -> f64 {
        self.gram[i * self.len() + j]
    }

    /// Turns round contact k in unit contact velocities, with what that does to the others; returns its velocity before.
    pub(crate) fn reflect(&self, approach: &mut [f64], k: usize) -> f64 {
        let z = approach[k];
        for (a, c) in approach.iter_mut().zip(self.column(k)) {
            *a -= 2.0 * z * c;
        }
        approach[k] = -z;
        z
    }

    /// Column k of the unit Gram matrix.
    pub(crate) fn column(&self, k: usize) -> &[f64] {
        &self.gram[k * self.len()..(k + 1) * self.len()]
    }

    /// The whole unit Gram matrix, m × m, symmetric.
    pub(crate) fn gram(&self) -> &[f64] {
        &self.gram
    }

    /// True when every restitution is `value`.
    pub(crate) fn all_restitution(&self, value: f64) -> bool {
        self.restitution.iter().all(|&e| e == value)
    }

    /// True when all contacts have one restitution.
    pub(crate) fn uniform_restitution(&self) -> bool {
        self.restitution.windows(2).all(|e| e[0] == e[1])
    }
}

/// How a contact is called where only its index is known.
pub(crate) fn place(contact: usize) -> String {
    format!("contacts[{contact}]")
}

/// Checks that the output Λ of a kernel has one entry a row.
pub(crate) fn check_output(
    space: &ContactSpace,
    impulse: &DVector<f64>,
) -> Result<(), ImpactError> {
    check_size("impulse (output)", space.rows(), impulse.len())
}

/// Λ from λ̂: normal rows get λ̂_i / ‖u_i‖, tangent rows nothing.
pub(crate) fn write_impulse(
    space: &ContactSpace,
    unit: &UnitContacts,
    unit_impulse: &[f64],
    impulse: &mut DVector<f64>,
) {
    impulse.fill(0.0);
    for (i, contact) in space.contacts.iter().enumerate() {
        impulse[contact.normal] = unit_impulse[i] / unit.length[i];
    }
}

/// The unit normals as vectors of a Euclidean space, d × m.
#[derive(Debug, Clone)]
pub(crate) struct UnitNormals {
    pub(crate) vectors: DMatrix<f64>,
    /// L, when the vectors are L⁻¹û.
    factor: Option<DMatrix<f64>>,
    /// Absolute accuracy of the vectors.
    pub(crate) accuracy: f64,
}

impl UnitNormals {
    /// From the normals themselves: with M = LLᵀ, ⟨a, b⟩ is the dot product of L⁻¹a and L⁻¹b.
    pub(crate) fn of_problem(problem: &ImpactProblem) -> Self {
        let contacts = &problem.contact_space().contacts;
        let mut vectors = DMatrix::zeros(problem.dof(), contacts.len());
        let factor = Cholesky::new(problem.mass_matrix().clone()).map(|c| c.unpack());
        for (k, contact) in contacts.iter().enumerate() {
            let row = problem.rows().row(contact.normal).transpose();
            let whitened = factor
                .as_ref()
                .and_then(|l| l.solve_lower_triangular(&row))
                .unwrap_or_else(|| DVector::from_element(problem.dof(), f64::NAN));
            let length = whitened.norm();
            vectors.set_column(k, &(whitened / length));
        }
        let spread = factor.as_ref().map_or(1.0, |l| {
            let diagonal = l.diagonal();
            diagonal.max() / diagonal.min()
        });
        Self {
            vectors,
            factor,
            accuracy: 64.0 * f64::EPSILON * spread.max(1.0),
        }
    }

    /// From the Gram matrix alone, by pivoted Cholesky. Components below √1e-14 of a normal cannot be
    /// told from rounding and are dropped.
    pub(crate) fn of_contacts(unit: &UnitContacts) -> Self {
        let m = unit.len();
        let mut rest = DMatrix::from_column_slice(m, m, unit.gram());
        let mut vectors = DMatrix::zeros(m, m);
        for d in 0..m {
            let (pivot, value) = (0..m)
                .map(|i| (i, rest[(i, i)]))
                .fold((0, 0.0), |best, x| if x.1 > best.1 { x } else { best });
            if value <= 1e-14 {
                break;
            }
            let root = value.sqrt();
            let column: Vec<f64> = (0..m).map(|i| rest[(i, pivot)] / root).collect();
            for i in 0..m {
                vectors[(d, i)] = column[i];
                for j in 0..m {
                    rest[(i, j)] -= column[i] * column[j];
                }
            }
            for i in 0..m {
                rest[(i, pivot)] = 0.0;
                rest[(pivot, i)] = 0.0;
            }
        }
        Self {
            vectors,
            factor: None,
            accuracy: 2e-7,
        }
    }

    /// Kinetic length of the part of a momentum in the span of the normals, from its unit velocities (m).
    pub(crate) fn length_in_span(&self, approach: &[f64]) -> f64 {
        let svd = self.vectors.clone().svd(false, true);
        let Some(right) = &svd.v_t else {
            return f64::INFINITY;
        };
        let along = right * DVector::from_column_slice(approach);
        let parts = along.iter().zip(&svd.singular_values);
        let square: f64 = parts
            .filter(|(_, s)| **s > self.accuracy)
            .map(|(x, s)| (x / s).powi(2))
            .sum();
        square.sqrt()
    }

    /// L⁻¹p⁻ = Lᵀv⁻.
    pub(crate) fn whitened_momentum(&self, problem: &ImpactProblem) -> Option<DVector<f64>> {
        Some(self.factor.as_ref()?.tr_mul(problem.velocity()))
    }

    /// Δp and Δv of a Euclidean change: L x and L⁻ᵀ x. `None` for normals of a Gram matrix.
    pub(crate) fn to_problem(&self, change: &DVector<f64>) -> Option<(DVector<f64>, DVector<f64>)> {
        let l = self.factor.as_ref()?;
        Some((l * change, l.tr_solve_lower_triangular(change)?))
    }

    /// Δp = Σ λ̂_i û_i as a Euclidean vector of the same length.
    pub(crate) fn momentum_change(&self, unit_impulse: &[f64]) -> DVector<f64> {
        let mut change = DVector::zeros(self.vectors.nrows());
        for (k, &s) in unit_impulse.iter().enumerate() {
            change.axpy(s, &self.vectors.column(k), 1.0);
        }
        change
    }
}
