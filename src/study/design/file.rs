//! Design files: one text that describes a design problem.
//!
//! Unknown keys are errors that suggest the nearest known key. Relative paths are relative to the file.
//!
//! A parameter is an argument of a xacro robot of the same name (`<xacro:arg name="r1"/>`), or acts on numbers of
//! a plain one: each of its `acts` names a joint or a link, an `entry` of it, and `set = k` (the entry becomes k times
//! the parameter), `add = k` (k times the parameter is added), or `multiply = k` (times the parameter to the power k).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::drop::DropEntry;
use super::solver::SolverEntry;
use crate::files::read_bounded_text;
use crate::scenario::{
    BaseEntry, ContactEntry, RobotEntry, ScenarioError, TerrainEntry, parse_overridden,
};

/// A whole design problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DesignFile {
    /// What it is for, in a line.
    #[serde(default)]
    #[schemars(example = &"Foot and tail strike together, in any order with one outcome")]
    pub description: String,
    /// The robot, without what a robot of a scenario has as one of several.
    #[schemars(extend("not" = {"anyOf": [
        {"required": ["name"]}, {"required": ["position"]}, {"required": ["rpy"]}, {"required": ["initial"]},
        {"required": ["controller"]}, {"required": ["spring"]}, {"required": ["site"]}
    ]}))]
    pub robot: RobotEntry,
    /// Free parameters of the robot.
    #[serde(default)]
    pub parameter: Vec<ParameterEntry>,
    /// What the design keeps.
    #[serde(default)]
    pub keep: Vec<KeepEntry>,
    /// Contact sites.
    #[serde(default)]
    pub contact: ContactEntry,
    /// Pieces of the fixed world.
    #[serde(default)]
    pub(crate) terrain: Vec<TerrainEntry>,
    /// Configurations at impact.
    pub stance: Vec<StanceEntry>,
    /// How the drop that proves the design is simulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drop: Option<DropEntry>,
    /// How it is solved.
    #[serde(default)]
    pub solver: SolverEntry,
}

/// A free parameter of the robot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParameterEntry {
    /// Name, unique; that of a xacro argument unless it `acts` on entries.
    #[schemars(example = &"thigh_length")]
    pub name: String,
    /// Unit, for tables.
    #[serde(default)]
    #[schemars(example = &"m")]
    pub unit: String,
    /// Value at the start; the default of the xacro argument when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.25)]
    pub start: Option<f64>,
    /// Least value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.15)]
    pub lower: Option<f64>,
    /// Largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.4)]
    pub upper: Option<f64>,
    /// The change that counts as much as a change of 1 rad of a joint.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
    /// What it changes in a plain robot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub acts: Vec<ActEntry>,
}

fn one() -> f64 {
    1.0
}

/// One number of a plain robot that a parameter changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["joint"]}, {"required": ["link"]}]))]
pub struct ActEntry {
    /// Name of a joint; either this or `link`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"LF_KFE")]
    pub joint: Option<String>,
    /// Name of a link; either this or `joint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"LF_SHANK")]
    pub link: Option<String>,
    /// `origin.x` … `origin.yaw` of a joint; `mass`, `center.x` …, `inertia`, `inertia.ixx` … of a link.
    #[schemars(example = &"origin.z")]
    pub entry: String,
    /// The entry becomes this many times the parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = -1.0)]
    pub set: Option<f64>,
    /// This many times the parameter is added to the entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.5)]
    pub add: Option<f64>,
    /// The entry is multiplied by this power of the parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 2.0)]
    pub multiply: Option<f64>,
}

/// Something that the design keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeepEntry {
    /// `mass` or `length`.
    #[schemars(example = &"mass")]
    pub quantity: KeepKind,
    /// A length is the sum of these parameters.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["thigh_length", "shank_length"]]))]
    pub parameters: Vec<String>,
    /// Value to keep \[kg or m\]; that of the start when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.5)]
    pub value: Option<f64>,
    /// Weight of the squared relative change; it is kept exactly when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 1.0)]
    pub weight: Option<f64>,
}

/// What a design can keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum KeepKind {
    /// The robot's mass.
    Mass,
    /// A sum of parameters.
    Length,
}

