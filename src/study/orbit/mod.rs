//! Periodic orbits: found by Newton on the return map, with their multipliers, and whether they have any.
//!
//! # The return map
//!
//! A gait is a fixed point of P, from a state on a section to the next one there: just after a contact strikes, every
//! period of a force or a schedule, or where a coordinate passes a value. P is the simulation itself: the step, the
//! located events and the impact law of the scenario; the step in which the section is met is cut there. At the end of a
//! stride joints may change places (`swap`: the legs of a walker), and coordinates along which nothing changes may
//! advance (`drift`).
//!
//! States on the section are not free: held contacts stay closed, and at rest where they stick. A chart of what is left is
//! chosen by elimination, and Newton's method is damped on it:
//!
//! ```text
//! F(z) = P(z) − z = 0,      (DP − 1) Δz = −F                      z: positions (m, rad) and rates (m/s, rad/s)
//! ```
//!
//! Where one shot finds nothing the period is cut into 8 segments, and Newton's method has the states at all of them for
//! unknowns (`shooting = N` cuts it into N at once); what it ends at is confirmed by one shot. An error grows by e^{λT}
//! over a period and by e^{λT/N} over a segment:
//!
//! ```text
//! φ_k(y_k) − y_{k+1} = 0,   φ_{N−1}(y_{N−1}) − y_0 = 0
//! ```
//!
//! The time is not in the state. What a scenario prescribes in time (sines, gaits, turns, terrain that shakes) must have the
//! period of the section: a `period` that is no whole multiple of theirs is refused, and so are sections by events then. Under
//! a program of one's own (`external`), whose clock is not known, an orbit is followed for one more period with the clock
//! going on, and is none where that does not come back.
//!
//! # Multipliers
//!
//! They are the eigenvalues of DP at the fixed point. The one along the flow (1, of a section by events) and those along
//! the drift (1) are not in the chart; they are listed as trivial. DP is that of the run itself, through its strikes,
//! slides and lift-offs, by the implicit function theorem on the equations that located them
//! ([`Simulation::recorded_derivative`](crate::hybrid::Simulation::recorded_derivative)); `derivative_error` is how far
//! differences of the map along one direction are from it. Where it is not known (several strikes at once, sampled
//! controllers) DP is drawn out from central differences of three widths (error O(ε⁶), and the noise of located events over
//! ε), and `derivative_error` is what the last refinement changed.
//!
//! # Branches
//!
//! [`scan`] follows the orbit over a key of the scenario, by pseudo-arclength: the unknowns are z and the share s of the
//! parameter in its range, so that the branch goes on where the parameter turns. Every step predicts along the direction of
//! the branch and corrects in the plane across:
//!
//! ```text
//! P(z; s) − z = 0,   t · (z, s) = t · (z, s)_predicted          [DP − 1, P_s] t = 0,  |t| = 1
//! ```
//!
//! Folds, period doublings, Neimark-Sacker bifurcations and branch points are located to 1e-7 of the range, and so is where
//! the kind of the map or what strikes in a period changes. The branch ends where it leaves the range. Its orbits share one
//! chart: where other contacts are held on the section, or a strike passes it, a search a little further on begins another.
//!
//! [`find_orbits`] looks from many starts, [`basin`] follows motions from a grid to the orbits they go to.
//!
//! # Wanted speeds and steps
//!
//! With `free` keys of the scenario and as many `wanted` numbers (speed, period, step, cost of transport, largest
//! multiplier) the orbit is found that has them: Newton's method on the numbers of the orbits, each sought from the one
//! before, with a matrix by differences that Broyden's updates keep. A branch and many starts leave the keys as they are.
//!
//! # Three questions at a simultaneous strike
//!
//! The page [`three_questions`] derives them on a bar on two feet. In short: a neighbouring motion meets two contacts one after the other. Whether the law has one outcome for the momentum of the
//! orbit, whether P is continuous there, and whether it is differentiable, are three questions, and none follows from
//! another. So P is looked at from both sides along every coordinate: limits that differ are a jump (*discontinuous*), one
//! limit with two slopes is a kink (*piecewise*). Only a *differentiable* orbit has multipliers; the others have none, and
//! `stable` is null. Beside it stands what separate impacts in every order come to.
//!
//! An orbit may exist on the jump alone. Where Newton's method ends without one, strikes that are close are joined to one
//! impact (gaps of 1e-6 to 1e-4 m), which takes the jump out of the map and leaves the orbit where it is; what is found so is
//! kept if the map itself returns it.
//!
//! # Limits
//!
//! The answer is an orbit of the discrete motion: its distance to that of the continuous one is the order of the step
//! (`stepper.order`). A motion that grazes, or changes a mode exactly on the orbit, is not told from a smooth one unless
//! several contacts strike at once. An orbit that loses more than ten digits on its way is not confirmed by one shot, and so
//! not found; with several shots the contacts that are held where the period is cut are those of the guess. Where a strike passes the moment at which a period is cut,
//! the point on the section jumps, and a branch begins anew on the other side; a fold there is not passed, and another phase
//! of the force moves the cut. A branch sees what changes its sign between two of its points: two bifurcations of one kind
//! within a step stay unseen.
//!
//! # Example
//!
//! The long gait of a passive walker.
//!
//! ```
//! use carom::scenario::{Experiment, Scenario};
//! use carom::study::orbit::find_orbit;
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/compass/gait_long.toml");
//! let scenario = Scenario::read(&file, &[])?;
//! let orbit = find_orbit(&Experiment::new("walk", scenario)?, 0)?;
//! assert!(orbit.found && orbit.stable == Some(true));
//! // Down a slope of 0.03 rad: what impacts take is what gravity gives.
//! assert!((orbit.cost_of_transport.ok_or("no way")? - 0.03_f64.sin()).abs() < 1e-8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anchor;
mod answer;
mod basin;
mod branch;
mod chart;
mod curve;
mod error;
mod exact;
mod family;
mod joined;
mod motion;
mod multipliers;
mod orders;
mod prescribed;
mod return_map;
mod scan;
mod search;
mod section;
mod several;
pub mod shipped_gaits;
mod smoothness;
mod starts;
mod strikes;
pub mod three_questions;
mod unknown;
mod wanted;

