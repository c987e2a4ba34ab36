//! Who drives the joints in a scenario file.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::servo::spelled_servos;
use crate::contact::Contacts;
use crate::control::{
    ControlError, Controller, DrivenJoint, HoldThenSpin, Passive, Sampled, Schedule, Servo,
    ServoController,
};
use crate::files::did_you_mean;
use crate::model::Model;
use crate::scenario::keys::spelled_names;
use crate::scenario::{ExternalEntry, GaitEntry, ServoDefault, ServoEntry, joints as joints_of};

/// Who drives the joints.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum ControllerEntry {
    /// Nobody.
    #[default]
    None,
    /// Position control.
    Servo {
        /// The driven joints, by name or by pattern. Of entries that hold for one joint the most specific one counts,
        /// key by key: its name before a pattern, a pattern with more letters before one with fewer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        joint: Vec<ServoEntry>,
        /// What every joint of the robot has where no entry says otherwise; without it, only joints with an entry are
        /// driven.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        default: Option<ServoDefault>,
        /// Asked once in this time only, at the first step that begins in each such period, its efforts held in between
        /// \[s\]; without it the law acts inside the step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0), example = 2e-3)]
        sampling_period: Option<f64>,
    },
    /// Holds joints until the first impact, then turns them.
    HoldThenSpin {
        /// Names of the joints, or patterns (`*` for any letters, `?` for one).
        #[schemars(extend("examples" = [["*_hip"]]))]
        joints: Vec<String>,
        /// Torque for each unit of the distance to the target \[N m/rad\].
        #[schemars(example = 100.0)]
        stiffness: f64,
        /// Torque against each unit of the difference of rates \[N m s/rad\].
        #[schemars(example = 2.0)]
        damping: f64,
        /// Largest effort \[N m\].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0), example = 30.0)]
        effort_limit: Option<f64>,
        /// Rate after the first impact \[rad/s\].
        #[schemars(example = 10.0)]
        rate: f64,
        /// Time from the first impact to the start of the turn \[s\].
        #[serde(default)]
        delay: f64,
        /// When the turn begins, whatever strikes \[s\]: before zero when it is under way at the start, as on an orbit. It
        /// begins with the first impact when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(example = 0.0)]
        start: Option<f64>,
        /// Positions to hold and to turn from \[rad\]; of other joints those of the start.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        #[schemars(extend("examples" = [{"left_hip": 0.5}]))]
        hold: BTreeMap<String, f64>,
        /// Asked once in this time only, at the first step that begins in each such period, its efforts held in between
        /// \[s\]; without it the law acts inside the step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(extend("exclusiveMinimum" = 0), example = 2e-3)]
        sampling_period: Option<f64>,
    },
    /// A program of its own.
    External(ExternalEntry),
    /// Legs that walk by a gait.
    Gait(GaitEntry),
}

impl ControllerEntry {
    /// The same with every joint by its name: no patterns, no default.
    pub(crate) fn spelled_out(&self, model: &Model) -> Result<Self, ControlError> {
        let known: Vec<&str> = joints_of(model).map(|body| body.joint.as_str()).collect();
        let names = |written: &[String]| {
            spelled_names(written, &known).map_err(|reason| ControlError { reason })
        };
        let mut spelled = self.clone();
        match &mut spelled {
            Self::Servo { joint, default, .. } => {
                *joint = spelled_servos(joint, default.as_ref(), model)?;
                *default = None;
            }
            Self::HoldThenSpin { joints, .. } => *joints = names(joints)?,
            Self::External(external) => external.joints = names(&external.joints)?,
            Self::None | Self::Gait(_) => {}
        }
        Ok(spelled)
    }

