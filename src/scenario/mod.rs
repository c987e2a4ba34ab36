//! Scenarios: one TOML text that describes an experiment, and the simulation made from it.
//!
//! | table | what it says |
//! |---|---|
//! | top level | `description`, `time_step` (s), `duration` (s) |
//! | `[robot]`, `[[robot]]` | file (URDF, xacro), base, gravity (m/s²), limits, masses, joints; of several robots each its name, its place, its start and its controller |
//! | `[initial]` | state file, positions and rates by name |
//! | `[contact]`, `[[terrain]]` | sites, pairs, friction, restitution, how coefficients combine; pieces of the fixed world, each of a kind |
//! | `[impact]` | law, order, seed, parameters, budgets of verdicts and branches |
//! | `[[spring]]`, `[controller]` | springs added to the robot; who drives the joints (names, patterns, a default) |
//! | `[stepper]`, `[output]` | order, tolerances, switches; rows, plots, replay, exports |
//! | `[locomotion]`, `[baseline]`, `[orbit]` | what reports, baselines and periodic orbits are about |
//!
//! [`Scenario::read`] applies overrides (`key=value`, keys with dots, as `--set`). Unknown keys are errors that suggest
//! the nearest one; a key that the chosen base, law or controller would ignore is an error too. Relative paths are
//! relative to the file. Written back, a scenario has every default filled in, and running it again gives the same
//! bits.
//!
//! [`Experiment`] resolves all names (robot, contacts, laws, controller, initial state) and makes simulations, also
//! from a saved state. State files are JSON: base position, quaternion (x, y, z, w) and twist, joints and velocities by
//! name.
//!
//! [`starter`] makes a scenario for a robot of which nothing but its file is known.
//!
//! Limits: a granular scenario (`stepper.kind = "time-stepping"`) has no robot and is read by the room `study`.
//!
//! # Example
//!
//! ```
//! use carom::hybrid::Unwatched;
//! use carom::scenario::{Experiment, Scenario};
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/cradle/three.toml");
//! let scenario = Scenario::read(&file, &["duration=0.2".to_string()])?;
//! assert_eq!(scenario.duration, 0.2);
//! let experiment = Experiment::new("cradle", scenario)?;
//! let mut simulation = experiment.simulation()?;
//! simulation.run_until(0.2, &mut Unwatched)?;
//! assert_eq!(simulation.state().step, experiment.scenario.steps());
//! let wrong = Scenario::read(&file, &["impact.ordr=index".to_string()]).unwrap_err();
//! assert!(wrong.to_string().contains("order"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cache;
mod entries;
mod error;
mod experiment;
mod keys;
mod overview;
mod parameter;
mod robot_state;
mod scene;
pub mod starter;
mod state_error;

pub use cache::ExperimentCache;
pub use entries::{
    BaselineEntry, ContactEntry, ControllerEntry, ExportFormat, ExternalEntry, GaitChoice,
    GaitEntry, GaitLegEntry, ImpactEntry, LocomotionEntry, OrbitEntry, OutputEntry, RobotEntry,
    Robots, RobustEntry, ServoDefault, ServoEntry, SpringEntry, SymmetryEntry, UnavailableFormat,
    read_gait,
};
pub(crate) use entries::{
    CrossingDirection, InitialEntry, JointEntry, LatchEntry, ObjectEntry, PerturbEntry,
    SectionKind, SelfContact, SiteEntry, SiteKind, StepperEntry, StepperKind, TerrainEntry,
    check_restitution, unused_friction,
};
pub use error::ScenarioError;
pub use experiment::Experiment;
pub use keys::ROBOT_FILE;
pub(crate) use keys::{
    apply_overrides, digest, from_overridden, hexadecimal, number_at, parse_overridden,
    relative_path,
};
pub use overview::{
    BodyPair, CollisionShape, Exclusion, GroundContacts, Inspection, JointSummary, MimicSummary,
    NotFinite, SceneSummary, SphereSite, StateQuantities, TerrainSummary, TouchingSummary,
    TreeSummary,
};
pub use robot_state::RobotState;
pub(crate) use robot_state::{BaseEntry, StateEntry, joints};
pub use state_error::StateError;

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::read_bounded_text;

