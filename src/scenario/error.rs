use std::fmt::Display;
use std::path::Path;

use thiserror::Error;

use crate::contact::ContactError;
use crate::control::ControlError;
use crate::files::{brief, did_you_mean};
use crate::hybrid::SimulationError;
use crate::impact::ImpactError;
use crate::model::ModelError;

/// Why a scenario cannot be run.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ScenarioError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// The text is not a scenario.
    #[error("{file}:{line}:{column}: {reason}")]
    Format {
        /// The file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// An override of the command line does not fit.
    #[error("--set {entry}: {reason}")]
    Override {
        /// The overrides.
        entry: String,
        /// What is wrong.
        reason: String,
    },
    /// A value is wrong or would be ignored.
    #[error("{file}: {place}: {reason}")]
    Value {
        /// The file.
        file: String,
        /// The key.
        place: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The robot is wrong.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Contact sites or terrain are wrong.
    #[error(transparent)]
    Contact(#[from] ContactError),
    /// The impact law does not take a parameter.
    #[error(transparent)]
    Law(#[from] ImpactError),
    /// The controller is wrong.
    #[error(transparent)]
    Control(#[from] ControlError),
    /// The run cannot start.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

impl ScenarioError {
    /// A file that the system does not read.
    pub(crate) fn unreadable(file: &Path, reason: impl Display) -> Self {
        Self::Unreadable {
            file: file.display().to_string(),
            reason: reason.to_string(),
        }
    }

    /// A value that is wrong at a place of a file.
    pub(crate) fn value(file: &str, place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Value {
            file: file.to_string(),
            place: place.into(),
            reason: reason.into(),
        }
    }

    /// A parser's complaint, with line and column and the nearest key to an unknown one.
    pub(crate) fn from_toml(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let offset = error.span().map_or(0, |span| span.start).min(text.len());
        let before = &text[..offset];
        Self::Format {
            file: file.to_string(),
            line: before.matches('\n').count() + 1,
            column: offset - before.rfind('\n').map_or(0, |i| i + 1) + 1,
            reason: suggest(error.message()),
        }
    }

    /// The same with its file and the table or key it is about, for an error that names neither.
    #[must_use]
    pub(crate) fn located(self, file: &str, place: &str) -> Self {
        let error = match self {
            Self::Simulation(SimulationError::Setting {
                setting,
                value,
                range,
            }) => {
                let reason = format!("it is {}, it must be {range}", brief(value));
                return Self::value(file, setting_key(setting), reason);
            }
            Self::Model(error) if error.names_a_file() => return Self::Model(error),
            Self::Model(_)
            | Self::Contact(_)
            | Self::Law(_)
            | Self::Control(_)
            | Self::Simulation(_) => self,
            whole => return whole,
        };
        let text = error.to_string();
        match text.strip_prefix("initial state: ") {
            Some(reason) => Self::value(file, "initial", reason),
            None => Self::value(file, place, text),
        }
    }

    /// The reason alone, without the place.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Format { reason, .. } => reason.clone(),
            other => other.to_string(),
        }
    }
}

/// Where a setting of the simulation stands in a scenario.
fn setting_key(setting: &str) -> &str {
    match setting {
        "solver.tolerance" => "stepper.tolerance",
        "order" => "stepper.order",
        "switch_threshold" => "stepper.switch_threshold",
        "capture_speed" => "contact.capture_speed",
        "simultaneity" => "impact.simultaneity",
        "zeno_time" => "impact.zeno_time",
        other => other,
    }
}

/// Adds the nearest of the expected names to "unknown field `x`, expected one of `a`, `b`".
fn suggest(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let (Some(written), true) = (quoted.next(), message.starts_with("unknown ")) else {
        return message.to_string();
    };
    format!("{message}{}", did_you_mean(written, quoted))
}
