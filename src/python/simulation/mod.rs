//! The class `Simulation`.
//!
//! What Python sees of it lies in cells of fixed places ([`LiveArray`]), which are written with the interpreter held after
//! every step; the simulation itself is behind a lock that nobody waits for, so that its controller and other threads
//! get an error where they would change it in the middle of a step.

mod derivatives;
mod parameters;
mod stepping;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use pyo3::{PyTraverseError, PyVisit};

use super::contacts::Contacts;
use super::controller::{Callee, read_efforts};
use super::event::State;
use super::exchange::{Answered, LiveArray, argument, vector};
use super::making::{Parts, Recipe, step};
use super::model::Model;
use super::pause::{Pause, Watching};
use crate::hybrid::RunError;
use stepping::Stepping;

/// A robot in a world, in time.
///
/// From a scenario: the path of a file (TOML; or URDF or xacro, for the scenario that `carom init` would write), its
/// text, or a dictionary of its tables, with `settings` `{key: value}` as `--set key=value`. Or from `model` with
/// `contacts` (a dictionary of the keys of `[contact]`, and a list `terrain`; with `self` links touch each other that do
/// not overlap at `Model.neutral`), `law` (a name, or a dictionary of the keys of `[impact]`) and `time_step` [s]. `q`, `v` and `seed` are where it starts, in place of what the scenario
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
    ) -> Answered<Self> {
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
    fn time_step(&self) -> Answered<f64> {
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
    fn v<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyAny>> {
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
    fn efforts<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.lock()?.engine.efforts()))
    }

    /// `kinetic`, `potential`, the work done so far by its kinds, and `balance`, which is constant but for the error of
    /// the scheme [J].
    #[getter]
    fn energy<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyDict>> {
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
    fn step(&self, py: Python<'_>, u: Option<&Bound<'_, PyAny>>) -> Answered<()> {
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
    fn run(&self, py: Python<'_>, until: f64, progress: Option<Py<PyAny>>) -> Answered<()> {
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
    fn linearize<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyDict>> {
        derivatives::linearized(py, &self.lock()?.engine)
    }

    /// From here on what is done is remembered, for `recorded_derivative` and `recorded_gradient`, until `reset`,
    /// `set_state` or a state that is set; what was remembered before is forgotten.
    fn start_recording(&self) -> Answered<()> {
        let mut stepping = self.lock()?;
        stepping.engine.start_recording();
        stepping.recorded = true;
        Ok(())
    }

    /// How the present state changes with that at `start_recording`, through impacts and other events: the derivative
    /// of the run itself by the implicit function theorem, without differences of runs.
    ///
    /// `directions`, shape (2 nv, m), are changes (dq, dv) of the start that keep held contacts closed and at rest; all of
    /// them, m = 2 nv, where none are given. dq is like v: of a floating base a body twist [m, rad].
    ///
    /// Returns the change of the end (2 nv, m); that of the moment of the end [s] (m,), zero where the clock ended the run;
    /// and the rate of the flow there (2 nv,), None right after an impact. Raises `errors.SimulationError` where the run has no
    /// derivative: contacts strike together, a law draws at random, a function is the controller.
    #[pyo3(signature = (directions=None))]
    #[allow(
        clippy::type_complexity,
        reason = "three arrays, as Python unpacks them"
    )]
    fn recorded_derivative<'py>(
        &self,
        py: Python<'py>,
        directions: Option<&Bound<'py, PyAny>>,
    ) -> Answered<(
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray1<f64>>,
        Option<Bound<'py, PyArray1<f64>>>,
    )> {
        derivatives::derivative(py, &mut *self.lock()?, directions)
    }

    /// The gradient of a number J by the start and by all forces of the run since `start_recording`, in one sweep
    /// backwards.
    ///
    /// `objective`, shape (2 nv,), is the derivative of J by (dq, dv) at the present state, of a run that the clock ended.
    /// Returns that by (dq, dv) at the start (2 nv,), and by generalized forces held over each time step [unit of J / (N m or
    /// N)], shape (nstep, nv), in the order of `control` of `rollout`. Raises as `recorded_derivative`.
    #[allow(clippy::type_complexity, reason = "two arrays, as Python unpacks them")]
    fn recorded_gradient<'py>(
        &self,
        py: Python<'py>,
        objective: &Bound<'py, PyAny>,
    ) -> Answered<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)> {
        derivatives::gradient(py, &mut *self.lock()?, objective)
    }

    /// How the present state changes with numbers of the scenario, through impacts and other events, for a run that begins
    /// at the same configuration and velocity: by the implicit function theorem, without runs beside this one.
    ///
    /// `parameters` are keys as in `settings`, of numbers that the scenario or the settings say: masses, lengths, friction,
    /// restitution, gains. The equations of the run, which are smooth in them, are differentiated by differences over a
    /// thousandth of the number to both sides; a mapping gives their widths instead, in the unit of each key, as a number
    /// of 0 needs.
    ///
    /// Returns (dq, dv) at the end [unit of the state / unit of the key], shape (2 nv, m), a column for each key. Raises
    /// `errors.ScenarioError` for keys that are no numbers of the scenario or cannot be changed so far, and
    /// `errors.SimulationError` as `recorded_derivative`, or where a key changes the kind of the robot or its contacts.
    fn recorded_derivative_by<'py>(
        &self,
        py: Python<'py>,
        parameters: &Bound<'py, PyAny>,
    ) -> Answered<Bound<'py, PyArray2<f64>>> {
        parameters::derivative(py, &self.recipe, &mut *self.lock()?, parameters)
    }

    /// The gradient of a number J as by `recorded_gradient`, and by numbers of the scenario in the same sweep.
    ///
    /// `parameters` as in `recorded_derivative_by`, `objective`, shape (2 nv,), as in `recorded_gradient`. Returns the
    /// gradient by (dq, dv) at the start (2 nv,), by generalized forces (nstep, nv), and by the parameters [unit of J / unit
    /// of the key] (m,). Raises as `recorded_derivative_by`.
    #[allow(
        clippy::type_complexity,
        reason = "three arrays, as Python unpacks them"
    )]
    fn recorded_gradient_by<'py>(
        &self,
        py: Python<'py>,
        objective: &Bound<'py, PyAny>,
        parameters: &Bound<'py, PyAny>,
    ) -> Answered<(
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray1<f64>>,
    )> {
        parameters::gradient(py, &self.recipe, &mut *self.lock()?, objective, parameters)
    }

    /// The state as it is now; set, the simulation goes on from there to the same bits.
    #[getter]
    fn state(&self) -> Answered<State> {
        Ok(State(self.saved()?))
    }

    #[setter(state)]
    fn restore(&self, py: Python<'_>, state: &Bound<'_, State>) -> Answered<()> {
        let mut stepping = self.lock()?;
        stepping.engine.restore(state.get().0.clone())?;
        stepping.recorded = false;
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
    ) -> Answered<()> {
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
        stepping.recorded = false;
        self.show(py, &mut stepping)
    }

    /// Goes back to the start: everything from here on has the bits of a fresh simulation. Laws that draw at random
    /// draw from `seed`.
    #[pyo3(signature = (seed=None))]
    fn reset(&self, py: Python<'_>, seed: Option<u64>) -> Answered<()> {
        let mut stepping = self.lock()?;
        let stepping = &mut *stepping;
        if let Some(seed) = seed {
            stepping.engine.seed_anew(seed);
        }
        stepping.recorded = false;
        let ended = stepping.engine.reset().map_err(RunError::Simulation);
        self.events.bind(py).call_method0("clear")?;
        self.moved(py, stepping, ended)
    }

    /// Another simulation that goes on from the same state, under the same controller.
    fn copy(&self, py: Python<'_>) -> Answered<Self> {
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
