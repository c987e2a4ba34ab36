//! Which gains of a quadruped decide how it lands? One number by all of them, through the strikes of its feet, in one sweep
//! over the run; then one step downhill.

use std::error::Error;
use std::path::Path;

use carom::hybrid::{Parameter, Simulation, Unwatched};
use carom::scenario::{Experiment, Scenario, ScenarioError};

const END: f64 = 0.18;
const CALVES: [&str; 4] = [
    "FR_calf_joint",
    "FL_calf_joint",
    "RR_calf_joint",
    "RL_calf_joint",
];

/// Falls a little tilted, with these stiffnesses of the knees.
fn landed(file: &Path, stiffness: &[f64; 4]) -> Result<Simulation, Box<dyn Error>> {
    let scenario = Scenario::read(file, &overrides(stiffness))?;
    let experiment = Experiment::new("landing", scenario)?;
    let controller = experiment.controller()?;
    let mut simulation = experiment.simulation()?.with_controller(controller);
    simulation.start_recording();
    simulation.run_until(END, &mut Unwatched)?;
    Ok(simulation)
}

fn key(joint: &str) -> String {
    format!("controller.joint.{joint}.stiffness")
}

fn overrides(stiffness: &[f64; 4]) -> Vec<String> {
    let gains = CALVES.iter().zip(stiffness);
    let gains = gains.map(|(joint, k)| format!("{}={k}", key(joint)));
    let tilt = "initial.base.quaternion=[0.0249774, 0.0399768, -0.0009996, 0.9988879]";
    gains.chain([tilt.to_string()]).collect()
}

/// Half the square of the trunk's rates of turning [rad²/s²], and its gradient by (q, v).
fn tumbling(simulation: &mut Simulation) -> Result<(f64, Vec<f64>), Box<dyn Error>> {
    let n = simulation.model().dof();
    let rates = simulation.velocity()?[3..6].to_vec();
    let mut gradient = vec![0.0; 2 * n];
    gradient[n + 3..n + 6].copy_from_slice(&rates);
    Ok((0.5 * rates.iter().map(|w| w * w).sum::<f64>(), gradient))
}

fn main() -> Result<(), Box<dyn Error>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/quadruped/stand.toml");
    let mut stiffness = [100.0; 4];
    let mut simulation = landed(&file, &stiffness)?;
    let (before, objective) = tumbling(&mut simulation)?;
    let mut parameters = CALVES
        .iter()
        .zip(stiffness)
        .map(|(joint, k)| Scenario::parameter(&file, &overrides(&stiffness), &key(joint), k, 0.1))
        .collect::<Result<Vec<Parameter>, ScenarioError>>()?;
    let gradient = simulation.recorded_gradient_by(&objective, &mut parameters)?;
    println!("tumbling {END} s after the start: {before:.6} rad²/s²");
    for (joint, slope) in CALVES.iter().zip(gradient.parameters.iter()) {
        println!("{joint}: {slope:+.3e} for each N m/rad");
    }
    let slopes = gradient.parameters;
    for (k, slope) in stiffness.iter_mut().zip(slopes.iter()) {
        *k -= 20.0 * slope / slopes.amax();
    }
    let after = tumbling(&mut landed(&file, &stiffness)?)?.0;
    println!("20 N m/rad downhill: {after:.6} rad²/s²");
    assert!(after < before);
    Ok(())
}
