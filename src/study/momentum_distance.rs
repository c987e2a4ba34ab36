//! How far two runs of one robot are apart over time: ‖p_a − p_b‖/‖p_a‖ in the kinetic metric (\[SM\] Fig. 8).
//!
//! Two runs that differ in the order of reflections alone stay together to round-off until an impact has
//! more than one outcome; the first event after which they are apart is where the orders part.

use serde::Serialize;

use super::branching::Metric;
use crate::control::{ControlError, Controller, Observation};
use crate::hybrid::{Event, Simulation};

/// Runs nearer than this are together: outcomes nearer than this count as one.
pub const TOGETHER: f64 = 1e-9;

/// Both runs at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DistanceSample {
    /// Time \[s\].
    pub time_s: f64,
    /// ‖p_a − p_b‖/‖p_a‖ in the kinetic metric of the first run.
    pub distance: f64,
}

/// Where two runs parted.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parting {
    /// Time of the event \[s\]; the end of the step where there was none.
    pub time_s: f64,
    /// Contacts of the event in the first run.
    pub contacts: Vec<String>,
    /// ξ of the event in the first run.
    pub indeterminacy: f64,
}

/// Distance of two runs over time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistanceCurve {
    /// One sample a step, the start first.
    pub samples: Vec<DistanceSample>,
    /// The first event after which they are more than [`TOGETHER`] apart.
    pub parting: Option<Parting>,
    /// Largest ξ of any event of the first run.
    pub largest_indeterminacy: f64,
    /// Time of the second impact event of the first run \[s\], if there was one.
    pub second_impact_s: Option<f64>,
    /// Why it ended early.
    pub stopped: Option<String>,
}

/// Runs two simulations side by side, each with its controller, for a number of steps. A run that fails
/// ends the curve.
pub fn momentum_distance(
    runs: [&mut Simulation; 2],
    controllers: [&mut dyn Controller; 2],
    steps: u64,
) -> DistanceCurve {
    let [a, b] = runs;
    let [first, second] = controllers;
    let mut metric = Metric::new(a.model());
    let mut curve = DistanceCurve {
        samples: Vec::new(),
        parting: None,
        largest_indeterminacy: 0.0,
        second_impact_s: None,
        stopped: None,
    };
    let mut impacts = 0;
    for step in 0..=steps {
        if step > 0 {
            let moved = advance(a, first).and_then(|()| advance(b, second));
            if let Err(reason) = moved {
                curve.stopped = Some(reason);
                break;
            }
        }
        let events = a.take_events();
        b.take_events();
        let (here, there) = (a.state(), b.state());
        let distance = metric.momentum_distance(&here.q, &here.p, &there.p);
        let sample = DistanceSample {
            time_s: here.time,
            distance,
        };
        for (time, impact) in events
            .iter()
            .filter_map(|e| Some((e.time, e.impact.as_ref()?)))
        {
            curve.largest_indeterminacy = curve.largest_indeterminacy.max(impact.indeterminacy);
            impacts += 1;
            if impacts == 2 {
                curve.second_impact_s = Some(time);
            }
        }
        curve.samples.push(sample);
        // A distance that is not a number counts as apart.
        if curve.parting.is_none() && (distance > TOGETHER || distance.is_nan()) {
            curve.parting = Some(parting(a, &events));
        }
    }
    curve
}

/// The most ambiguous event of the step after which two runs were found apart.
fn parting(run: &Simulation, events: &[Event]) -> Parting {
    let xi = |e: &&Event| e.impact.as_ref().map_or(0.0, |i| i.indeterminacy);
    let event = events.iter().max_by(|x, y| xi(x).total_cmp(&xi(y)));
    Parting {
        time_s: event.map_or(run.time(), |e| e.time),
        contacts: event.map_or(Vec::new(), |e| {
            let names = e
                .contacts
                .iter()
                .map(|&c| run.contacts().name(c).to_string());
            names.collect()
        }),
        indeterminacy: event.as_ref().map_or(0.0, xi),
    }
}

/// One step with the controller's efforts.
fn advance(run: &mut Simulation, controller: &mut dyn Controller) -> Result<(), String> {
    let v = run.velocity().map_err(|e| e.to_string())?.to_vec();
    let mut efforts = vec![0.0; v.len()];
    let observation = Observation {
        time: run.time(),
        time_step: run.settings().time_step,
        q: &run.state().q,
        v: &v,
        first_impact: run.state().first_impact,
        gaps: run.gaps(),
        model: run.model(),
    };
    controller
        .efforts(&observation, &mut efforts)
        .map_err(|e: ControlError| e.to_string())?;
    run.step(&efforts).map_err(|e| e.to_string())?;
    Ok(())
}
