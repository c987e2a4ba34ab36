//! What the columns and metrics of a baseline are called by the author of a controller.

use std::collections::BTreeMap;

use super::default_metrics::PEAK_EFFORT;
use crate::model::JointKind;
use crate::scenario::{Experiment, joints};

/// Words and unit of columns, by their names.
pub(crate) type ColumnWords = BTreeMap<String, (String, &'static str)>;

/// The words for every column of an experiment that has other ones than its name.
pub(crate) fn column_words(experiment: &Experiment) -> ColumnWords {
    let (model, contacts) = (&experiment.model, &experiment.contacts);
    let mut words = ColumnWords::new();
    let mut add = |column: String, text: String, unit| {
        words.insert(column, (text, unit));
    };
    for body in joints(model) {
        let name = &body.joint;
        let [position, rate, effort] = match body.kind {
            JointKind::Prismatic => [("position", "m"), ("speed", "m/s"), ("force", "N")],
            _ => [("angle", "rad"), ("rate", "rad/s"), ("torque", "N m")],
        };
        add(
            format!("q_{name}"),
            format!("{name} {}", position.0),
            position.1,
        );
        add(format!("v_{name}"), format!("{name} {}", rate.0), rate.1);
        add(
            format!("effort_{name}"),
            format!("{name} {}", effort.0),
            effort.1,
        );
    }
    for (column, text) in [
        ("kinetic_J", "kinetic energy"),
        ("potential_J", "potential energy"),
        ("work_actuators_J", "work of the actuators"),
        ("work_positive_J", "positive work of the actuators"),
        ("work_dissipative_J", "work of dampers and friction"),
        ("work_impacts_J", "work of impacts"),
        ("work_captured_J", "work of captured touches"),
        ("work_surfaces_J", "work of moving surfaces"),
        ("energy_residual_J", "energy balance"),
    ] {
        add(column.to_string(), text.to_string(), "J");
    }
    for i in contacts.listed() {
        let name = contacts.name(i);
        add(format!("gap_{name}_m"), format!("gap of {name}"), "m");
        add(
            format!("force_{name}_n_N"),
            format!("normal force of {name}"),
            "N",
        );
        for tangent in ["t", "t1", "t2"] {
            let column = format!("force_{name}_{tangent}_N");
            add(column, format!("friction force of {name}"), "N");
        }
        add(format!("slip_{name}_m"), format!("slip of {name}"), "m");
    }
    words
}

/// The words for a metric, and its unit.
pub(crate) fn metric_words(name: &str, columns: &ColumnWords) -> (String, &'static str) {
    let default = match name {
        "energy_J" => ("energy at the end", "J"),
        "energy_residual_J" => ("largest error of the energy balance", "J"),
        "impacts" => ("number of impacts", ""),
        "impacts_ambiguous" => ("number of ambiguous impacts", ""),
        "max_indeterminacy" => ("largest indeterminacy", ""),
        "distance_m" => ("distance", "m"),
        "mean_speed_m_per_s" => ("mean speed", "m/s"),
        "peak_effort" => ("peak of all efforts", ""),
        "actuator_work_J" => ("work of the actuators at the end", "J"),
        "specific_resistance" => ("specific resistance", ""),
        "slip_m" => ("slip at the end", "m"),
        "orbit_found" => ("whether there is an orbit (1) or not (0)", ""),
        "orbit_period_s" => ("period of the orbit", "s"),
        "orbit_largest_multiplier" => ("largest multiplier of the orbit", ""),
        "orbit_stable" => ("whether the orbit is stable (1) or not (0)", ""),
        "orbit_differentiability" => (
            "return map of the orbit (2 differentiable, 1 piecewise, 0 discontinuous)",
            "",
        ),
        "orbit_cost_of_transport" => ("cost of transport of the orbit", ""),
        _ => ("", ""),
    };
    if !default.0.is_empty() {
        return (default.0.to_string(), default.1);
    }
    let joint = name.strip_prefix(PEAK_EFFORT);
    match joint.and_then(|joint| columns.get(&format!("effort_{joint}"))) {
        Some((words, unit)) => (format!("{words} peak"), unit),
        None => (name.to_string(), ""),
    }
}
