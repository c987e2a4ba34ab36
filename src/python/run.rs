//! A whole run of a scenario into a folder, and its tables.

use std::ops::ControlFlow;
use std::path::PathBuf;

use numpy::{PyArray1, ndarray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::background::stoppable;
use super::controller::{Callee, Function, Raised};
use super::exchange::{Answered, argument, raise, source};
use super::pause::Pause;
use crate::files::{OutputFolder, RUN_OUTPUT};
use crate::record::{EventRow, FinishedRun, Recorder, Run, RunEnd, RunSeries, RunTables, Summary};
use crate::study::write_branches;
use crate::views::page::page_text;
use crate::views::replay::{REPLAY_PAGE, Replay, write_replay};

/// Runs a scenario to its end and writes its folder, as `carom simulate` does but for pictures.
///
/// # Errors
/// A scenario that cannot start, a folder that cannot be written, what the controller raises. A run that stops early is
/// written, and its summary says so.
#[pyfunction]
#[pyo3(signature = (scenario, out, set, controller, progress, replay))]
pub fn simulate(
    py: Python<'_>,
    scenario: &Bound<'_, PyAny>,
    out: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyDict>>,
    controller: Option<Py<PyAny>>,
    progress: Option<Py<PyAny>>,
    replay: bool,
) -> Answered<()> {
    let path = source::path(out, "a folder of results")?;
    let experiment = source::experiment(scenario, set)?;
    let raised = Raised::default();
    let mut run = Run::new(&experiment)?;
    if let Some(function) = controller {
        let actuated = experiment.model.joint_coordinates();
        let function = Callee::new(py, function)?;
        run = run.with_controller(Box::new(Function::new(function, actuated, raised.clone())));
    }
    let folder = OutputFolder::hold(&path, &RUN_OUTPUT)?;
    let mut sources = experiment.scenario.paths();
    sources.extend(
        source::path(scenario, "a scenario")
            .ok()
            .filter(|file| file.is_file()),
    );
    folder.check(sources)?;
    let (mut pause, time_step) = (Pause::new(progress), experiment.scenario.time_step);
    let mut interrupted = None;
    let (ended, boundary) = py.detach(|| -> Answered<_> {
        let look = |step| match pause.look(step as f64 * time_step) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                interrupted = Some(error);
                ControlFlow::Break(())
            }
        };
        let mut recorder = Recorder::create(&experiment, folder, look)?;
        let reason = match run.complete(&mut recorder)? {
            RunEnd::Failed(error) => Some(error.to_string()),
            RunEnd::Interrupted => Some("interrupted".to_string()),
            RunEnd::Reached => None,
        };
        let boundary = run.state().clone();
        Ok((
            recorder.finish(run.simulation(), &boundary, reason)?,
            boundary,
        ))
    })?;
    let went_wrong = interrupted.or_else(|| raised.lock().ok()?.take());
    if went_wrong.is_none() && experiment.scenario.impact.order == "all" {
        let followed = stoppable(py, |stop| {
            write_branches(&experiment, boundary.step, &path, stop)
        })?;
        followed.map_err(|error| raise("RunError", error.to_string()))?;
    }
    if went_wrong.is_none() && replay {
        let written = RunTables::read(ended.folder())
            .map_err(Into::into)
            .and_then(|tables| {
                write_replay(&experiment, &tables, ended.folder(), &ended.summary, false)
            });
        written.map_err(|error| raise("RunError", error.to_string()))?;
    }
    ended.publish()?;
    went_wrong.map_or(Ok(()), Err)
}

/// The tables of a folder that `carom simulate` or [`simulate`] wrote.
#[pyclass(frozen, module = "carom._carom")]
pub struct Tables {
    run: FinishedRun,
    folder: PathBuf,
}

#[pymethods]
impl Tables {
    #[new]
    fn new(py: Python<'_>, folder: &Bound<'_, PyAny>) -> Answered<Self> {
        let folder = source::path(folder, "a folder of results")?;
        let run = py.detach(|| FinishedRun::read(&folder))?;
        Ok(Self { run, folder })
    }

