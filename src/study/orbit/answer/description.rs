//! What is said of where a search ended.

use std::collections::BTreeMap;

use nalgebra::DMatrix;

use super::simultaneous::simultaneous;
use super::smoothness::smoothness;
use super::{Differentiability, NamedState, Orbit, OrbitEvent, TrivialMultiplier, way};
use crate::hybrid::{Event, WorkLedger};
use crate::scenario::{Experiment, OrbitEntry};
use crate::study::orbit::OrbitError;
use crate::study::orbit::multipliers::eigenvalues;
use crate::study::orbit::return_map::ReturnMap;
use crate::study::orbit::search::{CLOSED, Found, Search};

/// Distance of multipliers from the unit circle that says which side.
const CIRCLE: f64 = 1e-6;

/// What is said of where a search ended, and DP there if the map has one.
pub(in crate::study::orbit) fn described(
    search: &Search<'_>,
    drift: &[(String, usize)],
    found: Found,
) -> Result<(Orbit, Option<DMatrix<f64>>), OrbitError> {
    let (experiment, entry) = (search.experiment, search.entry);
    let mut map = ReturnMap::new(experiment, entry)?;
    let mut chart = search.chart();
    let origin = origin(experiment, &chart.names(), &search.reference.0);
    let closed = found.residual <= CLOSED;
    let (q, v) = chart.state(found.z.as_slice())?;
    let names = chart.names();
    let strikes = simultaneous(experiment, &mut map, (&q, &v), &found.stride)?;
    let (mut differentiability, mut limits) = (Differentiability::Differentiable, Vec::new());
    if closed && !strikes.is_empty() {
        let smooth = smoothness(search, &found.z, &names)?;
        (differentiability, limits) = (smooth.verdict, smooth.limits);
    }
    let mut derivative = None;
    if closed && differentiability == Differentiability::Differentiable {
        derivative = Some(search.derivative(&found.z)?);
    }
    let multipliers = derivative
        .as_ref()
        .map_or(Vec::new(), |(slope, _)| eigenvalues(slope));
    let largest = multipliers.first().map_or(0.0, |x| x[0].hypot(x[1]));
    let stable = derivative.is_some() && (largest - 1.0).abs() > CIRCLE;
    let turned = if drift.iter().any(|(name, _)| name == "heading") {
        chart.heading(&found.stride.q) - chart.heading(&q)
    } else {
        0.0
    };
    let advance = advanced(drift, (&q, &found.stride.q), turned, experiment);
    let contacts = &experiment.contacts;
    let model = &experiment.model;
    let named = |names: &[String], values: &[f64]| {
        let pairs = names.iter().cloned().zip(values.iter().copied());
        pairs.collect::<BTreeMap<String, f64>>()
    };
    // Coordinates of the chart are displacements; what is told are the positions that they lead to.
    for limit in &mut limits {
        for (x, from) in limit.limit.iter_mut().zip(&origin) {
            *x += from;
        }
    }
    let point = names.iter().enumerate();
    let point = point.map(|(k, name)| (name.clone(), found.z[k] + origin[k]));
    let work = &found.stride.work;
    let orbit = Orbit {
        status: if closed { "found" } else { "not found" },
        found: closed,
        residual: found.residual,
        iterations: found.iterations,
        shooting_segments: found.segments,
        period_s: found.stride.time,
        strides: entry.strides,
        cost_of_transport: transport(experiment, work, &advance),
        advance,
        state: NamedState {
            q: named(model.configuration_names(), &q),
            v: named(model.coordinate_names(), &v),
        },
        section_point: point.collect(),
        derivative: derivative.as_ref().map_or(Vec::new(), |(slope, _)| {
            let rows = slope.row_iter();
            rows.map(|row| row.iter().copied().collect()).collect()
        }),
        derivative_error: derivative.as_ref().map(|(_, error)| *error),
        multipliers,
        trivial: trivial(entry, drift),
        stable: stable.then_some(largest < 1.0),
        differentiability: closed.then_some(differentiability),
        limits,
        simultaneous: strikes,
        energy_lost_J: 0.0 - work.impacts - work.captured,
        energy_supplied_J: work.actuators_positive,
        scuffing: (found.stride.scuffing).map(|(i, gap)| (contacts.name(i).to_string(), -gap)),
        events: found
            .stride
            .events
            .iter()
            .map(|event| told(experiment, event))
            .collect(),
        coordinates: names,
        free: BTreeMap::new(),
    };
    Ok((orbit, derivative.map(|(slope, _)| slope)))
}

/// Where the coordinates of a chart are counted from: positions from the reference, the way and turn of a floating base
/// and velocities from zero.
pub(in crate::study::orbit) fn origin(
    experiment: &Experiment,
    names: &[String],
    reference: &[f64],
) -> Vec<f64> {
    let positions = experiment.model.configuration_names();
    let of = |name: &String| {
        let at = name
            .strip_prefix("q_")
            .and_then(|own| positions.iter().position(|n| n == own));
        at.map_or(0.0, |at| reference[at])
    };
    names.iter().map(of).collect()
}

fn advanced(
    drift: &[(String, usize)],
    (from, to): (&[f64], &[f64]),
    heading: f64,
    experiment: &Experiment,
) -> BTreeMap<String, f64> {
    let names = experiment.model.configuration_names();
    let way = |name: &String| {
        let at = names.iter().position(|n| n == name);
        at.map_or(0.0, |at| to[at] - from[at])
    };
    let way = |name: &String| {
        if name == "heading" {
            heading
        } else {
            way(name)
        }
    };
    drift
        .iter()
        .map(|(name, _)| (name.clone(), way(name)))
        .collect()
}

fn transport(
    experiment: &Experiment,
    work: &WorkLedger,
    advance: &BTreeMap<String, f64>,
) -> Option<f64> {
    let way = way(advance);
    let weight = experiment.model.mass() * experiment.model.gravity().norm();
    let spent = if work.actuators_positive > 0.0 {
        work.actuators_positive
    } else {
        0.0 - work.impacts - work.captured
    };
    (way > 0.0 && weight > 0.0).then(|| spent / (weight * way))
}

pub(super) fn trivial(entry: &OrbitEntry, drift: &[(String, usize)]) -> Vec<TrivialMultiplier> {
    let mut all = Vec::new();
    let one = |reason: String| TrivialMultiplier {
        value: [1.0, 0.0],
        reason,
    };
    if entry.section.period.is_none() {
        all.push(one("along the flow".to_string()));
    }
    all.extend(drift.iter().map(|(name, _)| match name.as_str() {
        "heading" => one("rotation about the vertical".to_string()),
        name => one(format!("translation along {name}")),
    }));
    all
}

fn told(experiment: &Experiment, event: &Event) -> OrbitEvent {
    OrbitEvent {
        time_s: event.time,
        kind: event.kind.word(),
        contacts: experiment.contacts.names_of(&event.contacts),
        unique: event
            .impact
            .as_ref()
            .map(|impact| impact.uniqueness.verdict()),
    }
}