/// A whole experiment. Every field with a default is filled in when the scenario is written back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it shows, in a line.
    #[serde(default)]
    #[schemars(example = &"A quadruped falls 15 cm onto its feet and stands")]
    pub description: String,
    /// Nominal step \[s\].
    #[schemars(extend("exclusiveMinimum" = 0), example = 1e-3)]
    pub time_step: f64,
    /// Length of the run \[s\].
    #[schemars(range(min = 0), example = 3.0)]
    pub duration: f64,
    /// The robot; several as `[[robot]]`, each with a name.
    pub robot: Robots,
    /// Where it starts.
    #[serde(default)]
    pub(crate) initial: InitialEntry,
    /// How impacts are resolved.
    #[serde(default)]
    pub impact: ImpactEntry,
    /// What touches what.
    #[serde(default)]
    pub contact: ContactEntry,
    /// Pieces of the fixed world.
    #[serde(default)]
    pub(crate) terrain: Vec<TerrainEntry>,
    /// Loose bodies beside the robot.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = []))]
    pub(crate) object: Vec<ObjectEntry>,
    /// Springs and dampers added to the robot.
    #[serde(default)]
    pub spring: Vec<SpringEntry>,
    /// Latches that catch joints at their limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("default" = []))]
    pub(crate) latch: Vec<LatchEntry>,
    /// Who drives the joints.
    #[serde(default)]
    pub controller: ControllerEntry,
    /// What the report on locomotion is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locomotion: Option<LocomotionEntry>,
    /// Which periodic orbit `carom orbit` looks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub orbit: Option<OrbitEntry>,
    /// How steps are solved.
    #[serde(default)]
    pub(crate) stepper: StepperEntry,
    /// What is written.
    #[serde(default)]
    pub output: OutputEntry,
    /// What a baseline of it holds.
    #[serde(default, skip_serializing_if = "BaselineEntry::is_default")]
    pub baseline: BaselineEntry,
}

