//! Design files of orbits: one text that names a scenario with an orbit, and what of it may change.
//!
//! Unknown keys are errors that suggest the nearest known key. Relative paths are relative to the file.
//!
//! A parameter `acts` on numbers: of the scenario by their `key` (`contact.site.tail.position.0`, `controller.gait.sweep`),
//! or of the robot by a `joint` or `link` and its `entry`. `set = k` makes the number k times the parameter, `add = k` adds
//! k times the parameter, `multiply = k` multiplies by the parameter to the power k.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::files::read_bounded_text;
use crate::scenario::{ScenarioError, parse_overridden};
use crate::study::wanted_cosine::wanted_cosine;

/// A design problem whose stance is an orbit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrbitDesignFile {
    /// What it is for, in a line.
    #[serde(default)]
    #[schemars(example = &"Both feet strike together, in any order with one outcome")]
    pub description: String,
    /// The orbit and what is wanted of it.
    pub orbit: OrbitStance,
    /// What may change.
    pub parameter: Vec<OrbitParameter>,
    /// How it is solved.
    #[serde(default)]
    pub solver: OrbitDesignSolver,
}

/// The orbit and what is wanted of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrbitStance {
    /// A scenario with a table `[orbit]`.
    #[schemars(example = &"two_feet.toml")]
    pub scenario: PathBuf,
    /// Overrides `key=value` of the scenario.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["contact.restitution=0.8"]]))]
    pub set: Vec<String>,
    /// Contacts that are to strike together, group by group; when absent, those that do on the starting orbit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[["left_foot", "right_foot"]]]))]
    pub touch: Option<Vec<Vec<String>>>,
    /// Wanted kinetic cosines of contacts that strike together; all pairs orthogonal when absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub target: Vec<StrikeTarget>,
    /// Gaps up to which contacts count as striking together while the design is looked for \[m\].
    #[serde(default = "together")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub together: f64,
    /// Law of strikes that are joined so while the design is looked for; that of the scenario when absent. One that treats
    /// contacts alike (`plus`) has an orbit to follow where the scenario's law has several outcomes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"plus")]
    pub law: Option<String>,
    /// What is made small, among the designs in which contacts that strike together are as wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["cost_of_transport"]))]
    pub minimise: Option<Minimised>,
    /// What is made large.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = ["speed"]))]
    pub maximise: Option<Maximised>,
    /// Whether what is made small or large counts only where every impact is known to have one outcome. Laws that cannot
    /// tell (`max-dissipation` at several contacts) need `false`.
    #[serde(default = "yes")]
    pub unique: bool,
}

fn together() -> f64 {
    1e-4
}

fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}

/// What can be made small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Minimised {
    /// Work over weight times way.
    CostOfTransport,
    /// The modulus of the largest multiplier.
    LargestMultiplier,
}

/// What can be made large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Maximised {
    /// Way over period \[m/s\].
    Speed,
}

/// A wanted cosine: 0, −cos(π/order), or a number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StrikeTarget {
    /// Two contacts that strike together.
    #[schemars(extend("examples" = [["left_foot", "right_foot"]]))]
    pub contacts: [String; 2],
    /// m of −cos(π/m), at least 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2), example = 3)]
    pub order: Option<u32>,
    /// The cosine itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -1, max = 1), example = -0.5)]
    pub cosine: Option<f64>,
}

/// A number that may change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OrbitParameter {
    /// Name, unique.
    #[schemars(example = &"half_width")]
    pub name: String,
    /// Unit, for tables.
    #[serde(default)]
    #[schemars(example = &"m")]
    pub unit: String,
    /// Value at the start.
    #[schemars(example = 0.25)]
    pub start: f64,
    /// Least value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.15)]
    pub lower: Option<f64>,
    /// Largest value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.4)]
    pub upper: Option<f64>,
    /// The change that counts as 1 in distances.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: f64,
    /// What it changes.
    pub acts: Vec<OrbitAct>,
}

/// One number that a parameter changes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(extend("oneOf" = [{"required": ["key"]}, {"required": ["joint", "entry"]}, {"required": ["link", "entry"]}]))]
pub struct OrbitAct {
    /// Key of the scenario.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"contact.site.tail.position.0")]
    pub key: Option<String>,
    /// Name of a joint of the robot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"left_knee")]
    pub joint: Option<String>,
    /// Name of a link of the robot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"left_shank")]
    pub link: Option<String>,
    /// `origin.x` … `origin.yaw` of a joint; `mass`, `center.x` …, `inertia`, `inertia.ixx` … of a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"origin.z")]
    pub entry: Option<String>,
    /// The number becomes this many times the parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = -1.0)]
    pub set: Option<f64>,
    /// This many times the parameter is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.5)]
    pub add: Option<f64>,
    /// The number is multiplied by this power of the parameter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 2.0)]
    pub multiply: Option<f64>,
}

