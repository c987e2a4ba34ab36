use std::path::Path;

use super::{Experiment, Scenario, ScenarioError};
use crate::hybrid::Parameter;

impl Scenario {
    /// The number at `key` of a scenario's file, as a parameter of its runs for
    /// [`Simulation::recorded_derivative_by`](crate::hybrid::Simulation::recorded_derivative_by): the file is read with
    /// `overrides` and with `key` at up to `width` to both sides of `value`, each run under its own controller.
    ///
    /// # Errors
    /// Those of reading it at one of these values; a width that leads out of the key's bounds is one of them.
    pub fn parameter(
        path: &Path,
        overrides: &[String],
        key: &str,
        value: f64,
        width: f64,
    ) -> Result<Parameter, ScenarioError> {
        Parameter::new(width, |change| {
            let moved = format!("{key}={:e}", value + change);
            let overrides = [overrides, &[moved]].concat();
            let scenario = Self::read(path, &overrides)?;
            let experiment = Experiment::new(&path.display().to_string(), scenario)?;
            let controller = experiment.controller()?;
            Ok(experiment.simulation()?.with_controller(controller))
        })
    }
}
