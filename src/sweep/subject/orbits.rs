//! Periodic orbits of a scenario.

use std::collections::BTreeMap;
use std::path::Path;

use super::answers::Answer;
use super::scenarios::Scenarios;
use super::{Runs, SweepInput};
use crate::metric::Names;
use crate::scenario::{Experiment, ScenarioError};
use crate::stop::StopFlag;
use crate::study::orbit::{Orbit, OrbitError, find_orbit};
use crate::sweep::error::SweepError;
use crate::sweep::outcome::{Outcome, SweepStatus};

/// A scenario with a table `[orbit]`.
pub(super) struct Orbits(Scenarios);

impl Orbits {
    pub fn new(path: &Path, set: &[String], start: &[String]) -> Result<Self, SweepError> {
        let scenarios = Scenarios::scenario(path, set, start)?;
        if scenarios.probe().scenario.orbit.is_none() {
            let reason = "the scenario has no table [orbit]; add it, or leave kind = \"scenario\"";
            return Err(ScenarioError::value(&path.display().to_string(), "orbit", reason).into());
        }
        Ok(Self(scenarios))
    }
}

fn numbers(orbit: &Orbit) -> Answer {
    let largest = orbit.largest_multiplier().unwrap_or(f64::NAN);
    Answer::new("orbit", orbit).with("orbit.largest_multiplier", largest)
}

fn found(experiment: &Experiment) -> Result<Orbit, OrbitError> {
    find_orbit(experiment, 0)
}

impl Runs for Orbits {
    fn default_metrics(&self) -> BTreeMap<String, String> {
        let names = [
            "period_s",
            "largest_multiplier",
            "stable",
            "cost_of_transport",
        ];
        let metrics = names.into_iter();
        metrics
            .map(|n| (n.to_string(), format!("orbit.{n}")))
            .collect()
    }

    fn inputs(&self) -> Vec<SweepInput> {
        self.0.inputs()
    }

    fn fingerprint(&self) -> String {
        format!(
            "{} {:?}",
            self.0.fingerprint(),
            self.0.probe().scenario.orbit
        )
    }

    fn check(&self, overrides: &[String]) -> Result<(), SweepError> {
        self.0.check(overrides)
    }

    fn names(&self, _: bool) -> Result<Box<dyn Names>, SweepError> {
        let probe = self.0.probe();
        match found(probe) {
            Ok(orbit) => Ok(Box::new(numbers(&orbit))),
            Err(error) => Err(ScenarioError::value(&probe.file, "orbit", error.to_string()).into()),
        }
    }

    fn run(
        &self,
        overrides: &[String],
        stop: &StopFlag,
        evaluate: &dyn Fn(&dyn Names) -> Vec<Option<f64>>,
    ) -> Outcome {
        let mut experiment = match self.0.experiment(overrides) {
            Ok(experiment) => experiment,
            Err(error) => return Outcome::refused(&error),
        };
        experiment.stop = stop.clone();
        match found(&experiment) {
            Ok(orbit) if orbit.found => Outcome::completed(evaluate(&numbers(&orbit))),
            Ok(orbit) => {
                let reason = format!("the search ended at a residual of {:e}", orbit.residual);
                Outcome::failed(SweepStatus::NotFound, &reason)
            }
            Err(error @ OrbitError::Simulation(_)) => {
                Outcome::failed(SweepStatus::Stopped, &error.to_string())
            }
            Err(
                error @ (OrbitError::NoReturn { .. }
                | OrbitError::OffSection { .. }
                | OrbitError::NotAsWanted { .. }),
            ) => Outcome::failed(SweepStatus::NotFound, &error.to_string()),
            Err(error) => Outcome::refused(&error),
        }
    }
}
