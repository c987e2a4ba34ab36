//! What the maximum dissipation law reports beside its outcome.

use nalgebra::DVector;
use serde::{Serialize, Serializer};

use super::coulomb::coulomb_solutions;
use super::{ConicSection, ContactBlock, CoulombKind, DissipationBranch};
use crate::impact::{ContactSpace, ImpactProblem};

/// What the maximum dissipation law reports about its outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MaxDissipationOutcome {
    /// Branch of the structogram (\[PER\] Fig. 5) of each contact; in answers, that of a single contact is no list.
    #[serde(serialize_with = "one_or_all")]
    pub branch: Vec<DissipationBranch>,
    /// Section of plane and friction cone of each contact, where there is friction; written as `branch` is.
    #[serde(serialize_with = "one_or_all")]
    pub conic_section: Vec<Option<ConicSection>>,
    /// Change of kinetic energy \[J\].
    pub objective: f64,
    /// How several contacts were swept.
    #[serde(flatten)]
    pub sweeps: Option<SweepReport>,
}

/// The sweeps over several contacts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SweepReport {
    /// How many.
    pub sweeps: usize,
    /// Residual after the last one.
    pub residual: f64,
    /// Residual after each.
    pub convergence: Vec<f64>,
}

/// What the maximum dissipation law reports about a problem.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MaxDissipationReport {
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The Coulomb solutions of a single contact, for comparison.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coulomb_solutions: Option<Vec<CoulombAnswer>>,
}

/// One Coulomb solution of a single contact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CoulombAnswer {
    /// What happens at the contact.
    pub kind: CoulombKind,
    /// Normal impulse \[N s\].
    pub normal: f64,
    /// Tangential impulse \[N s\].
    pub tangential: Vec<f64>,
    /// Sliding velocity afterwards \[m/s\].
    pub sliding_velocity: Vec<f64>,
    /// Change of kinetic energy \[J\].
    pub objective: f64,
}

/// A single entry by itself, several as a list.
fn one_or_all<T: Serialize, S: Serializer>(list: &[T], serializer: S) -> Result<S::Ok, S::Error> {
    match list {
        [one] => one.serialize(serializer),
        several => several.serialize(serializer),
    }
}

impl MaxDissipationOutcome {
    pub(crate) fn new(
        space: &ContactSpace,
        impulse: &DVector<f64>,
        branches: &[DissipationBranch],
        history: &[f64],
    ) -> Self {
        let section = |j| ContactBlock::from_space(space, j, impulse).conic_section();
        Self {
            branch: branches.to_vec(),
            conic_section: (0..space.len()).map(section).collect(),
            objective: space.energy_change(impulse),
            sweeps: history.last().map(|&residual| SweepReport {
                sweeps: history.len(),
                residual,
                convergence: history.to_vec(),
            }),
        }
    }
}

impl MaxDissipationReport {
    pub(crate) fn new(problem: &ImpactProblem) -> Self {
        let space = problem.contact_space();
        let contacts = space.contacts.iter().zip(problem.names());
        Self {
            notes: contacts
                .filter(|(c, _)| c.restitution != 0.0 && c.restitution != 1.0)
                .map(|(c, name)| {
                    format!(
                        "contact \"{name}\": the law is purely inelastic, restitution {} has no effect",
                        c.restitution
                    )
                })
                .collect(),
            coulomb_solutions: (space.len() == 1).then(|| {
                let zero = DVector::zeros(space.rows());
                coulomb_answers(&ContactBlock::from_space(space, 0, &zero))
            }),
        }
    }
}

fn coulomb_answers(block: &ContactBlock) -> Vec<CoulombAnswer> {
    let own = 1..1 + block.tangents;
    let solutions = coulomb_solutions(block);
    let answers = solutions.iter().map(|s| CoulombAnswer {
        kind: s.kind,
        normal: s.impulse[0],
        tangential: s.impulse.as_slice()[own.clone()].to_vec(),
        sliding_velocity: s.velocity.as_slice()[own.clone()].to_vec(),
        objective: s.objective,
    });
    answers.collect()
}
