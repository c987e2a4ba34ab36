//! Baselines: what a scenario did, in one readable file for version control, to be compared with what it does now.
//!
//! The file holds the scenario, the events in their order with sequence, verdict and ξ, metrics with their expressions,
//! and some rows of the series, each value with its tolerance. A comparison looks at the order of events first, then
//! their times, then metrics, then series: the first event that differs explains what follows. What one side does not
//! know (a verdict that was not decided, say) is not compared.
//!
//! **Robust baselines** run every variant of order and seed under every draw of perturbed states, masses and friction.
//! Run i is variant i mod m of draw ⌊i/m⌋ for m variants; draw 0 is unperturbed and variant 0 the scenario's own, so
//! run 0 is the scenario itself, and every run can be repeated by setting keys. Kept are the distribution of every
//! metric, its worst run, the impact at which the runs part, and a band in which all must stay. Results do not depend
//! on the number of threads; an interrupted call goes on with the runs that were finished.
//!
//! **Orbits.** With `[baseline] orbit = true` the periodic orbit of the scenario's `[orbit]` is kept too: whether it was
//! found, its period, its largest multiplier, whether it is stable, what the return map is there (2 differentiable, 1
//! piecewise, 0 discontinuous), and its cost of transport where it has one. Metrics of one's own may name them:
//! `orbit.period_s`, `orbit.largest_multiplier` and the others of the metrics' expressions. The orbit is that under the
//! scenario's own controller, and of the unperturbed run alone.
//!
//! In a test: `carom::assert_baseline!(file)`. With `CAROM_UPDATE_BASELINES=1` what differs is accepted and written,
//! for review.
//!
//! Limits: a baseline says that behaviour changed, not which is right. Tolerances are absolute numbers in SI units,
//! made at recording from one relative tolerance. Across machines the last bits of elementary functions may differ.
//!
//! # Example
//!
//! ```
//! use carom::baseline::{Baseline, BaselineOptions, check_baseline};
//! use carom::scenario::Scenario;
//! use std::path::Path;
//!
//! let folder = std::env::temp_dir().join(format!("carom-baseline-page-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let file = folder.join("cradle.baseline.toml");
//! let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/cradle/three.toml");
//! let options = BaselineOptions::default();
//! Baseline::record(&scenario, Scenario::read(&scenario, &[])?, &options)?.write(&file)?;
//! // Three equal balls leave in one way, whatever the order; lossy ones do not.
//! let check = |key: &str| check_baseline(&file, &[key.to_string()], &options);
//! assert!(check("impact.order=index")?.same);
//! assert!(!check("contact.restitution=0.9")?.same);
//! std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assertion;
mod default_metrics;
mod differences;
mod error;
mod file;
mod inputs;
mod orbit;
mod record;
mod robust;
mod twins;
mod values;
mod words;

pub use assertion::{assert_same_as_baseline, check_baseline};
pub(crate) use default_metrics::default_metrics;
pub use differences::Comparison;
pub use error::BaselineError;
pub(crate) use inputs::RecordedFrom;
pub(crate) use robust::{BandComparison, run_robust};
pub use robust::{Distribution, RobustReport};
pub use twins::ComparedPart;
pub use values::{ColumnValues, MetricValue, StoredEvents, StoredSeries};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::metric::Expression;
use orbit::{OrbitNumbers, RunAndOrbit, is_about_orbit};
use values::column_tolerances;
use words::{ColumnWords, column_words};

use crate::record::{RunStatus, Trace};
use crate::scenario::{BaselineEntry, Experiment, Scenario, ScenarioError};

use crate::control::Controller;
use crate::hybrid::Simulated;
use crate::laws::LawRegistry;
use crate::stop::StopFlag;

/// Version of the file's form.
pub(crate) const FORMAT: u32 = 2;

/// Makes the controller of a run in place of the scenario's.
pub type ControllerFactory<'a> = dyn Fn(&Experiment) -> Box<dyn Controller> + Sync + 'a;

/// How a baseline is run.
#[derive(Default, Clone, Copy)]
pub struct BaselineOptions<'a> {
    /// A controller of the program's own, in place of the scenario's.
    pub controller: Option<&'a ControllerFactory<'a>>,
    /// The laws that `impact.law` may name; those of this library when absent.
    pub laws: Option<&'a LawRegistry>,
    /// Threads of robust runs; all cores when absent. The result does not depend on it.
    pub jobs: Option<usize>,
    /// Runs the copy of the scenario in the baseline, not the scenario's file.
    pub frozen: bool,
    /// Compares bits, not values with their tolerances.
    pub exact: bool,
    /// Leaves robust runs out.
    pub skip_robust: bool,
    /// Where finished robust runs are kept until all are done.
    pub finished_runs: Option<&'a Path>,
    /// Whether robust runs that were finished by an interrupted call are taken from there.
    pub resume: bool,
    /// Told how many of how many robust runs are done.
    pub progress: Option<&'a (dyn Fn(u64, u64) + Sync)>,
    /// Told at the end how much the robust runs of this call simulated, and the time that it took \[s\].
    pub throughput: Option<&'a (dyn Fn(Simulated, f64) + Sync)>,
    /// Ends all runs from outside ([`BaselineError::Stopped`]).
    pub stop: Option<&'a StopFlag>,
}