    /// Whether nobody drives anything.
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::None
    }

    /// The same with other names of joints.
    pub(crate) fn renamed(&self, rename: impl Fn(&str) -> String) -> Self {
        let mut renamed = self.clone();
        match &mut renamed {
            Self::None => {}
            Self::Servo { joint, .. } => {
                for text in joint
                    .iter_mut()
                    .flat_map(|entry| entry.name.iter_mut().chain(&mut entry.joints))
                {
                    *text = rename(text);
                }
            }
            Self::HoldThenSpin { joints, .. } => {
                joints.iter_mut().for_each(|name| *name = rename(name));
            }
            Self::External(external) => {
                let names = external.joints.iter_mut();
                names.for_each(|name| *name = rename(name));
            }
            Self::Gait(gait) => {
                let legs = gait.leg.iter_mut();
                legs.for_each(|leg| leg.joint = rename(&leg.joint));
            }
        }
        renamed
    }

    /// The controller of a robot that starts at the configuration q.
    pub(crate) fn build(
        &self,
        model: &Model,
        contacts: &Contacts,
        q: &[f64],
    ) -> Result<Box<dyn Controller>, ControlError> {
        let controller = self.build_law(model, contacts, q)?;
        Ok(match self.sampling_period() {
            Some(period) => Box::new(Sampled::new(controller, period)?),
            None => controller,
        })
    }

    /// Writes down the positions that it holds of a robot that starts at the configuration q: a run that starts elsewhere
    /// then holds the same.
    pub(crate) fn hold_at(&mut self, model: &Model, q: &[f64]) {
        if let Self::HoldThenSpin { joints, hold, .. } = self {
            for body in joints_of(model).filter(|body| joints.contains(&body.joint)) {
                hold.entry(body.joint.clone()).or_insert(q[body.q_index]);
            }
        }
    }

    /// Time between two questions \[s\], of a controller that is asked.
    pub(crate) fn sampling_period(&self) -> Option<f64> {
        match self {
            Self::None => None,
            Self::Servo {
                sampling_period, ..
            }
            | Self::HoldThenSpin {
                sampling_period, ..
            } => *sampling_period,
            Self::External(entry) => entry.sampling_period,
            Self::Gait(entry) => entry.sampling_period,
        }
    }

    fn build_law(
        &self,
        model: &Model,
        contacts: &Contacts,
        q: &[f64],
    ) -> Result<Box<dyn Controller>, ControlError> {
        match self {
            Self::None => Ok(Box::new(Passive)),
            Self::External(entry) => entry.build(model, contacts),
            Self::Gait(entry) => entry.build(model),
            Self::Servo { joint, default, .. } => {
                let entries = spelled_servos(joint, default.as_ref(), model)?;
                let servos = entries.iter().map(|entry| entry.build(model, q));
                let servos = servos.collect::<Result<_, _>>()?;
                Ok(Box::new(ServoController { servos }))
            }
            Self::HoldThenSpin {
                joints,
                stiffness,
                damping,
                effort_limit,
                rate,
                delay,
                start,
                hold,
                ..
            } => {
                check_finite("stiffness", *stiffness)?;
                check_finite("damping", *damping)?;
                check_finite("rate", *rate)?;
                check_finite("delay", *delay)?;
                check_finite("start", start.unwrap_or(0.0))?;
                let fail = |reason: String| Err(ControlError { reason });
                if start.is_some() && *delay != 0.0 {
                    return fail("delay is counted from the first impact, and start waits for none; remove one".to_string());
                }
                for (name, position) in hold {
                    check_finite(&format!("hold.{name}"), *position)?;
                    if !joints.contains(name) {
                        let near = did_you_mean(name, joints.iter().map(String::as_str));
                        return fail(format!(
                            "hold.{name}: it is none of the joints that turn{near}"
                        ));
                    }
                }
                let servos = joints.iter().map(|name| {
                    let joint = DrivenJoint::new(model, name, *effort_limit)?;
                    Ok(Servo {
                        joint,
                        stiffness: *stiffness,
                        damping: *damping,
                        target: Schedule::Constant(
                            hold.get(name).copied().unwrap_or(q[joint.q_index]),
                        ),
                        feed_forward: Schedule::default(),
                    })
                });
                Ok(Box::new(HoldThenSpin {
                    servos: servos.collect::<Result<_, ControlError>>()?,
                    rate: *rate,
                    delay: *delay,
                    start: *start,
                }))
            }
        }
    }
}

pub(super) fn check_finite(place: &str, value: f64) -> Result<(), ControlError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(ControlError {
        reason: format!("{place} is {value}, it must be a finite number"),
    })
}
