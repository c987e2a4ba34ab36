//! A run of an experiment: controller, steps, and somebody who watches.

use std::ops::ControlFlow;

use thiserror::Error;

use super::{Experiment, ScenarioError};
use crate::control::Controller;
use crate::hybrid::{Event, Simulation, SimulationError, State, StepSummary};

/// Why a run stopped before its end. What was computed until then stands.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RunError {
    /// A step or an impact has no solution, or the controller's effort is not finite.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

/// How a call of [`Run::advance`] ended.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEnd {
    /// The wanted step was reached.
    Reached,
    /// The watcher asked to stop.
    Interrupted,
    /// An error stopped the run.
    Failed(RunError),
}

/// Sees every step of a run, and passes over what it does not ask for. `E` is what can go wrong while watching (writing
/// to a full disk).
pub trait Watcher<E> {
    /// The initial state, before anything happens.
    ///
    /// # Errors
    /// The watcher cannot go on; the run stops.
    fn start(&mut self, _simulation: &mut Simulation) -> Result<(), E> {
        Ok(())
    }

    /// What happened at the initial state without time passing.
    ///
    /// # Errors
    /// As [`Watcher::start`].
    fn settled(&mut self, _simulation: &mut Simulation, _events: &[Event]) -> Result<(), E> {
        Ok(())
    }

    /// A completed step and its events. To break is to stop the run here.
    ///
    /// # Errors
    /// As [`Watcher::start`].
    fn step(
        &mut self,
        _simulation: &mut Simulation,
        _summary: &StepSummary,
        _events: &[Event],
    ) -> Result<ControlFlow<()>, E> {
        Ok(ControlFlow::Continue(()))
    }
}

/// One run of an experiment.
pub struct Run {
    simulation: Simulation,
    controller: Box<dyn Controller>,
    started: bool,
    /// The state at the beginning of the present step: where a failed step can be taken up again.
    boundary: State,
}

impl Run {
    /// A run from the beginning.
    ///
    /// # Errors
    /// A state that the robot cannot start from, an unknown law, a wrong controller; also an impact
    /// at the initial state that has no solution.
    pub fn new(experiment: &Experiment) -> Result<Self, ScenarioError> {
        let run = Self::with(experiment, experiment.simulation()?, false)?;
        // What happens at time zero is tried first, so that a start that cannot be is refused.
        experiment.simulation()?.settle()?;
        Ok(run)
    }

    /// A run that goes on from a saved state, to the same bits as if it had not stopped.
    ///
    /// # Errors
    /// As [`Run::new`], and a state of another robot.
    pub fn resumed(experiment: &Experiment, state: State) -> Result<Self, ScenarioError> {
        Self::with(experiment, experiment.resumed(state)?, true)
    }

    fn with(
        experiment: &Experiment,
        simulation: Simulation,
        started: bool,
    ) -> Result<Self, ScenarioError> {
        let controller = experiment.controller()?;
        let boundary = simulation.state().clone();
        Ok(Self {
            simulation: simulation.driven_by(controller.as_ref()),
            controller,
            boundary,
            started,
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
        self.simulation = self.simulation.driven_by(controller.as_ref());
        self.controller = controller;
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

    /// Runs until `steps` steps are done since time zero.
    ///
    /// # Errors
    /// Those of the watcher. An error of the run itself is [`RunEnd::Failed`].
    pub fn advance<E>(&mut self, steps: u64, watcher: &mut dyn Watcher<E>) -> Result<RunEnd, E> {
        if !self.started {
            self.started = true;
            watcher.start(&mut self.simulation)?;
            let settled = self.simulation.settle();
            let events = self.simulation.take_events();
            watcher.settled(&mut self.simulation, &events)?;
            self.boundary.clone_from(self.simulation.state());
            if let Err(error) = settled {
                return Ok(RunEnd::Failed(error.into()));
            }
        }
        while self.boundary.step < steps {
            let summary = match self.simulation.step_under(self.controller.as_mut()) {
                Ok(summary) => summary,
                Err(error) => return Ok(RunEnd::Failed(error.into())),
            };
            let events = self.simulation.take_events();
            self.boundary.clone_from(self.simulation.state());
            if watcher
                .step(&mut self.simulation, &summary, &events)?
                .is_break()
            {
                return Ok(RunEnd::Interrupted);
            }
        }
        Ok(RunEnd::Reached)
    }
}
