//! Periodic orbits: answers as JSON, which the package makes dataclasses of.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde::Serialize;

use crate::python::background::stoppable;
use crate::python::exchange::source::Source;
use crate::python::exchange::{Answered, argument, raise, settings};
use crate::scenario::{Experiment, ExperimentCache, ScenarioError};
use crate::stop::StopFlag;
use crate::study::orbit::{self as study, Basin, Orbit, OrbitError, ScanRange};

/// A scenario with settings, of which experiments are made that Ctrl-C ends.
struct Given {
    source: Source,
    set: Vec<String>,
    cache: ExperimentCache,
}

impl Given {
    fn new(scenario: &Bound<'_, PyAny>, set: Option<&Bound<'_, PyDict>>) -> Answered<Self> {
        Ok(Self {
            source: Source::new(scenario)?,
            set: settings::overrides(set)?,
            cache: ExperimentCache::default(),
        })
    }

    /// The experiment with overrides beside the settings.
    fn with(&self, more: &[String], stop: &StopFlag) -> Result<Experiment, ScenarioError> {
        let set = [self.set.as_slice(), more].concat();
        let mut experiment = self.source.experiment(&set, &self.cache)?;
        experiment.stop = stop.clone();
        Ok(experiment)
    }

    /// What work on it finds, as JSON.
    fn found<T: Serialize + Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Experiment) -> Result<T, OrbitError> + Send,
    ) -> Answered<String> {
        written(&stoppable(py, |stop| work(&self.with(&[], stop)?))??)
    }
}

fn written(found: &impl Serialize) -> Answered<String> {
    serde_json::to_string(found).map_err(|error| raise("OrbitError", error.to_string()))
}

/// Values that are evenly spaced over a range.
fn spaced(key: String, [from, to]: [f64; 2], count: usize) -> Answered<ScanRange> {
    if !(from.is_finite() && to.is_finite() && from != to) {
        return Err(argument(format!(
            "{key}: the range is from {from} to {to}; both must be finite, and different"
        )));
    }
    if !(2..=100_000).contains(&count) {
        return Err(argument(format!(
            "{key}: {count} values are asked for, from 2 to 100000 are taken"
        )));
    }
    Ok(ScanRange {
        key,
        from,
        to,
        count,
    })
}

/// Looks for the orbit of a scenario's `[orbit]`.
///
/// # Errors
/// As [`study::find_orbit`]; one that is not found is an answer.
#[pyfunction]
pub fn orbit(
    scenario: &Bound<'_, PyAny>,
    set: Option<&Bound<'_, PyDict>>,
    settle: usize,
) -> Answered<String> {
    let find = |experiment: &Experiment| study::find_orbit(experiment, settle);
    Given::new(scenario, set)?.found(scenario.py(), find)
}

/// Looks for orbits from many starts.
///
/// # Errors
/// As [`study::find_orbits`].
#[pyfunction]
pub fn find_orbits(
    scenario: &Bound<'_, PyAny>,
    starts: usize,
    set: Option<&Bound<'_, PyDict>>,
    seed: u64,
    settle: usize,
) -> Answered<String> {
    let find = |experiment: &Experiment| study::find_orbits(experiment, settle, starts, seed);
    Given::new(scenario, set)?.found(scenario.py(), find)
}

/// Follows an orbit over a key of the scenario.
///
/// # Errors
/// As [`study::scan`].
#[pyfunction]
pub fn scan_orbit(
    scenario: &Bound<'_, PyAny>,
    key: String,
    range: [f64; 2],
    count: usize,
    set: Option<&Bound<'_, PyDict>>,
    settle: usize,
) -> Answered<String> {
    let given = Given::new(scenario, set)?;
    let range = spaced(key, range, count)?;
    let found = stoppable(scenario.py(), |stop| {
        let made = |more: &[String]| given.with(more, stop);
        study::scan(&made, &range, settle)
    })?;
    written(&found?)
}

/// A map with the orbits that its numbers stand for.
#[derive(Serialize)]
struct BasinAnswer {
    basin: Basin,
    orbits: Vec<Orbit>,
}

/// Where motions from a grid go, beside the orbits that they may go to.
///
/// # Errors
/// As [`study::basin`]; a search that finds no orbit.
#[pyfunction]
pub fn orbit_basin(
    scenario: &Bound<'_, PyAny>,
    axes: [(String, [f64; 2], usize); 2],
    periods: usize,
    set: Option<&Bound<'_, PyDict>>,
    starts: Option<usize>,
    seed: u64,
    settle: usize,
) -> Answered<String> {
    let [first, second] = axes.map(|(key, range, count)| spaced(key, range, count));
    let axes = [first?, second?];
    let find = |experiment: &Experiment| {
        let orbits: Vec<Orbit> = match starts {
            None => vec![study::find_orbit(experiment, settle)?],
            Some(starts) => {
                let found = study::find_orbits(experiment, settle, starts, seed)?.orbits;
                found.into_iter().map(|found| found.orbit).collect()
            }
        };
        let orbits: Vec<Orbit> = orbits.into_iter().filter(|orbit| orbit.found).collect();
        let all: Vec<&Orbit> = orbits.iter().collect();
        let basin = study::basin(experiment, &all, &axes, periods)?;
        Ok(BasinAnswer { basin, orbits })
    };
    Given::new(scenario, set)?.found(scenario.py(), find)
}
