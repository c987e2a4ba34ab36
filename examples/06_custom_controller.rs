//! Any function of the observation is a controller: a torque at its pivot swings a pendulum up by
//! pumping energy, and a linear law catches it at the top.

use carom::control::Observation;
use carom::hybrid::{Simulation, Unwatched};
use carom::model::{Joint, Link, ModelBuilder};
use nalgebra::Vector3;

/// Torque limit [N m]: a third of what would lift the pendulum straight up.
const LIMIT: f64 = 1.6;

fn swing_up(o: &Observation<'_>, efforts: &mut [f64]) {
    let (angle, rate) = (o.q[0], o.v[0]);
    let top = (angle - std::f64::consts::PI).rem_euclid(std::f64::consts::TAU);
    let from_top = if top > std::f64::consts::PI {
        top - std::f64::consts::TAU
    } else {
        top
    };
    // Rod of 1 kg and 1 m: inertia 1/3, weight torque 4.905 N m.
    let missing = 4.905 * (1.0 + angle.cos()) - rate * rate / 6.0;
    let effort = if from_top.abs() < 0.25 {
        -30.0 * from_top - 6.0 * rate
    } else {
        2.0 * missing * rate.signum()
    };
    efforts[0] = effort.clamp(-LIMIT, LIMIT);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = ModelBuilder::new("pendulum")
        .link(Link::new("world"))
        .link(Link::new("rod").rod(1.0, Vector3::zeros(), Vector3::new(0.0, 0.0, -1.0)))
        .joint(Joint::revolute("pivot", "world", "rod").axis([0.0, 1.0, 0.0]))
        .build()?;
    let mut simulation = Simulation::builder(model)
        .controller(swing_up)
        .rate("pivot", 0.1)
        .build()?;
    simulation.run_until(20.0, &mut Unwatched)?;
    let angle = simulation.state().q[0] / std::f64::consts::PI;
    println!("with {LIMIT} N m of 4.9 N m the pendulum ends at {angle:.6} half turns from hanging");
    Ok(())
}
