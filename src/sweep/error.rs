use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::baseline::BaselineError;
use crate::files::OutputFileError;
use crate::hybrid::BatchError;
use crate::laws::ImpactFileError;
use crate::scenario::{ScenarioError, UnavailableFormat};
use crate::study::design::DesignStudyError;

/// Why a sweep cannot go on. A run that fails is none of these: it is a row that says so.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The sweep file or its subject is wrong.
    #[error(transparent)]
    File(#[from] ScenarioError),
    /// The baseline is wrong.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// The problem of an impact is wrong.
    #[error(transparent)]
    Impact(#[from] ImpactFileError),
    /// The design file is wrong.
    #[error(transparent)]
    Design(#[from] DesignStudyError),
    /// This build does not write a format.
    #[error(transparent)]
    Format(#[from] UnavailableFormat),
    /// The threads cannot be started.
    #[error(transparent)]
    Threads(#[from] BatchError),
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputFileError),
    /// A file of the sweep's folder cannot be read, or is not what it should be.
    #[error("{}: {reason}", .path.display())]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong and what helps.
        reason: String,
    },
    /// Runs are missing.
    #[error("{}: {missing} of {runs} runs are missing, the first is run {first}; `carom sweep status` lists them", .path.display())]
    Incomplete {
        /// The folder.
        path: PathBuf,
        /// How many are missing.
        missing: u64,
        /// Of how many.
        runs: u64,
        /// The first of them.
        first: u64,
    },
    /// It was asked to stop; parts that were whole are kept.
    #[error("stopped")]
    Stopped,
}

impl SweepError {
    pub(super) fn folder(path: &Path, reason: impl Into<String>) -> Self {
        Self::Folder {
            path: path.to_path_buf(),
            reason: reason.into(),
        }
    }

    pub(super) fn reading(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        move |error| Self::folder(path, format!("cannot be read: {error}"))
    }
}
