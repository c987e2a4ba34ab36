//! The program beside a robot that is cheap to run.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub use crate::folder::Folder;

pub fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .output()
        .unwrap()
}

/// The program at work, which a test that fails does not leave behind.
pub struct Running(Child);

/// Starts the program, silent.
pub fn start(arguments: &[&str]) -> Running {
    let child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    Running(child.unwrap())
}

impl Running {
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    pub fn has_ended(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    pub fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Waits for its end: the exit code and what it said on standard error, which is short.
    pub fn end(mut self) -> (Option<i32>, String) {
        let mut message = String::new();
        let mut stderr = self.0.stderr.take().unwrap();
        stderr.read_to_string(&mut message).unwrap();
        (self.0.wait().unwrap().code(), message)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn wait_for(what: impl Fn() -> bool) {
    let begun = Instant::now();
    while !what() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never comes");
        std::thread::sleep(Duration::from_millis(5));
    }
}

pub fn shipped(name: &str) -> String {
    format!("{}/robots/{name}", env!("CARGO_MANIFEST_DIR"))
}

pub fn path(folder: &Folder, name: &str) -> String {
    folder.path(name).display().to_string()
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Runs and expects exit code 2 and one message with all of `words`.
pub fn refused(arguments: &[&str], words: &[&str]) {
    let run = carom(arguments);
    let message = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{arguments:?}: {message}");
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in: {message}");
    }
}

pub fn done(arguments: &[&str]) {
    let run = carom(arguments);
    assert!(
        run.status.success(),
        "{arguments:?}: {}{}",
        text(&run.stdout),
        text(&run.stderr)
    );
}

/// A channel of particles that takes no time.
pub const CHANNEL: &str = "time_step = 1e-4
duration = 2e-3
[stepper]
kind = \"time-stepping\"
[impact]
law = \"max-dissipation\"
[particles]
diameter = 2e-3
spacing = 4.25e-3
[channel]
size = [0.02, 0.02, 0.02]
";
