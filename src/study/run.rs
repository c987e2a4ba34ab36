//! A run of an experiment: controller, steps, and somebody who watches.

use std::ops::ControlFlow;

use thiserror::Error;

use super::{Experiment, ScenarioError};
use crate::control::{ControlError, Controller, Observation};
use crate::hybrid::{Event, Simulation, SimulationError, State, StepSummary};

/// Why a run stopped before its end. What was computed until then stands.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RunError {
    /// The controller has no answer.
    #[error("at {time} s: {source}")]
    Control {
        /// Time \[s\].
        time: f64,
        /// What it says.
        source: ControlError,
    },
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

    /// The controller's efforts over the coming step, n \[N m or N\].
    fn efforts(&mut self, _efforts: &[f64]) {}

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
    /// Whether the controller acts inside the steps.
    driven: bool,
    efforts: Vec<f64>,
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
        let simulation = match controller.drive() {
            Some(drive) => simulation.with_drive(drive),
            None => simulation,
        };
        Ok(Self {
            driven: controller.drive().is_some(),
            controller,
            efforts: vec![0.0; experiment.model.dof()],
            boundary: simulation.state().clone(),
            simulation,
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
        self.driven = controller.drive().is_some();
        if let Some(drive) = controller.drive() {
            self.simulation = self.simulation.with_drive(drive);
        } else {
            self.simulation = self.simulation.without_drive();
        }
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
            if let Err(error) = self.ask_controller() {
                return Ok(RunEnd::Failed(error));
            }
            watcher.efforts(&self.efforts);
            let summary = match self.simulation.step(&self.efforts) {
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

    /// Asks the controller at the beginning of the step; its answer is held over the step.
    fn ask_controller(&mut self) -> Result<(), RunError> {
        if self.driven {
            return Ok(());
        }
        self.simulation.velocity()?;
        let simulation = &self.simulation;
        self.efforts.fill(0.0);
        let observation = Observation {
            time: simulation.time(),
            time_step: simulation.settings().time_step,
            q: &simulation.state().q,
            v: simulation.known_velocity(),
            first_impact: simulation.state().first_impact,
            gaps: simulation.gaps(),
            model: simulation.model(),
        };
        self.controller
            .efforts(&observation, &mut self.efforts)
            .map_err(|source| RunError::Control {
                time: observation.time,
                source,
            })
    }
}
