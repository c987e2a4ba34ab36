//! Orders 4, 6 and 8 with dampers that are as fast as stages: some of those run backwards, where a damper is an engine.

use carom::control::{DrivenJoint, Schedule, Servo, ServoController};
use carom::discrete::stages;
use carom::hybrid::{Simulation, SimulationSettings};
use carom::model::{Joint, Link, Model, ModelBuilder};
use nalgebra::{Matrix3, Vector3};

/// About the axle \[kg m²\].
const INERTIA: f64 = 2e-3;
const TIME_STEP: f64 = 1e-3;
const SPEED: f64 = 30.0;

/// A wheel on an axle with a damper \[N m s/rad\].
fn wheel(damping: f64) -> Model {
    let central = Matrix3::identity() * INERTIA;
    ModelBuilder::new("wheel")
        .link(Link::new("stand"))
        .link(Link::new("wheel").inertial(1.0, Vector3::zeros(), central))
        .joint(
            Joint::revolute("axle", "stand", "wheel")
                .axis([0.0, 0.0, 1.0])
                .damping(damping),
        )
        .build()
        .unwrap()
}

/// A servo that only damps.
fn brake(damping: f64) -> ServoController {
    ServoController {
        servos: vec![Servo {
            joint: DrivenJoint {
                q_index: 0,
                v_index: 0,
                effort_limit: f64::INFINITY,
            },
            stiffness: 0.0,
            damping,
            target: Schedule::default(),
            feed_forward: Schedule::default(),
        }],
    }
}

/// The rate of the wheel after each of ten steps.
fn rates(order: u32, damper: f64, servo: f64) -> Vec<f64> {
    let settings = SimulationSettings {
        time_step: TIME_STEP,
        order,
        ..SimulationSettings::default()
    };
    let mut sim = Simulation::builder(wheel(damper))
        .controller(brake(servo))
        .settings(settings)
        .state(&[0.0], &[SPEED])
        .build()
        .unwrap();
    let mut rates = Vec::new();
    for _ in 0..10 {
        sim.step(&[0.0]).unwrap();
        rates.push(sim.velocity().unwrap()[0]);
    }
    rates
}

#[test]
fn no_damper_speeds_a_joint_up() {
    for order in [2, 4, 6, 8] {
        let backwards = stages(order).into_iter().filter(|x| *x < 0.0);
        for fraction in backwards.chain([1.0]) {
            // A rate is multiplied by (1 + a)/(1 − a), a = c|γ|h/(2 D), by a stage of γh < 0.
            for a in [0.3, 0.9, 1.0 - 1e-6, 1.0 + 1e-6, 1.2, 5.0] {
                let damping = 2.0 * INERTIA * a / (fraction.abs() * TIME_STEP);
                for [damper, servo] in [[damping, 0.0], [0.0, damping], [0.5 * damping; 2]] {
                    let rates = rates(order, damper, servo);
                    let mut last = SPEED;
                    // Steps are solved to 1e-10 of the momentum that they begin with.
                    for rate in &rates {
                        let bound = last.max(1e-10 * SPEED);
                        assert!(rate.abs() <= bound, "{order}, {fraction}, {a}: {rates:?}");
                        last = rate.abs();
                    }
                }
            }
        }
    }
}

#[test]
fn slow_dampers_are_followed_at_the_order() {
    // Time constants of 20 steps.
    let damping = INERTIA / (20.0 * TIME_STEP);
    let exact = SPEED * (-10.0_f64 / 20.0).exp();
    // R(z) of a composition is exp(z) but for what its order leaves of z = 1/20 a step: z⁵ and z⁷ with constants below 1,
    // ten times; order 8 leaves rounding.
    for (order, bound) in [(4, 3e-6), (6, 8e-9), (8, 1e-11)] {
        let last = rates(order, damping, 0.0)[9];
        assert!(
            (last / exact - 1.0).abs() < bound,
            "{order}: {last} {exact}"
        );
    }
}
