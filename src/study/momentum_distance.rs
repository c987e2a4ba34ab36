//! How far two runs of one robot are apart over time: ‖p_a − p_b‖/‖p_a‖ in the kinetic metric (\[SM\] Fig. 8).
//!
//! Two runs that differ in the order of reflections alone stay together to round-off until an impact has
//! more than one outcome; the first event after which they are apart is where the orders part.

use serde::Serialize;

use super::Metric;
use crate::control::Controller;
use crate::hybrid::{Event, Simulation};
use crate::impact::Verdict;

/// Runs nearer than this are together: outcomes nearer than this count as one.
pub(crate) const TOGETHER: f64 = 1e-9;

/// Both runs at one time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DistanceSample {
    /// Time \[s\].
    pub time_s: f64,
    /// ‖p_a − p_b‖/‖p_a‖ in the kinetic metric of the first run.
    pub distance: f64,
}

/// An impact of the first run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DistanceEvent {
    /// Time \[s\].
    pub time_s: f64,
    /// Closed contacts.
    pub contacts: Vec<String>,
    /// How many distinct outcomes are known.
    pub outcomes: usize,
    /// Whether its outcome is unique.
    pub unique: Verdict,
    /// ξ of the impact.
    pub indeterminacy: f64,
    /// Distance of the two runs at the end of its step.
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
    /// The first event after which they are more than 1e-9 apart.
    pub parting: Option<Parting>,
    /// Impacts of the first run, in order.
    pub impacts: Vec<DistanceEvent>,
    /// Why it ended early.
    pub stopped: Option<String>,
}

impl DistanceCurve {
    /// Largest distance of the two momenta.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.samples.iter().map(|s| s.distance).fold(0.0, f64::max)
    }

    /// Largest ξ of any impact of the first run.
    #[must_use]
    pub fn largest_indeterminacy(&self) -> f64 {
        let each = self.impacts.iter().map(|i| i.indeterminacy);
        each.fold(0.0, f64::max)
    }

    /// Largest distance before the second impact of the first run: what the first one did.
    #[must_use]
    pub fn after_first_impact(&self) -> f64 {
        let second = self.impacts.get(1).map_or(f64::INFINITY, |i| i.time_s);
        let samples = self.samples.iter().take_while(|s| s.time_s < second);
        samples.map(|s| s.distance).fold(0.0, f64::max)
    }
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
        impacts: Vec::new(),
        stopped: None,
    };
    for step in 0..=steps {
        if step > 0 {
            let moved = a
                .step_under(first)
                .and_then(|_| b.step_under(second))
                .map_err(|e| e.to_string());
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
        for event in &events {
            if let Some(impact) = &event.impact {
                curve.impacts.push(DistanceEvent {
                    time_s: event.time,
                    contacts: names(a, event),
                    outcomes: impact.uniqueness.outcomes(),
                    unique: impact.uniqueness.verdict(),
                    indeterminacy: impact.uniqueness.indeterminacy(),
                    distance,
                });
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
    let xi = |e: &&Event| {
        e.impact
            .as_ref()
            .map_or(0.0, |i| i.uniqueness.indeterminacy())
    };
    let event = events.iter().max_by(|x, y| xi(x).total_cmp(&xi(y)));
    Parting {
        time_s: event.map_or(run.time(), |e| e.time),
        contacts: event.map_or(Vec::new(), |e| names(run, e)),
        indeterminacy: event.as_ref().map_or(0.0, xi),
    }
}

fn names(run: &Simulation, event: &Event) -> Vec<String> {
    let names = event.contacts.iter();
    names.map(|&c| run.contacts().name(c).to_string()).collect()
}