impl BaselineOptions<'_> {
    pub(crate) fn experiment(
        &self,
        file: &Path,
        scenario: Scenario,
    ) -> Result<Experiment, ScenarioError> {
        let file = file.display().to_string();
        let mut experiment = match self.laws {
            Some(laws) => Experiment::with_laws(&file, scenario, laws)?,
            None => Experiment::new(&file, scenario)?,
        };
        experiment.stop = self.stop.cloned().unwrap_or_default();
        Ok(experiment)
    }

    /// Nothing is said of runs that were ended from outside.
    pub(crate) fn check_stop(&self) -> Result<(), BaselineError> {
        match self.stop {
            Some(stop) if stop.is_raised() => Err(BaselineError::Stopped),
            _ => Ok(()),
        }
    }
}

/// What a scenario did.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// Version of the file's form.
    pub format: u32,
    /// Version of the program that ran it.
    pub version: String,
    /// SHA-256 of the resolved scenario and the robot.
    pub scenario_hash: String,
    /// How the run ended.
    pub status: RunStatus,
    /// Why it stopped.
    #[serde(default)]
    pub reason: Option<String>,
    /// What was run; none for a scenario that was built in code.
    #[serde(default)]
    pub(crate) recorded_from: Option<RecordedFrom>,
    /// The part of the run that is compared value by value; none where it is the whole.
    #[serde(default)]
    pub compared: Option<ComparedPart>,
    /// The metrics by name.
    pub metrics: BTreeMap<String, MetricValue>,
    /// The events.
    pub events: StoredEvents,
    /// Some rows of the series.
    pub series: StoredSeries,
    /// Distributions over other orders, seeds and perturbed values.
    #[serde(default)]
    pub robust: Option<RobustReport>,
    /// The scenario.
    pub scenario: Scenario,
    /// What messages call it.
    #[serde(skip)]
    pub file: PathBuf,
    /// Overrides that were applied to the scenario when the file was read.
    #[serde(skip)]
    pub overrides: Vec<String>,
    /// The scenario as its file says now, to be run in place of the copy.
    #[serde(skip)]
    pub(crate) live: Option<Scenario>,
    /// What the columns are called in words, in a baseline that was just run.
    #[serde(skip)]
    pub(crate) words: ColumnWords,
}

impl Baseline {
    /// Runs the scenario of this baseline again: the same metrics, rows and tolerances, other values.
    ///
    /// # Errors
    /// As [`Baseline::record`].
    pub fn rerun(&self, options: &BaselineOptions<'_>) -> Result<Self, BaselineError> {
        let from = self.recorded_from.as_ref();
        let file = match (&self.live, from) {
            (Some(_), Some(from)) => &from.scenario,
            _ => &self.file,
        };
        let written = self.live.as_ref().unwrap_or(&self.scenario);
        let experiment = options.experiment(file, written.clone())?;
        let mut wanted = self.clone();
        if let (Some(from), Some(written)) = (from, &self.live) {
            let set = [from.set.as_slice(), &self.overrides].concat();
            wanted.recorded_from = Some(RecordedFrom::new(
                &from.scenario,
                &set,
                written,
                &experiment,
            ));
        }
        wanted.refuse_branches(&experiment)?;
        wanted.expressions()?;
        let whole = match (&wanted.compared, &experiment.scenario.baseline.robust) {
            // The rest of the run is not looked at.
            (Some(part), entry) if entry.is_none() || options.skip_robust => {
                trace_until(&experiment, options, part.until_s)?
            }
            _ => trace(&experiment, options)?,
        };
        wanted.of_trace(&experiment, whole, options)
    }

    /// Whether the scenario that is run again asks for robust runs.
    #[must_use]
    pub fn runs_robust(&self) -> bool {
        let scenario = self.live.as_ref().unwrap_or(&self.scenario);
        scenario.baseline.robust.is_some()
    }

    /// Takes what the runs did for right: bands that do not hold become wider.
    pub fn accept(&mut self) {
        if let Some(robust) = &mut self.robust {
            robust.accept();
        }
    }

    pub(crate) fn refuse_branches(&self, experiment: &Experiment) -> Result<(), BaselineError> {
        if experiment.scenario.impact.order != "all" {
            return Ok(());
        }
        Err(BaselineError::Value {
            file: self.file.clone(),
            place: "impact.order".to_string(),
            reason: "a baseline follows one order; name the others in baseline.robust.orders"
                .to_string(),
        })
    }

