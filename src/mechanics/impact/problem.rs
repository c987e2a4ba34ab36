//! The impact problem that every law reads: M (v⁺ − v⁻) = Jᵀ Λ at one configuration.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | M | [`ImpactProblem::mass_matrix`] | mass matrix at the impact, n × n, positive definite |
//! | p⁻, v⁻ | [`ImpactProblem::momentum`], [`ImpactProblem::velocity`] | before the impact, n |
//! | u, T | [`Contact::normal`], [`Contact::tangents`] | gap gradient and sliding rows, n each |
//! | J | [`ImpactProblem::rows`] | all contact rows stacked, r × n |
//! | M⁻¹Jᵀ | [`ImpactProblem::response`] | velocity answer to a unit impulse on each row, n × r |
//! | ‖p‖ | [`ImpactProblem::kinetic_norm`] | √(p M⁻¹ p), the norm of the kinetic metric |

use std::sync::Arc;

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::error::{check_finite, check_size};
use super::{ContactRows, ContactSpace, ImpactError};

/// One closed contact: its rows in configuration space and its material.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Name, unique in the problem.
    pub name: Arc<str>,
    /// Gap gradient Dφ, n. Positive normal velocity separates.
    pub normal: DVector<f64>,
    /// Sliding velocity rows, 0, 1 or 2 of them, n each.
    pub tangents: Vec<DVector<f64>>,
    /// Coefficient of friction, ≥ 0.
    pub friction: f64,
    /// Coefficient of restitution in \[0, 1\].
    pub restitution: f64,
}

impl Contact {
    /// A frictionless, elastic contact.
    #[must_use]
    pub fn new(name: &str, normal: DVector<f64>) -> Self {
        Self {
            name: name.into(),
            normal,
            tangents: Vec::new(),
            friction: 0.0,
            restitution: 1.0,
        }
    }

    /// Sets the tangent rows and the coefficient of friction.
    #[must_use]
    pub fn with_friction(mut self, tangents: Vec<DVector<f64>>, friction: f64) -> Self {
        self.tangents = tangents;
        self.friction = friction;
        self
    }

    /// Sets the coefficient of restitution.
    #[must_use]
    pub fn with_restitution(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }
}

/// State before the impact, by velocity or by momentum.
#[derive(Debug, Clone, PartialEq)]
pub enum PreImpact {
    /// v⁻, n.
    Velocity(DVector<f64>),
    /// p⁻ = M v⁻, n.
    Momentum(DVector<f64>),
}

/// A validated impact problem: what any impact law may look at.
#[derive(Debug, Clone)]
pub struct ImpactProblem {
    mass_matrix: DMatrix<f64>,
    mass_factor: Cholesky<f64, Dyn>,
    momentum: DVector<f64>,
    velocity: DVector<f64>,
    names: Vec<Arc<str>>,
    rows: DMatrix<f64>,
    response: DMatrix<f64>,
    contact_space: ContactSpace,
}

