//! The plastic law: the momentum nearest to the one before the impact that penetrates nothing.
//!
//! # What it computes
//!
//! ```text
//! p⁺ = argmin ‖p − p⁻‖   subject to   ⟨p, u_i⟩ ≥ 0 for every closed contact i
//!    ⇔   p⁺ = p⁻ + Σ λ_i u_i,     0 ≤ λ ⊥ a + Gλ ≥ 0
//! ```
//!
//! ‖·‖ is the kinetic norm, ⟨a, b⟩ = a M⁻¹ bᵀ; u_i gap gradients; λ_i normal impulses (N s); a_i = ⟨p⁻, u_i⟩ normal
//! velocities before (m/s); G_ij = ⟨u_i, u_j⟩ (1/kg). The second line are the optimality conditions of the first: a
//! linear complementarity problem with a positive semidefinite matrix, solved exactly by an active set (Lawson and
//! Hanson 1974, ch. 23).
//!
//! Source: \[SM\] §III (eq. 11) with a correction. Eq. 11 projects on the tangent space of *all* closed contacts, which
//! can need a pulling impulse, λ_i < 0, at a contact that would separate. Where it does not pull it satisfies the
//! conditions above, and the two agree; where it does, this law lets the contact separate and says so in
//! [`PlasticDetails`].
//!
//! # Statements
//!
//! **Existence and uniqueness** of p⁺, for every set of contacts, wedged ones included: the feasible set is a closed
//! convex cone that holds 0, and the projection on a closed convex set exists and is unique. p⁺ does not depend on how
//! contacts are ordered, listed twice or scaled.
//!
//! **Energy** is never gained. Since Σ λ_i ⟨p⁺, u_i⟩ = 0 by complementarity, ⟨p⁺ − p⁻, p⁺⟩ = 0 and
//!
//! ```text
//! ‖p⁻‖² = ‖p⁺‖² + ‖p⁺ − p⁻‖²                        (Moreau)
//! ```
//!
//! so the loss is E_p = ½‖p⁺ − p⁻‖² = −½ aᵀλ (J).
//!
//! **No pushing keeps less.** Let p' = p⁻ + Σ λ'_i u_i with λ' ≥ 0 be any feasible momentum, however it was reached: by
//! a sequence of single impacts, with any restitution. Then ‖p'‖ ≥ ‖p⁺‖. *Proof.* ⟨p⁻, p⁺⟩ = ‖p⁺‖² by the orthogonality
//! above, and ⟨p', p⁺⟩ = ⟨p⁻, p⁺⟩ + Σ λ'_i ⟨u_i, p⁺⟩ ≥ ‖p⁺‖² because p⁺ is feasible; Cauchy and Schwarz do the rest. ∎
//!
//! **Continuity.** A projection on a convex set is non-expansive: ‖p_a⁺ − p_b⁺‖ ≤ ‖p_a⁻ − p_b⁻‖. At restitution zero
//! simultaneous impacts of this law are never sensitive to the momentum.
//!
//! **Impulses** are unique when the normals that carry them are linearly independent. With redundant contacts (four
//! feet of a box) λ may be changed by any y with Σ y_i u_i = 0. Then the λ ≥ 0 of least Euclidean norm is returned:
//! with P the projector on the null space and λ₀ = (1 − P)λ it is λ₀ + d, d the shortest vector with Pd = d and d ≥
//! −λ₀.
//!
//! # Declared
//!
//! Friction: none, a problem with friction is refused. Restitution: none; coefficients are not looked at. One outcome.
//! Independent of order. Verdict: unique, because the law is a function.
//!
//! # Limits
//!
//! A sequence of single plastic impacts, one contact after the other, ends elsewhere in general, with at least the
//! energy of the projection; the law is not a limit of such sequences. Least norm depends on the units of the rows
//! where rotational and translational rows meet.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::plastic::PlasticDetails;
//! use carom::impact::{Contact, ImpactLaw, ImpactProblem, Plastic, PreImpact};
//! use nalgebra::{DMatrix, dvector};
//!
//! // A point in the plane moves along a wall that recedes and onto a floor that leans away from it: the projection on
//! // both would have to pull at the wall.
//! let contacts = [
//!     Contact::new("floor", dvector![0.0, 1.0]),
//!     Contact::new("wall", dvector![0.8, -0.6]),
//! ];
//! let before = PreImpact::Velocity(dvector![1.0, -1.0]);
//! let problem = ImpactProblem::new(DMatrix::identity(2, 2), before, &contacts)?;
//! let answer = Plastic::default().resolve(&problem)?;
//! let outcome = &answer.outcomes[0];
//! assert!((&outcome.velocity - dvector![1.0, 0.0]).norm() < 1e-15);
//! assert!((outcome.impulses[0].normal - 1.0).abs() < 1e-15 && outcome.impulses[1].normal == 0.0);
//! let details = outcome.details.get::<PlasticDetails>().ok_or("no details")?;
//! assert!(details.projection_would_pull && details.impulses_unique);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod least_norm;
mod nonnegative;

