//! A run of an experiment: the simulation's own loop, and the state from which it can be resumed.

use std::ops::ControlFlow;

use crate::control::Controller;
use crate::hybrid::{
    Event, RunError, RunStop, Simulation, SimulationError, State, StepSummary, Watcher,
};
use crate::scenario::{Experiment, ScenarioError};

/// How a call of [`Run::advance`] ended.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum RunEnd {
    /// The wanted step was reached.
    Reached,
    /// The watcher asked to stop.
    Interrupted,
    /// An error stopped the run. What was computed until then stands.
    Failed(SimulationError),
}

/// One run of an experiment.
pub struct Run {
    simulation: Simulation,
    /// The state at the beginning of the present step: where a failed step can be taken up again.
    boundary: State,
    steps: u64,
    end_between_steps: Option<f64>,
}

/// Keeps the state at the end of every step, beside another watcher.
struct Keeper<'a, E> {
    boundary: &'a mut State,
    watcher: &'a mut dyn Watcher<E>,
}

impl<E> Watcher<E> for Keeper<'_, E> {
    fn start(&mut self, simulation: &mut Simulation) -> Result<(), E> {
        self.watcher.start(simulation)
    }

    fn settled(&mut self, simulation: &mut Simulation, events: &[Event]) -> Result<(), E> {
        self.watcher.settled(simulation, events)?;
        self.boundary.clone_from(simulation.state());
        Ok(())
    }

    fn step(
        &mut self,
        simulation: &mut Simulation,
        summary: &StepSummary,
        events: &[Event],
    ) -> Result<ControlFlow<()>, E> {
        if simulation.is_between_steps() {
            self.boundary.clone_from(simulation.state());
        }
        self.watcher.step(simulation, summary, events)
    }
}

impl Run {
    /// A run from the beginning.
    ///
    /// # Errors
    /// A state that the robot cannot start from, an unknown law, a wrong controller; also an impact
    /// at the initial state that has no solution.
    pub fn new(experiment: &Experiment) -> Result<Self, ScenarioError> {
        let run = Self::with(experiment, experiment.simulation()?)?;
        // What happens at time zero is tried first, so that a start that cannot be is refused.
        let settled = experiment.simulation()?.settle();
        settled.map_err(|e| ScenarioError::from(e).located(&experiment.file, "initial"))?;
        Ok(run)
    }

    /// A run that goes on from a saved state, to the same bits as if it had not stopped.
    ///
    /// # Errors
    /// As [`Run::new`], and a state of another robot.
    pub fn resumed(experiment: &Experiment, state: State) -> Result<Self, ScenarioError> {
        Self::with(experiment, experiment.resumed(state)?)
    }

    fn with(experiment: &Experiment, simulation: Simulation) -> Result<Self, ScenarioError> {
        let boundary = simulation.state().clone();
        Ok(Self {
            simulation: simulation.with_controller(experiment.controller()?),
            boundary,
            steps: experiment.scenario.steps(),
            end_between_steps: experiment.scenario.end_between_steps(),
        })
    }

    /// The same run, keeping its first impact as a problem.
    #[must_use]
    pub fn capturing_first_impact(mut self) -> Self {
        self.simulation = self.simulation.capturing_first_impact();
        self
    }

    /// The same run under another controller.
    #[must_use]
    pub fn with_controller(mut self, controller: Box<dyn Controller>) -> Self {
        self.simulation = self.simulation.with_controller(controller);
        self
    }

    /// The simulation as it stands; after a failure, in the middle of the step that failed.
    #[must_use]
    pub fn simulation(&mut self) -> &mut Simulation {
        &mut self.simulation
    }

    /// The state at the last step's end, from which the run can be resumed.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.boundary
    }

    /// Runs to the end of the scenario's duration; where that lies between two steps, the last one is shorter and
    /// [`Run::state`] is that before it.
    ///
    /// # Errors
    /// As [`Run::advance`].
    pub fn complete<E>(&mut self, watcher: &mut dyn Watcher<E>) -> Result<RunEnd, E> {
        let end = self.advance(self.steps, watcher)?;
        let (RunEnd::Reached, Some(time)) = (&end, self.end_between_steps) else {
            return Ok(end);
        };
        self.simulation.cut_next_step(time);
        let summary = match self.simulation.advance() {
            Ok(summary) => summary,
            Err(error) => return Ok(RunEnd::Failed(error)),
        };
        let events = self.simulation.take_events();
        // Nothing is left to stop.
        let _ = watcher.step(&mut self.simulation, &summary, &events)?;
        Ok(RunEnd::Reached)
    }

    /// Runs until `steps` steps are done since time zero.
    ///
    /// # Errors
    /// Those of the watcher. An error of the run itself is [`RunEnd::Failed`].
    pub fn advance<E>(&mut self, steps: u64, watcher: &mut dyn Watcher<E>) -> Result<RunEnd, E> {
        let mut keeper = Keeper {
            boundary: &mut self.boundary,
            watcher,
        };
        match self.simulation.run_steps(steps, &mut keeper) {
            Ok(RunStop::Reached) => Ok(RunEnd::Reached),
            Ok(RunStop::Interrupted) => Ok(RunEnd::Interrupted),
            Err(RunError::Simulation(error)) => Ok(RunEnd::Failed(error)),
            Err(RunError::Watcher(error)) => Err(error),
        }
    }
}
