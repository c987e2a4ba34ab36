//! Periodic orbits of a scenario.

use std::collections::BTreeMap;
use std::path::Path;

use super::answers::Answer;
use super::scenarios::Scenarios;
use super::{Runs, SweepInput, named};
use crate::metric::Names;
use crate::scenario::ScenarioError;
use crate::stop::StopFlag;
use crate::study::orbit::{Orbit, OrbitError, find_orbit, unknown_orbit};
use crate::sweep::error::SweepError;
use crate::sweep::outcome::{Outcome, SweepStatus};
use crate::sweep::plan::Plan;

/// Keys of some runs, of which one may have an orbit where the first has none.
pub(super) struct OrbitTrials(Vec<Vec<String>>);

impl OrbitTrials {
    /// Runs that are tried, from the first of a plan to its last.
    const MOST: u64 = 9;

    /// Those of a plan.
    pub fn new(plan: &Plan) -> Self {
        let last = plan.runs() - 1;
        let steps = last.clamp(1, Self::MOST - 1);
        let places = (0..=steps.min(last)).map(|i| last * i / steps);
        Self(places.map(|index| plan.overrides(index)).collect())
    }

    /// What is found with the first keys with which there is something; why there is nothing.
    pub fn first<T>(&self, found: impl FnMut(&Vec<String>) -> Option<T>) -> Result<T, String> {
        let tried = self.0.len();
        let first = self.0.iter().find_map(found);
        first.ok_or_else(|| {
            format!("none of {tried} runs that were tried has an orbit that says more")
        })
    }
}

/// A scenario with a table `[orbit]`.
pub(super) struct Orbits {
    scenarios: Scenarios,
    trials: OrbitTrials,
}

impl Orbits {
    /// The scenario of a file with `set`; `start` are the keys of one run of the plan that may be able to start.
    pub fn new(
        path: &Path,
        set: &[String],
        start: &[String],
        plan: &Plan,
    ) -> Result<Self, SweepError> {
        let scenarios = Scenarios::scenario(path, set, start)?;
        if scenarios.probe().scenario.orbit.is_none() {
            let reason = "the scenario has no table [orbit]; add it, or leave kind = \"scenario\"";
            return Err(ScenarioError::value(&path.display().to_string(), "orbit", reason).into());
        }
        Ok(Self {
            scenarios,
            trials: OrbitTrials::new(plan),
        })
    }
}

fn numbers(orbit: &Orbit) -> Answer {
    let largest = orbit.largest_multiplier().unwrap_or(f64::NAN);
    Answer::new("orbit", orbit).with("orbit.largest_multiplier", largest)
}

/// What a run came to that has no orbit for this reason.
pub(super) fn failed(error: &OrbitError) -> Outcome {
    match error {
        OrbitError::Simulation(_) => Outcome::failed(SweepStatus::Stopped, &error.to_string()),
        OrbitError::NoReturn { .. }
        | OrbitError::NotRepeated { .. }
        | OrbitError::OffSection { .. }
        | OrbitError::NotAsWanted { .. } => {
            Outcome::failed(SweepStatus::NotFound, &error.to_string())
        }
        OrbitError::Scenario(_) | OrbitError::OtherSection => Outcome::refused(error),
    }
}

impl Runs for Orbits {
    fn default_metrics(&self) -> BTreeMap<String, String> {
        named(&[
            ("period_s", "orbit.period_s"),
            ("largest_multiplier", "orbit.largest_multiplier"),
            ("stable", "orbit.stable"),
            ("cost_of_transport", "orbit.cost_of_transport"),
        ])
    }

    fn inputs(&self) -> Vec<SweepInput> {
        self.scenarios.inputs()
    }

    fn fingerprint(&self) -> String {
        format!(
            "{} {:?}",
            self.scenarios.fingerprint(),
            self.scenarios.probe().scenario.orbit
        )
    }

    fn check(&self, overrides: &[String]) -> Result<(), SweepError> {
        self.scenarios.check(overrides)
    }

    /// Those that every orbit of the scenario has, without a search; or those of the first of the trials that has one.
    fn names(&self, whole: bool) -> Result<Box<dyn Names>, SweepError> {
        let probe = self.scenarios.probe();
        let wrong = |reason: String| ScenarioError::value(&probe.file, "orbit", reason);
        if !whole {
            let orbit = unknown_orbit(probe).map_err(|error| match error {
                OrbitError::Scenario(error) => error,
                error => wrong(error.to_string()),
            })?;
            return Ok(Box::new(numbers(&orbit)));
        }
        let found = self.trials.first(|keys| {
            let experiment = self.scenarios.experiment(keys).ok()?;
            find_orbit(&experiment, 0).ok().filter(|orbit| orbit.found)
        });
        let orbit = found.map_err(wrong)?;
        Ok(Box::new(numbers(&orbit)))
    }

    fn run(
        &self,
        overrides: &[String],
        stop: &StopFlag,
        evaluate: &dyn Fn(&dyn Names) -> Vec<Option<f64>>,
    ) -> Outcome {
        let mut experiment = match self.scenarios.experiment(overrides) {
            Ok(experiment) => experiment,
            Err(error) => return Outcome::refused(&error),
        };
        experiment.stop = stop.clone();
        match find_orbit(&experiment, 0) {
            Ok(orbit) if orbit.found => Outcome::completed(evaluate(&numbers(&orbit))),
            Ok(orbit) => {
                let reason = format!("the search ended at a residual of {:e}", orbit.residual);
                Outcome::failed(SweepStatus::NotFound, &reason)
            }
            Err(error) => failed(&error),
        }
    }
}
