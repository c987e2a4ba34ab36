//! What is run: a scenario, the scenario of a baseline, a problem of one impact, a design, an orbit.

mod answers;
mod designs;
mod impacts;
mod orbit_designs;
mod orbits;
mod scenarios;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::SweepError;
use super::file::{SubjectKind, SweepFile};
use super::outcome::{Outcome, SweepStatus};
use super::plan::Plan;
use crate::metric::{Expression, MetricError, Names};
use crate::scenario::ScenarioError;
use crate::stop::StopFlag;
use crate::study::orbit_design::OrbitDesignFile;
use designs::Designs;
use impacts::Impacts;
use orbit_designs::OrbitDesigns;
use orbits::Orbits;
use scenarios::Scenarios;

/// A metric that every run has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedMetric {
    /// Its name, a column of the table.
    pub name: String,
    /// Its expression.
    pub expression: String,
}

/// A file that runs are made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SweepInput {
    /// What runs take from it.
    pub role: String,
    /// Its name.
    pub name: String,
    /// SHA-256 of its content; of a robot, of the plain URDF that it becomes.
    pub sha256: String,
}

/// One kind of subject: what runs of it are.
trait Runs: Sync + Send {
    /// Metrics that it has by itself.
    fn default_metrics(&self) -> BTreeMap<String, String>;
    /// The files that runs are made from.
    fn inputs(&self) -> Vec<SweepInput>;
    /// What else decides how runs go, as text.
    fn fingerprint(&self) -> String;
    /// Whether the keys can be set at all.
    fn check(&self, overrides: &[String]) -> Result<(), SweepError>;
    /// What names stand for after as little of a run as that takes, or after a whole one.
    fn names(&self, whole: bool) -> Result<Box<dyn Names>, SweepError>;
    /// One run, which `stop` may end, and its metrics by `evaluate`.
    fn run(
        &self,
        overrides: &[String],
        stop: &StopFlag,
        evaluate: &dyn Fn(&dyn Names) -> Vec<Option<f64>>,
    ) -> Outcome;
}

/// Metrics by their names, each with its expression.
fn named(metrics: &[(&str, &str)]) -> BTreeMap<String, String> {
    let pairs = metrics.iter();
    pairs
        .map(|(name, expression)| (name.to_string(), expression.to_string()))
        .collect()
}

/// What a sweep runs, with its metrics.
pub struct Subject {
    runs: Box<dyn Runs>,
    metrics: Vec<NamedMetric>,
    expressions: Vec<Expression>,
}

impl Subject {
    /// Reads the subject of a sweep file and checks keys and metrics before the first run. `name` is what messages call
    /// the sweep file, `folder` where its paths begin.
    pub(super) fn new(
        name: &str,
        folder: &Path,
        file: &SweepFile,
        plan: &Plan,
    ) -> Result<Self, SweepError> {
        let wrong = |place: &str, reason: String| ScenarioError::value(name, place, reason);
        let path = folder.join(&file.subject);
        if !path.is_file() {
            let reason = format!("there is no file {}", path.display());
            return Err(wrong("subject", reason).into());
        }
        let found = find_start(&path, file, plan);
        let runs = found.map_err(|error| match error {
            Start::Subject(error) => error,
            Start::Keys(error) => {
                let reason = format!("no run can start with these keys: {error}");
                wrong("vary", reason).into()
            }
        })?;
        let mut wanted = if file.default_metrics {
            runs.default_metrics()
        } else {
            BTreeMap::new()
        };
        for (metric, expression) in &file.metrics {
            if let Some(own) = wanted.get(metric).filter(|own| *own != expression) {
                let reason = format!(
                    "the sweep has a metric of this name by itself, {own}; choose another name, or set default_metrics = false"
                );
                return Err(wrong(&format!("metrics.{metric}"), reason).into());
            }
            wanted.insert(metric.clone(), expression.clone());
        }
        if wanted.is_empty() {
            let reason = "there is none; name one, or leave default_metrics = true";
            return Err(wrong("metrics", reason.into()).into());
        }
        let mut subject = Self {
            runs,
            metrics: Vec::new(),
            expressions: Vec::new(),
        };
        for (metric, expression) in wanted {
            let place = format!("metrics.{metric}");
            let taken = ["run", "status", "message"].contains(&metric.as_str())
                || plan.keys().contains(&metric);
            if taken {
                let reason = "the table has a column of this name already; choose another";
                return Err(wrong(&place, reason.into()).into());
            }
            let parsed =
                Expression::parse(&expression).map_err(|e| wrong(&place, e.to_string()))?;
            subject.expressions.push(parsed);
            subject.metrics.push(NamedMetric {
                name: metric,
                expression,
            });
        }
        for metric in &file.analysis.smallest_is_worst {
            if !subject.metrics.iter().any(|m| m.name == *metric) {
                let names = subject.metrics.iter().map(|m| m.name.as_str());
                let near = crate::files::did_you_mean(metric, names);
                let reason = format!("there is no metric \"{metric}\"{near}");
                return Err(wrong("analysis.smallest_is_worst", reason).into());
            }
        }
        // What is not there in the beginning may be after a whole run.
        if let Some((metric, error)) = subject.unknown_name(false)? {
            let unknown = match subject.unknown_name(true) {
                Ok(unknown) => unknown.map(|(metric, error)| (metric, error.to_string())),
                Err(reason) => Some((metric, format!("{error}; {reason}"))),
            };
            if let Some((metric, reason)) = unknown {
                return Err(wrong(&format!("metrics.{metric}"), reason).into());
            }
        }
        Ok(subject)
    }

