//! The program and the scenarios that the tests run.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub use crate::folder::Folder;

pub fn carom() -> Command {
    Command::new(env!("CARGO_BIN_EXE_carom"))
}

pub fn record(scenario: &Path, out: &Path, options: &[&str]) -> Output {
    let mut command = carom();
    command.args(["baseline", "record"]).arg(scenario);
    command
        .arg("--out")
        .arg(out)
        .args(options)
        .output()
        .unwrap()
}

pub fn verify(file: &Path, options: &[&str]) -> Output {
    let mut command = carom();
    command.args(["baseline", "verify"]).arg(file);
    command.args(options).output().unwrap()
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn shipped(name: &str) -> PathBuf {
    root().join("robots").join(name)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub fn assert_done(output: &Output) {
    assert!(
        output.status.success(),
        "{}{}",
        text(&output.stdout),
        text(&output.stderr)
    );
}
