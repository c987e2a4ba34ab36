//! The plastic law: the nearest momentum that penetrates nothing.
//!
//! p⁺ = argmin ‖p⁺ − p⁻‖ subject to ⟨p⁺, u_i⟩ ≥ 0 for every closed contact, in the kinetic metric.
//! \[SM\] eq. 11 projects on the tangent space of all contacts instead, which can need a pulling impulse at
//! a contact that would separate; whenever it does not, the two agree. With Moreau's decomposition the
//! answer is the linear complementarity problem 0 ≤ Λ ⊥ a + GΛ ≥ 0, solved exactly by an active set.
//!
//! Exists: always. Unique: the momentum always; the impulses unless contacts are redundant, then those
//! of least norm are returned. Energy: never gained. Friction: none. Depends on the order of contacts: no.

use nalgebra::{DMatrix, DVector};
use serde::Serialize;

use super::friction_check::refuse_friction;
use super::least_norm::LeastNorm;
use super::nonnegative::NonNegative;
use super::unit_contacts::{UnitContacts, check_output, write_impulse};
use super::{
    Certificate, ContactSpace, Ground, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    ImpulseReport, LawDetails, LawProperties, LawSettings, NumberRange, Outcome, Resolution,
    SettingKey, Uniqueness,
};

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
