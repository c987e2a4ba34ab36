//! The class `Simulation`.
//!
//! What Python sees of it lies in cells of fixed places ([`LiveArray`]), which are written with the interpreter held after
//! every step; the simulation itself is behind a lock that nobody waits for, so that its controller and other threads
//! get an error where they would change it in the middle of a step.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard};

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pyo3::{PyTraverseError, PyVisit};

use super::contacts::Contacts;
use super::controller::{Callee, Function, Raised, read_efforts};
use super::errors::{argument, raise};
use super::event::{Event, State};
use super::live::LiveArray;
use super::making::{Parts, Recipe, step};
use super::model::{Model, matrix};
use super::numbers::vector;
use super::pause::{Pause, Watching};
use crate::hybrid::{RunError, Simulation as Engine};

/// A robot in a world, in time.
///
/// From a scenario: the path of a file (TOML; or URDF or xacro, for the scenario that `carom init` would write), its
/// text, or a dictionary of its tables, with `settings` `{key: value}` as `--set key=value`. Or from `model` with
/// `contacts` (a dictionary of the keys of `[contact]`, and a list `terrain`), `law` (a name, or a dictionary of the
/// keys of `[impact]`) and `time_step` [s]. `q`, `v` and `seed` are where it starts, in place of what the scenario
/// says.
///
/// `controller` is a function of an `Observation` that returns generalized forces (nv,), efforts of the joints (nu,),
/// or None; it takes the place of the scenario's. Its efforts are held over a step. If it has a method `reset`, `reset`
/// calls it.
///
/// The arrays `q`, `v`, `contacts.gaps` and `contacts.forces` are made once and stay live: after every step they show
/// its numbers. They are read-only, and keep their memory when the simulation is gone.
#[pyclass(frozen, subclass, module = "carom")]
pub struct Simulation {
    engine: Mutex<Stepping>,
    pub(super) recipe: Recipe,
    controlled: Option<Callee>,
    time: AtomicU64,
    q: LiveArray,
    v: LiveArray,
    pub(super) gaps: LiveArray,
    pub(super) forces: LiveArray,
    events: Py<PyList>,
}

/// The simulation and what its calls use again.
struct Stepping {
    engine: Engine,
    efforts: Vec<f64>,
    actuated: Vec<usize>,
    raised: Raised,
}

