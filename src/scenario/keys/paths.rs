//! Files that a scenario names: relative to the scenario's own file where it is written, relative to the working
//! directory where it is used.

use std::path::{Component, Path, PathBuf};

use crate::scenario::{ControllerEntry, GaitChoice, GaitEntry, RobotEntry, Scenario, TerrainEntry};

impl Scenario {
    /// Every path of the scenario that names a file or folder beside it.
    fn paths_mut(&mut self) -> impl Iterator<Item = &mut PathBuf> {
        let heights = self.terrain.iter_mut().filter_map(TerrainEntry::file_mut);
        let robots = self.robot.iter_mut().flat_map(|robot| {
            std::iter::once(&mut robot.file)
                .chain(robot.packages.values_mut())
                .filter(|path| !path.starts_with("package:"))
                .chain(driver(&mut robot.controller))
        });
        robots.chain(driver(&mut self.controller)).chain(heights)
    }

    /// The files and folders that the scenario names.
    #[must_use]
    pub fn paths(&self) -> Vec<PathBuf> {
        self.clone().paths_mut().map(|path| path.clone()).collect()
    }

    /// Makes paths that are relative to `folder` relative to the working directory.
    pub(crate) fn find_paths_from(&mut self, folder: &Path) {
        for path in self.paths_mut().filter(|path| path.is_relative()) {
            *path = folder.join(&*path);
        }
    }

    /// Makes paths relative to `folder`, so that the scenario can be written there. A path that does
    /// not exist stays as it is.
    pub(crate) fn write_paths_from(&mut self, folder: &Path) {
        for path in self.paths_mut() {
            if let Some(relative) = relative_path(path, folder) {
                *path = relative;
            }
        }
    }
}

/// The path that a controller names.
fn driver(controller: &mut ControllerEntry) -> Option<&mut PathBuf> {
    match controller {
        ControllerEntry::External(external) => Some(&mut external.directory),
        ControllerEntry::Gait(GaitEntry {
            gait: GaitChoice::File(file),
            ..
        }) => Some(file),
        _ => None,
    }
}

impl RobotEntry {
    /// The same for the robot alone.
    pub(crate) fn write_paths_from(&mut self, folder: &Path) {
        for path in std::iter::once(&mut self.file).chain(self.packages.values_mut()) {
            if let Some(relative) = relative_path(path, folder) {
                *path = relative;
            }
        }
    }
}

/// The way from a folder to a file, if both exist.
pub(crate) fn relative_path(path: &Path, folder: &Path) -> Option<PathBuf> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    let (path, folder) = (path.canonicalize().ok()?, folder.canonicalize().ok()?);
    let shared = path
        .components()
        .zip(folder.components())
        .take_while(|(a, b)| a == b)
        .count();
    // On Windows, two drives have no way between them.
    if shared == 0 {
        return Some(path);
    }
    let up = folder
        .components()
        .skip(shared)
        .map(|_| Component::ParentDir);
    let way: PathBuf = up.chain(path.components().skip(shared)).collect();
    Some(if way.as_os_str().is_empty() {
        PathBuf::from(".")
    } else {
        way
    })
}
