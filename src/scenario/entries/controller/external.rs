//! The controller `external` of a scenario: a program of its own.

use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contact::Contacts;
use crate::control::external::{ExternalController, ExternalSettings};
use crate::control::{ControlError, Controller, DrivenJoint};
use crate::model::Model;

/// A program that drives joints; its messages are described in [`crate::control::external`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExternalEntry {
    /// The program and its arguments; paths in them are relative to `directory`.
    #[schemars(extend("examples" = [["python3", "controller.py"]]))]
    pub command: Vec<String>,
    /// The folder in which it runs, relative to the scenario's file.
    #[serde(default = "own_folder")]
    pub directory: PathBuf,
    /// Names of the joints, or patterns (`*` for any letters, `?` for one), in the order of the efforts.
    #[schemars(extend("examples" = [["joint1", "joint2"]]))]
    pub joints: Vec<String>,
    /// Time for an answer \[s\].
    #[serde(default = "patience")]
    #[schemars(range(min = 0))]
    pub timeout_s: f64,
    /// Largest effort of every joint \[N m or N\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 30.0)]
    pub effort_limit: Option<f64>,
    /// Time between two questions \[s\], each at the first step that begins in a period, the efforts held in between;
    /// without it every step asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0), example = 2e-3)]
    pub sampling_period: Option<f64>,
}

fn own_folder() -> PathBuf {
    PathBuf::from(".")
}

fn patience() -> f64 {
    10.0
}

impl ExternalEntry {
    /// The controller, whose program starts at the first step.
    pub(crate) fn build(
        &self,
        model: &Model,
        contacts: &Contacts,
    ) -> Result<Box<dyn Controller>, ControlError> {
        let timeout = Duration::try_from_secs_f64(self.timeout_s).map_err(|_| ControlError {
            reason: format!(
                "timeout_s is {}, it must be a positive number of seconds",
                self.timeout_s
            ),
        })?;
        let joints = self.joints.iter().map(|name| {
            let joint = DrivenJoint::new(model, name, self.effort_limit)?;
            Ok((name.clone(), joint))
        });
        let settings = ExternalSettings {
            command: self.command.clone(),
            directory: self.directory.clone(),
            joints: joints.collect::<Result<_, ControlError>>()?,
            contacts: (0..contacts.len())
                .map(|i| contacts.name(i).to_string())
                .collect(),
            timeout,
        };
        Ok(Box::new(ExternalController::new(settings)?))
    }
}
