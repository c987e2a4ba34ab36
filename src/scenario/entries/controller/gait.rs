//! The controller of kind `gait` in a scenario file.

use std::borrow::Cow;
use std::path::PathBuf;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::gait_files::{GAITS, gait_by_name, read_gait};
use crate::control::{
    ControlError, Controller, DrivenJoint, Gait, GaitController, GaitLeg, LegProgram, WalkTimes,
};
use crate::dynamics::Motor;
use crate::model::Model;
use crate::scenario::ScenarioError;

/// Legs that walk by a gait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaitEntry {
    /// Name of a built-in gait, a file, or the table itself.
    #[schemars(example = &"tripod")]
    pub gait: GaitChoice,
    /// Torque for each unit of the distance to the target \[N m/rad\].
    #[schemars(range(min = 0), example = 20.0)]
    pub stiffness: f64,
    /// Torque against each unit of the difference of rates \[N m s/rad\].
    #[schemars(range(min = 0), example = 0.4)]
    pub damping: f64,
    /// Largest torque of a leg \[N m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 5.0)]
    pub torque_limit: Option<f64>,
    /// When the legs leave their stand \[s\]; before zero when the walk is under way at the start of the run.
    #[serde(default)]
    pub start: f64,
    /// When the walk ends \[s\]; it goes on to the end of the cycle. Without it it never ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 18.5)]
    pub stop: Option<f64>,
    /// Time from standing to the first places of the gait, and back \[s\].
    #[serde(default = "third_of_a_second")]
    #[schemars(range(min = 0))]
    pub shift: f64,
    /// Time in which the clock gets to full speed, and back to rest \[s\].
    #[serde(default = "third_of_a_second")]
    #[schemars(range(min = 0))]
    pub ramp: f64,
    /// The motor of every leg.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motor: Option<Motor>,
    /// Asked once in this time only, at the first step that begins in each such period, its efforts held in between
    /// \[s\]; without it the law acts inside the step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0), example = 2e-3)]
    pub sampling_period: Option<f64>,
    /// The legs.
    pub leg: Vec<GaitLegEntry>,
}

fn third_of_a_second() -> f64 {
    0.3
}

/// A leg of the gait and the joint that turns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GaitLegEntry {
    /// Name of the leg in the gait's table.
    #[schemars(example = &"left_front")]
    pub name: String,
    /// Name of the joint.
    #[schemars(example = &"hip_left_front")]
    pub joint: String,
    /// +1 when a positive turn of the joint walks forwards, -1 when a negative one does.
    #[serde(default = "forward")]
    #[schemars(extend("enum" = [1.0, -1.0]))]
    pub direction: f64,
    /// Position of the joint at which the leg's angle is 0 \[rad\].
    #[serde(default)]
    pub zero: f64,
}

fn forward() -> f64 {
    1.0
}

/// How a scenario names its gait.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum GaitChoice {
    /// A built-in gait.
    Name(String),
    /// A file (it ends in `.toml`).
    File(PathBuf),
    /// The table itself.
    Table(Gait),
}

/// As it is read below.
impl JsonSchema for GaitChoice {
    fn schema_name() -> Cow<'static, str> {
        "GaitChoice".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = GAITS.iter().map(|(name, _)| *name).collect();
        json_schema!({
            "anyOf": [
                {"type": "string", "enum": names, "description": "A built-in gait."},
                {"type": "string", "pattern": r"\.toml$", "description": "A file (it ends in `.toml`)."},
                generator.subschema_for::<Gait>(),
            ]
        })
    }
}

impl<'de> Deserialize<'de> for GaitChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        // Not an untagged enum: that would hide which key of the table is wrong.
        match toml::Value::deserialize(deserializer)? {
            toml::Value::String(text) if text.ends_with(".toml") => Ok(Self::File(text.into())),
            toml::Value::String(text) => Ok(Self::Name(text)),
            table @ toml::Value::Table(_) => table
                .try_into()
                .map(Self::Table)
                .map_err(|e: toml::de::Error| D::Error::custom(e.message())),
            other => Err(D::Error::custom(format!(
                "gait is {other}, it must be the name of a gait, a file, or a table"
            ))),
        }
    }
}

