//! The folder of one run: held by one process, emptied of an older run, complete when its summary stands.

use std::path::{Path, PathBuf};
use std::{fs, io};

use thiserror::Error;

use super::output_file::{is_leftover, remove_if_there};
use super::{LockError, OutputLock};

/// What a command writes into its folder. In names `*` stands for any text.
#[derive(Debug)]
pub struct OutputKind {
    /// The file that says that the others are whole: written last, removed first.
    pub summary: &'static str,
    /// Files made from the run; a run that goes on makes them again.
    pub derived: &'static [&'static str],
    /// Files that have the names of sources, so that somebody may have put their own there.
    pub inputs: &'static [&'static str],
    /// What else the run leaves.
    pub data: &'static [&'static str],
}

/// A run of `carom simulate`.
pub const RUN_OUTPUT: OutputKind = OutputKind {
    summary: "summary.json",
    derived: &[
        "branches.json",
        "branches/series_*.csv",
        "branches/events_*.csv",
        "branches/distance.csv",
        "plots/base.svg",
        "plots/efforts.svg",
        "plots/energy.svg",
        "plots/feet.svg",
        "plots/forces.svg",
        "plots/gaps.svg",
        "plots/joints.svg",
        "plots/contacts.svg",
        "plots/series.svg",
        "plots/profile.svg",
        "picture.svg",
        "replay.html",
        "run.mcap",
        "series.parquet",
        "events.parquet",
    ],
    inputs: &["scenario.toml", "robot.urdf", "robot_*.urdf"],
    data: &[
        "state.json",
        "profile.csv",
        ".events.csv.partial",
        ".series.csv.partial",
        "events.csv",
        "series.csv",
    ],
};

/// A design of `carom design`; its checkpoint is of the search and stays until that has ended.
pub const DESIGN_OUTPUT: OutputKind = OutputKind {
    summary: "design.json",
    derived: &[],
    inputs: &["robot.urdf", "scenario.toml"],
    data: &[
        "drop_before/scenario.toml",
        "drop_before/robot.urdf",
        "drop_after/scenario.toml",
        "drop_after/robot.urdf",
        "momentum_distance.csv",
        "map.csv",
        "plots/momentum_distance.svg",
        "plots/map_xi.svg",
        "plots/map_cosine_*.svg",
        "plots/stance_*.svg",
        "plots/convergence.svg",
        "plots/cosine_path.svg",
    ],
};

