//! The motion along an orbit, over as many periods as it takes to close.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::ControlFlow;

use super::{Orbit, OrbitError};
use crate::hybrid::{Event, Simulation};
use crate::model::Base;
use crate::record::{Run, RunEnd};
use crate::scenario::{Experiment, joints};

/// What a run goes on beyond the period, so that what ends it is seen, as a share of the period.
const BEYOND: f64 = 1e-6;

/// A smooth piece of a motion, from one impact to the next.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OrbitPiece {
    /// \[s\].
    pub times: Vec<f64>,
    /// Configurations.
    pub q: Vec<Vec<f64>>,
    /// Velocities, the last of them just before an impact and the first just after one.
    pub v: Vec<Vec<f64>>,
}

/// An experiment that begins on an orbit and ends when that has closed: after two periods where joints change places.
#[must_use]
pub fn on_orbit(experiment: &Experiment, orbit: &Orbit) -> Experiment {
    let mut own = on_orbit_repeated(experiment, orbit);
    let entry = experiment.scenario.orbit.as_ref();
    let swaps = entry.is_some_and(|entry| !entry.symmetry.swap.is_empty());
    own.scenario.duration = orbit.period_s * if swaps { 2.0 } else { 1.0 };
    own
}

/// An experiment that begins on an orbit.
pub(crate) fn on_orbit_repeated(experiment: &Experiment, orbit: &Orbit) -> Experiment {
    let mut own = experiment.clone();
    // What is held from the start on stays where it was.
    own.scenario.controller = experiment.resolved().controller;
    own.scenario
        .controller
        .hold_at(&experiment.model, &experiment.q);
    let model = own.model.clone();
    own.q = values(model.configuration_names(), &orbit.state.q);
    own.v = values(model.coordinate_names(), &orbit.state.v);
    let initial = &mut own.scenario.initial;
    for body in joints(&model) {
        let name = &body.joint;
        initial.joints.insert(name.clone(), own.q[body.q_index]);
        initial.velocities.insert(name.clone(), own.v[body.v_index]);
    }
    let list = |x: &[f64]| toml::Value::Array(x.iter().copied().map(toml::Value::Float).collect());
    let base: Vec<(&str, toml::Value)> = match model.base() {
        Base::Fixed => Vec::new(),
        Base::Planar => {
            let keys = ["x", "z", "pitch", "vx", "vz", "wpitch"];
            let all = own.q[..3].iter().chain(&own.v[..3]);
            keys.into_iter()
                .zip(all.map(|x| toml::Value::Float(*x)))
                .collect()
        }
        Base::Floating => vec![
            ("position", list(&own.q[..3])),
            ("quaternion", list(&own.q[3..7])),
            ("twist", list(&own.v[..6])),
        ],
    };
    initial.base = base
        .into_iter()
        .map(|(key, value)| (key.to_string(), value))
        .collect();
    own
}

/// Values in the order of names.
pub(super) fn values(names: &[String], of: &BTreeMap<String, f64>) -> Vec<f64> {
    names.iter().map(|name| of[name]).collect()
}

/// The motion on an orbit until it has closed, cut at impacts.
///
/// # Errors
/// The motion cannot go on.
pub fn orbit_motion(experiment: &Experiment, orbit: &Orbit) -> Result<Vec<OrbitPiece>, OrbitError> {
    let mut experiment = on_orbit(experiment, orbit);
    let end = experiment.scenario.duration;
    experiment.scenario.duration = end * (1.0 + BEYOND);
    let mut run = Run::new(&experiment)?;
    let mut first = OrbitPiece::default();
    first.note(0.0, &experiment.q, &experiment.v);
    let mut pieces = vec![first];
    let mut watch = |simulation: &mut Simulation, events: &[Event]| {
        for event in events {
            if let Some(impact) = &event.impact {
                if let Some(piece) = pieces.last_mut() {
                    piece.note(event.time, &event.q, &impact.velocity_before);
                }
                let mut next = OrbitPiece::default();
                next.note(event.time, &event.q, &impact.velocity_after);
                pieces.push(next);
            }
        }
        let time = simulation.time();
        if time <= end
            && let Ok(v) = simulation.velocity()
        {
            let v = v.to_vec();
            if let Some(piece) = pieces.last_mut() {
                piece.note(time, &simulation.state().q, &v);
            }
        }
        ControlFlow::Continue(())
    };
    let Ok(ended) = run.complete::<Infallible>(&mut watch);
    match ended {
        RunEnd::Failed(error) => Err(error.into()),
        _ => Ok(pieces),
    }
}

impl OrbitPiece {
    fn note(&mut self, time: f64, q: &[f64], v: &[f64]) {
        self.times.push(time);
        self.q.push(q.to_vec());
        self.v.push(v.to_vec());
    }
}
