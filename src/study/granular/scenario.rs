//! Scenarios of granular flow: `[stepper] kind = "time-stepping"`.
//!
//! They have no robot. A channel of free spheres is stepped by impulse-velocity time stepping
//! ([`granular`](crate::comparison::granular)) instead of the variational integrator with located events.

use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparison::granular::{ChannelSettings, GranularError, GranularLaw, TimeStepSettings};
use crate::files::{did_you_mean, read_bounded_text};
use crate::scenario::{
    ScenarioError, StepperKind, check_times, is_whole, parse_overridden, steps_particles,
};

/// A flow of free spheres through a channel, every default filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GranularScenario {
    /// What it shows, in a line.
    #[serde(default)]
    #[schemars(example = &"Spheres flow through a channel past an obstacle")]
    pub description: String,
    /// Step \[s\].
    #[schemars(extend("exclusiveMinimum" = 0), example = 4e-5)]
    pub time_step: f64,
    /// Length of the run \[s\].
    #[schemars(range(min = 0), example = 0.2)]
    pub duration: f64,
    /// How steps are solved.
    pub stepper: TimeSteppingEntry,
    /// The law of every contact.
    #[serde(default)]
    pub impact: GranularImpactEntry,
    /// Material of particles and walls.
    #[serde(default)]
    pub contact: GranularContactEntry,
    /// The spheres.
    #[serde(default)]
    pub particles: ParticlesEntry,
    /// Where they flow.
    #[serde(default)]
    pub channel: ChannelEntry,
    /// What is written.
    #[serde(default)]
    pub output: GranularOutputEntry,
}

/// How steps are solved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeSteppingEntry {
    /// `time-stepping`.
    #[schemars(extend("enum" = ["time-stepping"]), example = &"time-stepping")]
    pub(crate) kind: StepperKind,
    /// Share of a penetration that one step undoes, 0 to 1.
    #[serde(default = "error_reduction")]
    #[schemars(range(min = 0, max = 1))]
    pub error_reduction: f64,
    /// Largest change of a contact velocity in the last sweep \[m/s\].
    #[serde(default = "tolerance")]
    pub tolerance: f64,
    /// Sweeps after which a step is taken as it is.
    #[serde(default = "max_sweeps")]
    #[schemars(range(min = 1))]
    pub max_sweeps: usize,
}

fn error_reduction() -> f64 {
    TimeStepSettings::default().error_reduction
}

fn tolerance() -> f64 {
    TimeStepSettings::default().tolerance
}

fn max_sweeps() -> usize {
    TimeStepSettings::default().max_sweeps
}

/// The law of every contact.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GranularImpactEntry {
    /// `max-dissipation` or `coulomb`.
    #[schemars(extend("enum" = GRANULAR_LAWS.map(|(name, _)| name)))]
    pub law: String,
    /// Order in which the sweeps visit the contacts: `index`, that of the particles' numbers.
    #[schemars(extend("enum" = ["index"]))]
    pub order: String,
}

impl Default for GranularImpactEntry {
    fn default() -> Self {
        Self {
            law: "max-dissipation".to_string(),
            order: "index".to_string(),
        }
    }
}

/// Material of particles and walls.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GranularContactEntry {
    /// Coefficient of friction of every contact.
    #[schemars(range(min = 0))]
    pub friction: f64,
}

impl Default for GranularContactEntry {
    fn default() -> Self {
        Self {
            friction: TimeStepSettings::default().friction,
        }
    }
}

/// The spheres.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ParticlesEntry {
    /// Diameter \[m\].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub diameter: f64,
    /// Density \[kg/m³\].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub density: f64,
    /// Distance of the centre of mass from the centre, as a share of the radius.
    pub eccentricity: f64,
    /// Spacing of the grid on which they are placed \[m\].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub spacing: f64,
    /// Largest random velocity across the flow of a new particle \[m/s\].
    pub perturbation: f64,
    /// Seed of the random velocities and directions.
    pub seed: u64,
}

