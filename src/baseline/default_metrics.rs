//! Metrics that every baseline has, as far as they apply to its scenario.
//!
//! Specific resistance is the positive mechanical work of the actuators (braking is not recovered) over weight times
//! distance. Slip is the way that held contacts slide, the sum of sliding speed times step. Distance is how far the base
//! is from where it started, over the ground (in x and y), not the way that it went; a robot on a fixed base has none.

use std::collections::BTreeMap;

use super::values::{StoredSeries, largest_finite, rounded_up};
use crate::metric::as_name;
use crate::model::Base;
use crate::scenario::{Experiment, joints};

/// Joints or contacts that one expression may name.
const MOST_TERMS: usize = 200;
/// Driven joints with a peak effort of their own.
const MOST_PEAKS: usize = 64;
/// Half of the smallest difference of two counts.
const HALF_A_COUNT: f64 = 0.5;
/// Share of the largest energy that an energy counts for at least.
const OF_ALL_ENERGY: f64 = 1e-2;

/// What a change of a metric is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Yardstick {
    /// The metric's own value.
    Value,
    /// Nothing: it counts.
    Count,
    /// Its value, or the energies of the run where they are a hundred times as large.
    Energy,
    /// The energies of the run alone: it is their rounding.
    AllEnergy,
    /// 1, the largest value it can have.
    One,
}

/// A metric that is recorded.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DefaultMetric {
    pub expression: String,
    yardstick: Yardstick,
}

impl DefaultMetric {
    pub fn new(expression: String, yardstick: Yardstick) -> Self {
        Self {
            expression,
            yardstick,
        }
    }

    /// Tolerance as a share of the value, where `share` is that of the baseline.
    pub fn relative(&self, share: f64) -> f64 {
        match self.yardstick {
            Yardstick::Value | Yardstick::Energy => share,
            Yardstick::Count | Yardstick::AllEnergy | Yardstick::One => 0.0,
        }
    }

    /// Tolerance in the metric's own unit.
    pub fn floor(&self, share: f64, series: &StoredSeries) -> f64 {
        if share <= 0.0 {
            return 0.0;
        }
        let energies = ["kinetic_J", "potential_J", "work_actuators_J"];
        let columns = energies.iter().filter_map(|name| series.columns.get(*name));
        let energy = || {
            columns
                .map(|c| largest_finite(&c.values))
                .fold(0.0, f64::max)
        };
        match self.yardstick {
            // What is zero but for rounding is zero.
            Yardstick::Value => 1e-6 * share,
            Yardstick::Count => HALF_A_COUNT,
            Yardstick::Energy => rounded_up(share * OF_ALL_ENERGY * energy()),
            Yardstick::AllEnergy => rounded_up(share * energy()),
            Yardstick::One => share,
        }
    }
}

/// What every baseline tells of a run, as far as it applies; `own_controller` says that the program has one in place of
/// the scenario's.
pub(crate) fn default_metrics(
    experiment: &Experiment,
    own_controller: bool,
) -> BTreeMap<String, DefaultMetric> {
    let (model, contacts) = (&experiment.model, &experiment.contacts);
    let scenario = &experiment.scenario;
    let mut metrics = BTreeMap::new();
    let mut add = |name: &str, yardstick: Yardstick, expression: String| {
        metrics.insert(name.to_string(), DefaultMetric::new(expression, yardstick));
    };
    let summary = |field: &str| format!("summary.{field}");
    add("energy_J", Yardstick::Energy, summary("energy.final_J"));
    add(
        "energy_residual_J",
        Yardstick::AllEnergy,
        summary("energy.max_residual_J"),
    );
    add("impacts", Yardstick::Count, summary("impacts.count"));
    add(
        "impacts_ambiguous",
        Yardstick::Count,
        summary("impacts.ambiguous"),
    );
    add(
        "max_indeterminacy",
        Yardstick::One,
        summary("impacts.max_indeterminacy"),
    );
    let moves = model.base() != Base::Fixed && experiment.scenario.duration > 0.0;
    if moves {
        add("distance_m", Yardstick::Value, summary("distance_m"));
        add(
            "mean_speed_m_per_s",
            Yardstick::Value,
            "summary.distance_m / summary.time_s".into(),
        );
    }
    let driven = own_controller || experiment.scenario.is_driven();
    let effort = |joint: &str| format!("abs({})", as_name(&format!("effort_{joint}")));
    let peaks: Vec<String> = joints(model).map(|b| effort(&b.joint)).collect();
    if driven && (1..=MOST_TERMS).contains(&peaks.len()) {
        let highest = if peaks.len() == 1 {
            format!("max({})", peaks[0])
        } else {
            format!("max(max({}))", peaks.join(", "))
        };
        add("peak_effort", Yardstick::Value, highest);
        if (2..=MOST_PEAKS).contains(&peaks.len()) {
            for (body, peak) in joints(model).zip(&peaks) {
                let name = format!("{PEAK_EFFORT}{}", body.joint);
                add(&name, Yardstick::Value, format!("max({peak})"));
            }
        }
        add(
            "actuator_work_J",
            Yardstick::Energy,
            "last(work_actuators_J)".into(),
        );
        if moves && model.gravity().norm() > 0.0 {
            add(
                "specific_resistance",
                Yardstick::Value,
                "last(work_positive_J) / (weight_N * summary.distance_m)".into(),
            );
        }
    }
    let slips: Vec<String> = (0..contacts.len())
        .filter(|&i| contacts.friction(i) > 0.0 && contacts.is_listed(i))
        .map(|i| format!("last({})", as_name(&format!("slip_{}_m", contacts.name(i)))))
        .collect();
    if (1..=MOST_TERMS).contains(&slips.len()) {
        add("slip_m", Yardstick::Value, slips.join(" + "));
    }
    if let (true, Some(entry)) = (scenario.baseline.orbit, &scenario.orbit) {
        for (field, yardstick) in [
            ("found", Yardstick::Count),
            ("period_s", Yardstick::Value),
            ("largest_multiplier", Yardstick::Value),
            ("stable", Yardstick::Count),
            ("differentiability", Yardstick::Count),
        ] {
            add(
                &format!("orbit_{field}"),
                yardstick,
                format!("orbit.{field}"),
            );
        }
        if !entry.symmetry.drift.is_empty() {
            let name = "orbit_cost_of_transport";
            add(name, Yardstick::Value, "orbit.cost_of_transport".into());
        }
    }
    metrics
}

/// What the name of the metric of one joint's largest effort begins with.
pub(crate) const PEAK_EFFORT: &str = "peak_effort_";
