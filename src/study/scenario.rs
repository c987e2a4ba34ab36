//! Scenario files: one text that describes an experiment.
//!
//! Unknown keys are errors that suggest the nearest known key; a key that the chosen base, law or
//! controller would ignore is an error too. Relative paths are relative to the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::granular_scenario::steps_particles;
use super::scenario_baseline::BaselineEntry;
use super::scenario_external::ExternalEntry;
use super::scenario_override::apply_override;
use super::{ExportFormat, GaitEntry, LocomotionEntry, ScenarioError};
use crate::contact::Combination;
use crate::control::Schedule;
use crate::discrete::StepSettings;
use crate::model::Base;

/// A whole experiment. Every field with a default is filled in when the scenario is written back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it shows, in a line.
    #[serde(default)]
    pub description: String,
    /// Nominal step \[s\].
    pub time_step: f64,
    /// Length of the run \[s\].
    pub duration: f64,
    /// The robot.
    pub robot: RobotEntry,
    /// Where it starts.
    #[serde(default)]
    pub initial: InitialEntry,
    /// How impacts are resolved.
    #[serde(default)]
    pub impact: ImpactEntry,
    /// What touches what.
    #[serde(default)]
    pub contact: ContactEntry,
    /// Pieces of the fixed world.
    #[serde(default)]
    pub terrain: Vec<TerrainEntry>,
    /// Springs and dampers added to the robot.
    #[serde(default)]
    pub spring: Vec<SpringEntry>,
    /// Who drives the joints.
    #[serde(default)]
    pub controller: ControllerEntry,
    /// What the report on locomotion is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locomotion: Option<LocomotionEntry>,
    /// How steps are solved.
    #[serde(default)]
    pub stepper: StepperEntry,
    /// What is written.
    #[serde(default)]
    pub output: OutputEntry,
    /// What a baseline of it holds.
    #[serde(default, skip_serializing_if = "BaselineEntry::is_default")]
    pub baseline: BaselineEntry,
}

/// Which robot, on which base, in which gravity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobotEntry {
    /// URDF or xacro file.
    pub file: PathBuf,
    /// How the root link is held.
    #[serde(default = "fixed_base")]
    pub base: Base,
    /// Acceleration of gravity \[m/s²\].
    #[serde(default = "standard_gravity")]
    pub gravity: [f64; 3],
    /// Folders of packages, for `package://name/…`.
    #[serde(default)]
    pub packages: BTreeMap<String, PathBuf>,
    /// Values of xacro arguments.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// Factors on the masses and rotational inertias of links, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mass_scale: BTreeMap<String, f64>,
}

fn fixed_base() -> Base {
    Base::Fixed
}

fn standard_gravity() -> [f64; 3] {
    [0.0, 0.0, -9.81]
}

/// The state at time zero; what is not given is zero.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InitialEntry {
    /// Base: `position`, `quaternion`, `twist`, or `x`, `z`, `pitch`, `vx`, `vz`, `wpitch`.
    pub base: BTreeMap<String, toml::Value>,
    /// Joint positions \[rad or m\].
    pub joints: BTreeMap<String, f64>,
    /// Joint velocities \[rad/s or m/s\].
    pub velocities: BTreeMap<String, f64>,
}

/// How impacts are resolved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ImpactEntry {
    /// Name of the law.
    pub law: String,
    /// Which violated contact acts first, for laws that treat contacts one after the other; `all`
    /// follows every outcome as a branch of its own.
    pub order: String,
    /// Seed of laws and orders that draw at random.
    pub seed: u64,
    /// Further parameters of the law.
    pub parameters: BTreeMap<String, toml::Value>,
    /// Whether a contact that strikes again within one step is made plastic and held.
    pub zeno: bool,
    /// Contacts with gaps below this at an impact take part in it \[m\].
    pub simultaneity: f64,
    /// States that the count of outcomes of one impact may explore.
    pub verdict_budget: usize,
    /// Branches followed at once with `order = "all"`.
    pub branch_budget: usize,
    /// Branches whose states agree to this are merged (kinetic distance over ‖p‖).
    pub branch_tolerance: f64,
}

impl Default for ImpactEntry {
    fn default() -> Self {
        Self {
            law: "propagative".to_string(),
            order: "most-violated".to_string(),
            seed: 0,
            parameters: BTreeMap::new(),
            zeno: true,
            simultaneity: 1e-8,
            verdict_budget: 20_000,
            branch_budget: 64,
            branch_tolerance: 1e-9,
        }
    }
}

/// Contact sites and their material.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ContactEntry {
    /// Friction of sites that state none.
    pub friction: f64,
    /// Restitution of sites that state none.
    pub restitution: f64,
    /// How the coefficients of two surfaces combine.
    pub combination: Combination,
    /// Whether sphere collisions of the robot become sites.
    pub spheres: bool,
    /// Declared sites.
    pub site: Vec<SiteEntry>,
    /// Pairs of sites that can touch each other.
    pub pairs: Vec<[String; 2]>,
}