impl ImpactProblem {
    /// Validates and projects a problem on its contacts.
    ///
    /// `mass_matrix` n × n, the rest of matching size. A problem without contacts is allowed.
    ///
    /// # Errors
    /// Sizes that do not match, numbers that are not finite or out of range, a mass matrix that is
    /// not symmetric (to 1e-9 of its largest entry) or not positive definite, rows of zero length,
    /// two contacts with one name.
    pub fn new(
        mass_matrix: DMatrix<f64>,
        before: PreImpact,
        contacts: &[Contact],
    ) -> Result<Self, ImpactError> {
        let n = mass_matrix.nrows();
        check_size("mass_matrix (columns)", n, mass_matrix.ncols())?;
        check_finite("mass_matrix", mass_matrix.as_slice())?;
        check_symmetric(&mass_matrix)?;
        let mass_factor =
            Cholesky::new(mass_matrix.clone()).ok_or_else(|| ImpactError::NotPositiveDefinite {
                smallest_eigenvalue: mass_matrix.clone().symmetric_eigenvalues().min(),
            })?;

        let (momentum, velocity) = match before {
            PreImpact::Velocity(v) => {
                check_size("velocity", n, v.len())?;
                check_finite("velocity", v.as_slice())?;
                (&mass_matrix * &v, v)
            }
            PreImpact::Momentum(p) => {
                check_size("momentum", n, p.len())?;
                check_finite("momentum", p.as_slice())?;
                let v = mass_factor.solve(&p);
                (p, v)
            }
        };

        let layout = check_contacts(contacts, n)?;
        let r = layout.last().map_or(0, |c| c.rows().end);
        let mut rows = DMatrix::zeros(r, n);
        for (contact, at) in contacts.iter().zip(&layout) {
            rows.set_row(at.normal, &contact.normal.transpose());
            for (tangent, row) in contact.tangents.iter().zip(at.tangent_rows()) {
                rows.set_row(row, &tangent.transpose());
            }
        }
        let response = mass_factor.solve(&rows.transpose());
        let mut delassus = &rows * &response;
        // Exactly symmetric, so that the outcome cannot depend on which triangle a law reads.
        for i in 0..r {
            for j in 0..i {
                let mean = 0.5 * (delassus[(i, j)] + delassus[(j, i)]);
                delassus[(i, j)] = mean;
                delassus[(j, i)] = mean;
            }
        }
        let contact_velocity = &rows * &velocity;
        // A contact velocity is Σ J_ij v_j and Σ (M⁻¹Jᵀ)_ji p_j: it cannot be known better than either sum, nor
        // better than M⁻¹p itself.
        let length = momentum.dot(&velocity).max(0.0).sqrt();
        let mut terms = DVector::from_fn(r, |i, _| OF_THE_WHOLE * length * delassus[(i, i)].sqrt());
        let terms_of_rows = terms.as_mut_slice();
        for (column, v) in rows.as_slice().chunks_exact(r.max(1)).zip(&velocity) {
            for (term, row) in terms_of_rows.iter_mut().zip(column) {
                *term = (row * v).abs().max(*term);
            }
        }
        let answers = response.as_slice().chunks_exact(n.max(1));
        for (term, answer) in terms_of_rows.iter_mut().zip(answers) {
            for (x, p) in answer.iter().zip(momentum.as_slice()) {
                *term = (x * p).abs().max(*term);
            }
        }

        Ok(Self {
            mass_matrix,
            mass_factor,
            momentum,
            velocity,
            names: contacts.iter().map(|c| c.name.clone()).collect(),
            rows,
            response,
            contact_space: ContactSpace {
                delassus,
                velocity: contact_velocity,
                terms,
                contacts: layout,
            },
        })
    }

    /// Number of degrees of freedom n.
    #[must_use]
    pub fn dof(&self) -> usize {
        self.momentum.len()
    }

    /// The problem projected on its contacts: Delassus matrix and contact velocities.
    #[must_use]
    pub fn contact_space(&self) -> &ContactSpace {
        &self.contact_space
    }

    /// M, n × n.
    #[must_use]
    pub fn mass_matrix(&self) -> &DMatrix<f64> {
        &self.mass_matrix
    }

    /// Momentum before the impact p⁻, n.
    #[must_use]
    pub fn momentum(&self) -> &DVector<f64> {
        &self.momentum
    }

    /// Velocity before the impact v⁻, n.
    #[must_use]
    pub fn velocity(&self) -> &DVector<f64> {
        &self.velocity
    }

    /// J, all contact rows stacked as [`ContactRows`] says, r × n.
    #[must_use]
    pub fn rows(&self) -> &DMatrix<f64> {
        &self.rows
    }

    /// M⁻¹Jᵀ, n × r.
    #[must_use]
    pub fn response(&self) -> &DMatrix<f64> {
        &self.response
    }

    /// Contact names in input order.
    #[must_use]
    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// Contact i as it was given.
    ///
    /// # Panics
    /// There is no such contact.
    #[must_use]
    pub fn contact(&self, i: usize) -> Contact {
        let at = &self.contact_space.contacts[i];
        let row = |k: usize| self.rows.row(k).transpose();
        Contact::new(&self.names[i], row(at.normal))
            .with_friction(at.tangent_rows().map(row).collect(), at.friction)
            .with_restitution(at.restitution)
    }

    /// M⁻¹ x for a covector x, n.
    #[must_use]
    pub fn solve_mass(&self, x: &DVector<f64>) -> DVector<f64> {
        self.mass_factor.solve(x)
    }

