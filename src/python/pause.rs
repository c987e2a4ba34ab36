//! Long work that looks up from time to time: whether Ctrl-C was pressed, and to tell how far it is.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::hybrid::{Event, Simulation, StepSummary, Watcher};
use crate::python::exchange::{Answered, Exception};

/// Time between two looks.
const INTERVAL: Duration = Duration::from_millis(50);
/// Steps between two looks at the clock.
const STEPS: u32 = 16;

/// When to look, and whom to tell.
pub struct Pause {
    looked: Instant,
    steps: u32,
    progress: Option<Py<PyAny>>,
}

impl Pause {
    /// `progress` is told a time \[s\].
    pub fn new(progress: Option<Py<PyAny>>) -> Self {
        Self {
            looked: Instant::now(),
            steps: 0,
            progress,
        }
    }

    /// Looks if it is time to.
    ///
    /// # Errors
    /// `KeyboardInterrupt`, or what a handler of signals or `progress` raises.
    pub fn look(&mut self, time: f64) -> Answered<()> {
        self.steps += 1;
        if !self.steps.is_multiple_of(STEPS) || self.looked.elapsed() < INTERVAL {
            return Ok(());
        }
        self.looked = Instant::now();
        Python::attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(progress) => Ok(progress.call1(py, (time,)).map(drop)?),
                None => Ok(()),
            }
        })
    }
}

/// Watches a run for Python: gathers its events and looks up.
pub struct Watching {
    pub events: Vec<Event>,
    pause: Pause,
}

impl Watching {
    pub fn new(pause: Pause) -> Self {
        Self {
            events: Vec::new(),
            pause,
        }
    }
}

impl Watcher<Exception> for Watching {
    fn settled(&mut self, _: &mut Simulation, events: &[Event]) -> Result<(), Exception> {
        self.events.extend_from_slice(events);
        Ok(())
    }

    fn step(
        &mut self,
        simulation: &mut Simulation,
        _: &StepSummary,
        events: &[Event],
    ) -> Result<ControlFlow<()>, Exception> {
        self.events.extend_from_slice(events);
        self.pause.look(simulation.time())?;
        Ok(ControlFlow::Continue(()))
    }
}
