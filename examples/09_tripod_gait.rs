//! A hexapod on C-shaped legs walks a few strides of an alternating tripod: how far and how straight it gets, and which of
//! its impacts had more than one outcome.

use std::error::Error;
use std::path::Path;

use carom::hybrid::EventKind;
use carom::record::Trace;
use carom::scenario::{Experiment, Scenario};

fn main() -> Result<(), Box<dyn Error>> {
    // Robot, ground, law, gait and motors are those of the scenario; only the walk is shorter, and ends in full stride.
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/rhex/tripod.toml");
    let scenario = Scenario::read(&file, &["duration=4.0".to_string()])?;
    let experiment = Experiment::new(&file.display().to_string(), scenario)?;

    let trace = Trace::run(&experiment, None)?;
    let walk = (trace.summary.locomotion.as_ref()).ok_or("the scenario has no [locomotion]")?;
    println!(
        "{} of {:.1} kg: {:.1} strides in {:.1} s, {:.3} m ahead, {:+.2} degrees off its heading",
        experiment.model.name(),
        experiment.model.mass(),
        walk.strides,
        walk.time_s,
        walk.distance_forward_m,
        walk.heading_error_rad.to_degrees(),
    );

    let impacts = || (trace.events.iter()).filter(|e| e.kind == EventKind::Impact);
    let ambiguous = || impacts().filter(|e| e.ambiguous());
    println!(
        "{} impacts, {} of them ambiguous",
        impacts().count(),
        ambiguous().count()
    );
    let worst = ambiguous().max_by(|a, b| a.indeterminacy.total_cmp(&b.indeterminacy));
    if let Some(event) = worst {
        println!(
            "the most ambiguous one, at {:.3} s: {} could have ended in {}{} ways, up to xi = {:.1e} apart",
            event.time_s,
            event.contacts.join(", "),
            if event.capped { "more than " } else { "" },
            event.outcomes,
            event.indeterminacy,
        );
    }
    Ok(())
}
