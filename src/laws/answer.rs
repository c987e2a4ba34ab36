//! Answers of `carom impact` and `carom compare`: what a [`Resolution`] says, in the names of the
//! problem file, as JSON.

use serde::Serialize;

use crate::impact::{
    Certificate, ContactImpulse, EnergyLedger, ImpactError, ImpactProblem, ImpactStatus,
    LawDetails, Outcome, Resolution, Uniqueness,
};

/// What a law says about one problem of a file.
#[derive(Debug, Clone, Serialize)]
pub struct ImpactAnswer {
    /// The problem's name.
    pub name: String,
    /// The law's name.
    pub law: &'static str,
    /// Distinct outcomes.
    pub outcomes: Vec<OutcomeAnswer>,
    /// Whether the outcome is unique for this momentum; `null` when the law cannot tell.
    pub unique: Option<bool>,
    /// A statement valid for every momentum, or `null`.
    pub certificate: Option<CertificateAnswer>,
    /// ξ: largest distance of two outcomes over ‖p⁻‖ in the kinetic metric.
    pub indeterminacy: f64,
    /// Why the verdict is what it is.
    #[serde(skip)]
    pub uniqueness: Uniqueness,
    /// How the resolution ended.
    pub status: ImpactStatus,
    /// What only this law reports.
    #[serde(flatten)]
    pub details: LawDetails,
}

/// One outcome, with contacts by name.
#[derive(Debug, Clone, Serialize)]
pub struct OutcomeAnswer {
    /// v⁺, n.
    pub velocity: Vec<f64>,
    /// p⁺, n.
    pub momentum: Vec<f64>,
    /// One entry a contact, in input order.
    pub impulses: Vec<NamedImpulse>,
    /// Contacts in the order in which they acted, where the law has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<Vec<String>>,
    /// Whether the sequence is minimal, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimal: Option<bool>,
    /// Every admissible sequence that leads here, when they were enumerated.
    #[serde(flatten)]
    pub enumerated: Option<EnumeratedSequences>,
    /// Kinetic energies \[J\].
    pub kinetic_energy: EnergyLedger,
    /// How the resolution of this outcome ended.
    pub status: ImpactStatus,
    /// What only this law reports.
    #[serde(flatten)]
    pub details: LawDetails,
}

/// The sequences that lead to one outcome.
#[derive(Debug, Clone, Serialize)]
pub struct EnumeratedSequences {
    /// All admissible ones; empty when the enumeration was cut short before it could list them.
    pub sequences: Vec<Vec<String>>,
    /// Those of them that are minimal, where the law tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimal_sequences: Option<Vec<Vec<String>>>,
}

/// Impulse of a named contact \[N s\].
#[derive(Debug, Clone, Serialize)]
pub struct NamedImpulse {
    /// The contact's name.
    pub contact: String,
    /// Normal and tangential parts.
    #[serde(flatten)]
    pub impulse: ContactImpulse,
}

/// A certificate, with contacts by name.
#[derive(Debug, Clone, Serialize)]
pub struct CertificateAnswer {
    /// Whether the outcome is unique whatever the momentum.
    pub unique_for_every_momentum: bool,
    /// Why.
    pub reason: String,
    /// The angles between the normals.
    pub angles: Vec<AngleAnswer>,
    /// Largest distance of a cosine from the exact value it was taken for.
    pub deviation: f64,
    /// Bound on the indeterminacy that follows from the deviation.
    pub indeterminacy_bound: f64,
}

/// The kinetic angle between two named contacts.
#[derive(Debug, Clone, Serialize)]
pub struct AngleAnswer {
    /// The two contacts.
    pub contacts: [String; 2],
    /// ⟨û_i, û_j⟩.
    pub cosine: f64,
    /// m when the cosine is −cos(π/m) within the tolerance.
    pub order: Option<u32>,
}

/// The answer for a problem that could not be solved.
#[derive(Debug, Clone, Serialize)]
pub struct FailedAnswer {
    /// The problem's name.
    pub name: String,
    /// What is wrong and what would be right.
    pub error: String,
}