pub(crate) use nonnegative::NonNegative;

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use crate::impact::friction_check::refuse_friction;
use least_norm::LeastNorm;

use super::{
    Certificate, ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, ImpulseReport,
    LawDetails, LawProperties, LawSettings, Outcome, Resolution, Uniqueness,
};
use crate::impact::settings::{NumberRange, SettingKey};
use crate::impact::unit_contacts::{UnitContacts, check_output, write_impulse};
use crate::impact::verdict::Ground;

/// The projection on the cone of non-penetrating momenta, in unit contact space.
#[derive(Debug, Clone, Default)]
pub(crate) struct ConeProjection {
    solver: NonNegative,
    least_norm: LeastNorm,
    /// λ̂, m.
    pub(crate) unit_impulse: Vec<f64>,
    /// Unit velocities after the projection, m, ≥ 0 up to rounding.
    pub(crate) velocity: Vec<f64>,
}

impl ConeProjection {
    /// Projects, and picks the impulses of least norm. Velocities up to the contacts' floors count as zero. Returns
    /// whether the impulses are unique.
    pub(crate) fn project(&mut self, unit: &UnitContacts) -> Result<bool, ImpactError> {
        self.solver
            .solve(unit.gram(), &unit.approach, &mut self.unit_impulse)
            .map_err(|residual| ImpactError::NotConverged {
                law: PlasticSettings::LAW,
                residual,
                iterations: 20 * unit.len() + 20,
            })?;
        let m = unit.len();
        self.velocity.clear();
        for i in 0..m {
            let pushed: f64 = (0..m)
                .map(|j| unit.cosine(i, j) * self.unit_impulse[j])
                .sum();
            self.velocity.push(unit.approach[i] + pushed);
        }
        for &i in self.solver.support() {
            self.velocity[i] = 0.0;
        }
        Ok(self
            .least_norm
            .apply(unit, &self.velocity, &mut self.unit_impulse))
    }

    /// E_p, the energy that a plastic impact removes: ½ λ̂ᵀĜλ̂ = −½ zᵀλ̂.
    pub(crate) fn energy(&self, unit: &UnitContacts) -> f64 {
        let work: f64 = self
            .unit_impulse
            .iter()
            .zip(&unit.approach)
            .map(|(s, z)| s * z)
            .sum();
        (-0.5 * work).max(0.0)
    }

    /// The contacts that carry the impulse, with linearly independent normals.
    pub(crate) fn support(&self) -> &[usize] {
        self.solver.support()
    }
}

/// Settings of [`Plastic`].
#[derive(Debug, Clone, PartialEq)]
pub struct PlasticSettings {
    /// Velocities up to this share of a contact's own scale (the velocities of the contacts that it is coupled to)
    /// count as zero when redundant contacts are told apart; a pure number in \[0, 0.1\]. Default 1e-10. Key `tolerance`.
    pub tolerance: f64,
}

impl Default for PlasticSettings {
    fn default() -> Self {
        Self { tolerance: 1e-10 }
    }
}

