//! What a simulation is made from: a file, a text, a dictionary, a robot.

use std::path::{Path, PathBuf};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use super::errors::{Answered, wrong_type};
use super::settings::{overrides, table};
use crate::laws::LawRegistry;
use crate::scenario::starter::{Starter, StarterOptions};
use crate::scenario::{Experiment, ExperimentCache, Scenario, ScenarioError};

/// What messages call a scenario that has no file.
const UNNAMED: &str = "scenario";

/// A scenario before it is read: the path of a file (TOML, or URDF and xacro for the scenario that `carom init` would
/// write), or its text.
pub enum Source {
    File(PathBuf),
    Text(String),
}

impl Source {
    /// A path, a text, or a dictionary of tables. A text has lines; a path has none.
    ///
    /// # Errors
    /// A type that is none of these.
    pub fn new(given: &Bound<'_, PyAny>) -> Answered<Self> {
        if let Ok(tables) = given.cast::<PyDict>() {
            return Ok(Self::Text(table(tables)?.to_string()));
        }
        if let Ok(text) = given.cast::<PyString>()
            && text.to_str()?.contains('\n')
        {
            return Ok(Self::Text(text.to_str()?.to_string()));
        }
        Ok(Self::File(path(given, "a scenario")?))
    }

    /// Its experiment with overrides `key=value`.
    ///
    /// # Errors
    /// As [`Scenario::read`] and [`Experiment::new`].
    pub fn experiment(
        &self,
        set: &[String],
        cache: &ExperimentCache,
    ) -> Result<Experiment, ScenarioError> {
        let (name, scenario) = match self {
            Self::Text(text) => (UNNAMED.to_string(), Scenario::parse(UNNAMED, text, set)?),
            Self::File(path) => {
                let name = path.display().to_string();
                let scenario = if is_robot_file(path) {
                    Starter::new(path, None, &StarterOptions::default())?.scenario(&name, set)?
                } else {
                    Scenario::read(path, set)?
                };
                (name, scenario)
            }
        };
        Experiment::cached(&name, scenario, &LawRegistry::standard(), cache)
    }
}

/// The experiment of a scenario with settings.
///
/// # Errors
/// As [`Source::new`] and [`Source::experiment`].
pub fn experiment(
    given: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> Answered<Experiment> {
    let set = overrides(settings)?;
    let source = Source::new(given)?;
    let cache = ExperimentCache::default();
    Ok(given.py().detach(|| source.experiment(&set, &cache))?)
}

/// A path.
///
/// # Errors
/// Another type.
pub fn path(given: &Bound<'_, PyAny>, what: &str) -> Answered<PathBuf> {
    given.extract::<PathBuf>().map_err(|_| {
        wrong_type(format!(
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
