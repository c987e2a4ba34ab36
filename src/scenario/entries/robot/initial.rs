//! The initial state of a scenario file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::scenario::{BaseEntry, RobotState, ScenarioError, StateError};

/// The state at time zero; what is not given is zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct InitialEntry {
    /// Base: `position`, `quaternion`, `twist`, or `x`, `z`, `pitch`, `vx`, `vz`, `wpitch`.
    #[schemars(with = "BaseEntry")]
    pub base: BTreeMap<String, toml::Value>,
    /// Joint positions \[rad or m\].
    #[schemars(extend("examples" = [{"left_knee": 0.8}]))]
    pub joints: BTreeMap<String, f64>,
    /// Joint velocities \[rad/s or m/s\].
    #[schemars(extend("examples" = [{"left_knee": 0.0}]))]
    pub velocities: BTreeMap<String, f64>,
}

impl InitialEntry {
    /// Configuration and velocity of a robot; `file` and `place` are what messages call the scenario and the table.
    pub(crate) fn state(
        &self,
        file: &str,
        place: &str,
        model: &Model,
    ) -> Result<(Vec<f64>, Vec<f64>), ScenarioError> {
        self.check_finite(file, place)?;
        self.state_at(file, place, model)
    }

    /// The same of numbers that are known to be finite.
    pub(crate) fn state_at(
        &self,
        file: &str,
        place: &str,
        model: &Model,
    ) -> Result<(Vec<f64>, Vec<f64>), ScenarioError> {
        // A state in a table and a state file are one format; the file's reader checks both.
        let wrong = |reason: String| ScenarioError::value(file, place, reason);
        let mut document = serde_json::to_value(self).map_err(|e| wrong(e.to_string()))?;
        if self.base.is_empty()
            && let Some(object) = document.as_object_mut()
        {
            object.remove("base");
        }
        let misfit = |e: StateError| {
            let message = e.to_string();
            let reason = message
                .split_once(": ")
                .map_or(message.as_str(), |(_, rest)| rest);
            wrong(reason.to_string())
        };
        RobotState::parse(file, &document.to_string())
            .map_err(misfit)?
            .of(model)
            .map_err(misfit)
    }

    /// TOML can write numbers that are none, the format of state files cannot.
    fn check_finite(&self, file: &str, place: &str) -> Result<(), ScenarioError> {
        let named = [("joints", &self.joints), ("velocities", &self.velocities)];
        let mut numbers: Vec<(String, f64)> = Vec::new();
        for (table, values) in named {
            let values = values.iter();
            numbers.extend(values.map(|(k, x)| (format!("{place}.{table}.{k}"), *x)));
        }
        for (key, value) in &self.base {
            let entries = value
                .as_array()
                .map_or(std::slice::from_ref(value), Vec::as_slice);
            let floats = entries.iter().filter_map(toml::Value::as_float);
            numbers.extend(floats.map(|x| (format!("{place}.base.{key}"), x)));
        }
        match numbers.into_iter().find(|(_, x)| !x.is_finite()) {
            Some((place, x)) => {
                let reason = format!("{x} is not a finite number");
                Err(ScenarioError::value(file, place, reason))
            }
            None => Ok(()),
        }
    }
}
