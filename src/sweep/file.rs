//! Sweep files: what is run, over which keys, how often, and what is told of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::read_bounded_text;
use crate::scenario::{ScenarioError, parse_overridden};

/// A whole sweep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SweepFile {
    /// What it is for, in a line.
    #[serde(default)]
    #[schemars(example = &"Ten thousand drops of TREX from other heights and pitches")]
    pub description: String,
    /// The file that is run again and again, relative to this one.
    #[schemars(example = &"drop.toml")]
    pub subject: PathBuf,
    /// What the subject is.
    #[serde(default)]
    pub kind: SubjectKind,
    /// Keys that are set in every run, `key=value` as `--set` takes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["duration=0.4"]]))]
    pub set: Vec<String>,
    /// How runs are chosen.
    pub plan: PlanEntry,
    /// Keys that differ from run to run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vary: Vec<VaryEntry>,
    /// The runs of a plan of kind `list`, each a table of keys and values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        with = "Vec<BTreeMap<String, serde_json::Value>>",
        extend("examples" = [[{"contact.friction": 0.4}, {"contact.friction": 0.8}]])
    )]
    pub list: Vec<toml::Table>,
    /// Whether the metrics that baselines have by themselves are told of every run.
    #[serde(default = "yes")]
    pub default_metrics: bool,
    /// Metrics beside these: name and expression.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("examples" = [{"tilt": "max(abs(q_base.pitch))"}]))]
    pub metrics: BTreeMap<String, String>,
    /// What is told of all runs together. It changes no run.
    #[serde(default)]
    pub analysis: AnalysisEntry,
}

fn yes() -> bool {
    true
}

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A scenario of a robot.
    #[default]
    Scenario,
    /// The scenario of a baseline, with the baseline's metrics.
    Baseline,
    /// A problem of one impact (JSON); its law is set by `law.name` and `law.<key>`.
    Impact,
    /// A design file.
    Design,
    /// The periodic orbit of a scenario.
    Orbit,
}

/// How runs are chosen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanEntry {
    /// Where runs come from.
    #[schemars(example = &"sobol")]
    pub kind: PlanKind,
    /// Number of draws; a grid and a list have as many runs as they have points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100_000_000), example = 10_000)]
    pub runs: Option<u64>,
    /// Seed of draws, 1 when absent. A Sobol sequence is shifted by it digitally; without one it stays as it is, but in a
    /// design of Saltelli.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 1)]
    pub seed: Option<u64>,
    /// Table of runs (CSV) of a plan of kind `list`, whose heading names the keys.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"runs.csv")]
    pub file: Option<PathBuf>,
    /// Runs of one part of a sweep that is not divided by `--shard`; about a hundredth of all when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1), example = 100)]
    pub part: Option<u64>,
}

/// Where runs come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum PlanKind {
    /// Every combination of values; the last key changes fastest.
    Grid,
    /// Runs that are written out.
    List,
    /// A Sobol sequence.
    Sobol,
    /// A Latin hypercube: every key has one draw in each of as many strata as there are runs.
    LatinHypercube,
    /// Independent draws.
    Random,
}

impl PlanKind {
    /// The word that files use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Grid => "grid",
            Self::List => "list",
            Self::Sobol => "sobol",
            Self::LatinHypercube => "latin-hypercube",
            Self::Random => "random",
        }
    }
}

/// One key that differs from run to run: exactly one of `uniform`, `log_uniform`, `normal`, `integers` and `values`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["uniform"]}, {"required": ["log_uniform"]}, {"required": ["normal"]}, {"required": ["integers"]},
    {"required": ["values"]}
]))]
pub struct VaryEntry {
    /// The key, as `--set` takes it.
    #[schemars(example = &"initial.base.pitch")]
    pub key: String,
    /// From the first number to the second, each as likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.3, 0.4]]))]
    pub uniform: Option<[f64; 2]>,
    /// The same for the logarithm; both are positive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[1e-3, 1.0]]))]
    pub log_uniform: Option<[f64; 2]>,
    /// Mean and standard deviation of a normal distribution.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.8, 0.05]]))]
    pub normal: Option<[f64; 2]>,
    /// Whole numbers from the first to the second, both of them too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[1, 6]]))]
    pub integers: Option<[i64; 2]>,
    /// These values, each as likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        with = "Option<Vec<serde_json::Value>>",
        extend("examples" = [["index", "most-violated"]])
    )]
    pub values: Option<Vec<toml::Value>>,
    /// Points of a grid along `uniform` or `log_uniform`, ends included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2), example = 11)]
    pub points: Option<u64>,
}

/// What is told of all runs together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AnalysisEntry {
    /// Shares of runs below which the values are told, each exactly one of the values.
    #[schemars(extend("examples" = [[0.05, 0.5, 0.95]]))]
    pub quantiles: Vec<f64>,
    /// Worst runs that are told of each metric, with the `--set` that repeats them.
    pub worst: u64,
    /// Metrics of which the smallest values are the worst; of all others the largest are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["distance_m"]]))]
    pub smallest_is_worst: Vec<String>,
    /// How much of the variance of each metric comes from each key.
    pub sensitivity: SensitivityKind,
}

impl Default for AnalysisEntry {
    fn default() -> Self {
        Self {
            quantiles: vec![0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99],
            worst: 5,
            smallest_is_worst: Vec::new(),
            sensitivity: SensitivityKind::None,
        }
    }
}

impl AnalysisEntry {
    /// Refuses numbers out of range; `file` is what messages call the sweep file.
    pub(super) fn check(&self, file: &str) -> Result<(), ScenarioError> {
        let wrong = |p: &&f64| !(0.0..=1.0).contains(*p);
        match self.quantiles.iter().find(wrong) {
            None => Ok(()),
            Some(p) => {
                let reason = format!("one of them is {p}, a share is from 0 to 1");
                Err(ScenarioError::value(file, "analysis.quantiles", reason))
            }
        }
    }
}

/// How much of a variance comes from a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SensitivityKind {
    /// It is not told.
    #[default]
    None,
    /// First-order and total Sobol indices from a design of Saltelli: every draw becomes k + 2 runs for k keys.
    Saltelli,
    /// First-order indices from random draws or a Latin hypercube as they are, by the ranks of the key's values.
    Ranks,
}

impl SweepFile {
    /// Reads a sweep file, with overrides `key=value`; its paths become relative to the working directory.
    ///
    /// # Errors
    /// A file that cannot be read or is no sweep: the message names the file, the line and the nearest key.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let text =
            read_bounded_text(path).map_err(|error| ScenarioError::unreadable(path, error))?;
        Self::parse(&path.display().to_string(), &text, overrides)
    }

    /// Parses the text of a sweep file; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`SweepFile::read`], except reading.
    pub fn parse(file: &str, text: &str, overrides: &[String]) -> Result<Self, ScenarioError> {
        parse_overridden(file, text, overrides)
    }
}