impl GaitEntry {
    /// The same entry with the gait's table in place of its name or file.
    pub(crate) fn resolved(&self, scenario: &str) -> Result<Self, ScenarioError> {
        let gait = match &self.gait {
            GaitChoice::Table(gait) => gait.clone(),
            GaitChoice::File(path) => read_gait(path)?,
            GaitChoice::Name(name) => gait_by_name(name)
                .map_err(|reason| ScenarioError::value(scenario, "controller.gait", reason))?,
        };
        Ok(Self {
            gait: GaitChoice::Table(gait),
            ..self.clone()
        })
    }

    /// The controller; the gait must be a table.
    pub(crate) fn build(&self, model: &Model) -> Result<Box<dyn Controller>, ControlError> {
        let fail = |reason: String| ControlError { reason };
        let GaitChoice::Table(gait) = &self.gait else {
            return Err(fail("the gait is not resolved".to_string()));
        };
        gait.validate("of the scenario")?;
        self.check_numbers()?;
        let mut legs = Vec::new();
        for entry in &self.leg {
            let place = format!("leg \"{}\"", entry.name);
            let phase = gait.leg(&entry.name).ok_or_else(|| {
                let known = gait.leg.iter().map(|leg| leg.name.as_str());
                let near = crate::files::did_you_mean(&entry.name, known.clone());
                let known: Vec<&str> = known.collect();
                fail(format!(
                    "{place}: the gait has no such leg{near}; its legs are {}",
                    known.join(", ")
                ))
            })?;
            if entry.direction.abs() != 1.0 {
                let value = entry.direction;
                return Err(fail(format!(
                    "{place}: direction is {value}, it must be 1 or -1"
                )));
            }
            if !entry.zero.is_finite() {
                let value = entry.zero;
                return Err(fail(format!(
                    "{place}: zero is {value}, it must be a finite number"
                )));
            }
            let clock = gait.clock(phase);
            let stand = gait.stand.unwrap_or(clock.offset);
            legs.push(GaitLeg {
                joint: DrivenJoint::new(model, &entry.joint, self.torque_limit)?,
                direction: entry.direction,
                zero: entry.zero,
                program: LegProgram::new(clock, phase.phase, stand, gait.start_phase),
            });
        }
        self.check_coverage(gait)?;
        Ok(Box::new(GaitController {
            times: WalkTimes {
                period: gait.period,
                start_phase: gait.start_phase,
                start: self.start,
                stop: self.stop,
                shift: self.shift,
                ramp: self.ramp,
            },
            legs,
            stiffness: self.stiffness,
            damping: self.damping,
            motor: self.motor,
        }))
    }

    fn check_numbers(&self) -> Result<(), ControlError> {
        let mut at_least_zero = vec![
            ("stiffness", self.stiffness),
            ("damping", self.damping),
            ("shift", self.shift),
            ("ramp", self.ramp),
        ];
        at_least_zero.extend(self.stop.map(|x| ("stop", x)));
        if let Some((key, value)) = at_least_zero
            .into_iter()
            .find(|(_, x)| !(x.is_finite() && *x >= 0.0))
        {
            let reason = format!("{key} is {value}, it must be finite and at least 0");
            return Err(ControlError { reason });
        }
        if !self.start.is_finite() {
            let reason = format!("start is {}, it must be finite", self.start);
            return Err(ControlError { reason });
        }
        if let Some(stop) = self.stop.filter(|stop| *stop < self.start) {
            let reason = format!("stop is {stop}, before start, {}", self.start);
            return Err(ControlError { reason });
        }
        match self.motor.and_then(|m| m.defect()) {
            Some(defect) => Err(ControlError {
                reason: format!("motor: {defect}"),
            }),
            None => Ok(()),
        }
    }

    /// Every leg of the gait has one joint, and no joint has two legs.
    fn check_coverage(&self, gait: &Gait) -> Result<(), ControlError> {
        for leg in &gait.leg {
            let count = self.leg.iter().filter(|e| e.name == leg.name).count();
            if count != 1 {
                let name = &leg.name;
                let reason = format!(
                    "leg \"{name}\" of the gait has {count} joints, it must have one entry [[controller.leg]]"
                );
                return Err(ControlError { reason });
            }
        }
        for (i, entry) in self.leg.iter().enumerate() {
            if self.leg[..i].iter().any(|other| other.joint == entry.joint) {
                let reason = format!("joint \"{}\" turns two legs", entry.joint);
                return Err(ControlError { reason });
            }
        }
        Ok(())
    }
}
