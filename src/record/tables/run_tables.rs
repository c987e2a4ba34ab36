//! Both tables of a run.

use std::path::Path;

use super::{EventRow, RunFileError, RunSeries};

/// What the tables of a finished run hold: what pictures and pages of it are drawn from.
#[derive(Debug, Clone, PartialEq)]
pub struct RunTables {
    /// `series.csv`.
    pub series: RunSeries,
    /// `events.csv`.
    pub events: Vec<EventRow>,
}

impl RunTables {
    /// Reads the tables in a folder of results.
    ///
    /// # Errors
    /// One is missing or damaged.
    pub fn read(folder: &Path) -> Result<Self, RunFileError> {
        Ok(Self {
            series: RunSeries::read(&folder.join("series.csv"))?,
            events: EventRow::read(&folder.join("events.csv"))?,
        })
    }
}
