//! The loop of every run: settle, then step after step, and somebody who watches.

use thiserror::Error;

use super::{Simulation, SimulationError, Watcher};

/// A moment this close to the end of a step, in steps, is that end.
const SAME_MOMENT: f64 = 1e-6;

/// How a run ended that nothing went wrong in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunStop {
    /// The wanted time or step was reached.
    Reached,
    /// The watcher asked to stop.
    Interrupted,
}

/// Why a run could not go on. The simulation stands where it stopped.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RunError<E> {
    /// A step, an impact or the controller has no answer.
    #[error(transparent)]
    Simulation(SimulationError),
    /// The watcher could not go on.
    #[error("{0}")]
    Watcher(E),
}

impl<E> From<SimulationError> for RunError<E> {
    fn from(error: SimulationError) -> Self {
        Self::Simulation(error)
    }
}

impl Simulation {
    /// Runs under its controller until the first end of a whole step at or after time `t` \[s\]; at once when that
    /// is past. Infinity runs until the watcher stops it.
    ///
    /// A watcher sees the start, once in the life of a simulation until it is [reset](Simulation::reset) or
    /// [set](Simulation::set_state), and every step with its events; one that goes on from a saved state has started. Nobody watches with [`Unwatched`](super::Unwatched).
    ///
    /// # Errors
    /// [`RunError::Simulation`] as [`Simulation::step`] and for a time that is no number; [`RunError::Watcher`]. Called again, a
    /// run that failed takes up the step that failed from where it stands.
    pub fn run_until<E>(
        &mut self,
        t: f64,
        watcher: &mut dyn Watcher<E>,
    ) -> Result<RunStop, RunError<E>> {
        if t.is_nan() {
            return Err(RunError::Simulation(SimulationError::Setting {
                setting: "the time to run until",
                value: t,
                range: "a number of seconds",
            }));
        }
        let steps = (t / self.settings().time_step - SAME_MOMENT).ceil();
        // Negative numbers become 0, infinity the largest.
        self.run_steps(steps as u64, watcher)
    }

    /// As [`Simulation::run_until`], until `steps` whole steps are done since time zero.
    ///
    /// # Errors
    /// As [`Simulation::run_until`].
    pub fn run_steps<E>(
        &mut self,
        steps: u64,
        watcher: &mut dyn Watcher<E>,
    ) -> Result<RunStop, RunError<E>> {
        if self.begin() {
            watcher.start(self).map_err(RunError::Watcher)?;
            let settled = self.settle();
            let events = self.take_events();
            watcher.settled(self, &events).map_err(RunError::Watcher)?;
            settled?;
        }
        while self.state().step < steps {
            let summary = self.advance()?;
            let events = self.take_events();
            let wish = watcher.step(self, &summary, &events);
            if wish.map_err(RunError::Watcher)?.is_break() {
                return Ok(RunStop::Interrupted);
            }
        }
        Ok(RunStop::Reached)
    }
}
