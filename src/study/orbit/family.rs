//! The return maps of a scenario over one of its keys, on one chart.

use nalgebra::{DMatrix, DVector};

use super::branch::{Explored, Looked};
use super::curve::{Family, Place};
use super::motion::values;
use super::search::{COARSE, ELSEWHERE, Found, Search};
use super::{Orbit, OrbitError, ScanRange, described, drifting, sticking};
use crate::scenario::{Experiment, OrbitEntry, ScenarioError};

/// Makes the experiment of a scenario with overrides `key=value`.
pub(super) type ExperimentWith<'a> = &'a dyn Fn(&[String]) -> Result<Experiment, ScenarioError>;

/// Return maps over a key, on the chart of one orbit.
pub(super) struct OrbitFamily<'a> {
    made: ExperimentWith<'a>,
    range: &'a ScanRange,
    drift: Vec<(String, usize)>,
    held: Vec<(usize, bool)>,
    reference: (Vec<f64>, Vec<f64>),
    bound: [Vec<usize>; 2],
}

/// The experiment at a value.
pub(super) fn experiment_at(
    made: ExperimentWith<'_>,
    range: &ScanRange,
    parameter: f64,
) -> Result<Experiment, OrbitError> {
    let entry = format!("{}={parameter:?}", range.key);
    Ok(made(&[entry])?)
}

fn entry(experiment: &Experiment) -> Result<&OrbitEntry, OrbitError> {
    let missing = || ScenarioError::value(&experiment.file, "orbit", "the table is gone");
    Ok(experiment.scenario.orbit.as_ref().ok_or_else(missing)?)
}

impl<'a> OrbitFamily<'a> {
    /// The maps on the chart of an orbit at a share of the range, and where that is on it.
    pub fn new(
        made: ExperimentWith<'a>,
        range: &'a ScanRange,
        first: &Orbit,
        share: f64,
    ) -> Result<(Self, DVector<f64>), OrbitError> {
        let experiment = experiment_at(made, range, range.at(share))?;
        let own = entry(&experiment)?;
        let model = &experiment.model;
        let q = values(model.configuration_names(), &first.state.q);
        let v = values(model.coordinate_names(), &first.state.v);
        let drift = drifting(&experiment, own)?;
        let mut map = super::ReturnMap::new(&experiment, own)?;
        let search = Search {
            experiment: &experiment,
            entry: own,
            held: sticking(&mut map, &q, &v)?,
            reference: (q.clone(), v.clone()),
            drift: drift.iter().map(|(_, at)| *at).collect(),
            bound: None,
        };
        let chart = search.chart();
        let z = chart.coordinates(&q, &v);
        let family = Self {
            made,
            range,
            bound: chart.bound().clone(),
            held: search.held.clone(),
            reference: (q, v),
            drift,
        };
        Ok((family, z))
    }

    fn with<T>(
        &self,
        share: f64,
        work: impl FnOnce(&Search<'_>) -> Result<T, OrbitError>,
    ) -> Result<T, OrbitError> {
        let parameter = self.range.at(share);
        let experiment = experiment_at(self.made, self.range, parameter)?;
        let search = Search {
            experiment: &experiment,
            entry: entry(&experiment)?,
            held: self.held.clone(),
            reference: self.reference.clone(),
            drift: self.drift.iter().map(|(_, at)| *at).collect(),
            bound: Some(self.bound.clone()),
        };
        work(&search)
    }
}

impl Family for OrbitFamily<'_> {
    fn image(&self, z: &DVector<f64>, share: f64) -> Result<DVector<f64>, OrbitError> {
        self.with(share, |search| Ok(search.at(z)?.0))
    }

    fn slope(&self, z: &DVector<f64>, share: f64) -> Result<DMatrix<f64>, OrbitError> {
        self.with(share, |search| search.slope(z, COARSE))
    }
}

impl Explored for OrbitFamily<'_> {
    type Seen = Orbit;

    fn look(&self, at: &Place) -> Result<Looked<Orbit>, OrbitError> {
        self.with(at.share, |search| {
            let (image, stride) = search.at(&at.z)?;
            let mut map = super::ReturnMap::new(search.experiment, search.entry)?;
            let (q, v) = search.chart().state(at.z.as_slice())?;
            let elsewhere = search.apart(&at.z, &stride)? > ELSEWHERE;
            if elsewhere || sticking(&mut map, &q, &v)? != self.held {
                return Err(OrbitError::OtherSection);
            }
            let residual = super::search::size(&(&image - &at.z), &at.z);
            let found = Found {
                z: at.z.clone(),
                residual,
                iterations: 0,
                stride,
            };
            let (seen, derivative) = described(search, &self.drift, found)?;
            Ok(Looked {
                mark: mark(&seen),
                seen,
                derivative,
            })
        })
    }
}

/// What must not change along a smooth branch: the kind of the map, and what strikes in a period with which verdict.
fn mark(orbit: &Orbit) -> String {
    let kind = orbit.differentiability.map_or("none", |kind| kind.word());
    let strikes = orbit.events.iter().filter_map(|event| {
        let verdict = event.unique?;
        let word = match verdict.word() {
            "yes" => "unique",
            "no" => "not unique",
            other => other,
        };
        Some(format!("{} {word}", event.contacts.join(" and ")))
    });
    let strikes: Vec<String> = strikes.collect();
    if strikes.is_empty() {
        return kind.to_string();
    }
    format!("{kind}; strikes: {}", strikes.join(", "))
}
