//! Baselines: what a scenario did, in one readable file, to be compared with what it does now.
//!
//! The file holds the scenario as it was written with every simple default filled in (values that follow others, such
//! as the friction of a site that states none, still follow them, so that overrides keep their meaning), the events by
//! name, metrics with their expressions, and the series at some of its rows, each value with its tolerance. The
//! tolerances may be edited; [`Baseline::rerun`] keeps them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::default_metrics::default_metrics;
use super::metric_expression::Expression;
use super::robust_report::RobustReport;
use super::robust_run::run_robust;
use super::run_statistics::RunStatus;
use super::run_trace::{NamedEvent, Trace};
use super::{BaselineEntry, BaselineError, Experiment, LawRegistry, Scenario, ScenarioError};
use crate::control::Controller;
use crate::hybrid::Simulated;

/// Version of the file's form.
pub(super) const FORMAT: u32 = 1;

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
}

impl BaselineOptions<'_> {
    fn experiment(&self, file: &Path, scenario: Scenario) -> Result<Experiment, ScenarioError> {
        let file = file.display().to_string();
        match self.laws {
            Some(laws) => Experiment::with_laws(&file, scenario, laws),
            None => Experiment::new(&file, scenario),
        }
    }
}

/// A number with the expression that gave it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricValue {
    /// The number; it may be NaN where the run has none.
    pub value: f64,
    /// Largest difference that counts as none.
    pub tolerance: f64,
    /// The expression.
    pub expression: String,
}

/// A column of the stored series.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnValues {
    /// Largest difference that counts as none.
    pub tolerance: f64,
    /// One value per stored row.
    pub values: Vec<f64>,
}

/// The stored series.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredSeries {
    /// Steps between stored rows.
    pub every: u64,
    /// Times of the rows \[s\].
    pub time_s: Vec<f64>,
    /// The columns by name.
    pub columns: BTreeMap<String, ColumnValues>,
}

/// The events of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(
    non_snake_case,
    reason = "the unit is part of the field's name in the file"
)]
pub struct StoredEvents {
    /// Largest difference of times that counts as none \[s\].
    pub time_tolerance_s: f64,
    /// Largest difference of ξ that counts as none.
    pub indeterminacy_tolerance: f64,
    /// Largest difference of normal impulses that counts as none \[N s\].
    pub impulse_tolerance_Ns: f64,
    /// The events in their order.
    pub list: Vec<NamedEvent>,
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
}

impl Baseline {
    /// Runs a scenario and keeps what it did; `file` is the scenario's, for messages.
    ///
    /// # Errors
    /// A scenario that cannot start, a metric that is none of its, a tolerance out of range.
    pub fn record(
        file: &Path,
        scenario: Scenario,
        options: &BaselineOptions<'_>,
    ) -> Result<Self, BaselineError> {
        let wrong = |place: &str, reason: String| BaselineError::Value {
            file: file.to_path_buf(),
            place: place.to_string(),
            reason,
        };
        let BaselineEntry {
            samples,
            tolerance,
            ref metrics,
            ..
        } = scenario.baseline;
        if !(tolerance.is_finite() && tolerance >= 0.0) {
            let reason = format!("it is {tolerance}, it must be at least 0");
            return Err(wrong("baseline.tolerance", reason));
        }
        if samples == 0 {
            return Err(wrong(
                "baseline.samples",
                "it is 0, it must be at least 1".into(),
            ));
        }
        let metrics = metrics.clone();
        let every = (scenario.steps().div_ceil(samples)).max(1);
        let experiment = options.experiment(file, scenario)?;
        let mut expressions = default_metrics(&experiment, options.controller.is_some());
        expressions.extend(metrics);
        // Until the values are known the tolerances are shares; `widen` makes them absolute.
        let share = |expression: String| MetricValue {
            value: 0.0,
            tolerance,
            expression,
        };
        let wanted = Self {
            format: FORMAT,
            version: String::new(),
            scenario_hash: String::new(),
            status: RunStatus::Completed,
            reason: None,
            metrics: expressions
                .into_iter()
                .map(|(name, expression)| (name, share(expression)))
                .collect(),
            events: StoredEvents {
                time_tolerance_s: tolerance * experiment.scenario.duration.max(1.0),
                indeterminacy_tolerance: tolerance,
                impulse_tolerance_Ns: tolerance,
                list: Vec::new(),
            },
            series: StoredSeries {
                every,
                time_s: Vec::new(),
                columns: BTreeMap::new(),
            },
            robust: None,
            scenario: experiment.scenario.clone(),
            file: file.to_path_buf(),
            overrides: Vec::new(),
        };
        let mut recorded = wanted.run(experiment, options)?;
        for metric in recorded.metrics.values_mut() {
            metric.tolerance = widen(tolerance, [metric.value]);
        }
        // What the file states elsewhere is not repeated in the scenario.
        let robust = recorded.scenario.baseline.robust.take();
        recorded.scenario.baseline = BaselineEntry {
            robust,
            ..BaselineEntry::default()
        };
        Ok(recorded)
    }