impl ImpactAnswer {
    /// Puts a resolution into words of the problem file.
    ///
    /// # Errors
    /// [`ImpactError::NotFinite`] when a number of the resolution is NaN or infinite, which happens
    /// when the numbers of the problem are so large that their products overflow.
    pub fn new(
        name: &str,
        problem: &ImpactProblem,
        resolution: Resolution,
    ) -> Result<Self, ImpactError> {
        check_finite("indeterminacy", &[resolution.indeterminacy()])?;
        let names = Names(problem);
        let capped = resolution.status == ImpactStatus::Capped;
        let uniqueness = resolution.uniqueness;
        Ok(Self {
            name: name.to_string(),
            law: resolution.law,
            outcomes: resolution
                .outcomes
                .into_iter()
                .map(|outcome| names.outcome(outcome, capped))
                .collect::<Result<_, _>>()?,
            unique: uniqueness.decided(),
            certificate: resolution
                .certificate
                .map(|certificate| names.certificate(certificate)),
            indeterminacy: uniqueness.indeterminacy(),
            uniqueness,
            status: resolution.status,
            details: resolution.details,
        })
    }
}

struct Names<'a>(&'a ImpactProblem);

impl Names<'_> {
    fn of(&self, contact: usize) -> String {
        self.0
            .names()
            .get(contact)
            .map_or_else(|| contact.to_string(), |name| name.to_string())
    }

    fn sequence(&self, contacts: &[usize]) -> Vec<String> {
        contacts.iter().map(|&contact| self.of(contact)).collect()
    }

    fn sequences(&self, all: &[Vec<usize>]) -> Vec<Vec<String>> {
        all.iter().map(|one| self.sequence(one)).collect()
    }

    fn outcome(&self, outcome: Outcome, capped: bool) -> Result<OutcomeAnswer, ImpactError> {
        check_finite("the velocity after the impact", outcome.velocity.as_slice())?;
        check_finite("the momentum after the impact", outcome.momentum.as_slice())?;
        let energy = outcome.energy;
        check_finite("the kinetic energy", &[energy.before, energy.after])?;
        for impulse in &outcome.impulses {
            check_finite("a normal impulse", &[impulse.normal])?;
            check_finite("a tangential impulse", &impulse.tangential)?;
        }
        let enumerated = (capped || !outcome.sequences.is_empty()).then(|| {
            let minimality_known = outcome.minimal.is_some()
                || outcome.sequences.is_empty()
                || !outcome.minimal_sequences.is_empty();
            EnumeratedSequences {
                sequences: self.sequences(&outcome.sequences),
                minimal_sequences: minimality_known
                    .then(|| self.sequences(&outcome.minimal_sequences)),
            }
        });
        Ok(OutcomeAnswer {
            velocity: outcome.velocity.as_slice().to_vec(),
            momentum: outcome.momentum.as_slice().to_vec(),
            impulses: outcome
                .impulses
                .into_iter()
                .enumerate()
                .map(|(i, impulse)| NamedImpulse {
                    contact: self.of(i),
                    impulse,
                })
                .collect(),
            sequence: outcome.sequence.map(|sequence| self.sequence(&sequence)),
            minimal: outcome.minimal,
            enumerated,
            kinetic_energy: energy,
            status: outcome.status,
            details: outcome.details,
        })
    }

    fn certificate(&self, certificate: Certificate) -> CertificateAnswer {
        CertificateAnswer {
            unique_for_every_momentum: certificate.unique_for_every_momentum,
            reason: certificate.reason,
            angles: certificate
                .angles
                .into_iter()
                .map(|angle| AngleAnswer {
                    contacts: [self.of(angle.contacts.0), self.of(angle.contacts.1)],
                    cosine: angle.cosine,
                    order: angle.order,
                })
                .collect(),
            deviation: certificate.deviation,
            indeterminacy_bound: certificate.indeterminacy_bound,
        }
    }
}

fn check_finite(place: &str, numbers: &[f64]) -> Result<(), ImpactError> {
    match numbers.iter().find(|number| !number.is_finite()) {
        None => Ok(()),
        Some(&value) => Err(ImpactError::NotFinite {
            place: place.to_string(),
            value,
        }),
    }
}
