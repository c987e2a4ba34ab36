//! What a baseline was recorded from: the scenario's file, what was set beside it, and the files that it names, each
//! with its hash, so that a change of any of them is told by its name.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::differences::Sides;
use super::{Baseline, BaselineError};
use crate::scenario::{
    BaselineEntry, ControllerEntry, Experiment, GaitChoice, GaitEntry, Scenario, hexadecimal,
    relative_path,
};

/// Characters of a value that a message shows.
const LONGEST_VALUE: usize = 60;

/// What was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RecordedFrom {
    /// The scenario's file, relative to the baseline's.
    pub scenario: PathBuf,
    /// Keys that were set beside the file, `key=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub set: Vec<String>,
    /// The scenario's file and those that it names.
    pub(crate) file: Vec<InputFile>,
}

/// One file and its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputFile {
    /// What the run takes from it.
    pub(crate) role: InputRole,
    /// Where it lies, relative to the baseline's file.
    pub path: PathBuf,
    /// Of its bytes; of a robot, of the plain URDF that it becomes.
    pub sha256: String,
}

/// What a run takes from a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub(crate) enum InputRole {
    /// The scenario.
    Scenario,
    /// The robot.
    Robot,
    /// The gait.
    Gait,
    /// The program that drives the joints, or a file that it is started with.
    Program,
}

impl InputRole {
    fn word(self) -> &'static str {
        match self {
            Self::Scenario => "scenario",
            Self::Robot => "robot",
            Self::Gait => "gait",
            Self::Program => "program",
        }
    }
}

/// One difference between what was recorded from and what is run now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct InputChange {
    /// The file; `--set` for a key that was set for this run.
    pub file: String,
    /// What the run takes from the file.
    pub(crate) role: InputRole,
    /// The key that differs; none for a file that is compared by its hash alone.
    pub key: Option<String>,
    /// The key's values, or the hashes; a side without the key or the file has none.
    #[serde(flatten)]
    pub(crate) values: Sides<Option<String>>,
}

impl RecordedFrom {
    /// What a run of `experiment` takes: `written` is its scenario as it was read from `file` with `set`.
    pub(crate) fn new(
        file: &Path,
        set: &[String],
        written: &Scenario,
        experiment: &Experiment,
    ) -> Self {
        let input = |role, path: &Path| InputFile {
            role,
            path: path.to_path_buf(),
            // It was read a moment ago; what is gone since has another hash than anything.
            sha256: fs::read(path).map_or_else(|_| String::new(), |bytes| hash(&bytes)),
        };
        let robots = written.robot.iter().zip(&experiment.robot_texts);
        let robots = robots.map(|(robot, text)| InputFile {
            role: InputRole::Robot,
            path: robot.file.clone(),
            sha256: hash(text.as_bytes()),
        });
        let mut files = vec![input(InputRole::Scenario, file)];
        files.extend(robots);
        for controller in written.controllers() {
            match controller {
                ControllerEntry::Gait(GaitEntry {
                    gait: GaitChoice::File(path),
                    ..
                }) => files.push(input(InputRole::Gait, path)),
                ControllerEntry::External(external) => {
                    let named = external
                        .command
                        .iter()
                        .map(|word| external.directory.join(word));
                    let there = named.filter(|path| path.is_file());
                    files.extend(there.map(|path| input(InputRole::Program, &path)));
                }
                _ => {}
            }
        }
        Self {
            scenario: file.to_path_buf(),
            set: set.to_vec(),
            file: files,
        }
    }

    /// Makes paths that are relative to `folder` relative to the working directory.
    pub(crate) fn find_paths_from(&mut self, folder: &Path) {
        let files = self.file.iter_mut().map(|file| &mut file.path);
        for path in files
            .chain([&mut self.scenario])
            .filter(|p| p.is_relative())
        {
            *path = folder.join(&*path);
        }
    }

    /// Makes paths relative to `folder`. A path that does not exist stays as it is.
    pub(crate) fn write_paths_from(&mut self, folder: &Path) {
        let files = self.file.iter_mut().map(|file| &mut file.path);
        for path in files.chain([&mut self.scenario]) {
            if let Some(relative) = relative_path(path, folder) {
                *path = relative;
            }
        }
    }

    /// The scenario as its file says now, with what was set and `overrides`.
    pub(crate) fn read(
        &self,
        baseline: &Path,
        overrides: &[String],
    ) -> Result<Scenario, BaselineError> {
        if !self.scenario.is_file() {
            return Err(BaselineError::Value {
                file: baseline.to_path_buf(),
                place: "recorded_from.scenario".to_string(),
                reason: format!(
                    "there is no file {} any more; move it back, name its new place here, record again, \
                     or run the copy in this file with --frozen",
                    self.scenario.display()
                ),
            });
        }
        Ok(Scenario::read(
            &self.scenario,
            &[self.set.as_slice(), overrides].concat(),
        )?)
    }
}