    /// Runs the scenario of this baseline again: the same metrics, rows and tolerances, other values.
    ///
    /// # Errors
    /// As [`Baseline::record`].
    pub fn rerun(&self, options: &BaselineOptions<'_>) -> Result<Self, BaselineError> {
        let experiment = options.experiment(&self.file, self.scenario.clone())?;
        self.run(experiment, options)
    }

    /// Takes what the runs did for right: bands that do not hold become wider.
    pub fn accept(&mut self) {
        if let Some(robust) = &mut self.robust {
            robust.accept();
        }
    }

    fn run(
        &self,
        experiment: Experiment,
        options: &BaselineOptions<'_>,
    ) -> Result<Self, BaselineError> {
        if experiment.scenario.impact.order == "all" {
            return Err(BaselineError::Value {
                file: self.file.clone(),
                place: "impact.order".to_string(),
                reason: "a baseline follows one order; name the others in baseline.robust.orders"
                    .to_string(),
            });
        }
        let expressions = self.expressions()?;
        let trace = Trace::run(
            &experiment,
            options.controller.map(|make| make(&experiment)),
        )?;
        let mut now = Self {
            version: env!("CARGO_PKG_VERSION").to_string(),
            scenario_hash: experiment.hash()?,
            status: trace.summary.status,
            reason: trace.summary.reason.clone(),
            ..self.clone()
        };
        for (name, expression) in &expressions {
            let value = expression
                .evaluate(&trace)
                .map_err(|source| self.metric_error(name, source))?;
            if let Some(metric) = now.metrics.get_mut(name) {
                metric.value = value;
            }
        }
        now.series = self.rows_of(&trace, &experiment);
        now.robust = match (&experiment.scenario.baseline.robust, options.skip_robust) {
            (Some(entry), false) => {
                let runs = run_robust(&experiment, entry, &expressions, &trace, options)?;
                Some(RobustReport::new(
                    &runs,
                    &self.metrics,
                    self.robust.as_ref(),
                ))
            }
            (Some(_), true) => self.robust.clone(),
            (None, _) => None,
        };
        now.events.list = trace.events;
        Ok(now)
    }

    fn expressions(&self) -> Result<Vec<(String, Expression)>, BaselineError> {
        let parsed = self.metrics.iter().map(|(name, metric)| {
            let expression = Expression::parse(&metric.expression);
            Ok((
                name.clone(),
                expression.map_err(|e| self.metric_error(name, e))?,
            ))
        });
        parsed.collect()
    }

    fn metric_error(
        &self,
        name: &str,
        source: super::metric_expression::MetricError,
    ) -> BaselineError {
        BaselineError::Metric {
            file: self.file.clone(),
            name: name.to_string(),
            source,
        }
    }

    /// The stored rows of a trace. A column that the baseline has keeps its tolerance.
    fn rows_of(&self, trace: &Trace, experiment: &Experiment) -> StoredSeries {
        let rows = trace.columns[0].len();
        let between = (self.series.every / trace.every).max(1) as usize;
        let chosen: Vec<usize> = (0..rows)
            .filter(|i| i % between == 0 || i + 1 == rows)
            .collect();
        let pick = |column: &[f64]| -> Vec<f64> { chosen.iter().map(|&i| column[i]).collect() };
        let share = experiment.scenario.baseline.tolerance;
        let columns = trace.names.iter().zip(&trace.columns).skip(1);
        StoredSeries {
            every: self.series.every,
            time_s: pick(&trace.columns[0]),
            columns: columns
                .map(|(name, column)| {
                    let known = self.series.columns.get(name).map(|c| c.tolerance);
                    let tolerance = known.unwrap_or_else(|| widen(share, column.iter().copied()));
                    let values = pick(column);
                    (name.clone(), ColumnValues { tolerance, values })
                })
                .collect(),
        }
    }
}

/// A share of the largest value, and at least that much in its unit, rounded up to two digits so that
/// the file is easy to read.
pub(super) fn widen(share: f64, values: impl IntoIterator<Item = f64>) -> f64 {
    let largest = values
        .into_iter()
        .filter(|x| x.is_finite())
        .fold(1.0, |most: f64, x| most.max(x.abs()));
    let exact = share * largest;
    if exact <= 0.0 {
        return 0.0;
    }
    let unit = 10_f64.powf(exact.log10().floor() - 1.0);
    let text = format!("{:.1e}", (exact / unit).ceil() * unit);
    text.parse().unwrap_or(exact)
}
