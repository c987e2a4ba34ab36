//! The program, what it answers, and problems for it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// What one run of the program left behind.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}: {:?} {:?}", self.stdout, self.stderr))
    }

    /// Bad input: exit 2, nothing on standard output, one message with these parts.
    #[track_caller]
    pub fn refused(&self, parts: &[&str]) {
        assert_eq!(self.code, 2, "{}", self.stderr);
        assert_eq!(self.stdout, "");
        self.says(parts);
    }

    #[track_caller]
    pub fn says(&self, parts: &[&str]) {
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "{:?} should contain {part:?}",
                self.stderr
            );
        }
    }
}

pub fn carom(arguments: &[&str], input: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its options does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// `carom impact - --law LAW --json ...` on a problem.
pub fn impact(problem: &Value, law: &str, options: &[&str]) -> Run {
    let arguments = [&["impact", "-", "--law", law, "--json"], options].concat();
    carom(&arguments, &problem.to_string())
}

/// Three equal balls in a row, the first one moving at 1 m/s.
pub fn cradle() -> Value {
    json!({"name": "cradle", "mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [1, 0, 0],
        "contacts": [{"name": "AB", "normal": [-1, 1, 0], "tangents": [], "friction": 0.0, "restitution": 1.0},
                     {"name": "BC", "normal": [0, -1, 1]}]})
}

/// A ball strikes two that touch, slightly to the side of the middle: the order matters.
pub fn ambiguous() -> Value {
    let s = 0.75_f64.sqrt();
    json!({"name": "break",
        "mass_matrix": [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],
                        [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]],
        "velocity": [1, 0.1, 0, 0, 0, 0],
        "contacts": [{"name": "left", "normal": [-s, -0.5, s, 0.5, 0, 0]},
                     {"name": "right", "normal": [-s, 0.5, 0, 0, s, -0.5]}]})
}

/// A sliding disc strikes the ground and a wall at once, with friction.
pub fn corner() -> Value {
    json!({"name": "corner", "mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 0.5]], "velocity": [-1, -2, 0.5],
        "contacts": [{"name": "ground", "normal": [0, 1, 0], "tangents": [[1, 0, 1]], "friction": 0.4, "restitution": 0},
                     {"name": "wall", "normal": [1, 0, 0], "tangents": [[0, 1, -1]], "friction": 0.2, "restitution": 0}]})
}

pub fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

#[track_caller]
pub fn assert_near(value: &Value, expected: &[f64]) {
    let found = numbers(value);
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        // A handful of operations on numbers of order one.
        assert!((a - b).abs() < 1e-12, "{found:?} should be {expected:?}");
    }
}

/// A file in a folder of its own, removed at the end.
pub struct TemporaryFile(pub PathBuf);

impl TemporaryFile {
    pub fn new(name: &str, text: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("carom-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
        Self(folder.join(name))
    }

    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}
