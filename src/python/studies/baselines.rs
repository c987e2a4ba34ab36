//! Baselines: recorded, and verified.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::baseline::{Baseline, BaselineOptions, Comparison, ControllerFactory};
use crate::control::Controller;
use crate::python::background::stoppable;
use crate::python::controller::{Callee, Function, Raised};
use crate::python::exchange::{Answered, raise, settings, source};
use crate::scenario::Experiment;
use crate::stop::StopFlag;

/// Runs a scenario file and writes what it did into a baseline.
///
/// # Errors
/// A scenario that cannot start, a file that cannot be written.
#[pyfunction]
#[pyo3(signature = (scenario, out, set, controller, jobs))]
pub fn record_baseline(
    py: Python<'_>,
    scenario: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyDict>>,
    controller: Option<Py<PyAny>>,
    jobs: Option<usize>,
) -> Answered<()> {
    let (scenario, out) = (
        source::path(scenario, "a scenario")?,
        source::path(out, "a baseline")?,
    );
    let set = settings::overrides(set)?;
    with_controller(py, controller, |factory, stop| {
        let options = BaselineOptions {
            controller: factory,
            jobs,
            stop: Some(stop),
            ..BaselineOptions::default()
        };
        Ok(Baseline::record_file(&scenario, &set, &options)?.write(&out)?)
    })
}

/// How a baseline is verified.
struct Verification {
    file: PathBuf,
    set: Vec<String>,
    jobs: Option<usize>,
    frozen: bool,
    exact: bool,
    skip_robust: bool,
    update: bool,
}

/// Runs the scenario of a baseline again and compares: whether it is the same, what differs in words, and as JSON.
///
/// # Errors
/// A file that is no baseline, a scenario that cannot start.
#[pyfunction]
#[pyo3(signature = (file, set, controller, jobs, frozen, exact, skip_robust, update))]
pub fn verify_baseline(
    py: Python<'_>,
    file: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyDict>>,
    controller: Option<Py<PyAny>>,
    jobs: Option<usize>,
    frozen: bool,
    exact: bool,
    skip_robust: bool,
    update: bool,
) -> Answered<(bool, String, String)> {
    let wanted = Verification {
        file: source::path(file, "a baseline")?,
        set: settings::overrides(set)?,
        jobs,
        frozen,
        exact,
        skip_robust,
        update,
    };
    with_controller(py, controller, |factory, stop| {
        wanted.carry_out(factory, stop)
    })
}

impl Verification {
    fn carry_out(
        &self,
        controller: Option<&ControllerFactory<'_>>,
        stop: &StopFlag,
    ) -> Answered<(bool, String, String)> {
        let recorded = if self.frozen {
            Baseline::read_frozen(&self.file, &self.set)?
        } else {
            Baseline::read(&self.file, &self.set)?
        };
        let options = BaselineOptions {
            controller,
            jobs: self.jobs,
            exact: self.exact,
            skip_robust: self.skip_robust,
            stop: Some(stop),
            ..BaselineOptions::default()
        };
        let mut now = recorded.rerun(&options)?;
        let comparison = Comparison::with_options(&recorded, &now, &options);
        if self.update && !comparison.same {
            now.accept();
            now.write(&self.file)?;
        }
        let json = serde_json::to_string(&comparison);
        let json = json.map_err(|error| raise("BaselineError", error.to_string()))?;
        Ok((comparison.same, comparison.to_string(), json))
    }
}

/// Does work under a function as a controller; what it raises comes before what the work says.
fn with_controller<T: Send>(
    py: Python<'_>,
    controller: Option<Py<PyAny>>,
    work: impl FnOnce(Option<&ControllerFactory<'_>>, &StopFlag) -> Answered<T> + Send,
) -> Answered<T> {
    let controller = controller.map(|function| Callee::new(py, function));
    let controller = controller.transpose()?;
    let raised = Raised::default();
    let kept: Raised = Arc::clone(&raised);
    let answer = stoppable(py, move |stop| {
        let Some(function) = controller else {
            return work(None, stop);
        };
        let make = |experiment: &Experiment| -> Box<dyn Controller> {
            let actuated = experiment.model.joint_coordinates();
            Box::new(Function::new(function.clone(), actuated, kept.clone()))
        };
        work(Some(&make), stop)
    })?;
    match raised.lock().ok().and_then(|mut raised| raised.take()) {
        Some(error) => Err(error),
        None => answer,
    }
}