impl Default for ContactEntry {
    fn default() -> Self {
        Self {
            friction: 0.0,
            restitution: 1.0,
            combination: Combination::Minimum,
            spheres: true,
            site: Vec::new(),
            pairs: Vec::new(),
        }
    }
}

/// One declared contact site.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteEntry {
    /// Name, unique.
    pub name: String,
    /// Link that carries it.
    pub link: String,
    /// Shape.
    pub kind: SiteKind,
    /// Centre in the link's frame \[m\].
    #[serde(default)]
    pub position: [f64; 3],
    /// Radius of a sphere, an arc or a disc \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Two orthogonal directions of an arc's plane, in the link's frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axes: Option<[[f64; 3]; 2]>,
    /// First angle of an arc \[rad\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Last angle of an arc \[rad\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<f64>,
    /// Radius of the tube around an arc \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thickness: Option<f64>,
    /// Normal of a disc in the link's frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Edge lengths of a box \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<[f64; 3]>,
    /// Roll, pitch and yaw of a box in the link's frame \[rad\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rpy: Option<[f64; 3]>,
    /// Coefficient of friction; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution; that of the contacts when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
}

/// Shape of a declared site.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SiteKind {
    /// The centre itself.
    Point,
    /// Sphere: `radius`.
    Sphere,
    /// Arc of a circle, as of a C-leg: `axes`, `radius`, `start`, `end`, `thickness`. Its points are
    /// centre + radius (cos θ axes₀ + sin θ axes₁).
    Arc,
    /// The eight corners of a box: `size`, `rpy`.
    Box,
    /// Edge of a disc: `axis`, `radius`.
    Disc,
}

/// A piece of the fixed world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum TerrainEntry {
    /// Half-space below a plane.
    Plane {
        /// Name, unique.
        name: String,
        /// A point of the plane \[m\].
        #[serde(default)]
        point: [f64; 3],
        /// Outward normal, of any length.
        #[serde(default = "upward")]
        normal: [f64; 3],
        /// Coefficient of friction; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        friction: Option<f64>,
        /// Coefficient of restitution; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
    },
    /// Axis-aligned box: a step.
    Box {
        /// Name, unique.
        name: String,
        /// Lowest corner \[m\].
        min: [f64; 3],
        /// Highest corner \[m\].
        max: [f64; 3],
        /// Coefficient of friction; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        friction: Option<f64>,
        /// Coefficient of restitution; that of the contacts when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        restitution: Option<f64>,
    },
}

fn upward() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

/// A spring and damper: at a `joint` with `rest`, or between `points` of two `links` with
/// `rest_length`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpringEntry {
    /// Name of the joint.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub joint: Option<String>,
    /// Position of the joint without force \[rad or m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<f64>,
    /// Names of two links; `world` is a point of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<[String; 2]>,
    /// The points in the links' frames \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<[[f64; 3]; 2]>,
    /// Length without force \[m\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest_length: Option<f64>,
    /// \[N m/rad or N/m\].
    #[serde(default)]
    pub stiffness: f64,
    /// \[N m s/rad or N s/m\].
    #[serde(default)]
    pub damping: f64,
}

/// Who drives the joints.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ControllerEntry {
    /// Nobody.
    #[default]
    None,
    /// Position control.
    Servo {
        /// The driven joints.
        joint: Vec<ServoEntry>,
    },
    /// Holds joints until the first impact, then turns them.
    HoldThenSpin {
        /// Names of the joints.
        joints: Vec<String>,
        /// \[N m/rad\].
        stiffness: f64,
        /// \[N m s/rad\].
        damping: f64,
        /// Largest effort \[N m\].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort_limit: Option<f64>,
        /// Rate after the first impact \[rad/s\].
        rate: f64,
        /// Time from the first impact to the start of the turn \[s\].
        #[serde(default)]
        delay: f64,
    },
    /// A program of its own.
    External(ExternalEntry),
    /// Legs that walk by a gait.
    Gait(GaitEntry),
}

/// One joint under position control.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServoEntry {
    /// Name of the joint.
    pub name: String,
    /// \[N m/rad or N/m\].
    pub stiffness: f64,
    /// \[N m s/rad or N s/m\].
    #[serde(default)]
    pub damping: f64,
    /// Wanted position: a number or points \[time, position\]; the initial position when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Schedule>,
    /// Effort added: a number or points \[time, effort\].
    #[serde(default)]
    pub feed_forward: Schedule,
    /// Largest effort \[N m or N\].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort_limit: Option<f64>,
}

/// How steps are solved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StepperEntry {
    /// The variational integrator; `time-stepping` is for particles without a robot.
    pub kind: StepperKind,
    /// Order of the integrator in free flight: 2, 4, 6 or 8.
    pub order: u32,
    /// Residual tolerance relative to the momentum scale.
    pub tolerance: f64,
    /// Iterations before a step counts as failed.
    pub max_iterations: usize,
    /// How often a failed step is halved.
    pub max_halvings: usize,
}

impl Default for StepperEntry {
    fn default() -> Self {
        let StepSettings {
            tolerance,
            max_iterations,
            max_halvings,
        } = StepSettings::default();
        Self {
            kind: StepperKind::Variational,
            order: 2,
            tolerance,
            max_iterations,
            max_halvings,
        }
    }
}

