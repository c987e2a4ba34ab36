//! Joints under position control in a scenario file: by name, by pattern, and what all others have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::control::{ControlError, DrivenJoint, Schedule, Servo};
use crate::model::Model;
use crate::scenario::joints;
use crate::scenario::keys::{Layer, Reach, is_pattern, most_specific, no_joint};

/// One joint under position control, or several by a pattern. A key that it leaves out is that of a less specific
/// entry: of a pattern with fewer letters, then of `[controller.default]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("oneOf" = [{"required": ["name"]}, {"required": ["joints"]}]))]
pub struct ServoEntry {
    /// Name of the joint; either this or `joints`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"left_knee")]
    pub name: Option<String>,
    /// Pattern for several joints, `*` for any letters and `?` for one; either this or `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"*_knee")]
    pub joints: Option<String>,
    /// Effort for each unit of the distance to the target \[N m/rad or N/m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 100.0)]
    pub stiffness: Option<f64>,
    /// Effort against each unit of the difference of rates \[N m s/rad or N s/m\]; 0 when nothing states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 2.0)]
    pub damping: Option<f64>,
    /// Wanted position \[rad or m\]: a number, or points of time and position; the initial position when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [0.3, [[0.0, 0.0], [1.0, 0.3]]]))]
    pub target: Option<Schedule>,
    /// Effort added \[N m or N\]: a number, or points of time and effort; 0 when nothing states it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [1.5, [[0.0, 0.0], [1.0, 1.5]]]))]
    pub feed_forward: Option<Schedule>,
    /// Largest effort \[N m or N\]; that of the robot's file when absent or smaller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 33.5)]
    pub effort_limit: Option<f64>,
}

/// What every joint of the robot has of position control unless an entry of its own says otherwise.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ServoDefault {
    /// Effort for each unit of the distance to the target \[N m/rad or N/m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 100.0)]
    pub stiffness: Option<f64>,
    /// Effort against each unit of the difference of rates \[N m s/rad or N s/m\].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = 2.0)]
    pub damping: Option<f64>,
    /// Wanted position \[rad or m\]: a number, or points of time and position; the initial position when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [0.3, [[0.0, 0.0], [1.0, 0.3]]]))]
    pub target: Option<Schedule>,
    /// Effort added \[N m or N\]: a number, or points of time and effort.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [1.5, [[0.0, 0.0], [1.0, 1.5]]]))]
    pub feed_forward: Option<Schedule>,
    /// Largest effort \[N m or N\]; that of the robot's file when absent or smaller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 33.5)]
    pub effort_limit: Option<f64>,
}

impl From<&ServoDefault> for ServoEntry {
    fn from(default: &ServoDefault) -> Self {
        let ServoDefault {
            stiffness,
            damping,
            target,
            feed_forward,
            effort_limit,
        } = default.clone();
        Self {
            name: None,
            joints: None,
            stiffness,
            damping,
            target,
            feed_forward,
            effort_limit,
        }
    }
}

