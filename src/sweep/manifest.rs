//! `sweep.json`: what a folder of parts belongs to, the same bytes whoever writes it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::SweepError;
use super::file::{AnalysisEntry, SubjectKind, SweepFile};
use super::plan::Plan;
use super::subject::{NamedMetric, Subject, SweepInput};
use crate::files::{read_bounded, write_whole};
use crate::scenario::hexadecimal;

/// Name of the file.
pub const MANIFEST: &str = "sweep.json";
/// Version of its form.
const FORMAT: u32 = 1;

/// A key that differs from run to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepKey {
    /// The key, a column of the table.
    pub name: String,
    /// Whether all of its values are numbers.
    pub number: bool,
}

/// What a sweep is, without its rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Version of this form.
    pub format: u32,
    /// Names what rows are made from: version, subject, inputs, plan and metrics. Parts of another one do not fit.
    pub fingerprint: String,
    /// Version of the program.
    pub version: String,
    /// What it is for.
    pub description: String,
    /// The subject's file as the sweep file names it.
    pub subject: String,
    /// What the subject is.
    pub kind: SubjectKind,
    /// Keys that are set in every run.
    pub set: Vec<String>,
    /// The files that runs are made from.
    pub inputs: Vec<SweepInput>,
    /// Number of runs.
    pub runs: u64,
    /// Where they come from.
    pub plan: String,
    /// Keys that differ.
    pub keys: Vec<SweepKey>,
    /// Metrics.
    pub metrics: Vec<NamedMetric>,
    /// What is told of all runs together.
    pub analysis: AnalysisEntry,
}

impl Manifest {
    /// That of a sweep whose subject lies in `folder`.
    pub(super) fn new(file: &SweepFile, plan: &Plan, subject: &Subject, folder: &Path) -> Self {
        let keys = plan.keys().iter().zip(plan.numbers());
        let mut manifest = Self {
            format: FORMAT,
            fingerprint: String::new(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            description: file.description.clone(),
            subject: file.subject.display().to_string(),
            kind: file.kind,
            set: file.set.clone(),
            inputs: subject.inputs(),
            runs: plan.runs(),
            plan: file.plan.kind.word().to_string(),
            keys: keys
                .map(|(name, number)| SweepKey {
                    name: name.clone(),
                    number: *number,
                })
                .collect(),
            metrics: subject.metrics().to_vec(),
            analysis: file.analysis.clone(),
        };
        let mut hasher = Sha256::new();
        let mut feed = |text: &str| {
            hasher.update((text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        feed(&manifest.version);
        feed(&format!("{:?}", manifest.kind));
        feed(&subject.fingerprint());
        for input in &manifest.inputs {
            feed(&input.role);
            feed(&input.sha256);
        }
        for metric in &manifest.metrics {
            feed(&metric.name);
            feed(&metric.expression);
        }
        manifest.set.iter().for_each(|entry| feed(entry));
        manifest.keys.iter().for_each(|key| feed(&key.name));
        feed(&format!("{:?} {:?}", file.plan.seed, manifest.runs));
        feed(&manifest.plan);
        // The plan by what it makes of some runs, and by all of its text.
        feed(&format!("{:?} {:?}", file.vary, file.list));
        let mut named = BTreeSet::new();
        let step = match file.plan.file {
            // Its text is not in the sweep's.
            Some(_) => 1,
            None => (manifest.runs / 1000).max(1),
        };
        for index in (0..manifest.runs).step_by(step as usize) {
            let overrides = plan.overrides(index);
            feed(&overrides.join("\n"));
            named.extend(
                overrides
                    .iter()
                    .filter_map(|entry| named_file(folder, entry)),
            );
        }
        // Files that runs name beside those of the first one.
        for path in named {
            if let Ok(bytes) = read_bounded(&path) {
                feed(&hexadecimal(Sha256::new_with_prefix(bytes)));
            }
        }
        manifest.fingerprint = hexadecimal(hasher);
        manifest
    }

    /// Reads that of a folder.
    ///
    /// # Errors
    /// There is none, or it is damaged.
    pub fn read(folder: &Path) -> Result<Self, SweepError> {
        let path = folder.join(MANIFEST);
        let text = std::fs::read_to_string(&path).map_err(|error| {
            let reason = match error.kind() {
                std::io::ErrorKind::NotFound => {
                    "there is no such file: no sweep was run into this folder".to_string()
                }
                _ => format!("cannot be read: {error}"),
            };
            SweepError::folder(&path, reason)
        })?;
        let manifest: Self = serde_json::from_str(&text)
            .map_err(|error| SweepError::folder(&path, format!("is damaged: {error}")))?;
        if manifest.format != FORMAT {
            let reason = format!(
                "its form is {}, this program reads {FORMAT}",
                manifest.format
            );
            return Err(SweepError::folder(&path, reason));
        }
        Ok(manifest)
    }

    /// Writes it into a folder, which is made where it is missing, unless that holds another sweep.
    ///
    /// # Errors
    /// It does; a file cannot be written.
    pub(super) fn settle(&self, folder: &Path) -> Result<(), SweepError> {
        let path: PathBuf = folder.join(MANIFEST);
        if path.exists() {
            let there = Self::read(folder)?;
            if there.fingerprint != self.fingerprint {
                let reason = format!(
                    "the folder holds parts of another sweep ({}); choose another folder with --out, or remove this one",
                    there.differs_from(self)
                );
                return Err(SweepError::folder(&path, reason));
            }
        }
        let parts = folder.join(super::table::PARTS);
        std::fs::create_dir_all(&parts)
            .map_err(|error| SweepError::folder(&parts, format!("cannot be made: {error}")))?;
        let text = self.text();
        if std::fs::read_to_string(&path).is_ok_and(|there| there == text) {
            return Ok(());
        }
        Ok(write_whole(&path, |out| out.write_all(text.as_bytes()))?)
    }

    pub(super) fn text(&self) -> String {
        // Plain data, which JSON always takes.
        format!(
            "{}\n",
            serde_json::to_string_pretty(self).unwrap_or_default()
        )
    }

    /// What is another one, in words.
    fn differs_from(&self, other: &Self) -> String {
        let of = |a: bool, word: &'static str| a.then_some(word);
        let words = [
            of(self.version != other.version, "version"),
            of(self.inputs != other.inputs, "files"),
            of(self.set != other.set, "set"),
            of(
                self.runs != other.runs || self.keys != other.keys || self.plan != other.plan,
                "plan",
            ),
            of(self.metrics != other.metrics, "metrics"),
        ];
        let words: Vec<&str> = words.into_iter().flatten().collect();
        if words.is_empty() {
            return "its values differ".to_string();
        }
        format!("other {}", words.join(", "))
    }

    /// Columns of the table.
    #[must_use]
    pub fn columns(&self) -> Vec<&str> {
        let keys = self.keys.iter().map(|key| key.name.as_str());
        let metrics = self.metrics.iter().map(|metric| metric.name.as_str());
        ["run", "status", "message"]
            .into_iter()
            .chain(keys)
            .chain(metrics)
            .collect()
    }

    /// The heading of the table.
    pub(super) fn heading(&self) -> Vec<u8> {
        super::table::record(self.columns().iter().map(|name| name.as_bytes()))
    }
}

/// The file that a run's entry `key="path"` names.
fn named_file(folder: &Path, entry: &str) -> Option<PathBuf> {
    let (_, value) = entry.split_once('=')?;
    let text = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let path = folder.join(text);
    path.is_file().then_some(path)
}