    /// L of M = L Lᵀ, n × n.
    pub(crate) fn mass_root(&self) -> DMatrix<f64> {
        self.mass_factor.l()
    }

    /// Momentum after the contact impulse Λ (r): p⁻ + JᵀΛ.
    #[must_use]
    pub fn momentum_after(&self, impulse: &DVector<f64>) -> DVector<f64> {
        &self.momentum + self.rows.tr_mul(impulse)
    }

    /// Velocity after the contact impulse Λ (r): v⁻ + M⁻¹JᵀΛ.
    #[must_use]
    pub fn velocity_after(&self, impulse: &DVector<f64>) -> DVector<f64> {
        &self.velocity + &self.response * impulse
    }

    /// Length of a covector in the kinetic metric: √(p M⁻¹ p), p of length n.
    #[must_use]
    pub fn kinetic_norm(&self, p: &DVector<f64>) -> f64 {
        p.dot(&self.mass_factor.solve(p)).max(0.0).sqrt()
    }

    /// Kinetic energy before the impact, ½ p⁻ M⁻¹ p⁻ \[J\].
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * self.momentum.dot(&self.velocity)
    }
}

/// Share of ‖p‖ that counts as a term of every contact velocity: with the default tolerance of the laws, 1e-10, it is
/// the rounding 1e-15 ‖p‖ of a momentum.
const OF_THE_WHOLE: f64 = 1e-5;

fn check_symmetric(m: &DMatrix<f64>) -> Result<(), ImpactError> {
    let scale = m.amax();
    let mut worst = (0, 0, 0.0);
    for row in 0..m.nrows() {
        for column in 0..row {
            let difference = (m[(row, column)] - m[(column, row)]).abs();
            if difference > worst.2 {
                worst = (row, column, difference);
            }
        }
    }
    if worst.2 <= 1e-9 * scale {
        return Ok(());
    }
    Err(ImpactError::NotSymmetric {
        row: worst.0,
        column: worst.1,
        difference: worst.2,
    })
}

fn check_contacts(contacts: &[Contact], n: usize) -> Result<Vec<ContactRows>, ImpactError> {
    let mut layout = Vec::with_capacity(contacts.len());
    let mut next = 0;
    for (i, contact) in contacts.iter().enumerate() {
        let place = |what: &str| format!("contacts[{i}] \"{}\": {what}", contact.name);
        if contacts[..i].iter().any(|c| c.name == contact.name) {
            return Err(ImpactError::DuplicateName {
                name: contact.name.to_string(),
            });
        }
        let named_rows = std::iter::once(("normal", &contact.normal))
            .chain(contact.tangents.iter().map(|t| ("tangent", t)));
        for (row, vector) in named_rows {
            // Places are put into words only where something is wrong with them.
            if vector.len() != n || !vector.iter().all(|x| x.is_finite()) {
                check_size(&place(row), n, vector.len())?;
                check_finite(&place(row), vector.as_slice())?;
            }
            if vector.amax() == 0.0 {
                return Err(ImpactError::ZeroRow {
                    contact: contact.name.to_string(),
                    row,
                });
            }
        }
        if contact.tangents.len() > 2 {
            return Err(ImpactError::OutOfRange {
                place: place("number of tangents"),
                value: contact.tangents.len() as f64,
                range: "0, 1 or 2",
            });
        }
        if !(contact.friction.is_finite() && contact.restitution.is_finite()) {
            check_finite(&place("friction"), &[contact.friction])?;
            check_finite(&place("restitution"), &[contact.restitution])?;
        }
        if contact.friction < 0.0 {
            return Err(ImpactError::OutOfRange {
                place: place("friction"),
                value: contact.friction,
                range: "at least 0",
            });
        }
        if !(0.0..=1.0).contains(&contact.restitution) {
            return Err(ImpactError::OutOfRange {
                place: place("restitution"),
                value: contact.restitution,
                range: "between 0 and 1",
            });
        }
        layout.push(ContactRows {
            normal: next,
            tangents: contact.tangents.len(),
            friction: contact.friction,
            restitution: contact.restitution,
        });
        next += 1 + contact.tangents.len();
    }
    Ok(layout)
}
