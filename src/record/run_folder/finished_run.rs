//! The files that a run left in its folder.

use std::fs;
use std::path::Path;

use crate::record::tables::{RunFileError, RunTables, damaged};
use crate::scenario::{Experiment, Scenario};

/// A run that ended, completed or stopped, as its folder tells it.
#[derive(Debug, Clone)]
pub struct FinishedRun {
    /// The folder as it was named.
    pub name: String,
    /// `summary.json`; of another version of the program it may have other fields.
    pub summary: serde_json::Value,
    /// `scenario.toml`.
    pub scenario: serde_json::Value,
    /// `series.csv` and `events.csv`.
    pub tables: RunTables,
    /// Its robot, unless the scenario is of another version of the program.
    pub experiment: Option<Experiment>,
}

impl FinishedRun {
    /// Reads a folder that `carom simulate` wrote.
    ///
    /// # Errors
    /// A file is missing or damaged.
    pub fn read(folder: &Path) -> Result<Self, RunFileError> {
        let text = |name: &str| {
            let path = folder.join(name);
            fs::read_to_string(&path).map_err(|error| {
                damaged(&path)(format!(
                    "cannot be read: {error}; it belongs to a folder of results, which \"carom simulate SCENARIO --out {}\" writes",
                    folder.display()
                ))
            })
        };
        let summary = folder.join("summary.json");
        if !summary.exists() && folder.join("state.json").exists() {
            return Err(damaged(&summary)(
                "is missing: the run in this folder goes on or was interrupted; \"carom simulate SCENARIO --out DIR --resume\" goes on with it"
                    .to_string(),
            ));
        }
        let summary = serde_json::from_str(&text("summary.json")?)
            .map_err(|e| damaged(&folder.join("summary.json"))(e.to_string()))?;
        let path = folder.join("scenario.toml");
        let scenario = toml::from_str(&text("scenario.toml")?)
            .map_err(|e| damaged(&path)(e.message().to_string()))?;
        let experiment = Scenario::read(&path, &[])
            .and_then(|scenario| Experiment::new(&path.display().to_string(), scenario));
        Ok(Self {
            name: folder.display().to_string(),
            summary,
            scenario,
            tables: RunTables::read(folder)?,
            experiment: experiment.ok(),
        })
    }
}
