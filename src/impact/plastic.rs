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
use serde_json::Value;

use super::least_norm::LeastNorm;
use super::nonnegative::NonNegative;
use super::parameters::{parse_tolerance, refuse_friction, unknown_parameter};
use super::unit_contacts::{UnitContacts, check_output, write_impulse};
use super::{
    Certificate, ContactSpace, Ground, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    ImpulseReport, LawProperties, Outcome, Resolution, Uniqueness,
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
                law: "plastic",
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

/// The plastic law. It has no restitution: coefficients in the problem are not looked at.
#[derive(Debug, Clone)]
pub struct Plastic {
    /// Velocities up to this share of a contact's own scale (the velocities of the contacts that it is coupled to)
    /// count as zero when redundant contacts are told apart. Default 1e-10.
    pub tolerance: f64,
    unit: UnitContacts,
    projection: ConeProjection,
}

impl Default for Plastic {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            unit: UnitContacts::default(),
            projection: ConeProjection::default(),
        }
    }
}

impl Plastic {
    /// The names that [`ImpactLaw::set_parameter`] knows.
    pub const PARAMETERS: &'static [&'static str] = &["tolerance"];
}

impl ImpactLaw for Plastic {
    fn name(&self) -> &'static str {
        "plastic"
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

    fn set_parameter(&mut self, name: &str, value: &str) -> Result<(), ImpactError> {
        if name != "tolerance" {
            return Err(unknown_parameter(self.name(), name, Self::PARAMETERS));
        }
        self.tolerance = parse_tolerance(self.name(), name, value)?;
        Ok(())
    }

    fn impulse(
        &mut self,
        space: &ContactSpace,
        impulse: &mut DVector<f64>,
    ) -> Result<ImpulseReport, ImpactError> {
        self.unit.load(space)?;
        check_output(space, impulse)?;
        self.unit.set_tolerance(self.tolerance)?;
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
        self.unit.set_tolerance(self.tolerance)?;
        let unique_impulses = self.projection.project(&self.unit)?;
        let mut impulse = DVector::zeros(space.rows());
        write_impulse(
            space,
            &self.unit,
            &self.projection.unit_impulse,
            &mut impulse,
        );
        let mut outcome = Outcome::from_impulse(problem, &impulse);
        outcome
            .details
            .insert("impulses_unique".to_string(), Value::Bool(unique_impulses));
        outcome.details.insert(
            "projection_would_pull".to_string(),
            Value::Bool(tangent_projection_pulls(&self.unit)),
        );
        Ok(Resolution {
            law: self.name(),
            outcomes: vec![outcome],
            uniqueness: Uniqueness::unique(Ground::Function),
            certificate: Some(plastic_certificate()),
            status: ImpactStatus::Resolved,
            details: serde_json::Map::new(),
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
