//! Small sweeps, and the program that runs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub use crate::folder::Folder;

/// The program with `sweep` before these words.
pub fn sweep(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("sweep")
        .args(words)
        .output()
        .unwrap()
}

pub fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots")
        .join(name)
}

/// A sweep of a ball that bounces, of which some runs fail: a restitution above 1 is refused.
pub fn bounces(folder: &Folder, runs: u64) -> PathBuf {
    let subject = shipped("ball/bounce.toml");
    let text = format!(
        r#"
description = "Bounces"
subject = {subject:?}
set = ["duration=0.6"]
plan = {{ kind = "latin-hypercube", runs = {runs}, seed = 3, part = 5 }}
vary = [
  {{ key = "contact.restitution", uniform = [0.5, 1.1] }},
  {{ key = "initial.base.position.2", normal = [1.0, 0.02] }},
  {{ key = "impact.order", values = ["index", "most-violated"] }},
]
[metrics]
height_m = "max(q_base.z)"
[analysis]
quantiles = [0.0, 0.5, 1.0]
worst = 3
sensitivity = "ranks"
"#
    );
    folder.write("bounces.sweep.toml", text)
}

/// What a sweep came to.
pub fn results(out: &Path) -> [Vec<u8>; 3] {
    ["runs.csv", "summary.json", "sweep.html"].map(|name| fs::read(out.join(name)).unwrap())
}

pub fn error_of(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