/// Every driven joint by its name, with all that its entries say. In the order of the entries where they only name
/// joints, otherwise in that of the robot.
pub(crate) fn spelled_servos(
    entries: &[ServoEntry],
    default: Option<&ServoDefault>,
    model: &Model,
) -> Result<Vec<ServoEntry>, ControlError> {
    let fail = |reason: String| ControlError { reason };
    let known: Vec<&str> = joints(model).map(|body| body.joint.as_str()).collect();
    let mut reaching = Vec::with_capacity(entries.len());
    for (i, entry) in entries.iter().enumerate() {
        let text = entry
            .reaches()
            .map_err(|reason| fail(format!("joint[{i}]: {reason}")))?;
        if let Some(pattern) = &entry.joints
            && !known
                .iter()
                .any(|joint| Reach::of(pattern, joint).is_some())
        {
            return Err(fail(no_joint(pattern, &known)));
        }
        if let Some(name) = &entry.name
            && is_pattern(name)
            && !known.contains(&name.as_str())
        {
            let reason =
                format!("name = \"{name}\" is one joint; joints = \"{name}\" takes a pattern");
            return Err(fail(format!("joint[{i}]: {reason}")));
        }
        let same = |other: &ServoEntry| other.name.is_some() && other.name == entry.name;
        if let Some(first) = entries[..i].iter().position(same) {
            let reason =
                format!("\"{text}\" is that of joint[{first}] as well; give a joint one entry");
            return Err(fail(format!("joint[{i}]: {reason}")));
        }
        reaching.push((text, entry));
    }
    if entries.is_empty() && default.is_none() && !known.is_empty() {
        let reason = "it drives no joint; give joint, or [controller.default] for all joints";
        return Err(fail(reason.to_string()));
    }
    if default.is_none() && entries.iter().all(|entry| entry.name.is_some()) {
        return entries.iter().map(ServoEntry::complete).collect();
    }
    // A name that the robot does not have is told by who looks for it.
    if let Some(name) = entries.iter().find_map(|entry| entry.name.as_deref()) {
        DrivenJoint::new(model, name, None)?;
    }
    let default = default.map(ServoEntry::from);
    let mut servos = Vec::with_capacity(known.len());
    for joint in known {
        let own = reaching.iter().filter_map(|(text, entry)| {
            Some(Layer {
                written: format!("\"{text}\""),
                reach: Reach::of(text, joint)?,
                entry: *entry,
            })
        });
        let of_all = default.iter().map(|entry| Layer {
            written: "controller.default".to_string(),
            reach: Reach::Default,
            entry,
        });
        let layers: Vec<_> = own.chain(of_all).collect();
        if !layers.is_empty() {
            servos.push(
                ServoEntry::merged(joint, &layers)
                    .map_err(fail)?
                    .complete()?,
            );
        }
    }
    Ok(servos)
}

impl ServoEntry {
    /// The name or pattern of its joints.
    fn reaches(&self) -> Result<&str, String> {
        match (&self.name, &self.joints) {
            (Some(text), None) | (None, Some(text)) => Ok(text),
            _ => Err("give either name (one joint) or joints (a pattern)".to_string()),
        }
    }

    fn merged(joint: &str, layers: &[Layer<'_, Self>]) -> Result<Self, String> {
        Ok(Self {
            name: Some(joint.to_string()),
            joints: None,
            stiffness: most_specific(joint, "stiffness", layers, |e| e.stiffness.as_ref())?,
            damping: most_specific(joint, "damping", layers, |e| e.damping.as_ref())?,
            target: most_specific(joint, "target", layers, |e| e.target.as_ref())?,
            feed_forward: most_specific(joint, "feed_forward", layers, |e| {
                e.feed_forward.as_ref()
            })?,
            effort_limit: most_specific(joint, "effort_limit", layers, |e| {
                e.effort_limit.as_ref()
            })?,
        })
    }

    /// The same with what is 0 when nothing states it.
    fn complete(&self) -> Result<Self, ControlError> {
        if self.stiffness.is_none() {
            let name = self.name.as_deref().unwrap_or_default();
            let reason = format!(
                "joint \"{name}\" has no stiffness; give it in its entry, in that of a pattern, or in [controller.default]"
            );
            return Err(ControlError { reason });
        }
        let mut whole = self.clone();
        whole.damping.get_or_insert(0.0);
        whole.feed_forward.get_or_insert_with(Schedule::default);
        Ok(whole)
    }

    /// The servo of a spelled-out entry.
    pub(crate) fn build(&self, model: &Model, q: &[f64]) -> Result<Servo, ControlError> {
        let name = self.name.as_deref().unwrap_or_default();
        let joint = DrivenJoint::new(model, name, self.effort_limit)?;
        let place = format!("joint \"{name}\"");
        let (stiffness, damping) = (
            self.stiffness.unwrap_or_default(),
            self.damping.unwrap_or_default(),
        );
        super::check_finite(&format!("{place}: stiffness"), stiffness)?;
        super::check_finite(&format!("{place}: damping"), damping)?;
        let target = self
            .target
            .clone()
            .unwrap_or(Schedule::Constant(q[joint.q_index]));
        let feed_forward = self.feed_forward.clone().unwrap_or_default();
        for (what, schedule) in [("target", &target), ("feed_forward", &feed_forward)] {
            if let Some(defect) = schedule.defect() {
                let reason = format!("{place}: {what}: {defect}");
                return Err(ControlError { reason });
            }
        }
        Ok(Servo {
            joint,
            stiffness,
            damping,
            target,
            feed_forward,
        })
    }
}