/// A motion before the impact for which the indeterminacy ξ is to be 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionEntry {
    /// Height fallen through from rest \[m\]; either this or rates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.17)]
    pub drop_height: Option<f64>,
    /// Rates of the base: `twist`, or `vx`, `vz`, `wpitch`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(with = "BaseEntry")]
    pub base: BTreeMap<String, toml::Value>,
    /// Joint velocities \[rad/s or m/s\].
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("examples" = [{"hip": 0.5}]))]
    pub velocities: BTreeMap<String, f64>,
    /// Weight in a compromise.
    #[serde(default = "one")]
    #[schemars(range(min = 0))]
    pub weight: f64,
}

/// A configuration at impact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StanceEntry {
    /// Name, unique.
    #[schemars(example = &"landing")]
    pub name: String,
    /// Base: `position`, `quaternion`, or `x`, `z`, `pitch`; with rates as in a scenario.
    #[serde(default)]
    #[schemars(with = "BaseEntry")]
    pub base: BTreeMap<String, toml::Value>,
    /// Joint positions \[rad or m\].
    #[serde(default)]
    #[schemars(extend("examples" = [{"hip": 0.5}]))]
    pub joints: BTreeMap<String, f64>,
    /// Joint velocities before the impact \[rad/s or m/s\], for ξ.
    #[serde(default)]
    #[schemars(extend("examples" = [{"hip": 0.5}]))]
    pub velocities: BTreeMap<String, f64>,
    /// Instead of velocities: the height fallen through from rest \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), example = 0.17)]
    pub drop_height: Option<f64>,
    /// Contacts that touch; all others stay open.
    #[schemars(extend("examples" = [["foot", "tail"]]))]
    pub touch: Vec<String>,
    /// Wanted cosines; all pairs orthogonal when absent, unless there is something to minimise.
    #[serde(default)]
    pub target: Vec<TargetEntry>,
    /// Motions before the impact for which the indeterminacy is to be 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minimise: Vec<MotionEntry>,
    /// Least gap of the contacts that do not touch \[m\].
    #[serde(default)]
    pub clearance: f64,
    /// Least gaps of single contacts that do not touch \[m\], by name, instead of `clearance`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("examples" = [{"knee": 0.01}]))]
    pub clearances: BTreeMap<String, f64>,
    /// Free coordinates.
    #[serde(default)]
    pub free: Vec<FreeEntry>,
}

/// A wanted cosine: 0, −cos(π/order), or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetEntry {
    /// Names of two contacts that touch.
    #[schemars(extend("examples" = [["foot", "tail"]]))]
    pub contacts: [String; 2],
    /// m of −cos(π/m), at least 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2), example = 3)]
    pub order: Option<u32>,
    /// The cosine itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1), example = -0.5)]
    pub cosine: Option<f64>,
    /// Weight in a compromise.
    #[serde(default = "one")]
    #[schemars(range(min = 0))]
    pub weight: f64,
}

/// A free coordinate: `base.x`, `base.z`, `base.pitch` (planar), `base.x` … `base.yaw` (floating), or a joint.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FreeEntry {
    /// Name of the coordinate.
    #[schemars(example = &"base.pitch")]
    pub name: String,
    /// Least value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = -0.5)]
    pub lower: Option<f64>,
    /// Largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.5)]
    pub upper: Option<f64>,
    /// The change that counts as much as 1 rad.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
}

impl DesignFile {
    /// Reads a design file, applies overrides `key=value` (keys with dots), and makes its paths relative to the working
    /// directory.
    ///
    /// # Errors
    /// A file that cannot be read or is no design: the message names the file, the line and the nearest key; an override
    /// that does not fit.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let text =
            read_bounded_text(path).map_err(|error| ScenarioError::unreadable(path, error))?;
        let mut file = Self::parse(&path.display().to_string(), &text, overrides)?;
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
    pub fn parse(file: &str, text: &str, overrides: &[String]) -> Result<Self, ScenarioError> {
        let design: Self = parse_overridden(file, text, overrides)?;
        if let Some((place, reason)) = design.solver.defect() {
            return Err(ScenarioError::value(file, place, reason));
        }
        Ok(design)
    }
}
