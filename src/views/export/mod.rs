//! Results of a finished run in formats of other programs. Each is a feature of the build, because their
//! libraries are large.
//!
//! `run.mcap` (feature `mcap`) holds frames, the scene and the series for Foxglove and Rerun; `series.parquet` and
//! `events.parquet` (feature `parquet`) are the tables with the names and numbers of the CSV files. Units are in the names of
//! the columns, as everywhere. Source: none.

#[cfg(feature = "mcap")]
mod mcap_file;
#[cfg(feature = "mcap")]
mod mcap_scene;
#[cfg(feature = "parquet")]
pub(crate) mod parquet_column;
#[cfg(feature = "parquet")]
mod parquet_tables;

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::files::OutputFileError;
use crate::record::RunFileError;
use crate::scenario::{Experiment, ExportFormat, UnavailableFormat};

/// Why a run cannot be exported.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A file of the run cannot be read.
    #[error(transparent)]
    Run(#[from] RunFileError),
    /// The export cannot be written.
    #[error(transparent)]
    Output(#[from] OutputFileError),
    /// The library of the format refuses.
    #[error("{}: {reason}", .path.display())]
    Encoding {
        /// The export.
        path: PathBuf,
        /// What the library says.
        reason: String,
    },
    /// The program was built without the format.
    #[error(transparent)]
    Unavailable(#[from] UnavailableFormat),
}

impl ExportFormat {
    /// Writes the files of the format beside those of the finished run in `folder`.
    ///
    /// # Errors
    /// The format is not in this build, a file of the run is damaged, or an export cannot be written.
    pub fn write(self, experiment: &Experiment, folder: &Path) -> Result<(), ExportError> {
        self.available()?;
        match self {
            #[cfg(feature = "mcap")]
            Self::Mcap => crate::views::export::mcap_file::write_mcap(experiment, folder),
            #[cfg(feature = "parquet")]
            Self::Parquet => {
                crate::views::export::parquet_tables::write_parquet(experiment, folder)
            }
            #[cfg(not(all(feature = "mcap", feature = "parquet")))]
            _ => {
                let _ = (experiment, folder);
                Ok(())
            }
        }
    }
}
