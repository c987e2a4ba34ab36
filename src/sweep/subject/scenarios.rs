//! Runs of a scenario, or of that of a baseline.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::{Runs, SweepInput};
use crate::baseline::{Baseline, RecordedFrom, default_metrics};
use crate::files::read_bounded_text;
use crate::laws::LawRegistry;
use crate::metric::Names;
use crate::record::Trace;
use crate::scenario::{
    Experiment, ExperimentCache, Scenario, ScenarioError, apply_overrides, from_overridden,
};
use crate::stop::StopFlag;
use crate::sweep::error::SweepError;
use crate::sweep::outcome::{Outcome, SweepStatus};

/// A scenario as a table in which keys are set.
pub(super) struct Scenarios {
    name: String,
    folder: PathBuf,
    base: Table,
    set: Vec<String>,
    /// One run of the plan, ready to start: metrics are checked on it.
    probe: Experiment,
    /// What runs do not read and build again.
    cache: ExperimentCache,
    laws: LawRegistry,
    inputs: Vec<SweepInput>,
    /// Metrics that a baseline or the scenario's table `[baseline]` has.
    own: BTreeMap<String, String>,
}

impl Scenarios {
    /// The scenario of a file with `set`; `start` are the keys of one run that may be able to start.
    pub fn scenario(path: &Path, set: &[String], start: &[String]) -> Result<Self, SweepError> {
        let name = path.display().to_string();
        let text =
            read_bounded_text(path).map_err(|error| ScenarioError::unreadable(path, error))?;
        // Parsed once as it stands, so that messages point into the file.
        Scenario::parse(&name, &text, &[])?;
        let base = toml::from_str(&text).map_err(|e| ScenarioError::from_toml(&name, &text, &e))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::new(path, folder, base, set, start)
    }

    /// The scenario that a baseline was recorded from, as its file says now, with what was set.
    pub fn baseline(path: &Path, set: &[String], start: &[String]) -> Result<Self, SweepError> {
        let baseline = Baseline::read_frozen(path, &[])?;
        let mut runs = match &baseline.recorded_from {
            Some(from) => {
                let set = [from.set.as_slice(), set].concat();
                Self::scenario(&from.scenario, &set, start)?
            }
            None => {
                let base = match Value::try_from(&baseline.scenario) {
                    Ok(Value::Table(table)) => table,
                    _ => Table::new(),
                };
                Self::new(path, Path::new(""), base, set, start)?
            }
        };
        let metrics = baseline.metrics.into_iter();
        runs.own = metrics.map(|(name, m)| (name, m.expression)).collect();
        Ok(runs)
    }

    fn new(
        path: &Path,
        folder: &Path,
        mut base: Table,
        set: &[String],
        start: &[String],
    ) -> Result<Self, SweepError> {
        apply_overrides(&mut base, set)?;
        let name = path.display().to_string();
        let scenario = build(&name, folder, &base, set, start)?;
        let (cache, laws) = (ExperimentCache::default(), LawRegistry::standard());
        let probe = Experiment::cached(&name, scenario.clone(), &laws, &cache)?;
        let from = RecordedFrom::new(path, &[], &scenario, &probe);
        let inputs = from.file.into_iter().map(|file| SweepInput {
            role: format!("{:?}", file.role).to_lowercase(),
            name: (file.path.file_name()).map_or_else(String::new, |n| n.to_string_lossy().into()),
            sha256: file.sha256,
        });
        Ok(Self {
            inputs: inputs.collect(),
            own: probe.scenario.baseline.metrics.clone(),
            name,
            folder: folder.to_path_buf(),
            base,
            set: set.to_vec(),
            probe,
            cache,
            laws,
        })
    }

    /// The experiment of a run.
    pub fn experiment(&self, overrides: &[String]) -> Result<Experiment, ScenarioError> {
        let scenario = build(&self.name, &self.folder, &self.base, &self.set, overrides)?;
        Experiment::cached(&self.name, scenario, &self.laws, &self.cache)
    }

    pub fn probe(&self) -> &Experiment {
        &self.probe
    }
}

fn build(
    name: &str,
    folder: &Path,
    base: &Table,
    set: &[String],
    overrides: &[String],
) -> Result<Scenario, ScenarioError> {
    let mut table = base.clone();
    apply_overrides(&mut table, overrides)?;
    let named = if overrides.is_empty() { set } else { overrides };
    let mut scenario: Scenario = from_overridden(name, &table, named)?;
    scenario.check(name)?;
    if scenario.impact.order == "all" {
        let reason = "a run of a sweep follows one order; name most-violated, least-violated, index or random";
        return Err(ScenarioError::value(name, "impact.order", reason));
    }
    scenario.find_paths_from(folder);
    Ok(scenario)
}

impl Runs for Scenarios {
    fn default_metrics(&self) -> BTreeMap<String, String> {
        let defaults = default_metrics(&self.probe, false).into_iter();
        let mut metrics: BTreeMap<String, String> =
            defaults.map(|(name, m)| (name, m.expression)).collect();
        metrics.extend(self.own.clone());
        metrics
    }

    fn inputs(&self) -> Vec<SweepInput> {
        self.inputs.clone()
    }

    fn fingerprint(&self) -> String {
        // Heights and states that the scenario names by their files are in the one or the other.
        let bits = self.probe.q.iter().chain(&self.probe.v);
        let bits: Vec<String> = bits.map(|x| format!("{:016x}", x.to_bits())).collect();
        let hash = self.probe.hash().unwrap_or_default();
        format!("{hash} {}", bits.join(" "))
    }

    fn check(&self, overrides: &[String]) -> Result<(), SweepError> {
        Ok(self.experiment(overrides).map(|_| ())?)
    }

    fn names(&self, whole: bool) -> Result<Box<dyn Names>, SweepError> {
        Ok(Box::new(if whole {
            Trace::run(&self.probe, None)?
        } else {
            Trace::run_steps(&self.probe, None, 1)?
        }))
    }

    fn run(
        &self,
        overrides: &[String],
        stop: &StopFlag,
        evaluate: &dyn Fn(&dyn Names) -> Vec<Option<f64>>,
    ) -> Outcome {
        let mut experiment = match self.experiment(overrides) {
            Ok(experiment) => experiment,
            Err(error) => return Outcome::refused(&error),
        };
        experiment.stop = stop.clone();
        let trace = match Trace::run(&experiment, None) {
            Ok(trace) => trace,
            Err(error) => return Outcome::refused(&error),
        };
        if let Some(reason) = &trace.summary.reason {
            return Outcome::failed(SweepStatus::Stopped, reason);
        }
        let unfinished = trace.summary.impacts.not_terminated;
        if unfinished > 0 {
            let reason = format!("the law did not come to an end in {unfinished} impacts");
            return Outcome::failed(SweepStatus::NotTerminated, &reason);
        }
        Outcome::completed(evaluate(&trace))
    }
}
