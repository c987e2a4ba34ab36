//! How the steps of a scenario are solved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::discrete::StepSettings;
use crate::hybrid::SimulationSettings;

/// How steps are solved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct StepperEntry {
    /// The variational integrator; `time-stepping` is for particles without a robot.
    #[schemars(extend("enum" = ["variational"]))]
    pub(crate) kind: StepperKind,
    /// Order of the integrator: 2, 4, 6 or 8 in flight and while all held contacts stick or have no friction; 2 in
    /// steps in which one slides.
    #[schemars(extend("enum" = [2, 4, 6, 8]))]
    pub order: u32,
    /// How much the end of a slide or a release must matter to be located inside a step; 0 locates all, also of slides
    /// that have only begun, inf none
    /// ([`SimulationSettings::switch_threshold`](crate::hybrid::SimulationSettings::switch_threshold)).
    #[schemars(range(min = 0), extend("x-infinite" = true))]
    pub switch_threshold: f64,
    /// Residual tolerance relative to the momentum scale.
    #[schemars(range(max = 0.01), extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
    /// Iterations before a step counts as failed.
    #[schemars(range(min = 1))]
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
            switch_threshold: SimulationSettings::default().switch_threshold,
            tolerance,
            max_iterations,
            max_halvings,
        }
    }
}

/// How time is stepped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub(crate) enum StepperKind {
    /// Midpoint variational integrator with located events, for robots.
    #[default]
    Variational,
    /// Impulse-velocity time stepping without events, for many free spheres
    /// (`GranularScenario`).
    TimeStepping,
}
