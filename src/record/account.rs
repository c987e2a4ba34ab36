//! What the steps of a run come to, gathered by whoever watches it, for its summary.

use super::locomotion::LocomotionStatistics;
use super::statistics::{RunConclusion, RunStatistics};
use super::summary::Summary;
use crate::hybrid::{Event, Simulation, SimulationError, StepSummary};
use crate::scenario::Experiment;

/// Statistics of a run, and of its locomotion if the scenario asks for it; there are none before the run starts.
pub struct RunAccount<'a> {
    experiment: &'a Experiment,
    /// For each leg of the scenario its contacts with the terrain.
    legs: Vec<Vec<usize>>,
    pub statistics: Option<RunStatistics>,
    pub locomotion: Option<LocomotionStatistics>,
}

impl<'a> RunAccount<'a> {
    /// The account of a run that has not started.
    pub fn new(experiment: &'a Experiment) -> Self {
        let entry = experiment.scenario.locomotion.as_ref();
        Self {
            legs: entry.map_or_else(Vec::new, |entry| {
                entry.ground_contacts(&experiment.model, &experiment.contacts)
            }),
            experiment,
            statistics: None,
            locomotion: None,
        }
    }

    /// Begins at the initial state.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn start(&mut self, simulation: &mut Simulation) -> Result<(), SimulationError> {
        self.statistics = Some(RunStatistics::new(simulation)?);
        let entry = self.experiment.scenario.locomotion.as_ref();
        self.locomotion = entry.map(|entry| LocomotionStatistics::new(entry, simulation));
        Ok(())
    }

    /// Takes in events.
    pub fn events(&mut self, events: &[Event]) {
        if let Some(statistics) = &mut self.statistics {
            statistics.events(events);
        }
        let entry = self.experiment.scenario.locomotion.as_ref();
        if let (Some(locomotion), Some(entry)) = (&mut self.locomotion, entry) {
            locomotion.events(entry, events);
        }
    }

    /// Takes in a completed step.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn step(
        &mut self,
        simulation: &mut Simulation,
        summary: &StepSummary,
    ) -> Result<(), SimulationError> {
        if let Some(statistics) = &mut self.statistics {
            statistics.step(simulation, summary)?;
        }
        let entry = self.experiment.scenario.locomotion.as_ref();
        if let (Some(locomotion), Some(entry)) = (&mut self.locomotion, entry) {
            locomotion.step(entry, &self.legs, simulation);
        }
        Ok(())
    }

    /// The summary of the run as it stands. `reason` says why it stopped; without one it is complete.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn summary(
        self,
        simulation: &mut Simulation,
        reason: Option<String>,
        wall_time: f64,
        scenario_hash: String,
    ) -> Result<Summary, SimulationError> {
        let statistics = match self.statistics {
            Some(statistics) => statistics,
            None => RunStatistics::new(simulation)?,
        };
        let scenario = &self.experiment.scenario;
        let locomotion = self.locomotion.zip(scenario.locomotion.as_ref());
        statistics.summary(
            simulation,
            RunConclusion {
                reason,
                remarks: self.experiment.remarks(),
                scenario,
                locomotion: locomotion
                    .and_then(|(found, entry)| found.summary(entry, &self.experiment.model)),
                wall_time,
                scenario_hash,
            },
        )
    }
}