type Key = SettingKey<PlasticSettings>;

impl LawSettings for PlasticSettings {
    const LAW: &'static str = "plastic";
    const SUMMARY: &'static str = "the nearest momentum that penetrates nothing";

    const KEYS: &'static [Key] = &[Key::number(
        "tolerance",
        "share of a contact's scale below which its velocity is zero",
        NumberRange::between(0.0, 0.1),
        |s| &mut s.tolerance,
    )];
}

/// What the plastic law reports about its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlasticDetails {
    /// Whether the impulses are unique; of several, those of least norm are returned.
    pub impulses_unique: bool,
    /// Whether the projection of \[SM\] eq. 11, on the tangent space of all contacts, would need a pulling impulse.
    pub projection_would_pull: bool,
}

/// The plastic law. It has no restitution: coefficients in the problem are not looked at.
#[derive(Debug, Clone, Default)]
pub struct Plastic {
    settings: PlasticSettings,
    unit: UnitContacts,
    projection: ConeProjection,
}

impl Plastic {
    /// The law with these settings.
    ///
    /// # Errors
    /// [`ImpactError::Parameter`] for a setting out of its range.
    pub fn new(settings: PlasticSettings) -> Result<Self, ImpactError> {
        settings.check()?;
        Ok(Self {
            settings,
            ..Self::default()
        })
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &PlasticSettings {
        &self.settings
    }
}

impl ImpactLaw for Plastic {
    fn name(&self) -> &'static str {
        PlasticSettings::LAW
    }

    fn properties(&self) -> LawProperties {
        LawProperties {
            friction: false,
            restitution: false,
            set_valued: false,
            order_independent: true,
            conserves_energy: false,
            several_contacts: true,
        }
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        self.unit.load(space)?;
        check_output(space, impulse)?;
        self.unit.set_tolerance(self.settings.tolerance)?;
        self.projection.project(&self.unit)?;
        write_impulse(space, &self.unit, &self.projection.unit_impulse, impulse);
        Ok(ImpulseReport {
            status: ImpactStatus::Resolved,
            steps: self.projection.support().len(),
        })
    }

    fn resolve(&mut self, problem: &ImpactProblem) -> Result<Resolution, ImpactError> {
        let space = problem.contact_space();
        refuse_friction(self.name(), problem)?;
        self.unit.load(space)?;
        self.unit.set_tolerance(self.settings.tolerance)?;
        let unique_impulses = self.projection.project(&self.unit)?;
        let mut impulse = DVector::zeros(space.rows());
        write_impulse(
            space,
            &self.unit,
            &self.projection.unit_impulse,
            &mut impulse,
        );
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome.details = LawDetails::of(PlasticDetails {
            impulses_unique: unique_impulses,
            projection_would_pull: tangent_projection_pulls(&self.unit),
        });
        Ok(Resolution {
            law: self.name(),
            outcomes: vec![outcome],
            uniqueness: Uniqueness::unique(Ground::Function),
            certificate: Some(plastic_certificate()),
            status: ImpactStatus::Resolved,
            details: LawDetails::none(),
        })
    }
}

/// The projection on a convex cone is unique for every momentum.
pub(crate) fn plastic_certificate() -> Certificate {
    Certificate {
        unique_for_every_momentum: true,
        reason: "convex-projection".to_string(),
        angles: Vec::new(),
        deviation: 0.0,
        indeterminacy_bound: 0.0,
    }
}

/// Whether the projection on the tangent space of all contacts (\[SM\] eq. 11) needs a pulling impulse.
fn tangent_projection_pulls(unit: &UnitContacts) -> bool {
    let m = unit.len();
    if m == 0 {
        return false;
    }
    let gram = DMatrix::from_column_slice(m, m, unit.gram());
    let right = -DVector::from_column_slice(&unit.approach);
    match gram.svd(true, true).solve(&right, 1e-12) {
        Ok(impulse) => impulse.min() < -1e-10 * impulse.amax(),
        Err(_) => false,
    }
}
