//! Springs that a scenario adds to a robot.

use nalgebra::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::{Model, NamedJointSpring, NamedPointSpring};

/// A spring and damper: at a `joint` with `rest`, or between `points` of two `links` with
/// `rest_length`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    {"required": ["joint"], "not": {"required": ["rest_length"]}},
    {"required": ["links", "points"], "not": {"required": ["rest"]}}
]))]
pub struct SpringEntry {
    /// Name of the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"knee")]
    pub joint: Option<String>,
    /// Position of the joint without force \[rad or m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.5)]
    pub rest: Option<f64>,
    /// Names of two links; `world` is a point of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [["thigh", "world"]]))]
    pub links: Option<[String; 2]>,
    /// The points in the links' frames \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[[0.0, 0.0, 0.1], [0.0, 0.0, 1.0]]]))]
    pub points: Option<[[f64; 3]; 2]>,
    /// Length without force \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.2)]
    pub rest_length: Option<f64>,
    /// Force for each unit of the distance from rest \[N m/rad or N/m\].
    #[serde(default)]
    pub stiffness: f64,
    /// Force against each unit of the rate \[N m s/rad or N s/m\].
    #[serde(default)]
    pub damping: f64,
}

impl SpringEntry {
    /// Fills in the rest that is not given.
    pub(crate) fn fill(&mut self) {
        if self.joint.is_some() {
            self.rest.get_or_insert(0.0);
        } else {
            self.rest_length.get_or_insert(0.0);
        }
    }

    /// Adds the spring to a robot; says what is wrong with it.
    pub(super) fn add_to(&self, model: &mut Model) -> Result<(), String> {
        let added = match self {
            Self {
                joint: Some(joint),
                links: None,
                points: None,
                rest_length: None,
                ..
            } => model.add_joint_spring(&NamedJointSpring {
                joint: joint.clone(),
                rest: self.rest.unwrap_or(0.0),
                stiffness: self.stiffness,
                damping: self.damping,
            }),
            Self {
                joint: None,
                rest: None,
                links: Some(links),
                points: Some(points),
                ..
            } => model.add_point_spring(&NamedPointSpring {
                links: links
                    .each_ref()
                    .map(|link| (link != "world").then(|| link.clone())),
                points: points.map(Vector3::from),
                rest_length: self.rest_length.unwrap_or(0.0),
                stiffness: self.stiffness,
                damping: self.damping,
            }),
            _ => {
                let reason = "give either joint (and rest), or links and points (and rest_length)";
                return Err(reason.to_string());
            }
        };
        added.map_err(|error| error.to_string())
    }
}