    fn unknown_name(&self, whole: bool) -> Result<Option<(String, MetricError)>, SweepError> {
        let names = self.runs.names(whole)?;
        let mut pairs = self.metrics.iter().zip(&self.expressions);
        Ok(pairs.find_map(|(metric, expression)| {
            let error = expression.evaluate(&*names).err()?;
            Some((metric.name.clone(), error))
        }))
    }

    /// The metrics in the order of their names.
    #[must_use]
    pub fn metrics(&self) -> &[NamedMetric] {
        &self.metrics
    }

    pub(super) fn inputs(&self) -> Vec<SweepInput> {
        self.runs.inputs()
    }

    pub(super) fn fingerprint(&self) -> String {
        self.runs.fingerprint()
    }

    /// The run with these keys set. Whatever goes wrong in it is its outcome, also that `stop` has ended it.
    #[must_use]
    pub fn run(&self, overrides: &[String], stop: &StopFlag) -> Outcome {
        let evaluate = |names: &dyn Names| -> Vec<Option<f64>> {
            let values = self.expressions.iter().map(|e| e.evaluate(names).ok());
            values.map(|x| x.filter(|x| x.is_finite())).collect()
        };
        let run = AssertUnwindSafe(|| self.runs.run(overrides, stop, &evaluate));
        catch_unwind(run).unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(ToString::to_string);
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Outcome::failed(SweepStatus::Fault, &text.unwrap_or_default())
        })
    }
}

/// Why no subject was found to begin with.
enum Start {
    /// The subject is wrong.
    Subject(SweepError),
    /// It may be right, but not with the keys.
    Keys(SweepError),
}

/// The subject, where it and one of the first, middle and last run can start.
fn find_start(path: &Path, file: &SweepFile, plan: &Plan) -> Result<Box<dyn Runs>, Start> {
    let samples = [0, plan.runs() / 2, plan.runs() - 1];
    let open = |start: &[String]| -> Result<Box<dyn Runs>, SweepError> {
        let (path, set) = (PathBuf::from(path), &file.set);
        Ok(match file.kind {
            SubjectKind::Scenario => Box::new(Scenarios::scenario(&path, set, start)?),
            SubjectKind::Baseline => Box::new(Scenarios::baseline(&path, set, start)?),
            SubjectKind::Impact => Box::new(Impacts::new(&path, set, start)?),
            SubjectKind::Design if OrbitDesignFile::is_one(&path) => {
                Box::new(OrbitDesigns::new(&path, set, start, plan)?)
            }
            SubjectKind::Design => Box::new(Designs::new(&path, set, start)?),
            SubjectKind::Orbit => Box::new(Orbits::new(&path, set, start, plan)?),
        })
    };
    let mut first = None;
    for index in samples {
        let overrides = plan.overrides(index);
        let opened = open(&overrides).and_then(|runs| {
            runs.check(&overrides)?;
            Ok(runs)
        });
        match opened {
            Ok(runs) => return Ok(runs),
            Err(error) => first = first.or(Some(error)),
        }
    }
    // Where not even the subject as it is can start, that is what to tell.
    match (open(&[]), first) {
        (Err(error), _) => Err(Start::Subject(error)),
        (Ok(_), Some(error)) => Err(Start::Keys(error)),
        (Ok(runs), None) => Ok(runs),
    }
}