/// How time is stepped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepperKind {
    /// Midpoint variational integrator with located events, for robots.
    #[default]
    Variational,
    /// Impulse-velocity time stepping without events, for many free spheres
    /// ([`GranularScenario`](super::GranularScenario)).
    TimeStepping,
}

/// What is written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OutputEntry {
    /// Steps between rows of the series.
    pub every: u64,
    /// Whether pictures are drawn.
    pub plots: bool,
    /// Whether `replay.html` is written.
    pub replay: bool,
    /// Formats of other programs, beside CSV.
    pub export: Vec<ExportFormat>,
}

impl Default for OutputEntry {
    fn default() -> Self {
        Self {
            every: 10,
            plots: true,
            replay: true,
            export: Vec::new(),
        }
    }
}

impl Scenario {
    /// Reads a scenario file, applies overrides `key=value` (keys with dots), and makes its paths
    /// relative to the working directory.
    ///
    /// # Errors
    /// A file that cannot be read or is not a scenario: the message names the file, the line and
    /// the nearest key.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let text = std::fs::read_to_string(path).map_err(|error| ScenarioError::Unreadable {
            file: path.display().to_string(),
            reason: error.to_string(),
        })?;
        let mut scenario = Self::parse(&path.display().to_string(), &text, overrides)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        scenario.find_paths_from(folder);
        Ok(scenario)
    }

    /// Parses the text of a scenario; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`Scenario::read`], except reading.
    pub fn parse(file: &str, text: &str, overrides: &[String]) -> Result<Self, ScenarioError> {
        let bad = |error: toml::de::Error, text: &str| ScenarioError::from_toml(file, text, &error);
        if steps_particles(text) {
            return Err(ScenarioError::Value {
                file: file.to_string(),
                place: "stepper.kind".to_string(),
                reason: "a \"time-stepping\" scenario has particles and no robot; only `carom simulate` and \
                         `carom compare` take it"
                    .to_string(),
            });
        }
        // Parsed once as it stands, so that messages point into the file …
        let plain: Self = toml::from_str(text).map_err(|e| bad(e, text))?;
        if overrides.is_empty() {
            plain.check(file)?;
            return Ok(plain);
        }
        // … and again with the overrides.
        let mut table: toml::Table = toml::from_str(text).map_err(|e| bad(e, text))?;
        for entry in overrides {
            apply_override(&mut table, entry).map_err(|reason| ScenarioError::Override {
                entry: entry.clone(),
                reason,
            })?;
        }
        let scenario = Self::from_overridden(file, &table, overrides)?;
        scenario.check(file)?;
        Ok(scenario)
    }

    /// A scenario from a table to which overrides were applied, which a complaint names.
    pub(super) fn from_overridden(
        file: &str,
        table: &toml::Table,
        overrides: &[String],
    ) -> Result<Self, ScenarioError> {
        let refused = |reason: String| ScenarioError::Override {
            entry: overrides.join(" "),
            reason,
        };
        let merged = toml::to_string(table).map_err(|e| refused(e.to_string()))?;
        toml::from_str(&merged)
            .map_err(|error| refused(ScenarioError::from_toml(file, &merged, &error).reason()))
    }

    /// Ranges that no part of the simulation checks itself.
    pub(super) fn check(&self, file: &str) -> Result<(), ScenarioError> {
        check_times(file, self.time_step, self.duration, self.output.every)?;
        if self.stepper.kind != StepperKind::Variational {
            return Err(ScenarioError::Value {
                file: file.to_string(),
                place: "stepper.kind".to_string(),
                reason: "\"time-stepping\" is for particles; a robot is stepped by \"variational\""
                    .to_string(),
            });
        }
        Ok(())
    }

    /// Number of steps of the run.
    #[must_use]
    pub fn steps(&self) -> u64 {
        (self.duration / self.time_step).round() as u64
    }

    /// The scenario as text, every default filled in.
    ///
    /// # Errors
    /// A value that TOML cannot write.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

/// Checks step, duration and the interval of output.
pub(super) fn check_times(
    file: &str,
    time_step: f64,
    duration: f64,
    every: u64,
) -> Result<(), ScenarioError> {
    let wrong = |place: &str, reason: String| ScenarioError::Value {
        file: file.to_string(),
        place: place.to_string(),
        reason,
    };
    if !(time_step.is_finite() && time_step > 0.0) {
        let reason = format!("it is {time_step}, it must be positive");
        return Err(wrong("time_step", reason));
    }
    if !(duration.is_finite() && duration >= 0.0) {
        let reason = format!("it is {duration}, it must be at least 0");
        return Err(wrong("duration", reason));
    }
    let steps = duration / time_step;
    if steps > 1e12 {
        let reason = format!("{steps} steps of {time_step} s are too many");
        return Err(wrong("duration", reason));
    }
    if every == 0 {
        let reason = "it is 0, it must be at least 1";
        return Err(wrong("output.every", reason.to_string()));
    }
    Ok(())
}
