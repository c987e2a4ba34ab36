//! A double pendulum swings for 100 s without friction: its energy stays in a band that shrinks with
//! the square of the step and has no trend.

use carom::hybrid::Simulation;
use carom::model::sample::chain;

/// Largest energy error over the run and mean error of its last tenth [J].
fn swing(time_step: f64) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let mut simulation = Simulation::builder(chain(2)?)
        .time_step(time_step)
        .build()?;
    let start = simulation.energies()?.balance();
    let (mut worst, mut late, mut count) = (0.0_f64, 0.0, 0);
    while simulation.time() < 100.0 {
        simulation.advance()?;
        let error = simulation.energies()?.balance() - start;
        worst = worst.max(error.abs());
        if simulation.time() > 90.0 {
            late += error;
            count += 1;
        }
    }
    Ok((worst, late / f64::from(count)))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for time_step in [4e-3, 2e-3, 1e-3] {
        let (worst, late) = swing(time_step)?;
        println!(
            "step {time_step} s: energy within {worst:.2e} J, mean of the last 10 s {late:+.1e} J"
        );
    }
    Ok(())
}
