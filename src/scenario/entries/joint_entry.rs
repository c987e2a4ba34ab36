//! What a scenario says of single joints, in place of what the robot's file says.

use serde::{Deserialize, Serialize};

use crate::model::{Body, Joint};
use crate::scenario::ScenarioError;

/// One table `[robot.joint.<name>]`; what is not given stays as the robot's file has it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JointEntry {
    /// Coefficient of restitution of its limits, 0 to 1; without it 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Reflected inertia of its rotor \[kg m² or kg\]; a robot's file has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub armature: Option<f64>,
    /// Dry friction \[N m or N\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Viscous damping \[N m s/rad or N s/m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
}

impl JointEntry {
    /// Ranges of the numbers; `file` is what messages call the scenario.
    pub(crate) fn check(&self, file: &str, name: &str) -> Result<(), ScenarioError> {
        for (key, value, highest) in [
            ("restitution", self.restitution, 1.0),
            ("armature", self.armature, f64::MAX),
            ("friction", self.friction, f64::MAX),
            ("damping", self.damping, f64::MAX),
        ] {
            if let Some(x) = value.filter(|x| !(0.0..=highest).contains(x)) {
                let range = if highest == 1.0 {
                    "between 0 and 1"
                } else {
                    "a finite number, at least 0"
                };
                let place = format!("robot.joint.{name}.{key}");
                let reason = format!("it is {x}, it must be {range}");
                return Err(ScenarioError::value(file, place, reason));
            }
        }
        Ok(())
    }

    /// The joint with what is given.
    pub(crate) fn adjust(&self, mut joint: Joint) -> Joint {
        if let Some(armature) = self.armature {
            joint = joint.armature(armature);
        }
        if let Some(friction) = self.friction {
            joint = joint.friction(friction);
        }
        if let Some(damping) = self.damping {
            joint = joint.damping(damping);
        }
        joint
    }

    /// Fills in what is not given from the joint that moves a body.
    pub(crate) fn fill(&mut self, body: &Body) {
        if body.limits.position.is_some() {
            self.restitution.get_or_insert(0.0);
        }
        self.armature.get_or_insert(body.armature);
        self.friction.get_or_insert(body.friction);
        self.damping.get_or_insert(body.damping);
    }
}