fn hash(bytes: &[u8]) -> String {
    let mut hasher = Sha256::new();
    hasher.update(bytes);
    hexadecimal(hasher)
}

/// What differs between what a baseline was recorded from and what runs now; nothing where one of them is not known.
pub(crate) fn compare_inputs(recorded: &Baseline, now: &Baseline) -> Vec<InputChange> {
    let (Some(old), Some(new)) = (&recorded.recorded_from, &now.recorded_from) else {
        return Vec::new();
    };
    let mut changes = compare_keys(recorded, now, new);
    let key_changed = changes.iter().any(|change| change.file != "--set");
    for file in &old.file {
        let same_place = |other: &&InputFile| {
            other.role == file.role
                && (file.role != InputRole::Program
                    || other.path.file_name() == file.path.file_name())
        };
        let present = new.file.iter().find(same_place);
        // Of a scenario its keys are told.
        let told = file.role == InputRole::Scenario && key_changed;
        if told || present.is_some_and(|present| present.sha256 == file.sha256) {
            continue;
        }
        changes.push(InputChange {
            file: present.unwrap_or(file).path.display().to_string(),
            role: file.role,
            key: None,
            values: Sides {
                recorded: Some(file.sha256.clone()),
                now: present.map(|present| present.sha256.clone()),
            },
        });
    }
    changes
}

/// The keys of the scenario that differ.
fn compare_keys(recorded: &Baseline, now: &Baseline, from: &RecordedFrom) -> Vec<InputChange> {
    let (old, new) = (keys(&recorded.scenario), keys(&now.scenario));
    let set_now = |key: &str| {
        now.overrides.iter().any(|set| {
            let name = set.split('=').next().unwrap_or_default().trim();
            key == name
                || key
                    .strip_prefix(name)
                    .is_some_and(|rest| rest.starts_with('.'))
        })
    };
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let differing = names
        .into_iter()
        .filter(|key| old.get(*key) != new.get(*key));
    differing
        .map(|key| InputChange {
            file: if set_now(key) {
                "--set".to_string()
            } else {
                from.scenario.display().to_string()
            },
            role: InputRole::Scenario,
            key: Some(key.clone()),
            values: Sides {
                recorded: old.get(key).cloned(),
                now: new.get(key).cloned(),
            },
        })
        .collect()
}

/// Every value of a scenario by its dotted key; entries of lists of tables by their names, else by their places. What
/// is stored and compared is no input, and files are compared by their content.
fn keys(scenario: &Scenario) -> BTreeMap<String, String> {
    let mut scenario = scenario.clone();
    let robust = scenario.baseline.robust.take();
    scenario.baseline = BaselineEntry {
        robust,
        ..BaselineEntry::default()
    };
    scenario.write_paths_from(Path::new(""));
    let mut found = BTreeMap::new();
    // A scenario that was read is one that TOML can write.
    if let Ok(value) = toml::Value::try_from(&scenario) {
        flatten("", &value, &mut found);
    }
    found
}

fn flatten(path: &str, value: &toml::Value, found: &mut BTreeMap<String, String>) {
    let below = |name: &str| {
        if path.is_empty() {
            name.to_string()
        } else {
            format!("{path}.{name}")
        }
    };
    match value {
        toml::Value::Table(table) => {
            for (name, value) in table {
                flatten(&below(name), value, found);
            }
        }
        toml::Value::Array(list) if list.iter().any(toml::Value::is_table) => {
            for (i, entry) in list.iter().enumerate() {
                let name = entry.get("name").and_then(toml::Value::as_str);
                flatten(&below(name.unwrap_or(&i.to_string())), entry, found);
            }
        }
        other => {
            found.insert(path.to_string(), other.to_string());
        }
    }
}

impl InputChange {
    /// The change in a line.
    #[must_use]
    pub fn words(&self) -> String {
        let short = |value: &str| {
            if value.chars().count() > LONGEST_VALUE {
                let start: String = value.chars().take(LONGEST_VALUE).collect();
                format!("{start}…")
            } else {
                value.to_string()
            }
        };
        let Sides { recorded, now } = &self.values;
        match (&self.key, recorded, now) {
            (Some(key), Some(old), Some(new)) => {
                format!("{}: {key} was {}, is {}", self.file, short(old), short(new))
            }
            (Some(key), Some(old), None) => {
                format!("{}: {key} was {}, is not set", self.file, short(old))
            }
            (Some(key), None, new) => {
                let new = new.as_deref().map_or(String::new(), short);
                format!("{}: {key} was not set, is {new}", self.file)
            }
            (None, _, None) => format!(
                "{}: the run takes no {} from it any more",
                self.file,
                self.role.word()
            ),
            (None, _, Some(_)) if self.role == InputRole::Scenario => {
                format!("{}: another text with the same keys and values", self.file)
            }
            (None, ..) => format!("{}: the {} has changed", self.file, self.role.word()),
        }
    }
}
