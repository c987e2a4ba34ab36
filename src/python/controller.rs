//! A function of Python as a controller, and what it is shown.

use std::sync::{Arc, Mutex};

use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

use super::exchange::{Answered, Exception, LiveArray, argument, read_vector, wrong_type};
use crate::control::{ControlError, Controller, Observation as Seen};

/// What a controller is shown at the beginning of a step. Its arrays are read-only and the same ones at every step,
/// with other numbers: copy what is to be kept.
#[pyclass(frozen, module = "carom")]
pub struct Observation {
    q: LiveArray,
    v: LiveArray,
    gaps: LiveArray,
    forces: LiveArray,
    clock: Mutex<Clock>,
}

#[derive(Clone, Copy, Default)]
struct Clock {
    time: f64,
    time_step: f64,
    first_impact: Option<f64>,
}

impl Observation {
    fn clock(&self) -> Clock {
        self.clock.lock().map(|clock| *clock).unwrap_or_default()
    }

    fn show(&self, py: Python<'_>, seen: &Seen<'_>) {
        self.q.write(py, seen.q.iter().copied());
        self.v.write(py, seen.v.iter().copied());
        self.gaps.write(py, seen.gaps.iter().copied());
        self.forces.write(py, seen.forces.iter().flatten().copied());
        if let Ok(mut clock) = self.clock.lock() {
            *clock = Clock {
                time: seen.time,
                time_step: seen.time_step,
                first_impact: seen.first_impact,
            };
        }
    }
}

#[pymethods]
impl Observation {
    /// [s].
    #[getter]
    fn time(&self) -> f64 {
        self.clock().time
    }

    /// Length of the coming step [s].
    #[getter]
    fn time_step(&self) -> f64 {
        self.clock().time_step
    }

    /// Time of the first impact [s], if there was one.
    #[getter]
    fn first_impact(&self) -> Option<f64> {
        self.clock().first_impact
    }

    /// Configuration, shape (nq,).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.q.array(py)
    }

    /// Velocity, shape (nv,).
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.v.array(py)
    }

    /// Gap of every contact [m], positive when apart: shape (ncontact,).
    #[getter]
    fn gaps<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.gaps.array(py)
    }

    /// Force of every held contact, mean over the last step: normal, then tangents [N], shape (ncontact, 3).
    #[getter]
    fn forces<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.forces.array(py)
    }
}

/// What a function raised, to be raised again where the step was asked for.
pub type Raised = Arc<Mutex<Option<Exception>>>;

/// A function of Python that several own together, counted once: the collector of garbage sees it where it is visited, and
/// may take it away where it and what owns it are out of reach.
#[derive(Clone)]
pub struct Callee(Arc<Mutex<Option<Py<PyAny>>>>);

impl Callee {
    /// # Errors
    /// What cannot be called.
    pub fn new(py: Python<'_>, function: Py<PyAny>) -> Answered<Self> {
        if !function.bind(py).is_callable() {
            return Err(wrong_type(
                "controller must be a function of an observation",
            ));
        }
        Ok(Self(Arc::new(Mutex::new(Some(function)))))
    }

    fn get<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyAny>> {
        let function = self.0.lock().ok();
        let function = function.and_then(|own| own.as_ref().map(|own| own.bind(py).clone()));
        function.ok_or_else(|| argument("the controller is gone"))
    }

    /// Shows it to the collector of garbage.
    ///
    /// # Errors
    /// Those of the collector.
    pub fn visit(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.0.try_lock() {
            Ok(own) => visit.call(own.as_ref()),
            Err(_) => Ok(()),
        }
    }

    /// Lets it go.
    pub fn clear(&self) {
        // Taken first: what it drops may ask again.
        let own = self.0.try_lock().ok().and_then(|mut own| own.take());
        drop(own);
    }
}

/// A function of an observation that returns efforts.
pub struct Function {
    function: Callee,
    observation: Option<Py<Observation>>,
    actuated: Vec<usize>,
    given: Vec<f64>,
    raised: Raised,
}

impl Function {
    /// `actuated` are the entries of v that belong to joints: a function may return efforts for these alone.
    pub fn new(function: Callee, actuated: Vec<usize>, raised: Raised) -> Self {
        Self {
            function,
            observation: None,
            actuated,
            given: Vec::new(),
            raised,
        }
    }

    fn ask(&mut self, py: Python<'_>, seen: &Seen<'_>, efforts: &mut [f64]) -> Answered<()> {
        let observation = match &self.observation {
            Some(observation) => observation.clone_ref(py),
            None => {
                let gaps = seen.gaps.len();
                let made = Observation {
                    q: LiveArray::new(py, &[seen.q.len()], true)?,
                    v: LiveArray::new(py, &[seen.v.len()], true)?,
                    gaps: LiveArray::new(py, &[gaps], true)?,
                    forces: LiveArray::new(py, &[gaps, 3], true)?,
                    clock: Mutex::default(),
                };
                let made = Py::new(py, made)?;
                self.observation.insert(made).clone_ref(py)
            }
        };
        observation.get().show(py, seen);
        let answer = self.function.get(py)?.call1((observation,))?;
        if answer.is_none() {
            return Ok(());
        }
        read_efforts(
            &answer,
            "the controller's answer",
            &self.actuated,
            efforts.len(),
            &mut self.given,
        )?;
        for (effort, given) in efforts.iter_mut().zip(&self.given) {
            *effort += given;
        }
        Ok(())
    }
}

/// Reads generalized forces, n of them, or efforts of the actuated joints alone.
///
/// # Errors
/// Another number of them.
pub fn read_efforts(
    given: &Bound<'_, PyAny>,
    what: &str,
    actuated: &[usize],
    n: usize,
    out: &mut Vec<f64>,
) -> Answered<()> {
    let of_joints = actuated.len() != n && given.len().is_ok_and(|len| len == actuated.len());
    if !of_joints {
        return read_vector(given, what, n, out);
    }
    read_vector(given, what, actuated.len(), out)?;
    out.resize(n, 0.0);
    // The places ascend, each at or after its own number: from the last one on nothing is overwritten that is still read.
    for (k, &place) in actuated.iter().enumerate().rev() {
        out.swap(k, place);
    }
    Ok(())
}

impl Controller for Function {
    fn efforts(&mut self, seen: &Seen<'_>, efforts: &mut [f64]) -> Result<(), ControlError> {
        Python::attach(|py| {
            self.ask(py, seen, efforts).map_err(|error| {
                let reason = error.to_string();
                if let Ok(mut raised) = self.raised.lock() {
                    *raised = Some(error);
                }
                ControlError { reason }
            })
        })
    }

    fn reset(&mut self) {
        let reset = Python::attach(|py| {
            let function = self.function.get(py)?;
            match function.hasattr("reset")? {
                true => function.call_method0("reset").map(drop),
                false => Ok(()),
            }
        });
        if let (Err(error), Ok(mut raised)) = (reset, self.raised.lock()) {
            *raised = Some(error.into());
        }
    }
}