/// Why a folder cannot be written into.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FolderError {
    /// Another process writes there.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file that the command is given would be replaced by a result.
    #[error(
        "{}: the results would replace this file, which the run is made from; write elsewhere with --out",
        .path.display()
    )]
    Source {
        /// The file.
        path: PathBuf,
    },
    /// A file that no run wrote would be replaced.
    #[error(
        "{}: the results would replace this file, and no run wrote it; write elsewhere with --out, or move it away",
        .path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file of an older run cannot be removed.
    #[error("{}: {source}", .path.display())]
    Access {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A folder that this process alone writes into until it is dropped.
#[derive(Debug)]
pub struct OutputFolder {
    path: PathBuf,
    kind: &'static OutputKind,
    _lock: OutputLock,
}

impl OutputFolder {
    /// Makes the folder if it is missing and keeps others out. Nothing in it is touched yet.
    ///
    /// # Errors
    /// Another process has it, which is named; it cannot be made.
    pub fn hold(path: &Path, kind: &'static OutputKind) -> Result<Self, FolderError> {
        Ok(Self {
            path: path.to_path_buf(),
            kind,
            _lock: OutputLock::of_folder(path)?,
        })
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What is written into it.
    #[must_use]
    pub fn kind(&self) -> &'static OutputKind {
        self.kind
    }

    /// Checks, before anything is computed, that what the command writes removes or replaces no file of `sources` and none
    /// of somebody else.
    ///
    /// # Errors
    /// It would.
    pub fn check<P: AsRef<Path>>(
        &self,
        sources: impl IntoIterator<Item = P>,
    ) -> Result<(), FolderError> {
        let written = self.found(self.all())?;
        for source in sources {
            let Ok(source) = fs::canonicalize(source.as_ref()) else {
                continue;
            };
            let same = |path: &&PathBuf| fs::canonicalize(path).is_ok_and(|p| p == source);
            if let Some(path) = written.iter().find(same) {
                return Err(FolderError::Source { path: path.clone() });
            }
        }
        self.refuse_foreign()
    }

    /// Removes what an older run left, its summary first, and nothing else.
    ///
    /// # Errors
    /// There is a file with the name of a result although no run left its mark; one cannot be removed.
    pub fn clear(&self) -> Result<(), FolderError> {
        self.refuse_foreign()?;
        self.clear_derived()?;
        // In this order whatever is left when this is stopped midway tells that a run was here.
        let rest = self.kind.inputs.iter().chain(self.kind.data);
        self.remove(rest.copied())
    }

    /// Removes the summary and what was made from the tables of a run that is to go on.
    ///
    /// # Errors
    /// A file cannot be removed.
    pub fn clear_derived(&self) -> Result<(), FolderError> {
        self.remove(std::iter::once(self.kind.summary))?;
        self.remove(self.kind.derived.iter().copied())?;
        self.remove_leftovers()
    }

    fn refuse_foreign(&self) -> Result<(), FolderError> {
        let marks = std::iter::once(self.kind.summary).chain(self.kind.data.iter().copied());
        match self.found(self.kind.inputs.iter().copied())?.pop() {
            Some(path) if self.found(marks)?.is_empty() => Err(FolderError::Foreign { path }),
            _ => Ok(()),
        }
    }

    fn all(&self) -> impl Iterator<Item = &'static str> {
        let kind = self.kind;
        std::iter::once(kind.summary)
            .chain(kind.derived.iter().copied())
            .chain(kind.inputs.iter().copied())
            .chain(kind.data.iter().copied())
    }

    /// Files of the folder that have one of the names, in the order of the names.
    fn found(
        &self,
        names: impl Iterator<Item = &'static str>,
    ) -> Result<Vec<PathBuf>, FolderError> {
        let mut found = Vec::new();
        for name in names {
            let path = self.path.join(name);
            let Some((before, after)) = name.split_once('*') else {
                if fs::symlink_metadata(&path).is_ok_and(|file| !file.is_dir()) {
                    found.push(path);
                }
                continue;
            };
            let (folder, before) = before.rsplit_once('/').unwrap_or(("", before));
            for entry in entries(&self.path.join(folder))? {
                let file = entry.file_name().unwrap_or_default().to_string_lossy();
                let fits = file.len() > before.len() + after.len();
                if fits && file.starts_with(before) && file.ends_with(after) {
                    found.push(entry);
                }
            }
        }
        Ok(found)
    }

    fn remove(&self, names: impl Iterator<Item = &'static str>) -> Result<(), FolderError> {
        for path in self.found(names)? {
            remove_if_there(&path).map_err(access(&path))?;
            self.remove_emptied(path.parent());
        }
        Ok(())
    }

    /// What killed processes left of files that they were writing.
    fn remove_leftovers(&self) -> Result<(), FolderError> {
        let folders = self.all().filter_map(|name| name.rsplit_once('/'));
        let mut folders: Vec<&str> = folders.map(|(folder, _)| folder).chain([""]).collect();
        folders.dedup();
        for folder in folders {
            for path in entries(&self.path.join(folder))? {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                if is_leftover(&name) {
                    remove_if_there(&path).map_err(access(&path))?;
                }
            }
            self.remove_emptied(Some(&self.path.join(folder)));
        }
        Ok(())
    }

    /// Removes a folder inside this one if nothing is left in it.
    fn remove_emptied(&self, folder: Option<&Path>) {
        if let Some(folder) = folder.filter(|f| *f != self.path && f.starts_with(&self.path)) {
            // It fails where something is left, as it should.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The entries of a folder in the order of their names; none if there is no such folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, FolderError> {
    let read = match fs::read_dir(folder) {
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(Vec::new());
        }
        other => other.map_err(access(folder))?,
    };
    let mut paths = Vec::new();
    for entry in read {
        paths.push(entry.map_err(access(folder))?.path());
    }
    paths.sort();
    Ok(paths)
}

fn access(path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_path_buf();
    move |source| FolderError::Access { path, source }
}
