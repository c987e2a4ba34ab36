use std::path::PathBuf;

use thiserror::Error;

use crate::files::OutputFileError;
use crate::hybrid::BatchError;
use crate::metric::MetricError;
use crate::scenario::ScenarioError;

/// Why a baseline cannot be recorded, read or compared. A difference is not an error but a
/// [`super::Comparison`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {reason}; `carom baseline record SCENARIO --out {}` writes one", .file.display(), .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A value of the file or an option is wrong.
    #[error("{}: {place}: {reason}", .file.display())]
    Value {
        /// The file.
        file: PathBuf,
        /// The key.
        place: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// A metric is not an expression of this run.
    #[error("{}: metric {name}: {source}", .file.display())]
    Metric {
        /// The file.
        file: PathBuf,
        /// Name of the metric.
        name: String,
        /// What is wrong with it.
        source: MetricError,
    },
    /// The scenario cannot be read or started.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario cannot be written as text.
    #[error("the scenario cannot be written: {0}")]
    Text(#[from] toml::ser::Error),
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputFileError),
    /// The file of finished runs cannot be used.
    #[error("{}: {reason}", .file.display())]
    FinishedRuns {
        /// The file.
        file: PathBuf,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The flag of [`BaselineOptions`](super::BaselineOptions) was raised.
    #[error("stopped from outside; nothing was written")]
    Stopped,
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] BatchError),
}
