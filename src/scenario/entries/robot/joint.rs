//! What a scenario says of single joints, in place of what the robot's file says.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Body, Joint, JointLimits};
use crate::scenario::ScenarioError;
use crate::scenario::keys::{Layer, Reach, is_pattern, most_specific, no_joint};

/// One table `[robot.joint.<name>]`, or `[robot.joint."<pattern>"]`; what is not given stays as the robot's file has it.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct JointEntry {
    /// Coefficient of restitution of its limits, 0 to 1; without it 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0, max = 1), example = 0.5)]
    pub restitution: Option<f64>,
    /// Reflected inertia of its rotor \[kg m² or kg\]; a robot's file has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.01)]
    pub armature: Option<f64>,
    /// Dry friction \[N m or N\].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.2)]
    pub friction: Option<f64>,
    /// Viscous damping \[N m s/rad or N s/m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.1)]
    pub damping: Option<f64>,
}

impl JointEntry {
    /// Ranges of the numbers; `file` and `place` are what messages call the scenario and the table.
    pub(crate) fn check(&self, file: &str, place: &str) -> Result<(), ScenarioError> {
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
                let place = format!("{place}.{key}");
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

    /// Fills in what is not given from the joint that moves a body, without what its followers add: that is added again
    /// where the entry is read.
    pub(crate) fn fill(&mut self, body: &Body) {
        if body.limits.position.is_some() {
            self.restitution.get_or_insert(0.0);
        }
        self.armature.get_or_insert(body.own.armature);
        self.friction.get_or_insert(body.own.friction);
        self.damping.get_or_insert(body.own.damping);
    }
}

/// The entries of joints by name: patterns are replaced by the joints that they fit, key by key. A restitution of a
/// pattern is that of the joints with limits among them. What is wrong is told with the entry's name.
pub(crate) fn spelled_joints(
    written: &BTreeMap<String, JointEntry>,
    moving: &[(&str, &JointLimits)],
) -> Result<BTreeMap<String, JointEntry>, (String, String)> {
    let is_joint = |text: &str| moving.iter().any(|(joint, _)| *joint == text);
    let patterns = || {
        let several = written.iter();
        several.filter(|(text, _)| is_pattern(text) && !is_joint(text))
    };
    let mut spelled = written.clone();
    for (pattern, entry) in patterns() {
        spelled.remove(pattern);
        let refused = |reason: String| Err((pattern.clone(), reason));
        let mut fitting = moving.iter();
        let mut fitting = fitting
            .by_ref()
            .filter(|(joint, _)| Reach::of(pattern, joint).is_some())
            .peekable();
        if fitting.peek().is_none() {
            let names: Vec<&str> = moving.iter().map(|(joint, _)| *joint).collect();
            return refused(no_joint(pattern, &names));
        }
        if entry.restitution.is_some() && !fitting.any(|(_, limits)| limits.position.is_some()) {
            let reason = "none of the joints has position limits; remove restitution";
            return refused(reason.to_string());
        }
    }
    for (joint, limits) in moving {
        let layers: Vec<Layer<'_, JointEntry>> = written
            .iter()
            .filter_map(|(text, entry)| {
                Some(Layer {
                    written: format!("\"{text}\""),
                    reach: Reach::of(text, joint)?,
                    entry,
                })
            })
            .collect();
        if layers.iter().all(|layer| layer.reach == Reach::Name) {
            continue;
        }
        let value = |key: &str, get: fn(&JointEntry) -> Option<&f64>| {
            most_specific(joint, key, &layers, get).map_err(|reason| (joint.to_string(), reason))
        };
        let own = written.get(*joint).and_then(|entry| entry.restitution);
        let of_patterns = value("restitution", |e| e.restitution.as_ref())?;
        let merged = JointEntry {
            restitution: own.or(of_patterns.filter(|_| limits.position.is_some())),
            armature: value("armature", |e| e.armature.as_ref())?,
            friction: value("friction", |e| e.friction.as_ref())?,
            damping: value("damping", |e| e.damping.as_ref())?,
        };
        spelled.insert(joint.to_string(), merged);
    }
    Ok(spelled)
}
