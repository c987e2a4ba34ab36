//! Results of a finished run in formats of other programs. Each is a feature of the build, because their
//! libraries are large.
//!
//! `run.mcap` (feature `mcap`) holds frames, the scene and the series for Foxglove and Rerun; `series.parquet` and
//! `events.parquet` (feature `parquet`) are the tables with the names and numbers of the CSV files. Units are in the names of
//! the columns, as everywhere. Source: none.
//!
//! # Example
//!
//! ```
//! use carom::files::{OutputFolder, RUN_OUTPUT};
//! use carom::record::{Recorder, Run};
//! use carom::scenario::{Experiment, ExportFormat, Scenario};
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/ball/bounce.toml");
//! let scenario = Scenario::read(&file, &["duration=0.5".to_string()])?;
//! let experiment = Experiment::new("bounce", scenario)?;
//! let folder = std::env::temp_dir().join(format!("carom-export-page-{}", std::process::id()));
//! let held = OutputFolder::hold(&folder, &RUN_OUTPUT)?;
//! let mut recorder = Recorder::create(&experiment, held, |_| ControlFlow::Continue(()))?;
//! let mut run = Run::new(&experiment)?;
//! run.complete(&mut recorder)?;
//! let end = run.state().clone();
//! recorder.finish(run.simulation(), &end, None)?.publish()?;
//! for format in [ExportFormat::Mcap, ExportFormat::Parquet] {
//!     // A build without the format says how to make one that has it.
//!     let written = format.write(&experiment, &folder);
//!     assert_eq!(written.is_ok(), format.available().is_ok());
//!     assert!(written.is_err() || format.files().iter().all(|name| folder.join(name).exists()));
//! }
//! std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
