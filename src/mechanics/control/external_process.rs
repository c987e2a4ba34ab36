//! A child process that answers every line with a line, within a time. It never outlives its owner.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::ExternalError;

/// Longest line that is read \[bytes\].
const LONGEST_LINE: u64 = 1 << 20;
/// Lines that wait to be read: one is asked for at a time, and a program that writes more has to wait.
const WAITING_LINES: usize = 2;
/// Bytes of standard error that are kept.
const KEPT_WORDS: usize = 4096;
/// Time that the program has to end after its input was closed.
const FAREWELL: Duration = Duration::from_millis(500);
/// Time between two looks at whether it has ended.
const LOOK: Duration = Duration::from_millis(2);

/// The running program.
pub(super) struct ExternalProcess {
    name: String,
    child: Child,
    /// Lines to write; closed to close the program's input.
    input: Option<Sender<String>>,
    output: Receiver<std::io::Result<Vec<u8>>>,
    words: Arc<Mutex<Vec<u8>>>,
    lines: u64,
}

impl ExternalProcess {
    /// Starts `command` in a folder.
    pub fn start(command: &[String], directory: &Path) -> Result<Self, ExternalError> {
        let name = command.join(" ");
        let failed = |reason: String| ExternalError::Start {
            program: name.clone(),
            directory: directory.display().to_string(),
            reason,
        };
        let (program, arguments) = command
            .split_first()
            .ok_or_else(|| failed("the command is empty".to_string()))?;
        // A path to the program is one from the folder, as the paths among its arguments are; the
        // system would take it from the working directory.
        let directory = directory
            .canonicalize()
            .map_err(|error| failed(error.to_string()))?;
        let path = Path::new(program);
        let path = if path.components().count() > 1 {
            directory.join(path)
        } else {
            path.to_path_buf()
        };
        let mut child = Command::new(path)
            .args(arguments)
            .current_dir(&directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(failed("it has no pipes".to_string()));
        };
        let words = Arc::new(Mutex::new(Vec::new()));
        let kept = words.clone();
        thread::spawn(move || keep_words(stderr, &kept));
        Ok(Self {
            input: Some(writer(stdin)),
            output: reader(stdout),
            name,
            child,
            words,
            lines: 0,
        })
    }

    /// The command.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of the last line that was read.
    pub fn line(&self) -> u64 {
        self.lines
    }

    /// Number of the next message, and of the line that answers it.
    pub fn next(&self) -> u64 {
        self.lines + 1
    }

    /// Sends a line and waits for its answer. A line that is there already answers nothing.
    pub fn ask(&mut self, message: String, timeout: Duration) -> Result<String, ExternalError> {
        if let Ok(Ok(line)) = self.output.try_recv() {
            let text = String::from_utf8_lossy(&line).into_owned();
            self.lines += 1;
            let reason = "nobody asked for this line; every message is answered with one line";
            return Err(self.malformed(reason.to_string(), &text));
        }
        if let Some(input) = &self.input {
            // A program that has ended does not answer: that is noticed below.
            let _ = input.send(message);
        }
        self.lines += 1;
        match self.output.recv_timeout(timeout) {
            Ok(Ok(line)) => String::from_utf8(line).map_err(|error| {
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                self.malformed("it is not UTF-8".to_string(), &text)
            }),
            Ok(Err(error)) => Err(self.malformed(error.to_string(), "")),
            Err(RecvTimeoutError::Timeout) => Err(ExternalError::Timeout {
                program: self.name.clone(),
                line: self.lines,
                seconds: timeout.as_secs_f64(),
            }),
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    /// The complaint about the last line.
    pub fn malformed(&self, reason: String, text: &str) -> ExternalError {
        let text = text.trim_end();
        let beginning: String = text.chars().take(200).collect();
        let more = if beginning.len() < text.len() {
            "…"
        } else {
            ""
        };
        ExternalError::Malformed {
            program: self.name.clone(),
            line: self.lines,
            reason,
            text: format!("{beginning}{more}"),
        }
    }

    fn ended(&mut self) -> ExternalError {
        let status = match self.wait(FAREWELL) {
            Some(status) => status,
            None => "its output is closed".to_string(),
        };
        // Its last words arrive in another thread; they are not worth more than a moment.
        thread::sleep(10 * LOOK);
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&words);
        let last = text.lines().rev().find(|line| !line.trim().is_empty());
        ExternalError::Ended {
            program: self.name.clone(),
            line: self.lines,
            status,
            stderr: last.unwrap_or_default().trim().to_string(),
        }
    }

    /// Waits until the program has ended.
    fn wait(&mut self, most: Duration) -> Option<String> {
        let begun = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                Ok(None) if begun.elapsed() < most => thread::sleep(LOOK),
                _ => return None,
            }
        }
    }

    /// Says farewell, closes the input, and ends the program if it does not end by itself.
    pub fn end(&mut self, farewell: Option<String>) {
        if let (Some(input), Some(farewell)) = (&self.input, farewell) {
            let _ = input.send(farewell);
        }
        self.input = None;
        if self.wait(FAREWELL).is_none() {
            // It may end between the two calls; then there is nothing left to kill.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

impl Drop for ExternalProcess {
    fn drop(&mut self) {
        if self.input.is_some() {
            self.end(None);
        }
    }
}

/// Writes lines in a thread: a program that does not read must not block the run.
fn writer(mut stdin: ChildStdin) -> Sender<String> {
    let (sender, lines) = channel::<String>();
    thread::spawn(move || {
        for mut line in lines {
            line.push('\n');
            if stdin.write_all(line.as_bytes()).is_err() {
                return;
            }
        }
    });
    sender
}

/// Reads lines in a thread, so that waiting for one can end.
fn reader(stdout: ChildStdout) -> Receiver<std::io::Result<Vec<u8>>> {
    let (sender, lines) = sync_channel(WAITING_LINES);
    thread::spawn(move || {
        let mut stdout = BufReader::new(stdout);
        loop {
            let mut line = Vec::new();
            let result = (&mut stdout)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut line);
            let message = match result {
                Ok(0) => return,
                Ok(n) if n as u64 == LONGEST_LINE => Err(std::io::Error::other(format!(
                    "the line is longer than {LONGEST_LINE} bytes"
                ))),
                Ok(_) => Ok(line),
                Err(error) => Err(error),
            };
            let last = message.is_err();
            if sender.send(message).is_err() || last {
                return;
            }
        }
    });
    lines
}

/// Reads standard error to its end and keeps the last of it.
fn keep_words(mut stderr: ChildStderr, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 1024];
    while let Ok(n @ 1..) = stderr.read(&mut buffer) {
        let mut words = kept.lock().unwrap_or_else(PoisonError::into_inner);
        words.extend_from_slice(&buffer[..n]);
        let surplus = words.len().saturating_sub(KEPT_WORDS);
        words.drain(..surplus);
    }
}