impl Default for ParticlesEntry {
    fn default() -> Self {
        let d = ChannelSettings::default();
        Self {
            diameter: d.diameter,
            density: d.density,
            eccentricity: d.eccentricity,
            spacing: d.spacing,
            perturbation: d.perturbation,
            seed: d.seed,
        }
    }
}

/// Where they flow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChannelEntry {
    /// Extent along x, y and z \[m\].
    pub size: [f64; 3],
    /// Range of the obstacle in x and y, from floor to ceiling \[m\]; none when empty.
    #[schemars(extend("examples" = [[[0.03, 0.05], [0.03, 0.05]]]))]
    pub obstacle: Vec<[f64; 2]>,
    /// Acceleration of gravity \[m/s²\].
    pub gravity: [f64; 3],
    /// Speed of the pushing plane and of new particles \[m/s\]; 0 for no inflow.
    pub inflow_speed: f64,
    /// Whether the channel is filled at the start.
    pub filled: bool,
    /// Whether the far end is open.
    pub open_end: bool,
}

impl Default for ChannelEntry {
    fn default() -> Self {
        let d = ChannelSettings::default();
        Self {
            size: d.size,
            obstacle: d.obstacle.into_iter().flatten().collect(),
            gravity: d.stepping.gravity,
            inflow_speed: d.inflow_speed,
            filled: d.filled,
            open_end: d.open_end,
        }
    }
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GranularOutputEntry {
    /// Steps between rows of the series.
    #[schemars(range(min = 1))]
    pub every: u64,
    /// Time before figures are averaged \[s\].
    pub settling_time: f64,
    /// Cells of the velocity profile along x and y.
    pub profile_cells: [usize; 2],
    /// Whether pictures are drawn.
    pub plots: bool,
}

impl Default for GranularOutputEntry {
    fn default() -> Self {
        let d = ChannelSettings::default();
        Self {
            every: 50,
            settling_time: d.settling_time,
            profile_cells: d.profile_cells,
            plots: true,
        }
    }
}

/// Names of the laws of granular contacts.
pub const GRANULAR_LAWS: [(&str, GranularLaw); 2] = [
    ("coulomb", GranularLaw::Coulomb),
    ("max-dissipation", GranularLaw::MaximumDissipation),
];

impl GranularScenario {
    /// Reads a scenario file if its stepper is `time-stepping`, with overrides `key=value`; `None` for the
    /// scenario of a robot.
    ///
    /// # Errors
    /// As [`Scenario::read`](crate::scenario::Scenario::read). What is wrong with a file of another kind is left to that.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Option<Self>, ScenarioError> {
        let file = path.display().to_string();
        let text =
            read_bounded_text(path).map_err(|error| ScenarioError::unreadable(path, error))?;
        Self::parse(&file, &text, overrides)
    }

    /// Parses the text of a scenario; `file` is what messages call it.
    ///
    /// # Errors
    /// As [`GranularScenario::read`], except reading.
    pub fn parse(
        file: &str,
        text: &str,
        overrides: &[String],
    ) -> Result<Option<Self>, ScenarioError> {
        if !steps_particles(text) {
            return Ok(None);
        }
        let scenario: Self = parse_overridden(file, text, overrides)?;
        scenario.settings(file)?;
        Ok(Some(scenario))
    }

    /// Number of steps of the run.
    #[must_use]
    pub fn steps(&self) -> u64 {
        (self.duration / self.time_step).round() as u64
    }

