use serde::{Deserialize, Serialize};

use super::SimulationError;
use crate::discrete::StepSettings;

/// Residuals are relative to the momentum: with more than this the steps do not solve their equation.
const LARGEST_TOLERANCE: f64 = 0.01;

/// Numbers that decide when contacts count as closed, resting or simultaneous, and how steps are
/// solved.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SimulationSettings {
    /// Nominal step h \[s\].
    pub time_step: f64,
    /// Root finding of each step.
    pub solver: StepSettings,
    /// Order of the integrator: 2, or 4, 6, 8 by symmetric composition of steps in flight and of those in which
    /// all held contacts stick or have no friction; a contact that lets go in them is located to that order. Steps in
    /// which a contact slides are of order 2, and so are those in which redundant contacts open, sticking ones start to
    /// slide, or joints with dry friction start, stop or turn back.
    pub order: u32,
    /// Contacts whose gaps are below this at an impact take part in it \[m\].
    pub simultaneity: f64,
    /// A normal speed below this is rest \[m/s\].
    pub rest_speed: f64,
    /// A closed contact at rest is held; a held contact is released when its gap exceeds this \[m\].
    pub closed_gap: f64,
    /// A touch slower than this is no event: the step takes it up \[m/s\]. 0 makes every touch an event.
    pub capture_speed: f64,
    /// How much the end of a slide, or a contact that lets go, must matter to be located inside a step: 0 locates all,
    /// infinity none. A slide that has lasted for some steps, with 0 any: the power at the start of the friction of all
    /// that end in the step, over it, beside m g² h² (the mass of the robot or object, of two that touch the lighter one's,
    /// gravity, the step). A release: the change in a step of the normal force, or of what friction can hold with it where that
    /// is more, beside m g. What is below is taken at the ends of the step: a velocity is then wrong by at most what friction
    /// changes in that step, or a release by h/2.
    pub switch_threshold: f64,
    /// A contact whose strikes accumulate within this time is brought to rest at once \[s\]; 0 never.
    pub zeno_time: f64,
    /// Impacts allowed within one time step.
    pub max_impacts_per_step: usize,
    /// States that the verdict on an impact may explore.
    pub verdict_budget: usize,
}

impl Default for SimulationSettings {
    fn default() -> Self {
        Self {
            time_step: 1e-3,
            solver: StepSettings::default(),
            order: 2,
            simultaneity: 1e-8,
            rest_speed: 1e-9,
            closed_gap: 1e-9,
            capture_speed: 1e-3,
            switch_threshold: 1e-3,
            zeno_time: 1e-6,
            max_impacts_per_step: 1000,
            verdict_budget: 20_000,
        }
    }
}

impl SimulationSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    /// [`SimulationError::Setting`] for the first number out of range.
    pub fn validate(&self) -> Result<(), SimulationError> {
        let positive = [
            ("time_step", self.time_step),
            ("simultaneity", self.simultaneity),
            ("rest_speed", self.rest_speed),
            ("closed_gap", self.closed_gap),
        ];
        for (setting, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(SimulationError::Setting {
                    setting,
                    value,
                    range: "positive and finite",
                });
            }
        }
        let tolerance = self.solver.tolerance;
        if !(tolerance > 0.0 && tolerance <= LARGEST_TOLERANCE) {
            return Err(SimulationError::Setting {
                setting: "solver.tolerance",
                value: tolerance,
                range: "positive and at most 0.01",
            });
        }
        for (setting, value) in [
            ("capture_speed", self.capture_speed),
            ("zeno_time", self.zeno_time),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(SimulationError::Setting {
                    setting,
                    value,
                    range: "finite and at least 0",
                });
            }
        }
        if self.switch_threshold.is_nan() || self.switch_threshold < 0.0 {
            return Err(SimulationError::Setting {
                setting: "switch_threshold",
                value: self.switch_threshold,
                range: "at least 0",
            });
        }
        if ![2, 4, 6, 8].contains(&self.order) {
            return Err(SimulationError::Setting {
                setting: "order",
                value: f64::from(self.order),
                range: "2, 4, 6 or 8",
            });
        }
        Ok(())
    }
}