    /// This baseline with what a run of `experiment` came to.
    pub(crate) fn of_trace(
        &self,
        experiment: &Experiment,
        whole: Trace,
        options: &BaselineOptions<'_>,
    ) -> Result<Self, BaselineError> {
        let expressions = self.expressions()?;
        let mut now = Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            scenario_hash: experiment.hash()?,
            scenario: experiment.scenario.clone(),
            words: column_words(experiment),
            live: None,
            ..self.clone()
        };
        // What the file states elsewhere is not repeated in the scenario.
        now.scenario.baseline = BaselineEntry {
            robust: now.scenario.baseline.robust.take(),
            ..BaselineEntry::default()
        };
        now.robust = match (&experiment.scenario.baseline.robust, options.skip_robust) {
            (Some(entry), false) => {
                let runs = run_robust(experiment, entry, &expressions, &whole, options)?;
                Some(RobustReport::new(
                    &runs,
                    &self.metrics,
                    self.robust.as_ref(),
                ))
            }
            (Some(_), true) => self.robust.clone(),
            (None, _) => None,
        };
        options.check_stop()?;
        let end = whole.columns[0].last().copied().unwrap_or(0.0);
        let run = match &self.compared {
            Some(part) if end > part.until_s => trace_until(experiment, options, part.until_s)?,
            _ => whole,
        };
        now.status = run.summary.status;
        now.reason.clone_from(&run.summary.reason);
        let asked = expressions.iter().any(|(_, e)| is_about_orbit(e));
        let orbit = asked.then(|| OrbitNumbers::find(experiment)).transpose()?;
        let known = RunAndOrbit { run: &run, orbit };
        for (name, expression) in &expressions {
            let value = expression
                .evaluate(&known)
                .map_err(|source| self.metric_error(name, source))?;
            if let Some(metric) = now.metrics.get_mut(name) {
                metric.value = value;
            }
        }
        now.series = self.rows_of(&run, experiment);
        now.events.list = run.events;
        options.check_stop()?;
        Ok(now)
    }

    pub(crate) fn expressions(&self) -> Result<Vec<(String, Expression)>, BaselineError> {
        let parsed = self.metrics.iter().map(|(name, metric)| {
            let expression = Expression::parse(&metric.expression);
            Ok((
                name.clone(),
                expression.map_err(|e| self.metric_error(name, e))?,
            ))
        });
        parsed.collect()
    }

    fn metric_error(&self, name: &str, source: crate::metric::MetricError) -> BaselineError {
        BaselineError::Metric {
            file: self.file.clone(),
            name: name.to_string(),
            source,
        }
    }

    /// The stored rows of a trace. A column that the baseline has keeps its tolerance.
    pub(crate) fn rows_of(&self, trace: &Trace, experiment: &Experiment) -> StoredSeries {
        let rows = trace.columns[0].len();
        let between = (self.series.every / trace.every).max(1) as usize;
        let chosen: Vec<usize> = (0..rows)
            .filter(|i| i % between == 0 || i + 1 == rows)
            .collect();
        let pick = |column: &[f64]| -> Vec<f64> { chosen.iter().map(|&i| column[i]).collect() };
        let share = experiment.scenario.baseline.tolerance;
        let tolerances = column_tolerances(&trace.names, &trace.columns, share);
        let columns = trace.names.iter().zip(&trace.columns).zip(tolerances);
        StoredSeries {
            every: self.series.every,
            time_s: pick(&trace.columns[0]),
            columns: columns
                .skip(1)
                .map(|((name, column), tolerance)| {
                    let known = self.series.columns.get(name).map(|c| c.tolerance);
                    let tolerance = known.unwrap_or(tolerance);
                    let values = pick(column);
                    (name.clone(), ColumnValues { tolerance, values })
                })
                .collect(),
        }
    }
}

/// A whole run.
pub(crate) fn trace(
    experiment: &Experiment,
    options: &BaselineOptions<'_>,
) -> Result<Trace, ScenarioError> {
    Trace::run(experiment, options.controller.map(|make| make(experiment)))
}

/// The whole steps of a run up to a moment \[s\].
pub(crate) fn trace_until(
    experiment: &Experiment,
    options: &BaselineOptions<'_>,
    until: f64,
) -> Result<Trace, ScenarioError> {
    let scenario = &experiment.scenario;
    // A moment that is the end of a step is written as the step number times the step, but for rounding.
    let steps = (until / scenario.time_step * (1.0 + 1e-12)).floor() as u64;
    let controller = options.controller.map(|make| make(experiment));
    Trace::run_steps(experiment, controller, steps.min(scenario.steps()))
}
