//! How the program ends, and how it speaks: answers on standard output, messages on standard error.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use super::interrupt::Signal;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// Everything was done.
    Done,
    /// A check or comparison failed.
    CheckFailed,
    /// One or more inputs were bad; each has its message.
    BadInput,
    /// A budget ran out; what was computed is written and marked.
    StoppedEarly,
    /// A signal asked to stop; what was computed is written and marked.
    Interrupted(Signal),
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        match status {
            ExitStatus::Done => Self::SUCCESS,
            ExitStatus::CheckFailed => Self::from(1),
            ExitStatus::BadInput => Self::from(2),
            ExitStatus::StoppedEarly => Self::from(3),
            ExitStatus::Interrupted(signal) => Self::from(signal.exit_code()),
        }
    }
}

/// What a command returns. An error is bad input: its message is printed and nothing is written.
pub type CommandResult = Result<ExitStatus, Box<dyn Error>>;

/// Writes an answer to standard output. A reader who has seen enough (`| head`) is no error.
///
/// # Errors
/// Standard output cannot be written.
pub fn answer(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Prints an error message to standard error.
pub fn complain(error: &dyn std::fmt::Display) {
    // Nothing is left to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "error: {error}");
}

/// Prints a note to standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {text}");
}
