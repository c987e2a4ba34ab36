//! Who watches a run.

use std::convert::Infallible;
use std::ops::ControlFlow;

use super::{Event, Simulation, StepSummary};

/// Sees every step of a run, and passes over what it does not ask for. `E` is what can go wrong while watching (writing
/// to a full disk).
///
/// A closure of the simulation and the events of the step is a watcher too, which cannot fail:
/// `|simulation: &mut Simulation, events: &[Event]| ControlFlow::Continue(())`.
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

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unwatched;

impl Watcher<Infallible> for Unwatched {}

/// Called after every step.
impl<F> Watcher<Infallible> for F
where
    F: FnMut(&mut Simulation, &[Event]) -> ControlFlow<()>,
{
    fn step(
        &mut self,
        simulation: &mut Simulation,
        _: &StepSummary,
        events: &[Event],
    ) -> Result<ControlFlow<()>, Infallible> {
        Ok(self(simulation, events))
    }
}
