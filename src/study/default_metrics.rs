//! Metrics that every baseline has, as far as they apply to its scenario.
//!
//! Specific resistance is the positive mechanical work of the actuators (braking is not recovered) over weight times
//! distance. Slip is the way that held contacts slide, the sum of sliding speed times step.

use std::collections::BTreeMap;

use super::metric_parser::as_name;
use super::robot_state::joints;
use super::{ControllerEntry, Experiment};
use crate::model::Base;

/// Joints or contacts that one expression may name.
const MOST_TERMS: usize = 200;

/// What every baseline tells of a run, as far as it applies; `own_controller` says that the program has one in place of
/// the scenario's.
pub(super) fn default_metrics(
    experiment: &Experiment,
    own_controller: bool,
) -> BTreeMap<String, String> {
    let (model, contacts) = (&experiment.model, &experiment.contacts);
    let mut metrics = BTreeMap::new();
    let mut add = |name: &str, expression: String| {
        metrics.insert(name.to_string(), expression);
    };
    add("energy_J", "summary.energy.final_J".into());
    add("energy_residual_J", "summary.energy.max_residual_J".into());
    add("impacts", "summary.impacts.count".into());
    add("impacts_ambiguous", "summary.impacts.ambiguous".into());
    add(
        "max_indeterminacy",
        "summary.impacts.max_indeterminacy".into(),
    );
    let moves = model.base() != Base::Fixed && experiment.scenario.duration > 0.0;
    if moves {
        add("distance_m", "summary.distance_m".into());
        add(
            "mean_speed_m_per_s",
            "summary.distance_m / summary.time_s".into(),
        );
    }
    let driven = own_controller || !matches!(experiment.scenario.controller, ControllerEntry::None);
    let peaks: Vec<String> = joints(model)
        .map(|b| format!("abs({})", as_name(&format!("effort_{}", b.joint))))
        .collect();
    if driven && (1..=MOST_TERMS).contains(&peaks.len()) {
        let highest = if peaks.len() == 1 {
            format!("max({})", peaks[0])
        } else {
            format!("max(max({}))", peaks.join(", "))
        };
        add("peak_effort", highest);
        add("actuator_work_J", "last(work_actuators_J)".into());
        if moves && model.gravity().norm() > 0.0 {
            add(
                "specific_resistance",
                "last(work_positive_J) / (weight_N * summary.distance_m)".into(),
            );
        }
    }
    let slips: Vec<String> = (0..contacts.len())
        .filter(|&i| contacts.friction(i) > 0.0)
        .map(|i| format!("last({})", as_name(&format!("slip_{}_m", contacts.name(i)))))
        .collect();
    if (1..=MOST_TERMS).contains(&slips.len()) {
        add("slip_m", slips.join(" + "));
    }
    metrics
}