impl Simulation {
    /// A simulation with everything that shows it. A function is its controller in place of the one it has.
    fn around(
        py: Python<'_>,
        recipe: Recipe,
        mut engine: Engine,
        controller: Option<Callee>,
    ) -> PyResult<Self> {
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
            }),
            recipe,
            controlled: controller,
        };
        simulation.show(py, &mut *simulation.lock()?)?;
        Ok(simulation)
    }

    /// The simulation, unless it is in the middle of a call.
    fn lock(&self) -> PyResult<MutexGuard<'_, Stepping>> {
        self.engine.try_lock().map_err(|_| {
            raise(
                "BusyError",
                "the simulation is in the middle of a call: its controller and other threads may look at its time and at \
                 arrays that were asked for before, but not step, run or change it",
            )
        })
    }

    /// Writes what somebody looks at.
    fn show(&self, py: Python<'_>, stepping: &mut Stepping) -> PyResult<()> {
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
    fn moved(
        &self,
        py: Python<'_>,
        stepping: &mut Stepping,
        ended: Result<(), RunError<PyErr>>,
    ) -> PyResult<()> {
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

    fn keep(&self, py: Python<'_>, events: Vec<crate::hybrid::Event>) -> PyResult<()> {
        for event in events {
            let event = Py::new(py, Event::new(event, self.recipe.contacts.clone()))?;
            self.events.bind(py).append(event)?;
        }
        Ok(())
    }

    /// The state as it is.
    pub(super) fn saved(&self) -> PyResult<crate::hybrid::State> {
        Ok(self.lock()?.engine.state().clone())
    }

    /// An array that is shown once somebody asks for it.
    pub(super) fn shown<'py>(
        &self,
        py: Python<'py>,
        array: &LiveArray,
    ) -> PyResult<Bound<'py, PyAny>> {
        if !array.wanted() {
            let mut stepping = self.lock()?;
            array.want();
            self.show(py, &mut stepping)?;
        }
        Ok(array.array(py))
    }
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (
        scenario=None, settings=None, controller=None, *,
        model=None, contacts=None, law=None, time_step=None, q=None, v=None, seed=None
    ))]
    fn new(
        py: Python<'_>,
        scenario: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
        controller: Option<Py<PyAny>>,
        model: Option<&Bound<'_, Model>>,
        contacts: Option<&Bound<'_, PyDict>>,
        law: Option<&Bound<'_, PyAny>>,
        time_step: Option<f64>,
        q: Option<&Bound<'_, PyAny>>,
        v: Option<&Bound<'_, PyAny>>,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let source = match (scenario, model) {
            (Some(scenario), None) => scenario,
            (None, Some(model)) => model.as_any(),
            _ => {
                return Err(argument(
                    "a simulation is made from a scenario or from model=, one of them",
                ));
            }
        };
        let controller = controller.map(|function| Callee::new(py, function));
        let controller = controller.transpose()?;
        let parts = Parts {
            contacts,
            law,
            time_step,
        };
        let recipe = Recipe::new(source, settings, &parts)?;
        let (mut q0, mut v0) = recipe.start();
        if let Some(q) = q {
            q0 = vector(q, "q", recipe.model.configuration_len())?;
        }
        if let Some(v) = v {
            v0 = vector(v, "v", recipe.model.dof())?;
        }
        let engine = recipe.simulation(&q0, &v0, seed, controller.is_none())?;
        Self::around(py, recipe, engine, controller)
    }

    /// [s].
    #[getter]
    fn time(&self) -> f64 {
        f64::from_bits(self.time.load(Ordering::Relaxed))
    }

    /// [s].
    #[getter]
    fn time_step(&self) -> PyResult<f64> {
        Ok(self.lock()?.engine.settings().time_step)
    }

    #[getter]
    fn model(&self) -> Model {
        Model(self.recipe.model.clone())
    }

    /// Configuration, shape (nq,). Stays live.
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.q.array(py)
    }

    /// Velocity, shape (nv,). Stays live.
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.shown(py, &self.v)
    }

    #[getter]
    fn contacts(slf: Py<Self>) -> Contacts {
        Contacts(slf)
    }

    /// Events since the start or the last `reset`, in order: always the same list, which grows. It may be cleared.
    #[getter]
    fn events<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.events.bind(py).clone()
    }

    /// Efforts of the actuators in the last step [N m or N], shape (nv,). A copy.
    #[getter]
    fn efforts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.engine.efforts()))
    }

    /// `kinetic`, `potential`, the work done so far by its kinds, and `balance`, which is constant but for the error of
    /// the scheme [J].
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energies = self.lock()?.engine.energies()?;
        let all = PyDict::new(py);
        all.set_item("kinetic", energies.kinetic)?;
        all.set_item("potential", energies.potential)?;
        all.set_item("actuators", energies.work.actuators)?;
        all.set_item("dissipative", energies.work.dissipative)?;
        all.set_item("surfaces", energies.work.surfaces)?;
        all.set_item("impacts", energies.work.impacts)?;
        all.set_item("captured", energies.work.captured)?;
        all.set_item("balance", energies.balance())?;
        Ok(all)
    }

    /// One time step, under the controller and under `u`: generalized forces (nv,) or efforts of the joints (nu,).
    #[pyo3(signature = (u=None))]
    fn step(&self, py: Python<'_>, u: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let mut stepping = self.lock()?;
        let stepping = &mut *stepping;
        if let Some(u) = u {
            let n = self.recipe.model.dof();
            read_efforts(u, "u", &stepping.actuated, n, &mut stepping.efforts)?;
        }
        let applied = u.is_some().then_some(&stepping.efforts[..]);
        let ended = step(&mut stepping.engine, applied).map_err(RunError::Simulation);
        self.moved(py, stepping, ended)
    }

    /// Steps until the first end of a step at or after `until` [s]. The interpreter is free meanwhile; Ctrl-C ends the
    /// run between two steps. `progress` is told the time [s] now and then.
    #[pyo3(signature = (until, progress=None))]
    fn run(&self, py: Python<'_>, until: f64, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let mut stepping = self.lock()?;
        let stepping = &mut *stepping;
        let mut watching = Watching::new(Pause::new(progress));
        let engine = &mut stepping.engine;
        let ended = py.detach(|| engine.run_until(until, &mut watching));
        self.keep(py, watching.events)?;
        self.moved(py, stepping, ended.map(drop))
    }

    /// The last step as x1 = A x0 + B u, with x = (dq, dv): `A` (2 nv, 2 nv), `B` (2 nv, nu), `inputs`, the places of u
    /// in v; and the same on the held contacts, `reduced_A`, `reduced_B`, `lift`.
    fn linearize<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let step = self.lock()?.engine.linearize()?;
        let reduced = step.reduced();
        let all = PyDict::new(py);
        all.set_item("A", matrix(py, &step.transition))?;
        all.set_item("B", matrix(py, &step.input))?;
        all.set_item("inputs", step.input_coordinates)?;
        all.set_item("reduced_A", matrix(py, &reduced.transition))?;
        all.set_item("reduced_B", matrix(py, &reduced.input))?;
        all.set_item("lift", matrix(py, &reduced.lift))?;
        Ok(all)
    }

    /// The state as it is now; set, the simulation goes on from there to the same bits.
    #[getter]
    fn state(&self) -> PyResult<State> {
        Ok(State(self.saved()?))
    }

    #[setter(state)]
    fn restore(&self, py: Python<'_>, state: &Bound<'_, State>) -> PyResult<()> {
        let mut stepping = self.lock()?;
        stepping.engine.restore(state.get().0.clone())?;
        self.show(py, &mut stepping)
    }

    /// Goes on from a saved state; or starts at q (nq,) with v (nv,), at rest where none is given, as if it had begun
    /// there, at the `time` [s] or the present one.
    #[pyo3(signature = (q, v=None, time=None))]
    fn set_state(
        &self,
        py: Python<'_>,
        q: &Bound<'_, PyAny>,
        v: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
    ) -> PyResult<()> {
        if let Ok(state) = q.cast::<State>() {
            if v.is_some() || time.is_some() {
                return Err(argument(
                    "a saved state has its velocity and its time; leave out v and time",
                ));
            }
            return self.restore(py, state);
        }
        let q = vector(q, "q", self.recipe.model.configuration_len())?;
        let v = match v {
            Some(v) => vector(v, "v", self.recipe.model.dof())?,
            None => vec![0.0; self.recipe.model.dof()],
        };
        let mut stepping = self.lock()?;
        match time {
            Some(time) => stepping.engine.set_state_at(time, &q, &v)?,
            None => stepping.engine.set_state(&q, &v)?,
        }
        self.show(py, &mut stepping)
    }

    /// Goes back to the start: everything from here on has the bits of a fresh simulation. Laws that draw at random
    /// draw from `seed`.
    #[pyo3(signature = (seed=None))]
    fn reset(&self, py: Python<'_>, seed: Option<u64>) -> PyResult<()> {
        let mut stepping = self.lock()?;
        let stepping = &mut *stepping;
        if let Some(seed) = seed {
            stepping.engine.seed_anew(seed);
        }
        let ended = stepping.engine.reset().map_err(RunError::Simulation);
        self.events.bind(py).call_method0("clear")?;
        self.moved(py, stepping, ended)
    }

    /// Another simulation that goes on from the same state, under the same controller.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        let (q, v) = self.recipe.start();
        let engine = self
            .recipe
            .simulation(&q, &v, None, self.controlled.is_none())?;
        let copy = Self::around(py, self.recipe.clone(), engine, self.controlled.clone())?;
        copy.restore(py, &Bound::new(py, self.state()?)?)?;
        Ok(copy)
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let controlled = self.controlled.as_ref();
        controlled.map_or(Ok(()), |function| function.visit(&visit))
    }

    fn __clear__(&self) {
        if let Some(function) = &self.controlled {
            function.clear();
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<carom.Simulation of \"{}\" at {} s>",
            self.recipe.model.name(),
            self.time()
        )
    }
}
