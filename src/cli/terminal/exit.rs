//! How the program ends, and how it speaks: answers on standard output, messages on standard error.

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use carom::files::{FolderError, LockError, write_whole};

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
    /// A budget ran out, what was computed is written and marked; or an output cannot be written.
    StoppedEarly,
    /// The program broke its own rules, which no input should make it do.
    Fault,
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
            ExitStatus::Fault => Self::from(4),
            ExitStatus::Interrupted(signal) => Self::from(signal.exit_code()),
        }
    }
}

/// What a command returns. An error is bad input, its message is printed and nothing is written; but for [`NotWritten`].
pub type CommandResult = Result<ExitStatus, Box<dyn Error>>;

/// An output cannot be written: the input was good.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotWritten(Box<dyn Error>);

/// Why an output cannot be written, as a command returns it.
pub fn not_written(reason: impl Into<Box<dyn Error>>) -> NotWritten {
    NotWritten(reason.into())
}

/// Makes a folder of outputs, and those that it is in.
pub fn make_folder(folder: &Path) -> Result<(), NotWritten> {
    std::fs::create_dir_all(folder)
        .map_err(|error| not_written(format!("{}: cannot be made: {error}", folder.display())))
}

/// Writes a whole text file.
pub fn write_text(path: &Path, text: &str) -> Result<(), NotWritten> {
    write_whole(path, |file| file.write_all(text.as_bytes())).map_err(not_written)
}

/// How a command ends with an error, whose message is printed.
pub fn ended_with(error: &(dyn Error + 'static)) -> ExitStatus {
    complain(error);
    if error.is::<NotWritten>() || is_no_place(error) {
        ExitStatus::StoppedEarly
    } else {
        ExitStatus::BadInput
    }
}

/// Whether an error is of a place in which nothing can be written.
fn is_no_place(error: &(dyn Error + 'static)) -> bool {
    let lock = match error.downcast_ref() {
        Some(FolderError::Lock(lock)) => Some(lock),
        _ => error.downcast_ref(),
    };
    matches!(lock, Some(LockError::Access { .. }))
}

/// How a command ends that may break the program's own rules: what it says of that goes before.
pub fn guarded(command: impl FnOnce() -> ExitStatus) -> ExitStatus {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(command)).unwrap_or_else(|_| {
        complain(&"this is a fault of the program, not of its input: please report it with the command and its files");
        ExitStatus::Fault
    })
}

/// Writes an answer to standard output. A reader who has seen enough (`| head`) is no error.
///
/// # Errors
/// Standard output cannot be written.
pub fn answer(text: &str) -> Result<(), NotWritten> {
    let mut stdout = io::stdout().lock();
    match stdout
        .write_all(shown(text, true).as_bytes())
        .and_then(|()| stdout.flush())
    {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| not_written(format!("standard output: {error}"))),
    }
}

/// Prints an error message to standard error.
pub fn complain(error: &dyn std::fmt::Display) {
    // Nothing is left to tell if standard error is closed.
    let _ = writeln!(io::stderr(), "error: {}", paragraph(&error.to_string()));
}

/// Prints a note with a command to be typed again: nothing of it is left out.
pub fn note_command(text: &str, command: &str) {
    let _ = writeln!(io::stderr(), "note: {text}: {}", shown(command, false));
}

/// Prints a note to standard error.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "note: {}", paragraph(text));
}

/// Signs that one word of a message may have: more are a value that nobody reads.
const LONGEST_WORD: usize = 160;
/// Signs of a whole message.
const LONGEST_MESSAGE: usize = 2000;

/// A message as one paragraph: nothing in it moves the cursor or changes a colour, and long values are shortened.
fn paragraph(text: &str) -> String {
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    let words = lines.join(" ");
    let words: Vec<String> = words
        .split(' ')
        .map(|w| shortened(w, LONGEST_WORD))
        .collect();
    shown(&shortened(&words.join(" "), LONGEST_MESSAGE), false)
}

/// The beginning and the end of a long text.
fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_string();
    }
    let half = most / 2;
    let beginning: String = text.chars().take(half).collect();
    let end: String = text.chars().skip(count - half).collect();
    format!("{beginning}…{end}")
}

/// Text with what a terminal would obey written as `\u001b`, as JSON writes it; with `lines` those remain, and tabs.
fn shown(text: &str, lines: bool) -> String {
    let obeyed = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}');
        (c.is_control() || turns) && !(lines && (c == '\n' || c == '\t'))
    };
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if obeyed(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{ExitStatus, guarded, paragraph, shown};

    #[test]
    fn messages_are_one_paragraph_without_escapes_and_long_values() {
        assert_eq!(paragraph("a\n  b\n\nc"), "a b c");
        assert_eq!(
            paragraph("\u{1b}[31mred\u{9b}2J\u{7f}"),
            "\\u001b[31mred\\u009b2J\\u007f"
        );
        let long = paragraph(&format!("name \"{}\" is long", "x".repeat(5000)));
        assert!(
            long.chars().count() < 200 && long.ends_with("x\" is long"),
            "{long}"
        );
        assert!(paragraph(&"word ".repeat(5000)).chars().count() <= 2001);
    }

    #[test]
    fn answers_keep_their_lines_and_stay_json() {
        assert_eq!(shown("a\tb\n", true), "a\tb\n");
        let json = serde_json::to_string("x\u{85}\u{1b}\u{202e}y\n").unwrap();
        let read: String = serde_json::from_str(&shown(&json, true)).unwrap();
        assert_eq!(read, "x\u{85}\u{1b}\u{202e}y\n");
    }

    #[test]
    fn a_broken_rule_is_no_bad_input() {
        assert_eq!(
            guarded(|| ExitStatus::StoppedEarly),
            ExitStatus::StoppedEarly
        );
        assert_eq!(guarded(|| panic!("on purpose")), ExitStatus::Fault);
    }
}