impl Scenario {
    /// Reads a scenario file, applies overrides `key=value` (keys with dots), and makes its paths
    /// relative to the working directory.
    ///
    /// # Errors
    /// A file that cannot be read or is not a scenario: the message names the file, the line and
    /// the nearest key.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let text =
            read_bounded_text(path).map_err(|error| ScenarioError::unreadable(path, error))?;
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
            let reason = "a \"time-stepping\" scenario has particles and no robot; only `carom simulate` and \
                          `carom compare` take it";
            return Err(ScenarioError::value(file, "stepper.kind", reason));
        }
        // Parsed once as it stands, so that messages point into the file …
        let plain: Self = toml::from_str(text).map_err(|e| bad(e, text))?;
        if let Ok(table) = toml::from_str(text) {
            plain.check_lists(file, &table)?;
        }
        if overrides.is_empty() {
            plain.check(file)?;
            return Ok(plain);
        }
        // … and again with the overrides.
        let mut table: toml::Table = toml::from_str(text).map_err(|e| bad(e, text))?;
        apply_overrides(&mut table, overrides)?;
        let scenario: Self = from_overridden(file, &table, overrides)?;
        scenario.check_lists(file, &table)?;
        scenario.check(file)?;
        Ok(scenario)
    }

    /// Refuses lists of the table that it was read from of which it took the first entries alone.
    fn check_lists(&self, file: &str, table: &toml::Table) -> Result<(), ScenarioError> {
        // What cannot be written has no list to compare.
        let read = toml::Table::try_from(self).unwrap_or_default();
        match keys::too_long(table, &read) {
            None => Ok(()),
            Some((place, given, taken)) => {
                let reason = format!("it has {given} entries, it takes {taken}; remove the others");
                Err(ScenarioError::value(file, place, reason))
            }
        }
    }

    /// Ranges that no part of the simulation checks itself.
    pub(crate) fn check(&self, file: &str) -> Result<(), ScenarioError> {
        check_times(file, self.time_step, self.duration, self.output.every)?;
        check_count(file, "output.contacts", self.output.contacts as u64)?;
        if self.stepper.kind != StepperKind::Variational {
            let reason =
                "\"time-stepping\" is for particles; a robot is stepped by \"variational\"";
            return Err(ScenarioError::value(file, "stepper.kind", reason));
        }
        self.check_robots(file)?;
        if self.orbit.is_some() && self.terrain.iter().any(TerrainEntry::is_shaken) {
            let reason = "the terrain moves by itself; an orbit is that of a motion that does not know the time";
            return Err(ScenarioError::value(file, "orbit", reason));
        }
        self.orbit
            .as_ref()
            .map_or(Ok(()), |orbit| orbit.check(file))
    }

    /// Keys that are about one robot, and those of several.
    fn check_robots(&self, file: &str) -> Result<(), ScenarioError> {
        self.robot.check(file)?;
        if !self.robot.are_named() {
            return Ok(());
        }
        let wrong = |place: &str, reason: &str| Err(ScenarioError::value(file, place, reason));
        if self.initial != InitialEntry::default() {
            return wrong(
                "initial",
                "a robot with a name starts as its own table [robot.initial] says",
            );
        }
        if !self.spring.is_empty() {
            return wrong(
                "spring",
                "the springs of a robot with a name are its own, [[robot.spring]]",
            );
        }
        if self.orbit.is_some() && self.robot.len() > 1 {
            return wrong(
                "orbit",
                "an orbit is that of one robot, and the scenario has several",
            );
        }
        let driven = self.robot.iter().any(|robot| !robot.controller.is_none());
        if driven && !self.controller.is_none() {
            let reason = "robots have controllers of their own, [robot.controller]; keep those, or this one for all joints";
            return wrong("controller", reason);
        }
        Ok(())
    }

    /// Whether somebody drives joints.
    #[must_use]
    pub fn is_driven(&self) -> bool {
        self.controllers().any(|controller| !controller.is_none())
    }

    /// The controller of the scene, and those of robots.
    pub(crate) fn controllers(&self) -> impl Iterator<Item = &ControllerEntry> {
        let own = self.robot.iter().map(|robot| &robot.controller);
        std::iter::once(&self.controller).chain(own)
    }

    /// Number of whole steps of the run.
    #[must_use]
    pub fn steps(&self) -> u64 {
        let steps = self.duration / self.time_step;
        if is_whole(steps) {
            steps.round() as u64
        } else {
            steps.floor() as u64
        }
    }

    /// Where the run ends \[s\] if that is not the end of a whole step: its last step is shorter.
    #[must_use]
    pub fn end_between_steps(&self) -> Option<f64> {
        (!is_whole(self.duration / self.time_step)).then_some(self.duration)
    }

    /// The scenario as text, every default filled in.
    ///
    /// # Errors
    /// A value that TOML cannot write.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

/// Whether the text is a scenario whose stepper is `time-stepping`.
pub(crate) fn steps_particles(text: &str) -> bool {
    let kind = |table: &toml::Table| {
        let stepper = table.get("stepper")?.as_table()?;
        Some(stepper.get("kind")?.as_str()? == "time-stepping")
    };
    toml::from_str::<toml::Table>(text).is_ok_and(|table| kind(&table) == Some(true))
}

/// Whether a number of steps is a whole one but for rounding: of a duration and a time step that were typed, of their
/// quotient, and of a millionth of a step, which no other moment of a run is told from.
pub(crate) fn is_whole(steps: f64) -> bool {
    let whole = steps.round();
    // What is positive is not over before it has begun.
    (whole > 0.0 || steps == 0.0) && (steps - whole).abs() <= 1e-6 + 4.0 * f64::EPSILON * steps
}

/// Checks step, duration and the interval of output.
pub(crate) fn check_times(
    file: &str,
    time_step: f64,
    duration: f64,
    every: u64,
) -> Result<(), ScenarioError> {
    let wrong = |place: &str, reason: String| ScenarioError::value(file, place, reason);
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
        let reason = format!("{steps:.1e} steps of {time_step:e} s are too many");
        return Err(wrong("duration", reason));
    }
    check_count(file, "output.every", every)
}

fn check_count(file: &str, place: &str, count: u64) -> Result<(), ScenarioError> {
    if count == 0 {
        let reason = "it is 0, it must be at least 1";
        return Err(ScenarioError::value(file, place, reason.to_string()));
    }
    Ok(())
}