    #[getter]
    fn summary(&self) -> String {
        self.run.summary.to_string()
    }

    #[getter]
    fn scenario(&self) -> String {
        self.run.scenario.to_string()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.run.tables.series.names().to_vec()
    }

    /// A column, shown where it lies: read-only, as long as the array is there.
    fn column<'py>(slf: &Bound<'py, Self>, name: &str) -> Answered<Bound<'py, PyAny>> {
        let series: &RunSeries = &slf.get().run.tables.series;
        let column = series.column(name).ok_or_else(|| {
            let known = series.names().iter().map(String::as_str);
            let near = crate::files::did_you_mean(name, known);
            argument(format!("there is no column \"{name}\"{near}"))
        })?;
        let view = ndarray::ArrayView1::from(column);
        // SAFETY: the column is never changed, and lives as long as this object, the base of the array.
        let array = unsafe { PyArray1::borrow_from_array(&view, slf.clone().into_any()) };
        array.call_method1("setflags", (false,))?;
        Ok(array.into_any())
    }

    /// The events as columns.
    fn events<'py>(&self, py: Python<'py>) -> Answered<Bound<'py, PyDict>> {
        let rows = &self.run.tables.events;
        let all = PyDict::new(py);
        let times = rows.iter().map(|row| row.time);
        all.set_item("time", PyArray1::from_iter(py, times))?;
        let text = |of: fn(&EventRow) -> &str| rows.iter().map(of).collect::<Vec<_>>();
        all.set_item("kind", text(|row| &row.kind))?;
        let contacts: Vec<_> = rows.iter().map(|row| &row.contacts).collect();
        all.set_item("contacts", contacts)?;
        let impacts = || rows.iter().map(|row| row.impact.as_ref());
        let laws: Vec<_> = impacts()
            .map(|impact| impact.map(|i| &i.verdict.law))
            .collect();
        all.set_item("law", laws)?;
        let sequences: Vec<_> = impacts()
            .map(|impact| impact.map(|i| &i.verdict.sequence))
            .collect();
        all.set_item("sequence", sequences)?;
        let unique: Vec<_> = impacts()
            .map(|impact| impact.map(|i| i.verdict.unique.word()))
            .collect();
        all.set_item("unique", unique)?;
        let outcomes: Vec<_> = impacts()
            .map(|impact| impact.map(|i| i.verdict.outcomes))
            .collect();
        all.set_item("outcomes", outcomes)?;
        let apart: Vec<_> = impacts()
            .map(|impact| impact.map(|i| i.verdict.indeterminacy))
            .collect();
        all.set_item("indeterminacy", apart)?;
        let normal = |impulses: &[[f64; 3]]| impulses.iter().map(|x| x[0]).collect::<Vec<f64>>();
        let impulses: Vec<_> = impacts()
            .map(|impact| impact.map(|i| normal(&i.impulses)))
            .collect();
        all.set_item("normal_impulses", impulses)?;
        all.set_item("mode", text(|row| &row.mode))?;
        all.set_item("reason", text(|row| &row.reason))?;
        Ok(all)
    }

    /// The text of `replay.html`.
    fn replay(&self, py: Python<'_>) -> Answered<String> {
        let wrong =
            |error: String| raise("RunError", format!("{}: {error}", self.folder.display()));
        py.detach(|| {
            let Some(experiment) = &self.run.experiment else {
                return Err(wrong("its scenario is of another version".to_string()));
            };
            let summary: Summary = serde_json::from_value(self.run.summary.clone())
                .map_err(|error| wrong(error.to_string()))?;
            let replay = Replay::new(experiment, &self.run.tables, &summary);
            let mut text = Vec::new();
            page_text(&mut text, &replay.robot, &REPLAY_PAGE, &replay, &[])
                .map_err(|error| wrong(error.to_string()))?;
            String::from_utf8(text).map_err(|error| wrong(error.to_string()))
        })
    }
}
