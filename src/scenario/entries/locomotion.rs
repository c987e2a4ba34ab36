//! The table `[locomotion]` of a scenario.

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::Model;
use crate::scenario::ScenarioError;

/// The table `[locomotion]` of a scenario: what its report is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocomotionEntry {
    /// Length of the body \[m\].
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.5)]
    pub body_length: f64,
    /// Wanted direction of travel, of any length.
    #[serde(default = "along_x")]
    pub forward: [f64; 3],
    /// Beginning of the time that is looked at \[s\].
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub from: f64,
    /// Its end \[s\]; that of the run when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0), example = 18.0)]
    pub until: Option<f64>,
    /// Links that are legs; what is fixed to them or hangs on them belongs to the leg.
    #[schemars(extend("examples" = [["leg_left_front", "leg_right_front"]]))]
    #[schemars(length(min = 1))]
    pub legs: Vec<String>,
    /// Height above the ground that a leg must reach for its next touch to be a new step \[m\].
    #[serde(default = "one_centimetre")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub clearance: f64,
}

fn along_x() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

fn one_centimetre() -> f64 {
    0.01
}

impl LocomotionEntry {
    /// Checks numbers and names; `file` is what messages call the scenario.
    pub(crate) fn check(&self, file: &str, model: &Model) -> Result<(), ScenarioError> {
        let wrong = |key: &str, reason: String| {
            ScenarioError::value(file, format!("locomotion.{key}"), reason)
        };
        let positive = |x: f64| x.is_finite() && x > 0.0;
        for (key, value) in [
            ("body_length", self.body_length),
            ("clearance", self.clearance),
        ] {
            if !positive(value) {
                let reason = format!("it is {value}, it must be positive and finite");
                return Err(wrong(key, reason));
            }
        }
        if !positive(Vector3::from(self.forward).norm()) {
            let reason = "it must be a finite direction that is not zero".to_string();
            return Err(wrong("forward", reason));
        }
        let until = self.until.unwrap_or(f64::MAX);
        if !(self.from >= 0.0 && until.is_finite() && self.from < until) {
            let reason = format!(
                "it is {until}, it must come after from = {}, which must be at least 0",
                self.from
            );
            return Err(wrong("until", reason));
        }
        if self.legs.is_empty() {
            return Err(wrong("legs", "it names no link".to_string()));
        }
        for (i, name) in self.legs.iter().enumerate() {
            let link = model
                .link(name)
                .map_err(|e| wrong(&format!("legs[{i}]"), e.to_string()))?;
            let Some(body) = link.body else {
                let reason = format!("link \"{name}\" is fixed in the world and cannot step");
                return Err(wrong(&format!("legs[{i}]"), reason));
            };
            if model.tree_of(body) != 0 {
                let reason = format!(
                    "link \"{name}\" is none of the first robot, which the report is about"
                );
                return Err(wrong(&format!("legs[{i}]"), reason));
            }
        }
        Ok(())
    }
}
