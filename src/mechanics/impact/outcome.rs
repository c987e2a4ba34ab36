//! What a law answers.

use nalgebra::DVector;
use serde::Serialize;

use super::{Certificate, ContactRows, ImpactProblem, LawDetails, Uniqueness};

/// How a resolution ended. None of these is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ImpactStatus {
    /// The law's end condition was reached.
    Resolved,
    /// The budget of steps ran out first; what is returned is where it stood.
    NotTerminated,
    /// An enumeration was cut short by its budget: outcomes may be missing.
    Capped,
}

/// Kinetic energy before and after \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct EnergyLedger {
    /// ½ p⁻ M⁻¹ p⁻.
    pub before: f64,
    /// ½ p⁺ M⁻¹ p⁺.
    pub after: f64,
}

/// Impulse of one contact \[N s\].
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactImpulse {
    /// Along the normal; ≥ 0 pushes.
    pub normal: f64,
    /// Along the tangents, as many as the contact has.
    pub tangential: Vec<f64>,
}

/// One possible result of an impact.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// p⁺, n.
    pub momentum: DVector<f64>,
    /// v⁺ = M⁻¹ p⁺, n.
    pub velocity: DVector<f64>,
    /// Impulse of each contact, in input order.
    pub impulses: Vec<ContactImpulse>,
    /// Order in which contacts acted (indices into the problem), where the law has one.
    pub sequence: Option<Vec<usize>>,
    /// Whether `sequence` is minimal (no admissible proper subsequence ends feasible), where known.
    pub minimal: Option<bool>,
    /// Every admissible sequence that leads here, when they were enumerated.
    pub sequences: Vec<Vec<usize>>,
    /// Those of them that are minimal.
    pub minimal_sequences: Vec<Vec<usize>>,
    /// Energies before and after.
    pub energy: EnergyLedger,
    /// How the resolution ended.
    pub status: ImpactStatus,
    /// What only this law reports about the outcome.
    pub details: LawDetails,
}

impl Outcome {
    /// The outcome of the contact impulse Λ (r) on a problem, without a sequence.
    #[must_use]
    pub fn from_impulse(problem: &ImpactProblem, impulse: &DVector<f64>) -> Self {
        let momentum = problem.momentum_after(impulse);
        let velocity = problem.velocity_after(impulse);
        let energy = EnergyLedger {
            before: problem.kinetic_energy(),
            after: 0.5 * momentum.dot(&velocity),
        };
        Self {
            momentum,
            velocity,
            impulses: split_impulse(&problem.contact_space().contacts, impulse),
            sequence: None,
            minimal: None,
            sequences: Vec::new(),
            minimal_sequences: Vec::new(),
            energy,
            status: ImpactStatus::Resolved,
            details: LawDetails::none(),
        }
    }
}

/// Everything a law says about one problem.
#[derive(Debug, Clone)]
pub struct Resolution {
    /// The law's name.
    pub law: &'static str,
    /// Distinct outcomes (equal within 1e-9 of ‖p⁻‖ in the kinetic metric are one).
    pub outcomes: Vec<Outcome>,
    /// Whether the outcome is unique for this momentum, how many there are and how far apart. The law may know
    /// of more outcomes than it lists.
    pub uniqueness: Uniqueness,
    /// A statement valid for every momentum, if there is one.
    pub certificate: Option<Certificate>,
    /// How the resolution ended ([`ImpactStatus::Capped`] when outcomes may be missing).
    pub status: ImpactStatus,
    /// What only this law reports about the problem as a whole.
    pub details: LawDetails,
}

impl Resolution {
    /// Whether the outcome is unique for this momentum; `None` when the law cannot tell.
    #[must_use]
    pub fn unique(&self) -> Option<bool> {
        self.uniqueness.decided()
    }

    /// ξ: largest distance of two outcomes over ‖p⁻‖, kinetic metric; 0 when one is known.
    #[must_use]
    pub fn indeterminacy(&self) -> f64 {
        self.uniqueness.indeterminacy()
    }
}

/// Splits a stacked impulse Λ (r) by contact.
#[must_use]
pub(crate) fn split_impulse(
    contacts: &[ContactRows],
    impulse: &DVector<f64>,
) -> Vec<ContactImpulse> {
    contacts
        .iter()
        .map(|c| ContactImpulse {
            normal: impulse[c.normal],
            tangential: c.tangent_rows().map(|row| impulse[row]).collect(),
        })
        .collect()
}

/// ξ = max ‖p_a − p_b‖ / ‖p⁻‖ over pairs of outcomes, in the kinetic metric (\[SM\] §VII.A). Zero for
/// fewer than two outcomes and for a system at rest.
#[must_use]
pub fn indeterminacy(problem: &ImpactProblem, outcomes: &[Outcome]) -> f64 {
    let scale = problem.kinetic_norm(problem.momentum());
    if scale == 0.0 {
        return 0.0;
    }
    let mut largest: f64 = 0.0;
    for (i, a) in outcomes.iter().enumerate() {
        for b in &outcomes[..i] {
            largest = largest.max(problem.kinetic_norm(&(&a.momentum - &b.momentum)));
        }
    }
    largest / scale
}
