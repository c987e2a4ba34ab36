use thiserror::Error;

use super::ControlError;

/// What is wrong with a controller that is a program of its own. Lines of its output are counted
/// from 1.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ExternalError {
    /// The program cannot be started.
    #[error("`{program}` cannot be started in {directory}: {reason}")]
    Start {
        /// The command.
        program: String,
        /// Where it was to run.
        directory: String,
        /// What the system says.
        reason: String,
    },
    /// No line came in time.
    #[error(
        "`{program}` has not written line {line} after {seconds} s; it must answer every message with one line and flush it (timeout_s)"
    )]
    Timeout {
        /// The command.
        program: String,
        /// Number of the awaited line.
        line: u64,
        /// The time it had \[s\].
        seconds: f64,
    },
    /// The program ended, or closed its output, before the run did.
    #[error("`{program}` ended ({status}) before it wrote line {line}{}", told(.stderr))]
    Ended {
        /// The command.
        program: String,
        /// Number of the awaited line.
        line: u64,
        /// How it ended.
        status: String,
        /// The last line that it wrote on standard error.
        stderr: String,
    },
    /// A line is not the awaited message.
    #[error("`{program}`, line {line}: {reason}; it wrote: {text}")]
    Malformed {
        /// The command.
        program: String,
        /// Number of the line.
        line: u64,
        /// What is wrong and what would be right.
        reason: String,
        /// The beginning of the line.
        text: String,
    },
    /// An answer has too few or too many efforts.
    #[error("`{program}`, line {line}: {found} efforts for {expected} joints")]
    Length {
        /// The command.
        program: String,
        /// Number of the line.
        line: u64,
        /// Number of driven joints.
        expected: usize,
        /// Number of efforts.
        found: usize,
    },
    /// An effort is not a finite number.
    #[error("`{program}`, line {line}: the effort of joint \"{joint}\" is not a finite number")]
    NotFinite {
        /// The command.
        program: String,
        /// Number of the line.
        line: u64,
        /// Name of the joint.
        joint: String,
    },
    /// The program says that it cannot control this robot or this state.
    #[error("`{program}`, line {line}: it refuses: {reason}")]
    Refused {
        /// The command.
        program: String,
        /// Number of the line.
        line: u64,
        /// Its reason.
        reason: String,
    },
}

fn told(stderr: &str) -> String {
    if stderr.is_empty() {
        String::new()
    } else {
        format!("; its last words: {stderr}")
    }
}

impl From<ExternalError> for ControlError {
    fn from(error: ExternalError) -> Self {
        Self {
            reason: error.to_string(),
        }
    }
}
