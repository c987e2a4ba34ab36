//! What one run came to.

use serde::{Deserialize, Serialize};

/// How a run of a sweep ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SweepStatus {
    /// It has its metrics.
    Completed,
    /// The subject does not take the keys, or cannot start with them.
    Refused,
    /// It stopped before its end.
    Stopped,
    /// The law of an impact did not come to an end.
    NotTerminated,
    /// A search ended without what it looked for.
    NotFound,
    /// The program broke its own rules.
    Fault,
}

impl SweepStatus {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Completed,
        Self::Refused,
        Self::Stopped,
        Self::NotTerminated,
        Self::NotFound,
        Self::Fault,
    ];

    /// The word that tables use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Refused => "refused",
            Self::Stopped => "stopped",
            Self::NotTerminated => "not-terminated",
            Self::NotFound => "not-found",
            Self::Fault => "fault",
        }
    }
}

/// One run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub status: SweepStatus,
    /// Why, if it did not complete.
    pub message: String,
    /// Its metrics in the order of their names; none where it has no number. Empty unless it completed.
    pub values: Vec<Option<f64>>,
}

/// Signs of a message that a row keeps.
const LONGEST_MESSAGE: usize = 300;

impl Outcome {
    pub(super) fn completed(values: Vec<Option<f64>>) -> Self {
        Self {
            status: SweepStatus::Completed,
            message: String::new(),
            values,
        }
    }

    pub(super) fn failed(status: SweepStatus, reason: &str) -> Self {
        let words: Vec<&str> = reason.split_whitespace().collect();
        let words = words.join(" ");
        let shown = words.chars().filter(|c| !c.is_control());
        Self {
            status,
            message: shown.take(LONGEST_MESSAGE).collect(),
            values: Vec::new(),
        }
    }

    pub(super) fn refused(error: &dyn std::fmt::Display) -> Self {
        Self::failed(SweepStatus::Refused, &error.to_string())
    }
}
