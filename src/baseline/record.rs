//! Recording a baseline: the run, its twins, and the tolerances that follow from them.

use std::collections::BTreeMap;
use std::path::Path;

use super::default_metrics::{DefaultMetric, Yardstick, default_metrics};
use super::inputs::RecordedFrom;
use super::twins::Twins;
use super::values::{MetricValue, StoredEvents, StoredSeries, largest_finite, rounded_up};
use super::words::ColumnWords;
use super::{Baseline, BaselineError, BaselineOptions, FORMAT, trace};
use crate::record::RunStatus;
use crate::scenario::{BaselineEntry, Scenario};

impl Baseline {
    /// Runs the scenario of a file, with overrides `key=value`, and keeps what it did and what it was made of.
    ///
    /// # Errors
    /// As [`Baseline::record`], and a file that is no scenario.
    pub fn record_file(
        file: &Path,
        overrides: &[String],
        options: &BaselineOptions<'_>,
    ) -> Result<Self, BaselineError> {
        let written = Scenario::read(file, overrides)?;
        Self::recorded(file, written, Some(overrides), options)
    }

    /// Runs a scenario that was built in code and keeps what it did; `file` is what messages call it. It is compared
    /// with what the same scenario does, whatever happens to files; [`Baseline::record_file`] names its scenario.
    ///
    /// # Errors
    /// A scenario that cannot start, a metric that is none of its, a tolerance out of range.
    pub fn record(
        file: &Path,
        scenario: Scenario,
        options: &BaselineOptions<'_>,
    ) -> Result<Self, BaselineError> {
        Self::recorded(file, scenario, None, options)
    }

    fn recorded(
        file: &Path,
        scenario: Scenario,
        set: Option<&[String]>,
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
        if scenario.baseline.orbit && scenario.orbit.is_none() {
            let reason = "there is no table [orbit] to look for one; add it, or remove the key";
            return Err(wrong("baseline.orbit", reason.into()));
        }
        let own = metrics.iter().map(|(name, expression)| {
            let metric = DefaultMetric::new(expression.clone(), Yardstick::Value);
            (name.clone(), metric)
        });
        let own: Vec<(String, DefaultMetric)> = own.collect();
        let every = (scenario.steps().div_ceil(samples)).max(1);
        let written = scenario.clone();
        let experiment = options.experiment(file, scenario)?;
        let recorded_from = set.map(|set| RecordedFrom::new(file, set, &written, &experiment));
        let mut wanted = default_metrics(&experiment, options.controller.is_some());
        wanted.extend(own);
        let metrics = wanted.iter().map(|(name, metric)| {
            let of = MetricValue {
                value: 0.0,
                relative: metric.relative(tolerance),
                floor: 0.0,
                expression: metric.expression.clone(),
            };
            (name.clone(), of)
        });
        let mut baseline = Self {
            format: FORMAT,
            version: String::new(),
            scenario_hash: String::new(),
            status: RunStatus::Completed,
            reason: None,
            recorded_from,
            compared: None,
            metrics: metrics.collect(),
            events: StoredEvents {
                time_tolerance_s: tolerance * experiment.scenario.duration.max(1.0),
                indeterminacy_tolerance: tolerance,
                impulse_tolerance_Ns: 0.0,
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
            live: None,
            words: ColumnWords::default(),
        };
        baseline.refuse_branches(&experiment)?;
        // What is wrong with a metric is told before the first run.
        let expressions = baseline.expressions()?;
        let whole = trace(&experiment, options)?;
        let mut twins = None;
        if tolerance > 0.0 {
            let mut both = Twins::new(&experiment, options);
            let apart = baseline.events.time_tolerance_s;
            baseline.compared = both.compared_part(&whole, tolerance, apart);
            if let Some(part) = &baseline.compared {
                both.cut(part, options)?;
            }
            twins = Some(both);
        }
        let impulses = whole
            .events
            .iter()
            .map(|event| largest_finite(&event.impulses_Ns));
        let impulse = impulses.fold(0.0, f64::max);
        baseline.events.impulse_tolerance_Ns = rounded_up(tolerance * impulse);
        let mut recorded = baseline.of_trace(&experiment, whole, options)?;
        for (name, metric) in &wanted {
            if let Some(stored) = recorded.metrics.get_mut(name) {
                stored.floor = metric.floor(tolerance, &recorded.series);
            }
        }
        if let Some(twins) = twins {
            twins.widen(&mut recorded, &expressions);
        }
        Ok(recorded)
    }
}