use std::collections::BTreeMap;

use nalgebra::{DMatrix, DVector};

use crate::hybrid::{Event, WorkLedger};
use crate::model::Base;
use crate::scenario::{Experiment, OrbitEntry, ScenarioError};
pub(crate) use anchor::Anchor;
pub use answer::{
    Differentiability, Limit, NamedState, Orbit, OrbitEvent, SimultaneousStrike, TrivialMultiplier,
};
pub use basin::{Basin, BasinAxis, BasinEnd, basin};
use chart::HEADING;
pub use error::OrbitError;
pub(crate) use motion::on_orbit_repeated;
pub use motion::{OrbitPiece, on_orbit, orbit_motion};
use multipliers::eigenvalues;
pub use orders::SeparateImpacts;
use return_map::ReturnMap;
pub(crate) use return_map::Stride;
pub use scan::{Bifurcation, BifurcationKind, Scan, ScanChange, ScanPoint, ScanRange, scan};
use search::Search;
pub(crate) use search::{CLOSED, Found};
pub use starts::{FoundOrbit, FoundOrbits, MOST_STARTS, find_orbits};
pub(crate) use strikes::strikes;
pub(crate) use unknown::unknown_orbit;
pub use wanted::experiment_of;

/// Slip below which a held contact sticks on the section \[m/s\].
const STICKS: f64 = 1e-6;
/// Distance of multipliers from the unit circle that says which side.
const CIRCLE: f64 = 1e-6;

/// Looks for the orbit of an experiment's `[orbit]` from its initial state, or from where that is after `settle` periods.
///
/// # Errors
/// No `[orbit]`, names that do not fit, a first motion that does not return; free keys that do not lead to what is wanted.
/// That Newton's method does not converge is no
/// error but an answer.
pub fn find_orbit(experiment: &Experiment, settle: usize) -> Result<Orbit, OrbitError> {
    match &experiment.scenario.orbit {
        Some(entry) if !entry.free.is_empty() => wanted::find(experiment, entry, settle),
        _ => found_as_given(experiment, settle),
    }
}

/// The orbit with the scenario's free keys as they are.
fn found_as_given(experiment: &Experiment, settle: usize) -> Result<Orbit, OrbitError> {
    with_search(experiment, settle, |search, drift, z| {
        Ok(described(search, drift, search.solve(z)?)?.0)
    })
}

