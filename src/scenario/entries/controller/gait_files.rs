//! The gaits that ship, and gaits in files.

use std::path::Path;

use crate::control::{ControlError, Gait};
use crate::files::{did_you_mean, read_bounded_text};
use crate::scenario::ScenarioError;

/// Built-in gaits: name and table.
pub(crate) const GAITS: &[(&str, &str)] = &[
    (
        "tripod",
        include_str!("../../../../robots/rhex/gaits/tripod.toml"),
    ),
    (
        "wave",
        include_str!("../../../../robots/rhex/gaits/wave.toml"),
    ),
    (
        "bound",
        include_str!("../../../../robots/rhex/gaits/bound.toml"),
    ),
    (
        "pronk",
        include_str!("../../../../robots/rhex/gaits/pronk.toml"),
    ),
];

/// A built-in gait.
///
/// # Errors
/// There is none of this name: the nearest and all that there are.
pub(crate) fn gait_by_name(name: &str) -> Result<Gait, String> {
    let known = || GAITS.iter().map(|(name, _)| *name);
    let Some((_, text)) = GAITS.iter().find(|(known, _)| *known == name) else {
        let near = did_you_mean(name, known());
        let known: Vec<&str> = known().collect();
        return Err(format!(
            "there is no gait \"{name}\"{near}; the gaits are {}, or give a file that ends in .toml",
            known.join(", ")
        ));
    };
    toml::from_str(text).map_err(|e| e.message().to_string())
}

/// A gait from a file.
///
/// # Errors
/// The file cannot be read or is no gait, with its place.
pub fn read_gait(path: &Path) -> Result<Gait, ScenarioError> {
    let file = path.display().to_string();
    let text = read_bounded_text(path).map_err(|error| ScenarioError::unreadable(path, error))?;
    let gait: Gait =
        toml::from_str(&text).map_err(|e| ScenarioError::from_toml(&file, &text, &e))?;
    gait.validate(&file)
        .map_err(|ControlError { reason }| ScenarioError::value(&file, "gait", reason))?;
    Ok(gait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_gait_is_sound() {
        for (name, _) in GAITS {
            gait_by_name(name).unwrap().validate(name).unwrap();
        }
        assert!(gait_by_name("tripd").unwrap_err().contains("\"tripod\""));
    }
}
