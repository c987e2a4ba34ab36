//! The chart of an orbit, on which the orbits of robots beside it are looked for.

use nalgebra::DVector;

use super::motion::values;
use super::return_map::ReturnMap;
use super::search::{ELSEWHERE, Found, Search, size};
use super::{Orbit, OrbitError, described, drifting, sticking};
use crate::scenario::{Experiment, OrbitEntry, ScenarioError};

/// What a chart is counted from, what is held there, and which coordinates conditions determine.
pub(crate) struct Anchor {
    pub(super) drift: Vec<(String, usize)>,
    pub(super) held: Vec<(usize, bool)>,
    reference: (Vec<f64>, Vec<f64>),
    bound: [Vec<usize>; 2],
}

/// The table `[orbit]` of an experiment.
pub(super) fn entry(experiment: &Experiment) -> Result<&OrbitEntry, OrbitError> {
    experiment.scenario.orbit.as_ref().ok_or_else(|| {
        let reason = "the scenario has no table [orbit]; give section = { impact = \"contact\" }, { period = seconds } or { crossing = \"coordinate\" }";
        ScenarioError::value(&experiment.file, "orbit", reason).into()
    })
}

impl Anchor {
    /// The chart at an orbit of an experiment, and where that is on it.
    pub(crate) fn of(
        experiment: &Experiment,
        orbit: &Orbit,
    ) -> Result<(Self, DVector<f64>), OrbitError> {
        let own = entry(experiment)?;
        let model = &experiment.model;
        let q = values(model.configuration_names(), &orbit.state.q);
        let v = values(model.coordinate_names(), &orbit.state.v);
        let drift = drifting(experiment, own)?;
        let mut map = ReturnMap::new(experiment, own)?;
        let search = Search {
            experiment,
            entry: own,
            held: sticking(&mut map, &q, &v)?,
            reference: (q.clone(), v.clone()),
            drift: drift.iter().map(|(_, at)| *at).collect(),
            bound: None,
        };
        let chart = search.chart();
        let z = chart.coordinates(&q, &v);
        let anchor = Self {
            bound: chart.bound().clone(),
            held: search.held.clone(),
            reference: (q, v),
            drift,
        };
        Ok((anchor, z))
    }

    /// The return map of an experiment on this chart.
    pub(super) fn search<'a>(&self, experiment: &'a Experiment) -> Result<Search<'a>, OrbitError> {
        Ok(Search {
            experiment,
            entry: entry(experiment)?,
            held: self.held.clone(),
            reference: self.reference.clone(),
            drift: self.drift.iter().map(|(_, at)| *at).collect(),
            bound: Some(self.bound.clone()),
        })
    }

    /// Contacts that are held on the section.
    pub(crate) fn held_contacts(&self) -> Vec<usize> {
        self.held.iter().map(|(i, _)| *i).collect()
    }

    /// The orbit of an experiment from a guess, by Newton's method alone.
    pub(crate) fn find(
        &self,
        experiment: &Experiment,
        z: DVector<f64>,
    ) -> Result<Found, OrbitError> {
        self.search(experiment)?.newton(z)
    }

    /// Where the motion from a point ends, as an orbit that it may be.
    pub(crate) fn at(
        &self,
        experiment: &Experiment,
        z: &DVector<f64>,
    ) -> Result<Found, OrbitError> {
        let search = self.search(experiment)?;
        let (image, stride) = search.at(z)?;
        let elsewhere = search.apart(z, &stride)? > ELSEWHERE;
        let mut map = ReturnMap::new(experiment, search.entry)?;
        let (q, v) = search.chart().state(z.as_slice())?;
        if elsewhere || sticking(&mut map, &q, &v)? != self.held {
            return Err(OrbitError::OtherSection);
        }
        Ok(Found {
            z: z.clone(),
            residual: size(&(&image - z), z),
            iterations: 0,
            segments: 1,
            stride,
        })
    }

    /// What is said of an orbit that was found.
    pub(crate) fn described(
        &self,
        experiment: &Experiment,
        found: Found,
    ) -> Result<Orbit, OrbitError> {
        Ok(described(&self.search(experiment)?, &self.drift, found)?.0)
    }
}
