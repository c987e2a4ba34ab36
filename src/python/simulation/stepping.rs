//! What stands behind the class: the engine, its lock, and how what it did is shown.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::types::PyList;

use super::Simulation;
use crate::hybrid::{RunError, Simulation as Engine};
use crate::python::controller::{Callee, Function, Raised};
use crate::python::event::Event;
use crate::python::exchange::{Answered, Exception, LiveArray, raise};
use crate::python::making::Recipe;

/// The simulation and what its calls use again.
pub(super) struct Stepping {
    pub engine: Engine,
    pub efforts: Vec<f64>,
    pub actuated: Vec<usize>,
    pub raised: Raised,
    /// Whether the engine has recorded since it was last put anywhere.
    pub recorded: bool,
}

impl Simulation {
    /// A simulation with everything that shows it. A function is its controller in place of the one it has.
    pub(super) fn around(
        py: Python<'_>,
        recipe: Recipe,
        mut engine: Engine,
        controller: Option<Callee>,
    ) -> Answered<Self> {
        let model = &recipe.model;
        let actuated = model.joint_coordinates();
        let raised = Raised::default();
        if let Some(function) = &controller {
            let own = Function::new(function.clone(), actuated.clone(), raised.clone());
            engine = engine.with_controller(Box::new(own));
        }
        let contacts = recipe.contacts.len();
        let simulation = Self {
            q: LiveArray::new(py, &[model.configuration_len()], true)?,
            v: LiveArray::new(py, &[model.dof()], false)?,
            gaps: LiveArray::new(py, &[contacts], false)?,
            forces: LiveArray::new(py, &[contacts, 3], false)?,
            events: PyList::empty(py).unbind(),
            time: AtomicU64::new(0),
            engine: Mutex::new(Stepping {
                engine,
                efforts: Vec::new(),
                actuated,
                raised,
                recorded: false,
            }),
            recipe,
            controlled: controller,
        };
        simulation.show(py, &mut *simulation.lock()?)?;
        Ok(simulation)
    }

    /// The simulation, unless it is in the middle of a call.
    pub(super) fn lock(&self) -> Answered<MutexGuard<'_, Stepping>> {
        self.engine.try_lock().map_err(|_| {
            raise(
                "BusyError",
                "the simulation is in the middle of a call: its controller and other threads may look at its time and at \
                 arrays that were asked for before, but not step, run or change it",
            )
        })
    }

    /// Writes what somebody looks at.
    pub(super) fn show(&self, py: Python<'_>, stepping: &mut Stepping) -> Answered<()> {
        let engine = &mut stepping.engine;
        self.time.store(engine.time().to_bits(), Ordering::Relaxed);
        self.q.write(py, engine.state().q.iter().copied());
        if self.v.wanted() {
            self.v.write(py, engine.velocity()?.iter().copied());
        }
        if self.gaps.wanted() {
            self.gaps.write(py, engine.gaps().iter().copied());
        }
        if self.forces.wanted() {
            let h = engine.settings().time_step;
            let impulses = engine.held_impulses().iter().flatten();
            self.forces.write(py, impulses.map(|x| x / h));
        }
        Ok(())
    }

    /// After a call that may have moved it: events, what is shown, and what went wrong.
    pub(super) fn moved(
        &self,
        py: Python<'_>,
        stepping: &mut Stepping,
        ended: Result<(), RunError<Exception>>,
    ) -> Answered<()> {
        let events = stepping.engine.take_events();
        self.keep(py, events)?;
        let shown = self.show(py, stepping);
        if let Some(error) = stepping
            .raised
            .lock()
            .ok()
            .and_then(|mut raised| raised.take())
        {
            return Err(error);
        }
        match ended {
            Ok(()) => shown,
            Err(RunError::Simulation(error)) => Err(error.into()),
            Err(RunError::Watcher(error)) => Err(error),
        }
    }

    pub(super) fn keep(&self, py: Python<'_>, events: Vec<crate::hybrid::Event>) -> Answered<()> {
        for event in events {
            let event = Py::new(py, Event::new(event, self.recipe.contacts.clone()))?;
            self.events.bind(py).append(event)?;
        }
        Ok(())
    }

    /// The state as it is.
    pub(in crate::python) fn saved(&self) -> Answered<crate::hybrid::State> {
        Ok(self.lock()?.engine.state().clone())
    }

    /// An array that is shown once somebody asks for it.
    pub(in crate::python) fn shown<'py>(
        &self,
        py: Python<'py>,
        array: &LiveArray,
    ) -> Answered<Bound<'py, PyAny>> {
        if !array.wanted() {
            let mut stepping = self.lock()?;
            array.want();
            self.show(py, &mut stepping)?;
        }
        Ok(array.array(py))
    }
}
