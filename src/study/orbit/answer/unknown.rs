//! The form of an answer before there is one.

use std::collections::BTreeMap;

use super::description::trivial;
use super::{Differentiability, NamedState, Orbit};
use crate::scenario::Experiment;
use crate::study::orbit::{OrbitError, anchor, drifting, with_search};

/// An orbit of an experiment of which nothing is known: every number is NaN, and has the place that it has in the answer for
/// an orbit with multipliers. Events, strikes and limits are known of a motion alone; there are none.
///
/// # Errors
/// No `[orbit]`, names that do not fit; a state that the robot cannot start from.
pub(crate) fn unknown_orbit(experiment: &Experiment) -> Result<Orbit, OrbitError> {
    let entry = anchor::entry(experiment)?;
    let drift = drifting(experiment, entry)?;
    let names = with_search(experiment, 0, |search, _, _| Ok(search.chart().names()))?;
    let unknown = |names: &[String]| -> BTreeMap<String, f64> {
        names.iter().map(|name| (name.clone(), f64::NAN)).collect()
    };
    let drifts: Vec<String> = drift.iter().map(|(name, _)| name.clone()).collect();
    let model = &experiment.model;
    Ok(Orbit {
        status: "not found",
        found: false,
        residual: f64::NAN,
        iterations: 0,
        shooting_segments: 0,
        period_s: f64::NAN,
        strides: entry.strides,
        advance: unknown(&drifts),
        state: NamedState {
            q: unknown(model.configuration_names()),
            v: unknown(model.coordinate_names()),
        },
        free: unknown(&entry.free),
        section_point: unknown(&names),
        derivative: vec![vec![f64::NAN; names.len()]; names.len()],
        derivative_error: Some(f64::NAN),
        multipliers: vec![[f64::NAN; 2]; names.len()],
        trivial: trivial(entry, &drift),
        stable: None,
        differentiability: Some(Differentiability::Differentiable),
        limits: Vec::new(),
        simultaneous: Vec::new(),
        energy_lost_J: f64::NAN,
        energy_supplied_J: f64::NAN,
        cost_of_transport: None,
        scuffing: Some((String::new(), f64::NAN)),
        events: Vec::new(),
        coordinates: names,
    })
}
