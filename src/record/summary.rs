//! The summary file of a run.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::LocomotionSummary;
use crate::hybrid::SolverCounts;

/// The content of `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// `completed`, or `stopped` before the end.
    pub status: RunStatus,
    /// Why it stopped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What a reader of the results should know.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// What the scenario says it shows.
    pub description: String,
    /// Whole steps done.
    pub steps: u64,
    /// Time reached \[s\].
    pub time_s: f64,
    /// Duration the scenario asks for \[s\].
    pub duration_s: f64,
    /// Time it took, over all parts of a resumed run \[s\].
    pub wall_time_s: f64,
    /// Simulated time over wall time.
    pub real_time_factor: f64,
    /// Energy.
    pub energy: EnergySummary,
    /// Impacts.
    pub impacts: ImpactSummary,
    /// Holds and releases of contacts.
    pub held: HeldSummary,
    /// Deepest penetration of any contact at any step, and of any shape in another one that it may touch \[m\].
    pub max_penetration_m: f64,
    /// What that was, where it is deeper than held contacts may be (`closed_gap`): a contact, or two shapes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deepest_contact: Option<String>,
    /// Root finding.
    pub newton: NewtonSummary,
    /// Solves.
    #[serde(default)]
    pub solver: SolverSummary,
    /// How far the base is from where it started, over the ground (in x and y): not the way that it went \[m\]. None for
    /// a robot on a fixed base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance_m: Option<f64>,
    /// How the robot got along, when the scenario asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locomotion: Option<LocomotionSummary>,
    /// Name of the impact law.
    pub law: String,
    /// Version of the program.
    pub version: String,
    /// SHA-256 of the resolved scenario and the robot.
    pub scenario_hash: String,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum RunStatus {
    /// It reached its duration.
    Completed,
    /// It stopped before; what was computed is written.
    Stopped,
}

impl RunStatus {
    /// The word that files use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Stopped => "stopped",
        }
    }
}

/// Energies of a run \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(
    non_snake_case,
    reason = "the unit is part of the field's name in the file"
)]
pub struct EnergySummary {
    /// Kinetic and potential at the start.
    pub initial_J: f64,
    /// Kinetic and potential at the end.
    pub final_J: f64,
    /// Largest magnitude of `energy_residual_J`, over all steps: how far the energy balance (energy less all work) is from
    /// that at the start.
    pub max_residual_J: f64,
}

/// Impacts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ImpactSummary {
    /// Simultaneous impacts, each counted once.
    pub count: u64,
    /// Reflections in all of them.
    pub reflections: u64,
    /// Impacts that are known to have more than one outcome.
    pub ambiguous: u64,
    /// Impacts of which the law cannot tell whether their outcome is unique.
    #[serde(default)]
    pub undecided: u64,
    /// Impacts whose count of outcomes ran out of its budget.
    pub capped: u64,
    /// Largest ξ.
    pub max_indeterminacy: f64,
    /// Impacts that another law than the scenario's resolved; the events say why.
    #[serde(default)]
    pub by_other_law: u64,
    /// Limits of accumulating impacts, resolved with all restitutions zero.
    #[serde(default)]
    pub zeno: u64,
    /// Impacts at which the law did not come to an end.
    #[serde(default)]
    pub not_terminated: u64,
    /// Contacts that were brought to rest and held without a strike.
    #[serde(default)]
    pub captured: u64,
}

/// Solves of a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SolverSummary {
    /// Nonlinear solves of pieces of steps, those to locate events included.
    pub step_solves: u64,
    /// Solves that locating one event took on average; 0 without events.
    pub solves_per_event: f64,
    /// Friction solves by the method that answered.
    pub friction: BTreeMap<String, u64>,
}

impl From<&SolverCounts> for SolverSummary {
    fn from(counts: &SolverCounts) -> Self {
        let friction = counts.friction.iter();
        Self {
            step_solves: counts.step_solves,
            solves_per_event: counts.solves_per_event().unwrap_or(0.0),
            friction: friction.map(|(name, n)| (name.to_string(), *n)).collect(),
        }
    }
}

/// Held contacts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldSummary {
    /// How often a contact was held.
    pub holds: u64,
    /// How often one was released.
    pub releases: u64,
    /// Steps over held contacts that had several continuations.
    #[serde(default)]
    pub branches: u64,
}

/// Newton iterations of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct NewtonSummary {
    /// Per step, of its hardest piece.
    pub iterations_mean: f64,
    /// Of the hardest step.
    pub iterations_max: u64,
    /// How often a step was halved.
    pub halvings: u64,
}
