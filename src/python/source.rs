//! What a simulation is made from: a file, a text, a dictionary, a robot.

use std::path::{Path, PathBuf};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::settings::{overrides, table};
use crate::scenario::starter::{Starter, StarterOptions};
use crate::scenario::{Experiment, Scenario, ScenarioError};

/// What messages call a scenario that has no file.
const UNNAMED: &str = "scenario";

/// Reads a scenario: the path of a file (TOML, or URDF and xacro for the scenario that `carom init` would write), its text,
/// or a dictionary of its tables. A text has lines; a path has none.
///
/// # Errors
/// As [`Scenario::read`]; a type that is none of these.
pub fn experiment(
    given: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<Experiment> {
    let set = overrides(settings)?;
    if let Ok(tables) = given.cast::<PyDict>() {
        let text = table(tables)?.to_string();
        return Ok(Experiment::new(
            UNNAMED,
            Scenario::parse(UNNAMED, &text, &set)?,
        )?);
    }
    if let Ok(text) = given.cast::<PyString>()
        && text.to_str()?.contains('\n')
    {
        let scenario = Scenario::parse(UNNAMED, text.to_str()?, &set)?;
        return Ok(Experiment::new(UNNAMED, scenario)?);
    }
    let path = path(given, "a scenario")?;
    let py = given.py();
    Ok(py.detach(|| experiment_of_file(&path, &set))?)
}

/// The experiment of a file.
pub fn experiment_of_file(path: &Path, set: &[String]) -> Result<Experiment, ScenarioError> {
    let name = path.display().to_string();
    let scenario = if is_robot_file(path) {
        Starter::new(path, None, &StarterOptions::default())?.scenario(&name, set)?
    } else {
        Scenario::read(path, set)?
    };
    Experiment::new(&name, scenario)
}

/// A path.
///
/// # Errors
/// Another type.
pub fn path(given: &Bound<'_, PyAny>, what: &str) -> PyResult<PathBuf> {
    given.extract::<PathBuf>().map_err(|_| {
        PyTypeError::new_err(format!(
            "{what} is a path, a text or a dictionary, not {}",
            given.get_type()
        ))
    })
}

/// Whether a file is a robot and no scenario, by its name.
fn is_robot_file(path: &Path) -> bool {
    let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
    extension.is_some_and(|e| e == "urdf" || e == "xacro")
}
