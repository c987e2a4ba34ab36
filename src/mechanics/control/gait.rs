//! A gait as data: the clock of every leg and how the legs follow each other.

use std::f64::consts::TAU;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BuehlerClock, ControlError};

/// A gait: one clock for all legs, each leg shifted by its phase and with its own numbers where it
/// states them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Gait {
    /// What it is, in a line.
    #[serde(default)]
    #[schemars(example = &"Alternating tripod")]
    pub description: String,
    /// Duration of a stride \[s\].
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.5)]
    pub period: f64,
    /// Share of the stride in which a leg turns slowly, on the ground.
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1), example = 0.6)]
    pub duty_factor: f64,
    /// Angle turned through in that share \[rad\].
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.8)]
    pub sweep: f64,
    /// Angle in the middle of it \[rad\]; 0 is a leg straight down, a positive one points to the rear.
    #[schemars(example = 0.1)]
    pub offset: f64,
    /// Angle of a standing leg \[rad\]; the leg's offset when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.25)]
    pub stand: Option<f64>,
    /// Where in the cycle walking starts and stops.
    #[serde(default)]
    pub start_phase: f64,
    /// The legs.
    pub leg: Vec<LegPhase>,
}

/// One leg of a gait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LegPhase {
    /// Name, unique.
    #[schemars(example = &"left_front")]
    pub name: String,
    /// How far it is ahead of the clock, as a share of the cycle: at phase 0 it is in the middle of
    /// its slow phase when the clock is at a whole cycle.
    #[schemars(example = 0.5)]
    pub phase: f64,
    /// Its own duty factor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1), example = 0.6)]
    pub duty_factor: Option<f64>,
    /// Its own sweep \[rad\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0), example = 0.8)]
    pub sweep: Option<f64>,
    /// Its own offset \[rad\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.1)]
    pub offset: Option<f64>,
}

impl Gait {
    /// The leg of a name.
    #[must_use]
    pub fn leg(&self, name: &str) -> Option<&LegPhase> {
        self.leg.iter().find(|leg| leg.name == name)
    }

    /// The clock of a leg.
    #[must_use]
    pub fn clock(&self, leg: &LegPhase) -> BuehlerClock {
        BuehlerClock {
            duty_factor: leg.duty_factor.unwrap_or(self.duty_factor),
            sweep: leg.sweep.unwrap_or(self.sweep),
            offset: leg.offset.unwrap_or(self.offset),
        }
    }

    /// Checks the ranges; `name` is what messages call the gait.
    ///
    /// # Errors
    /// The first number out of range, a leg that occurs twice, no legs at all.
    pub fn validate(&self, name: &str) -> Result<(), ControlError> {
        let fail = |reason: String| ControlError {
            reason: format!("gait {name}: {reason}"),
        };
        let mut numbers = vec![("period".to_string(), self.period, 0.0, f64::INFINITY)];
        numbers.push(("duty_factor".to_string(), self.duty_factor, 0.0, 1.0));
        numbers.push(("sweep".to_string(), self.sweep, 0.0, TAU));
        for leg in &self.leg {
            let place = |key: &str| format!("leg \"{}\": {key}", leg.name);
            let clock = self.clock(leg);
            numbers.push((place("duty_factor"), clock.duty_factor, 0.0, 1.0));
            numbers.push((place("sweep"), clock.sweep, 0.0, TAU));
        }
        for (place, value, lower, upper) in numbers {
            if !(value > lower && value < upper) {
                return Err(fail(format!(
                    "{place} is {value}, it must be between {lower} and {upper}"
                )));
            }
        }
        let mut angles = vec![("offset".to_string(), self.offset)];
        angles.push(("start_phase".to_string(), self.start_phase));
        angles.extend(self.stand.map(|x| ("stand".to_string(), x)));
        for leg in &self.leg {
            angles.push((format!("leg \"{}\": phase", leg.name), leg.phase));
            angles.push((
                format!("leg \"{}\": offset", leg.name),
                self.clock(leg).offset,
            ));
        }
        if let Some((place, value)) = angles.iter().find(|(_, x)| !x.is_finite()) {
            return Err(fail(format!(
                "{place} is {value}, it must be a finite number"
            )));
        }
        for (i, leg) in self.leg.iter().enumerate() {
            if self.leg[..i].iter().any(|other| other.name == leg.name) {
                return Err(fail(format!("leg \"{}\" occurs twice", leg.name)));
            }
        }
        if self.leg.is_empty() {
            return Err(fail("it has no legs".to_string()));
        }
        Ok(())
    }
}
