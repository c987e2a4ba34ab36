//! Design files: one text that describes a design problem.
//!
//! Unknown keys are errors that suggest the nearest known key. Relative paths are relative to the file.
//!
//! A parameter is an argument of a xacro robot of the same name (`<xacro:arg name="r1"/>`), or acts on numbers of
//! a plain one: each of its `acts` names a joint or a link, an `entry` of it, and `set = k` (the entry becomes k times
//! the parameter), `add = k` (k times the parameter is added), or `multiply = k` (times the parameter to the power k).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ContactEntry, RobotEntry, ScenarioError, TerrainEntry};
use crate::design::{DesignSettings, Method};

/// A whole design problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DesignFile {
    /// What it is for, in a line.
    #[serde(default)]
    pub description: String,
    /// The robot.
    pub robot: RobotEntry,
    /// Free parameters of the robot.
    #[serde(default)]
    pub parameter: Vec<ParameterEntry>,
    /// Contact sites.
    #[serde(default)]
    pub contact: ContactEntry,
    /// Pieces of the fixed world.
    #[serde(default)]
    pub terrain: Vec<TerrainEntry>,
    /// Configurations at impact.
    pub stance: Vec<StanceEntry>,
    /// How it is solved.
    #[serde(default)]
    pub solver: SolverEntry,
}

/// A free parameter of the robot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParameterEntry {
    /// Name, unique; that of a xacro argument unless it `acts` on entries.
    pub name: String,
    /// Unit, for tables.
    #[serde(default)]
    pub unit: String,
    /// Value at the start; the default of the xacro argument when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Least value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// The change that counts as much as a change of 1 rad of a joint.
    #[serde(default = "one")]
    pub scale: f64,
    /// What it changes in a plain robot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<ActEntry>,
}

fn one() -> f64 {
    1.0
}

/// One number of a plain robot that a parameter changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActEntry {
    /// Name of a joint …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// … or of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// `origin.x` … `origin.yaw` of a joint; `mass`, `center.x` …, `inertia`, `inertia.ixx` … of a link.
    pub entry: String,
    /// The entry becomes this many times the parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub set: Option<f64>,
    /// This many times the parameter is added to the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add: Option<f64>,
    /// The entry is multiplied by this power of the parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiply: Option<f64>,
}

/// A configuration at impact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StanceEntry {
    /// Name, unique.
    pub name: String,
    /// Base: `position`, `quaternion`, or `x`, `z`, `pitch`; with rates as in a scenario.
    #[serde(default)]
    pub base: BTreeMap<String, toml::Value>,
    /// Joint positions \[rad or m\].
    #[serde(default)]
    pub joints: BTreeMap<String, f64>,
    /// Joint velocities before the impact \[rad/s or m/s\], for ξ.
    #[serde(default)]
    pub velocities: BTreeMap<String, f64>,
    /// Instead of velocities: the height fallen through from rest \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop_height: Option<f64>,
    /// Contacts that touch; all others stay open.
    pub touch: Vec<String>,
    /// Wanted cosines; all pairs orthogonal when absent.
    #[serde(default)]
    pub target: Vec<TargetEntry>,
    /// Least gap of the contacts that do not touch \[m\].
    #[serde(default)]
    pub clearance: f64,
    /// Free coordinates.
    #[serde(default)]
    pub free: Vec<FreeEntry>,
}

/// A wanted cosine: 0, −cos(π/order), or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    /// Names of two contacts that touch.
    pub contacts: [String; 2],
    /// m of −cos(π/m), at least 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<u32>,
    /// The cosine itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cosine: Option<f64>,
    /// Weight in a compromise.
    #[serde(default = "one")]
    pub weight: f64,
}

/// A free coordinate: `base.x`, `base.z`, `base.pitch` (planar), `base.x` … `base.yaw` (floating), or a joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FreeEntry {
    /// Name of the coordinate.
    pub name: String,
    /// Least value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// The change that counts as much as 1 rad.
    #[serde(default = "one")]
    pub scale: f64,
}

/// How it is solved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SolverEntry {
    /// `auto`, `nearest` or `compromise`.
    pub method: Method,
    /// Largest gap \[m\] and error of a cosine at a root.
    pub tolerance: f64,
    /// Step, in units of the scales, below which the distance counts as stationary.
    pub stationarity: f64,
    /// Newton steps before giving up.
    pub max_iterations: usize,
    /// Weight of the squared distance to the start in a compromise.
    pub stay: f64,
    /// Number of starting points; the first is the start itself.
    pub starts: u64,
    /// Seed of the other starting points.
    pub seed: u64,
}

impl Default for SolverEntry {
    fn default() -> Self {
        let DesignSettings {
            method,
            tolerance,
            stationarity,
            max_iterations,
            stay,
        } = DesignSettings::default();
        Self {
            method,
            tolerance,
            stationarity,
            max_iterations,
            stay,
            starts: 1,
            seed: 0,
        }
    }
}

impl SolverEntry {
    /// As the library's settings.
    #[must_use]
    pub fn settings(&self) -> DesignSettings {
        DesignSettings {
            method: self.method,
            tolerance: self.tolerance,
            stationarity: self.stationarity,
            max_iterations: self.max_iterations,
            stay: self.stay,
        }
    }
}

impl DesignFile {
    /// Reads a design file and makes its paths relative to the working directory.
    ///
    /// # Errors
    /// A file that cannot be read or is no design: the message names the file, the line and the nearest key.
    pub fn read(path: &Path) -> Result<Self, ScenarioError> {
        let text = std::fs::read_to_string(path).map_err(|error| ScenarioError::Unreadable {
            file: path.display().to_string(),
            reason: error.to_string(),
        })?;
        let mut file = Self::parse(&path.display().to_string(), &text)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        let paths = std::iter::once(&mut file.robot.file).chain(file.robot.packages.values_mut());
        for entry in paths {
            if entry.is_relative() && !entry.starts_with("package:") {
                *entry = PathBuf::from(folder).join(&*entry);
            }
        }
        Ok(file)
    }

    /// Parses the text of a design file; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`DesignFile::read`], except reading.
    pub fn parse(file: &str, text: &str) -> Result<Self, ScenarioError> {
        let design: Self =
            toml::from_str(text).map_err(|e| ScenarioError::from_toml(file, text, &e))?;
        let solver = &design.solver;
        let positive = [
            ("solver.tolerance", solver.tolerance),
            ("solver.stationarity", solver.stationarity),
        ];
        let bad = positive
            .into_iter()
            .find(|(_, x)| !(x.is_finite() && *x > 0.0));
        let bad = bad.map(|(place, x)| (place, format!("it is {x}, it must be positive")));
        let stay = (!(solver.stay.is_finite() && solver.stay >= 0.0)).then(|| {
            (
                "solver.stay",
                format!("it is {}, it must be at least 0", solver.stay),
            )
        });
        let counts = (solver.max_iterations == 0 || solver.starts == 0).then(|| {
            (
                "solver",
                "max_iterations and starts must be at least 1".to_string(),
            )
        });
        if let Some((place, reason)) = bad.or(stay).or(counts) {
            return Err(ScenarioError::Value {
                file: file.to_string(),
                place: place.to_string(),
                reason,
            });
        }
        Ok(design)
    }
}
