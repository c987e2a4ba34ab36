//! The scenarios that ship.

use std::path::{Path, PathBuf};

use carom::scenario::{Experiment, Scenario};

/// A file of `robots`.
pub fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots")
        .join(name)
}

/// A scenario there, with overrides.
pub fn scenario(name: &str, overrides: &[&str]) -> Scenario {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    Scenario::read(&shipped(name), &overrides).unwrap()
}

pub fn experiment(name: &str, overrides: &[&str]) -> Experiment {
    Experiment::new(name, scenario(name, overrides)).unwrap()
}