/// Work on the return map of an experiment, on a chart at its initial state after `settle` periods, and on where that is.
fn with_search<T>(
    experiment: &Experiment,
    settle: usize,
    work: impl FnOnce(&Search<'_>, &[(String, usize)], DVector<f64>) -> Result<T, OrbitError>,
) -> Result<T, OrbitError> {
    let entry = anchor::entry(experiment)?;
    let drift = drifting(experiment, entry)?;
    let mut map = ReturnMap::new(experiment, entry)?;
    let (mut q, mut v) = (experiment.q.clone(), experiment.v.clone());
    for _ in 0..settle {
        let stride = map.apply(&q, &v)?;
        (q, v) = (stride.q, stride.v);
    }
    let search = Search {
        experiment,
        entry,
        held: sticking(&mut map, &q, &v)?,
        reference: (q.clone(), v.clone()),
        drift: drift.iter().map(|(_, at)| *at).collect(),
        bound: None,
    };
    let start = search.chart().coordinates(&q, &v);
    work(&search, &drift, start)
}

/// Contacts that are held at a state of the section, and whether they stick.
fn sticking(map: &mut ReturnMap, q: &[f64], v: &[f64]) -> Result<Vec<(usize, bool)>, OrbitError> {
    let held = map.held(q, v)?.into_iter();
    Ok(held.map(|(i, slip)| (i, slip < STICKS)).collect())
}

/// What is said of where a search ended, and DP there if the map has one.
fn described(
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
        let smooth = smoothness::smoothness(search, &found.z, &names)?;
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
fn origin(experiment: &Experiment, names: &[String], reference: &[f64]) -> Vec<f64> {
    let positions = experiment.model.configuration_names();
    let of = |name: &String| {
        let at = name
            .strip_prefix("q_")
            .and_then(|own| positions.iter().position(|n| n == own));
        at.map_or(0.0, |at| reference[at])
    };
    names.iter().map(of).collect()
}

/// Names and entries of δ along which the motion may drift.
fn drifting(
    experiment: &Experiment,
    entry: &OrbitEntry,
) -> Result<Vec<(String, usize)>, OrbitError> {
    let model = &experiment.model;
    let floating = ["base.x", "base.y", "base.z"];
    let of = |name: &String| {
        let by_joint = model
            .joint(name)
            .map(|j| model.bodies()[j.body].v_index)
            .ok();
        let by_base = floating.iter().position(|n| n == name);
        let by_base = by_base.filter(|_| model.base() == Base::Floating);
        let by_coordinate = model.configuration_names().iter().position(|n| n == name);
        let by_coordinate = by_coordinate.filter(|_| model.dof() == model.configuration_len());
        let by_heading = (name == "heading" && model.base() == Base::Floating).then_some(HEADING);
        let by_any = by_base.or(by_joint).or(by_coordinate).or(by_heading);
        by_any.ok_or_else(|| {
            let heading = (model.base() == Base::Floating).then_some("heading");
            let known = model.configuration_names().iter().map(String::as_str);
            let near = crate::files::did_you_mean(name, known.chain(heading));
            let reason = format!("there is no position \"{name}\"{near}");
            ScenarioError::value(&experiment.file, "orbit.symmetry.drift", reason)
        })
    };
    let drift = entry.symmetry.drift.iter();
    let drift: Vec<(String, usize)> = drift
        .map(|name| Ok::<_, OrbitError>((name.clone(), of(name)?)))
        .collect::<Result<_, _>>()?;
    let names = |name: &str| drift.iter().any(|(own, _)| own == name);
    if names("heading") && !(names("base.x") && names("base.y")) {
        let reason = "a heading that drifts turns the way as well; add base.x and base.y";
        return Err(ScenarioError::value(&experiment.file, "orbit.symmetry.drift", reason).into());
    }
    Ok(drift)
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
    let way = answer::way(advance);
    let weight = experiment.model.mass() * experiment.model.gravity().norm();
    let spent = if work.actuators_positive > 0.0 {
        work.actuators_positive
    } else {
        0.0 - work.impacts - work.captured
    };
    (way > 0.0 && weight > 0.0).then(|| spent / (weight * way))
}

fn trivial(entry: &OrbitEntry, drift: &[(String, usize)]) -> Vec<TrivialMultiplier> {
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

/// Impacts at which two or more contacts strike that were not held.
fn simultaneous(
    experiment: &Experiment,
    map: &mut ReturnMap,
    (q, v): (&[f64], &[f64]),
    stride: &Stride,
) -> Result<Vec<SimultaneousStrike>, OrbitError> {
    let held: Vec<usize> = map.held(q, v)?.iter().map(|(i, _)| *i).collect();
    let mut told = Vec::new();
    for strike in strikes(experiment, held, stride) {
        if strike.contacts.len() < 2 {
            continue;
        }
        let names = experiment.contacts.names_of(&strike.contacts);
        let mut orders = Vec::new();
        if let Some(captured) = map.capture_at(experiment, (q, v), strike.event.time)? {
            let mut law = experiment.law()?;
            let coordinates = experiment.model.coordinate_names();
            orders = orders::all_orders(&captured, &names, law.as_mut(), coordinates)?;
        }
        told.push(SimultaneousStrike {
            time_s: strike.event.time,
            contacts: names,
            unique: strike.impact.uniqueness.verdict(),
            jump: spread(&orders),
            orders,
        });
    }
    Ok(told)
}

/// Largest differences between outcomes.
fn spread(orders: &[SeparateImpacts]) -> BTreeMap<String, f64> {
    let mut spread = BTreeMap::new();
    for order in orders {
        for (name, value) in &order.velocity_after {
            let ends = spread.entry(name.clone()).or_insert((*value, *value));
            *ends = (value.min(ends.0), value.max(ends.1));
        }
    }
    let widths = spread
        .into_iter()
        .map(|(name, (low, high)): (String, (f64, f64))| (name, high - low));
    widths.collect()
}
