//! Regression test of a controller: what it does is recorded once, and a changed gain is noticed.
//!
//! In a test the last lines would be `carom::assert_baseline!("tests/baselines/chain.toml")`, or
//! `carom::assert_baseline!(file, controller = make)` for a controller that is part of the program.

use std::path::Path;

use carom::baseline::{Baseline, BaselineOptions, check_baseline};
use carom::control::{Controller, Observation};
use carom::scenario::Experiment;

/// Holds all joints of a chain, each link with less torque than the one before.
fn hold(stiffness: f64) -> impl Fn(&Experiment) -> Box<dyn Controller> + Sync {
    move |_| {
        Box::new(move |o: &Observation<'_>, efforts: &mut [f64]| {
            for (i, effort) in efforts.iter_mut().enumerate() {
                *effort = (stiffness * (0.0 - o.q[i]) - 0.1 * stiffness * o.v[i]) / (i + 1) as f64;
            }
        })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("carom-baseline-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let file = folder.join("chain.toml");

    // Once, by hand: record, look at the file, put it into version control.
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/chain/chain4.toml");
    let overrides = [
        "duration=1.0",
        "baseline.metrics={ sag = \"max(abs(q_joint1))\" }",
    ];
    let recorded = Baseline::record_file(
        &scenario,
        &overrides.map(String::from),
        &BaselineOptions {
            controller: Some(&hold(400.0)),
            ..BaselineOptions::default()
        },
    )?;
    recorded.write(&file)?;
    println!(
        "recorded: the first joint sags by {:.4} rad",
        recorded.metrics["sag"].value
    );

    // In every test: the same controller does the same …
    carom::assert_baseline!(file, controller = hold(400.0));

    // … and 5 % more stiffness does not.
    let stiffer = hold(420.0);
    let options = BaselineOptions {
        controller: Some(&stiffer),
        ..BaselineOptions::default()
    };
    let comparison = check_baseline(&file, &[], &options)?;
    assert!(!comparison.same);
    print!("{comparison}");
    std::fs::remove_dir_all(folder)?;
    Ok(())
}
