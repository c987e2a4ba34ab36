//! Joints that dry friction and damping stop together, where nothing else is: no contact, no weight.

use carom::hybrid::{Simulation, Unwatched};
use carom::impact::Plastic;
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::Vector3;

/// Moment of inertia of a rod of 3 kg and 0.2 m about its end: m l²/3 [kg m²].
const INERTIA: f64 = 0.04;
const SPEED: f64 = 10.0;

fn rotor(friction: f64, damping: f64) -> Model {
    ModelBuilder::new("rotor")
        .base(Base::Fixed)
        .gravity([0.0; 3])
        .link(Link::new("wall"))
        .link(Link::new("rotor").rod(3.0, Vector3::zeros(), Vector3::x() * 0.2))
        .joint(
            Joint::revolute("hinge", "wall", "rotor")
                .axis([0.0, 0.0, 1.0])
                .friction(friction)
                .damping(damping),
        )
        .build()
        .unwrap()
}

fn spinning(friction: f64, damping: f64, time_step: f64) -> Simulation {
    Simulation::builder(rotor(friction, damping))
        .law(Plastic::default())
        .time_step(time_step)
        .rate("hinge", SPEED)
        .build()
        .unwrap()
}

/// The energy that is gone is the work that is booked, also in the step in which the joint stops: before it did, up to a
/// fifth was missing. Root finding leaves up to 1e-10 of the momentum, twice that of the energy, in the step that decides.
#[test]
fn what_stops_a_joint_takes_its_energy() {
    let energy = 0.5 * INERTIA * SPEED * SPEED;
    for [friction, damping] in [
        [10.0, 3.0],
        [10.0, 0.5],
        [2.0, 3.0],
        [0.02, 0.5],
        [10.0, 0.0],
    ] {
        for time_step in [4e-3, 1e-3, 2.5e-4] {
            let mut simulation = spinning(friction, damping, time_step);
            simulation.run_until(2.0, &mut Unwatched).unwrap();
            let case = format!("{friction} {damping} {time_step}");
            assert_eq!(simulation.velocity().unwrap()[0], 0.0, "{case}");
            let work = simulation.state().work.dissipative;
            assert!((work + energy).abs() < 4e-10 * energy, "{case}: {work}");
        }
    }
}

/// I ω' = −f − dω: at rest after (I/d) ln(1 + dω₀/f), having turned by (I/d)(ω₀ − (f/I) t). The moment at which it stops is
/// located, so the error is that of the midpoint rule over a few time constants.
#[test]
fn it_stops_where_it_must() {
    let (friction, damping) = (2.0, 0.5);
    let stop = INERTIA / damping * (1.0 + damping * SPEED / friction).ln();
    let way = INERTIA / damping * (SPEED - friction / INERTIA * stop);
    let error = |time_step: f64| {
        let mut simulation = spinning(friction, damping, time_step);
        simulation.run_until(0.2, &mut Unwatched).unwrap();
        (simulation.state().q[0] - way).abs() / way
    };
    let [coarse, fine] = [4e-3, 1e-3].map(error);
    // h²/12 (d/I)² of a first-order decay.
    assert!(coarse < (4e-3 * damping / INERTIA).powi(2), "{coarse:e}");
    assert!(fine < 0.1 * coarse, "{coarse:e} {fine:e}");
}

/// A damper that stops a joint within a thousandth of a step: after the first one it rests, where the momentum that it has lost says,
/// M Δv = −c Δq. The midpoint rule over whole steps multiplies its rate by −0.996. Pieces that begin at M/c and double have one at
/// hc/2M = 1, after which nothing is left, but for 1e-10 of the momentum that solving leaves.
#[test]
fn a_damper_faster_than_a_step_does_not_ring() {
    let time_step = 1e-3;
    let damping = 1e3 * INERTIA / time_step;
    let mut simulation = spinning(0.0, damping, time_step);
    simulation.step(&[0.0]).unwrap();
    let rate = simulation.velocity().unwrap()[0];
    assert!(rate.abs() < 1e-9 * SPEED, "{rate:e}");
    let way = INERTIA * SPEED / damping;
    let angle = simulation.state().q[0];
    assert!((angle - way).abs() < 1e-9 * way, "{angle:e} {way:e}");
    let taken = simulation.state().work.dissipative;
    let energy = 0.5 * INERTIA * SPEED * SPEED;
    assert!((taken + energy).abs() < 1e-9 * energy, "{taken}");
}
