//! TREX falls on foot and tail at once. From its straight stance the two orders of reflection lead to
//! states that differ; from the optimised stance they differ less.

use std::ops::ControlFlow;
use std::path::Path;

use carom::hybrid::{Event, EventKind, Simulation};
use carom::scenario::{Experiment, Scenario};
use carom::study::Metric;

/// Distance of the momenta after the first impact between the two orders, and ξ as reported.
fn first_impact(scenario: &str) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots/trex")
        .join(scenario);
    let mut ends = Vec::new();
    let mut reported = 0.0;
    let mut metric = None;
    for order in ["most-violated", "least-violated"] {
        let scenario = Scenario::read(&file, &[format!("impact.order={order}")])?;
        let experiment = Experiment::new(&file.display().to_string(), scenario)?;
        let mut simulation = experiment.simulation()?;
        let mut until_impact = |_: &mut Simulation, events: &[Event]| {
            let impact = events.iter().find(|e| e.kind == EventKind::Impact);
            let Some(record) = impact.and_then(|e| e.impact.as_ref()) else {
                return ControlFlow::Continue(());
            };
            reported = record.uniqueness.indeterminacy();
            ControlFlow::Break(())
        };
        simulation.run_until(f64::INFINITY, &mut until_impact)?;
        metric.get_or_insert_with(|| Metric::new(&experiment.model));
        ends.push(simulation.state().clone());
    }
    let distance = metric.map_or(f64::NAN, |mut m| {
        m.momentum_distance(&ends[0].q, &ends[0].p, &ends[1].p)
    });
    Ok((distance, reported))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for scenario in ["straight.toml", "drop.toml"] {
        let (distance, xi) = first_impact(scenario)?;
        println!("{scenario}: xi = {xi:.4e}; the two orders end {distance:.4e} apart");
    }
    Ok(())
}