    /// The channel to simulate; `file` is what messages call the scenario.
    ///
    /// # Errors
    /// The first number out of range, by its place.
    pub fn settings(&self, file: &str) -> Result<ChannelSettings, ScenarioError> {
        let wrong = |place: &str, reason: String| ScenarioError::value(file, place, reason);
        check_times(file, self.time_step, self.duration, self.output.every)?;
        let steps = self.duration / self.time_step;
        if !is_whole(steps) {
            let near = |steps: f64| (steps * self.time_step * 1e12).round() / 1e12;
            let reason = format!(
                "it is {} s, {steps} steps of {} s; particles take whole steps: {} or {} s",
                self.duration,
                self.time_step,
                near(steps.floor().max(1.0)),
                near(steps.ceil().max(2.0))
            );
            return Err(ScenarioError::value(file, "duration", reason));
        }
        if self.stepper.kind != StepperKind::TimeStepping {
            let reason = "particles are stepped by \"time-stepping\" only";
            return Err(wrong("stepper.kind", reason.to_string()));
        }
        let law = &self.impact.law;
        let Some((_, law)) = GRANULAR_LAWS.iter().find(|(name, _)| name == law) else {
            let names = GRANULAR_LAWS.map(|(name, _)| name);
            let reason = format!(
                "there is no law \"{law}\" for particles{}; the laws are {}",
                did_you_mean(law, names.into_iter()),
                names.join(" and ")
            );
            return Err(wrong("impact.law", reason));
        };
        if self.impact.order != "index" {
            let reason = format!(
                "it is \"{}\"; sweeps over particles visit contacts in the order \"index\"",
                self.impact.order
            );
            return Err(wrong("impact.order", reason));
        }
        let obstacle = match self.channel.obstacle.as_slice() {
            [] => None,
            [x, y] => Some([*x, *y]),
            other => {
                let reason = format!(
                    "it has {} ranges; give two, [x0, x1] and [y0, y1], or none",
                    other.len()
                );
                return Err(wrong("channel.obstacle", reason));
            }
        };
        let settings = ChannelSettings {
            size: self.channel.size,
            obstacle,
            diameter: self.particles.diameter,
            eccentricity: self.particles.eccentricity,
            density: self.particles.density,
            spacing: self.particles.spacing,
            inflow_speed: self.channel.inflow_speed,
            perturbation: self.particles.perturbation,
            filled: self.channel.filled,
            open_end: self.channel.open_end,
            duration: self.duration,
            settling_time: self.output.settling_time,
            sample_interval: self.output.every as f64 * self.time_step,
            profile_cells: self.output.profile_cells,
            seed: self.particles.seed,
            stepping: TimeStepSettings {
                time_step: self.time_step,
                law: *law,
                friction: self.contact.friction,
                gravity: self.channel.gravity,
                error_reduction: self.stepper.error_reduction,
                tolerance: self.stepper.tolerance,
                max_sweeps: self.stepper.max_sweeps,
            },
        };
        settings.validate().map_err(|error| {
            let place = match error {
                GranularError::OutOfRange { name, .. } => place_of(name),
                _ => "",
            };
            wrong(place, error.to_string())
        })?;
        Ok(settings)
    }

    /// The scenario as text.
    ///
    /// # Errors
    /// A value that TOML cannot write.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        toml::to_string(self)
    }
}

/// Where a setting of the channel stands in a scenario.
fn place_of(setting: &str) -> &'static str {
    match setting {
        "diameter" => "particles.diameter",
        "density" => "particles.density",
        "eccentricity" => "particles.eccentricity",
        "spacing" => "particles.spacing",
        "perturbation" => "particles.perturbation",
        "obstacle" => "channel.obstacle",
        "gravity" => "channel.gravity",
        "inflow_speed" => "channel.inflow_speed",
        "size" => "channel.size",
        "friction" => "contact.friction",
        "error_reduction" => "stepper.error_reduction",
        "tolerance" => "stepper.tolerance",
        "max_sweeps" => "stepper.max_sweeps",
        "profile_cells" => "output.profile_cells",
        "settling_time" => "output.settling_time",
        "sample_interval" => "output.every",
        "time_step" => "time_step",
        _ => "duration",
    }
}
