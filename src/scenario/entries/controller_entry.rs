//! Who drives the joints in a scenario file.

use serde::{Deserialize, Serialize};

use crate::contact::Contacts;
use crate::control::{
    ControlError, Controller, DrivenJoint, HoldThenSpin, Passive, Sampled, Schedule, Servo,
    ServoController,
};
use crate::model::Model;
use crate::scenario::{ExternalEntry, GaitEntry};

/// Who drives the joints.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControllerEntry {
    /// Nobody.
    #[default]
    None,
    /// Position control.
    Servo {
        /// The driven joints.
        joint: Vec<ServoEntry>,
        /// Asked once in this time only, its efforts held in between \[s\]; without it the law acts inside the step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sampling_period: Option<f64>,
    },
    /// Holds joints until the first impact, then turns them.
    HoldThenSpin {
        /// Names of the joints.
        joints: Vec<String>,
        /// \[N m/rad\].
        stiffness: f64,
        /// \[N m s/rad\].
        damping: f64,
        /// Largest effort \[N m\].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort_limit: Option<f64>,
        /// Rate after the first impact \[rad/s\].
        rate: f64,
        /// Time from the first impact to the start of the turn \[s\].
        #[serde(default)]
        delay: f64,
        /// As for servos \[s\].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sampling_period: Option<f64>,
    },
    /// A program of its own.
    External(ExternalEntry),
    /// Legs that walk by a gait.
    Gait(GaitEntry),
}

/// One joint under position control.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServoEntry {
    /// Name of the joint.
    pub name: String,
    /// \[N m/rad or N/m\].
    pub stiffness: f64,
    /// \[N m s/rad or N s/m\].
    #[serde(default)]
    pub damping: f64,
    /// Wanted position: a number or points \[time, position\]; the initial position when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Schedule>,
    /// Effort added: a number or points \[time, effort\].
    #[serde(default)]
    pub feed_forward: Schedule,
    /// Largest effort \[N m or N\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort_limit: Option<f64>,
}

impl ControllerEntry {
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

    fn sampling_period(&self) -> Option<f64> {
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
            Self::Servo { joint, .. } => {
                let servos = joint.iter().map(|entry| entry.build(model, q));
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
                ..
            } => {
                check_finite("stiffness", *stiffness)?;
                check_finite("damping", *damping)?;
                check_finite("rate", *rate)?;
                check_finite("delay", *delay)?;
                let servos = joints.iter().map(|name| {
                    let joint = DrivenJoint::new(model, name, *effort_limit)?;
                    Ok(Servo {
                        joint,
                        stiffness: *stiffness,
                        damping: *damping,
                        target: Schedule::Constant(q[joint.q_index]),
                        feed_forward: Schedule::default(),
                    })
                });
                Ok(Box::new(HoldThenSpin {
                    servos: servos.collect::<Result<_, ControlError>>()?,
                    rate: *rate,
                    delay: *delay,
                }))
            }
        }
    }
}

impl ServoEntry {
    fn build(&self, model: &Model, q: &[f64]) -> Result<Servo, ControlError> {
        let joint = DrivenJoint::new(model, &self.name, self.effort_limit)?;
        let place = format!("joint \"{}\"", self.name);
        check_finite(&format!("{place}: stiffness"), self.stiffness)?;
        check_finite(&format!("{place}: damping"), self.damping)?;
        let target = self
            .target
            .clone()
            .unwrap_or(Schedule::Constant(q[joint.q_index]));
        for (what, schedule) in [("target", &target), ("feed_forward", &self.feed_forward)] {
            if let Some(defect) = schedule.defect() {
                let reason = format!("{place}: {what}: {defect}");
                return Err(ControlError { reason });
            }
        }
        Ok(Servo {
            joint,
            stiffness: self.stiffness,
            damping: self.damping,
            target,
            feed_forward: self.feed_forward.clone(),
        })
    }
}

fn check_finite(place: &str, value: f64) -> Result<(), ControlError> {
    if value.is_finite() {
        return Ok(());
    }
    Err(ControlError {
        reason: format!("{place} is {value}, it must be a finite number"),
    })
}
