//! What a drive prescribes in time jumps inside steps, which lose no order by it.

use std::f64::consts::TAU;

use carom::control::{
    BuehlerClock, Controller, DrivenJoint, GaitController, GaitLeg, LegProgram, Schedule, Servo,
    ServoController, WalkTimes,
};
use carom::hybrid::{Simulation, Unwatched};
use carom::model::{ModelBuilder, urdf};

/// A wheel of inertia 1 kg m² on a fixed axle.
const WHEEL: &str = r#"<robot name="wheel"><link name="world"/><link name="rim"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="axle" type="continuous"><parent link="world"/><child link="rim"/><axis xyz="0 1 0"/></joint></robot>"#;

/// Rate of the wheel, at rest before, after half a second in steps of `time_step`.
fn rate_after(time_step: f64, drive: impl FnOnce(DrivenJoint) -> Box<dyn Controller>) -> f64 {
    let model = urdf::parse(WHEEL, "wheel.urdf")
        .and_then(ModelBuilder::build)
        .unwrap();
    let axle = DrivenJoint::new(&model, "axle", None).unwrap();
    let mut simulation = Simulation::builder(model)
        .boxed_controller(drive(axle))
        .time_step(time_step)
        .build()
        .unwrap();
    simulation.run_until(0.5, &mut Unwatched).unwrap();
    simulation.velocity().unwrap()[0]
}

/// An effort of 2 N m from 0.10037 s on: a step that took it from its middle on would be wrong by up to 1e-3 rad/s.
#[test]
fn an_effort_acts_from_the_moment_on_at_which_it_jumps() {
    for time_step in [2e-3, 1e-3, 7e-4, 5e-4] {
        let rate = rate_after(time_step, |joint| {
            let jump = vec![[0.0, 0.0], [0.10037, 0.0], [0.10037, 2.0], [1.0, 2.0]];
            let servo = Servo {
                joint,
                stiffness: 0.0,
                damping: 0.0,
                target: Schedule::default(),
                feed_forward: Schedule::Points(jump),
            };
            Box::new(ServoController {
                servos: vec![servo],
            })
        });
        // The last of whole steps of 0.7 ms ends at 0.5005 s. Roundings of a thousand sums below one.
        let end = (0.5 / time_step).ceil() * time_step;
        assert!(
            (rate - 2.0 * (end - 0.10037)).abs() < 1e-12,
            "{time_step}: {rate}"
        );
    }
}

/// A damper between a wheel and the clock of a leg whose corners lie off the steps: v′ = d (w − v), w piecewise constant, is solved
/// by exponentials from corner to corner, and missed by a quarter with half the step.
#[test]
fn a_gait_whose_corners_lie_inside_steps_is_of_order_two() {
    let damping = 20.0;
    let clock = BuehlerClock {
        duty_factor: 0.37,
        sweep: 0.9,
        offset: 0.1,
    };
    // At full speed long before the start.
    let times = WalkTimes {
        period: 0.2347,
        start_phase: 0.0,
        start: -5.0,
        stop: None,
        shift: 0.0,
        ramp: 0.0,
    };
    let phase = 0.13;
    let cycles = |time: f64| (time - times.start) / times.period + phase;
    let mut corners: Vec<f64> = (0..40)
        .flat_map(|k| [-0.5, 0.5].map(|side| f64::from(k) + side * clock.duty_factor))
        .map(|corner| times.start + (corner - phase) * times.period)
        .filter(|time| *time > 0.0 && *time < 0.5)
        .collect();
    corners.push(0.5);
    let (mut rate, mut time) = (0.0, 0.0);
    for &corner in &corners {
        let slow = clock.is_slow(cycles(0.5 * (time + corner)));
        let turn = if slow {
            clock.sweep / clock.duty_factor
        } else {
            (TAU - clock.sweep) / (1.0 - clock.duty_factor)
        };
        let wanted = turn / times.period;
        rate = wanted + (rate - wanted) * (-damping * (corner - time)).exp();
        time = corner;
    }
    let missed = [2e-3, 1e-3, 5e-4].map(|time_step| {
        let found = rate_after(time_step, |joint| {
            let leg = GaitLeg {
                joint,
                direction: 1.0,
                zero: 0.0,
                program: LegProgram::new(clock, phase, 0.0, times.start_phase),
            };
            Box::new(GaitController {
                times,
                legs: vec![leg],
                stiffness: 0.0,
                damping,
                motor: None,
            })
        });
        (found - rate).abs()
    });
    for pair in missed.windows(2) {
        let ratio = pair[0] / pair[1];
        // The next term of the error is of fourth order, (d h)² of this one.
        assert!((3.9..4.1).contains(&ratio), "{missed:?}");
    }
}