/// How it is solved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct OrbitDesignSolver {
    /// Largest gap \[m\] and error of a cosine at a design.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// Step, in units of the scales, below which the distance to the start counts as stationary.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub stationarity: f64,
    /// Newton steps before giving up.
    #[schemars(range(min = 1))]
    pub max_iterations: usize,
    /// Orbits of robots that are asked what is made small or large, at most.
    #[schemars(range(min = 1))]
    pub evaluations: usize,
}

impl Default for OrbitDesignSolver {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            stationarity: 1e-5,
            max_iterations: 60,
            evaluations: 200,
        }
    }
}

impl OrbitDesignFile {
    /// Whether a design file describes the design of an orbit.
    #[must_use]
    pub fn is_one(path: &Path) -> bool {
        let table = read_bounded_text(path)
            .ok()
            .map(|text| toml::from_str::<toml::Table>(&text));
        table.is_some_and(|table| table.is_ok_and(|table| table.contains_key("orbit")))
    }

    /// Reads a file, applies overrides `key=value` (keys with dots), and makes the scenario's path relative to the working
    /// directory.
    ///
    /// # Errors
    /// A file that cannot be read or is no such design: the message names the file, the line and the nearest key.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, ScenarioError> {
        let text =
            read_bounded_text(path).map_err(|error| ScenarioError::unreadable(path, error))?;
        let mut file = Self::parse(&path.display().to_string(), &text, overrides)?;
        if file.orbit.scenario.is_relative() {
            let folder = path.parent().unwrap_or(Path::new(""));
            file.orbit.scenario = folder.join(&file.orbit.scenario);
        }
        Ok(file)
    }

    /// Parses the text of a file; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`OrbitDesignFile::read`], except reading.
    pub fn parse(file: &str, text: &str, overrides: &[String]) -> Result<Self, ScenarioError> {
        let design: Self = parse_overridden(file, text, overrides)?;
        design.check(file)?;
        Ok(design)
    }

    fn check(&self, file: &str) -> Result<(), ScenarioError> {
        let wrong = |place: &str, reason: String| Err(ScenarioError::value(file, place, reason));
        let OrbitDesignSolver {
            tolerance,
            stationarity,
            max_iterations,
            evaluations,
        } = self.solver;
        for (place, x) in [
            ("solver.tolerance", tolerance),
            ("solver.stationarity", stationarity),
            ("orbit.together", self.orbit.together),
        ] {
            if !(x.is_finite() && x > 0.0) {
                return wrong(place, format!("it is {x}, it must be positive"));
            }
        }
        for (place, count) in [
            ("solver.max_iterations", max_iterations),
            ("solver.evaluations", evaluations),
        ] {
            if count < 1 {
                return wrong(place, "it is 0, it must be at least 1".to_string());
            }
        }
        if self.orbit.minimise.is_some() && self.orbit.maximise.is_some() {
            let reason = "minimise and maximise exclude each other; remove one".to_string();
            return wrong("orbit", reason);
        }
        if self.parameter.is_empty() {
            let reason = "nothing may change; add a [[parameter]]".to_string();
            return wrong("parameter", reason);
        }
        for (i, parameter) in self.parameter.iter().enumerate() {
            let place = format!("parameter[{i}] \"{}\"", parameter.name);
            if self.parameter[..i].iter().any(|p| p.name == parameter.name) {
                let reason = "two parameters have this name; names must be unique".to_string();
                return wrong(&place, reason);
            }
            if parameter.acts.is_empty() {
                let reason = "it changes nothing; say by acts = [...] what it changes".to_string();
                return wrong(&place, reason);
            }
            if !parameter.acts.iter().all(OrbitAct::is_whole) {
                let reason = "each of its acts needs key, or entry with one of joint and link, and one of set, add and multiply".to_string();
                return wrong(&place, reason);
            }
        }
        for (k, target) in self.orbit.target.iter().enumerate() {
            let place = format!("orbit.target[{k}]");
            if let Err(reason) = wanted_cosine(target.order, target.cosine) {
                return wrong(&place, reason);
            }
        }
        Ok(())
    }
}

impl OrbitAct {
    fn is_whole(&self) -> bool {
        let robots = [&self.joint, &self.link];
        let robots = robots.iter().filter(|name| name.is_some()).count();
        let place = match (&self.key, &self.entry) {
            (Some(_), None) => robots == 0,
            (None, Some(_)) => robots == 1,
            _ => false,
        };
        let ways = [self.set, self.add, self.multiply];
        let ways: Vec<f64> = ways.into_iter().flatten().collect();
        place && ways.len() == 1 && ways[0].is_finite()
    }
}

impl StrikeTarget {
    /// The wanted cosine.
    #[must_use]
    pub fn value(&self) -> f64 {
        // Of a file that was read: what is out of range was refused.
        wanted_cosine(self.order, self.cosine).unwrap_or(f64::NAN)
    }
}
