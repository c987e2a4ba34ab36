use thiserror::Error;

use crate::files::json_place;

/// What is wrong with a state file.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StateError {
    /// The file cannot be read.
    #[error("{file}: cannot be read: {reason}")]
    Unreadable {
        /// Path of the file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// The text is not a state.
    #[error("{file}:{line}:{column}: {}{reason}", if path.is_empty() { String::new() } else { format!("{path}: ") })]
    Format {
        /// Path of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// Path in the document, for example `joints.hip`.
        path: String,
        /// What is wrong.
        reason: String,
    },
    /// A value does not fit the robot.
    #[error("{file}: {place}: {reason}")]
    Value {
        /// Path of the file.
        file: String,
        /// Path in the document.
        place: String,
        /// What is wrong and what would be right.
        reason: String,
    },
}

impl StateError {
    /// The complaint of the JSON parser about a text, with its place.
    pub(crate) fn from_json(file: &str, text: &str, error: &serde_json::Error) -> Self {
        let offset = json_place::offset_of(text, error.line(), error.column());
        Self::Format {
            file: file.to_string(),
            line: error.line(),
            column: error.column(),
            path: json_place::path_at(text, offset).to_string(),
            reason: json_place::without_place(error),
        }
    }
}
