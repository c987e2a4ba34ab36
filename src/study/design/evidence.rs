//! The proof on the simulated robot: the same drop with two orders of reflection, before and after.

use serde::Serialize;

use super::study::{DesignStudy, DesignStudyError};
use crate::scenario::Experiment;
use crate::study::momentum_distance::{DistanceCurve, DistanceEvent, Parting, momentum_distance};

/// A drop simulated with both orders.
#[derive(Debug, Clone)]
pub struct DropRun {
    /// What was simulated, with the first of the two orders.
    pub experiment: Experiment,
    /// ξ of the landing with its gaps closed.
    pub xi_closed: f64,
    /// Distance of the two runs over time.
    pub curve: DistanceCurve,
}

/// What a drop in both orders showed, as `design.json` holds it; the curve itself is in
/// `momentum_distance.csv`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DropEvidence {
    /// ξ of the landing with its gaps closed; null when it did not take place.
    pub xi_closed: Option<f64>,
    /// The first event after which the two orders are apart; null when they stay together.
    pub parting: Option<Parting>,
    /// Largest distance of the two momenta over ‖p‖ within the run.
    pub largest_distance: Option<f64>,
    /// The same up to the second impact event: what the landing alone does.
    pub distance_after_landing: Option<f64>,
    /// Largest ξ of any impact of the first run.
    pub largest_indeterminacy: Option<f64>,
    /// Length of the run \[s\].
    pub duration_s: f64,
    /// How many impacts the first run has.
    pub impacts: usize,
    /// Those with more than one outcome, with the distance of the two runs after each.
    pub ambiguous: Vec<DistanceEvent>,
    /// Why the run ended early or did not take place.
    pub stopped: Option<String>,
}

impl DropEvidence {
    /// The summary of a run, or of why there is none.
    #[must_use]
    pub fn new(run: &Result<DropRun, DesignStudyError>) -> Self {
        match run {
            Ok(DropRun {
                xi_closed, curve, ..
            }) => Self {
                xi_closed: Some(*xi_closed),
                parting: curve.parting.clone(),
                largest_distance: Some(curve.largest()),
                distance_after_landing: Some(curve.after_first_impact()),
                largest_indeterminacy: Some(curve.largest_indeterminacy()),
                duration_s: curve.samples.last().map_or(0.0, |s| s.time_s),
                impacts: curve.impacts.len(),
                ambiguous: curve
                    .impacts
                    .iter()
                    .filter(|i| i.outcomes > 1)
                    .cloned()
                    .collect(),
                stopped: curve.stopped.clone(),
            },
            Err(error) => Self {
                xi_closed: None,
                parting: None,
                largest_distance: None,
                distance_after_landing: None,
                largest_indeterminacy: None,
                duration_s: 0.0,
                impacts: 0,
                ambiguous: Vec::new(),
                stopped: Some(error.to_string()),
            },
        }
    }
}

impl DesignStudy {
    /// Drops the robot at `x` once with the most and once with the least violated contact first, under the
    /// controller of the design file; `None` when no stance drops.
    ///
    /// # Errors
    /// As [`DesignStudy::drop_experiment`], and a state that the simulation refuses.
    pub fn drop_in_both_orders(&self, x: &[f64]) -> Result<Option<DropRun>, DesignStudyError> {
        let Some((mut experiment, xi_closed)) = self.drop_experiment(x)? else {
            return Ok(None);
        };
        experiment.scenario.impact.order = "least-violated".to_string();
        let (mut least, mut second) = (experiment.simulation()?, experiment.controller()?);
        experiment.scenario.impact.order = "most-violated".to_string();
        let (mut most, mut first) = (experiment.simulation()?, experiment.controller()?);
        let steps = (experiment.scenario.duration / experiment.scenario.time_step).round() as u64;
        let curve = momentum_distance([&mut most, &mut least], [&mut *first, &mut *second], steps);
        Ok(Some(DropRun {
            experiment,
            xi_closed,
            curve,
        }))
    }
}
