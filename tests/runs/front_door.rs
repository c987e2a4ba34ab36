//! The way into a simulation: what the builder refuses, one loop, starting again, and the linear part of a step.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::control::{
    Controller, DrivenJoint, Observation, Sampled, Schedule, Servo, ServoController,
};
use carom::hybrid::{
    BuildError, Event, LinearizeError, RunError, RunStop, Simulation, SimulationBuilder,
    SimulationError, SimulationSettings, State, StepSummary, Unwatched, Watcher,
};
use carom::impact::Routh;
use carom::model::sample::hexapod;
use carom::model::{Base, Joint, JointLimits, Link, Model, ModelBuilder, ModelError};
use nalgebra::Vector3;

/// A ball 1 m above the floor.
fn ball(restitution: f64) -> SimulationBuilder {
    let model = ModelBuilder::new("ball")
        .base(Base::Floating)
        .link(Link::new("ball").solid_sphere(1.0, 0.1, Vector3::zeros()))
        .build()
        .unwrap();
    let contacts = ball_contacts(&model, restitution);
    Simulation::builder(model)
        .contacts(contacts)
        .position("base.z", 1.1)
}

fn ball_contacts(model: &Model, restitution: f64) -> Contacts {
    let link = &model.links().last().unwrap().name;
    let material = Material::new(0.3, restitution);
    let site = Site::sphere(model, "ball", link, [0.0; 3], 0.1, material).unwrap();
    let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
    Contacts::new(model, vec![site], vec![floor], &[], Combination::Minimum).unwrap()
}

/// A door with a limited hinge.
fn door() -> Model {
    let limits = JointLimits {
        position: Some((-0.5, 1.5)),
        ..JointLimits::default()
    };
    ModelBuilder::new("door")
        .link(Link::new("wall"))
        .link(Link::new("leaf").rod(2.0, Vector3::zeros(), Vector3::x()))
        .joint(
            Joint::revolute("hinge", "wall", "leaf")
                .axis([0.0, 0.0, 1.0])
                .limits(limits),
        )
        .build()
        .unwrap()
}

fn refused(builder: SimulationBuilder) -> BuildError {
    builder.build().err().expect("it is refused")
}

fn says(error: &dyn std::error::Error, parts: &[&str]) {
    let text = error.to_string();
    for part in parts {
        assert!(text.contains(part), "{text:?} does not say {part:?}");
    }
}

#[test]
fn wrong_sizes_and_numbers_are_refused_with_their_place() {
    let q = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for (q, v, parts) in [
        (&q[..6], &[0.0; 6][..], ["configuration", "6", "7"]),
        (&q[..], &[0.0; 7][..], ["velocity", "7", "6"]),
        (&[], &[], ["configuration", "0", "7"]),
    ] {
        let error = refused(ball(0.5).state(q, v));
        says(&error, &parts);
        let wrong = BuildError::Start(SimulationError::State(ModelError::WrongLength {
            what: if parts[0] == "velocity" {
                "velocity"
            } else {
                "configuration"
            },
            found: parts[1].parse().unwrap(),
            expected: parts[2].parse().unwrap(),
        }));
        assert_eq!(error, wrong);
    }
    says(
        &refused(ball(0.5).position("base.x", f64::NAN)),
        &["base.x", "NaN", "finite"],
    );
    says(
        &refused(ball(0.5).rate("base.wx", f64::INFINITY)),
        &["inf", "finite"],
    );
    says(
        &refused(Simulation::builder(door()).position("hing", 0.1)),
        &["hing", "did you mean \"hinge\"?"],
    );
}

#[test]
fn a_quaternion_is_refused_with_its_length_or_made_a_unit() {
    let with = |w: f64| ball(0.5).position("base.qw", w);
    says(&refused(with(2.0)), &["length 2", "divide"]);
    says(&refused(with(1.0 + 1.1e-6)), &["1.0000011"]);
    let near = with(1.0 + 0.9e-6).build().unwrap();
    assert_eq!(near.state().q[6], 1.0);
}

#[test]
fn limits_time_steps_and_what_belongs_to_another_robot_are_refused() {
    let error = refused(Simulation::builder(door()).position("hinge", 1.6));
    says(&error, &["hinge", "1.6", "[-0.5, 1.5]"]);
    assert!(matches!(
        error,
        BuildError::Start(SimulationError::LimitViolated { .. })
    ));
    for h in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
        says(&refused(ball(0.5).time_step(h)), &["time_step", "positive"]);
    }
    let robot = hexapod().unwrap();
    let foreign = ball_contacts(&robot, 0.0);
    let error = refused(Simulation::builder(door()).contacts(foreign));
    says(&error, &["ball", "door", "1 bodies", "this model"]);
    says(
        &refused(ball(0.5).position("base.z", 0.05)),
        &["ball", "below the surface", "raise"],
    );
}

#[test]
fn negative_effort_limits_are_errors_and_no_panics() {
    let text = r#"<robot name="arm"><link name="base"/>
        <link name="rod"><inertial><mass value="1"/><origin xyz="0 0 -0.5"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="elbow" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
        <limit lower="-1" upper="1" effort="-5" velocity="1"/></joint></robot>"#;
    let parsed = carom::model::urdf::parse(text, "arm.urdf").and_then(ModelBuilder::build);
    says(&parsed.unwrap_err(), &["elbow", "effort limit", "-5"]);
    let model = door();
    let servo = |model: &Model, limit: f64, v_index: usize| {
        let hinge = model.joint("hinge").unwrap();
        ServoController {
            servos: vec![Servo {
                joint: DrivenJoint {
                    q_index: hinge.q_index,
                    v_index,
                    effort_limit: limit,
                },
                stiffness: 1.0,
                damping: 0.1,
                target: Schedule::Constant(0.3),
                feed_forward: Schedule::default(),
            }],
        }
    };
    let negative = servo(&model, -5.0, 0);
    says(
        &refused(Simulation::builder(model.clone()).controller(negative)),
        &["hinge", "-5", "at least 0"],
    );
    let elsewhere = servo(&model, 5.0, 3);
    says(
        &refused(Simulation::builder(model).controller(elsewhere)),
        &["3 of v", "has 1 and 1"],
    );
}

#[test]
fn forces_of_another_size_are_an_error() {
    let mut simulation = ball(0.5).build().unwrap();
    let before = simulation.state().clone();
    for given in [&[][..], &[0.0; 5], &[0.0; 7]] {
        assert_eq!(
            simulation.step(given),
            Err(SimulationError::Size {
                what: "applied forces",
                found: given.len(),
                expected: 6,
            })
        );
    }
    assert_eq!(simulation.state(), &before);
}

/// Counts what it sees.
#[derive(Default)]
struct Counter {
    calls: Vec<&'static str>,
    stop_after: usize,
}

impl Watcher<String> for Counter {
    fn start(&mut self, _: &mut Simulation) -> Result<(), String> {
        self.calls.push("start");
        Ok(())
    }

    fn settled(&mut self, _: &mut Simulation, _: &[Event]) -> Result<(), String> {
        self.calls.push("settled");
        Ok(())
    }

    fn step(
        &mut self,
        _: &mut Simulation,
        _: &StepSummary,
        _: &[Event],
    ) -> Result<ControlFlow<()>, String> {
        self.calls.push("step");
        match self.calls.len() {
            n if n == self.stop_after => Ok(ControlFlow::Break(())),
            n if n > self.stop_after => Err("too many".to_string()),
            _ => Ok(ControlFlow::Continue(())),
        }
    }
}

#[test]
fn the_loop_shows_the_start_once_and_every_step() {
    let mut simulation = ball(0.5).build().unwrap();
    let mut counter = Counter {
        stop_after: 5,
        ..Counter::default()
    };
    let end = simulation.run_until(1.0, &mut counter);
    assert_eq!(end, Ok(RunStop::Interrupted));
    assert_eq!(counter.calls, ["start", "settled", "step", "step", "step"]);
    let end = simulation.run_until(1.0, &mut counter);
    assert_eq!(end, Err(RunError::Watcher("too many".to_string())));
    assert_eq!(simulation.state().step, 4);
    // A closure, up to a time that is no end of a step.
    let mut times = Vec::new();
    let mut watcher = |simulation: &mut Simulation, _: &[Event]| {
        times.push(simulation.time());
        ControlFlow::Continue(())
    };
    let end = simulation.run_until(0.0065, &mut watcher);
    assert_eq!(end, Ok(RunStop::Reached));
    assert_eq!(times, [0.005, 0.006, 0.007]);
    assert!(simulation.run_until(f64::NAN, &mut Unwatched).is_err());
}

#[test]
fn the_loop_takes_the_steps_that_one_takes_by_hand() {
    let push = |o: &Observation<'_>, efforts: &mut [f64]| efforts[0] = (9.0 * o.time).sin();
    let h = SimulationSettings::default().time_step;
    let mut one = ball(0.5).controller(push).build().unwrap();
    let mut events = Vec::new();
    let mut log = |_: &mut Simulation, new: &[Event]| {
        events.extend_from_slice(new);
        ControlFlow::Continue(())
    };
    // In two parts, to ends of steps that are not numbers of the machine.
    for t in [0.3, 0.7] {
        assert_eq!(one.run_until(t, &mut log), Ok(RunStop::Reached));
        assert_eq!(one.state().step, (t / h).round() as u64);
    }
    let mut two = ball(0.5).build().unwrap();
    let mut three = ball(0.5).controller(push).build().unwrap();
    let mut asked = push;
    for _ in 0..700 {
        two.step_under(&mut asked).unwrap();
        three.step(&[0.0; 6]).unwrap();
    }
    assert_eq!(one.state(), two.state());
    assert_eq!(one.state(), three.state());
    assert_eq!(events, two.take_events());
}

/// Everything that a run came to.
fn outcome(simulation: &mut Simulation, t: f64) -> (State, Vec<Event>) {
    let mut events = Vec::new();
    let mut log = |_: &mut Simulation, new: &[Event]| {
        events.extend_from_slice(new);
        ControlFlow::Continue(())
    };
    simulation.run_until(t, &mut log).unwrap();
    (simulation.state().clone(), events)
}

#[test]
fn a_reset_simulation_runs_to_the_same_bits_as_a_fresh_one() {
    // Restitution draws impacts at random; the controller is sampled at a period that the steps do not divide.
    let build = || {
        let push = |o: &Observation<'_>, efforts: &mut [f64]| efforts[0] = 3.0 * (o.v[2] + o.time);
        let sampled = Sampled::new(Box::new(push) as Box<dyn Controller>, 7.3e-3).unwrap();
        ball(0.7)
            .law(Routh::default())
            .seed(11)
            .controller(sampled)
            .rate("base.vx", 0.4)
            .build()
            .unwrap()
    };
    let mut simulation = build();
    let first = outcome(&mut simulation, 1.2);
    assert!(first.0.impacts > 0);
    simulation.reset().unwrap();
    assert_eq!(simulation.time(), 0.0);
    // In the middle of a period, so that the controller must forget.
    outcome(&mut simulation, 0.005);
    simulation.reset().unwrap();
    let again = outcome(&mut simulation, 1.2);
    assert_eq!(first, again);
    assert_eq!(first, outcome(&mut build(), 1.2));
    assert_eq!(simulation.solver_counts(), {
        let mut fresh = build();
        outcome(&mut fresh, 1.2);
        fresh.solver_counts()
    });
}

#[test]
fn a_state_that_is_set_is_a_start_at_a_later_time() {
    let mut simulation = ball(0.0).build().unwrap();
    outcome(&mut simulation, 1.0);
    assert_eq!(simulation.state().held.len(), 1);
    let (mut q, v) = (
        [0.2, 0.0, 0.8, 0.0, 0.0, 0.6, 0.8],
        [0.3, 0.0, 0.0, 1.0, 0.0, 0.0],
    );
    simulation.set_state(&q, &v).unwrap();
    let set = simulation.state().clone();
    assert_eq!((set.step, set.time), (1000, 1.0));
    let at = |q: &[f64]| {
        ball(0.0)
            .state(q, &v)
            .position("base.z", q[2])
            .build()
            .unwrap()
    };
    let fresh = at(&q);
    let started = State {
        step: 1000,
        time: 1.0,
        ..fresh.state().clone()
    };
    assert_eq!(set, started);
    assert_eq!(simulation.linearize(), Err(LinearizeError::NoStep));
    // What is wrong leaves it as it is.
    assert!(simulation.set_state(&q, &v[..5]).is_err());
    assert!(simulation.set_state_at(-1.0, &q, &v).is_err());
    q[2] = 0.0;
    assert!(matches!(
        simulation.set_state(&q, &v),
        Err(SimulationError::Penetration { .. })
    ));
    assert_eq!(simulation.state(), &set);
    q[2] = 0.8;
    simulation.set_state_at(0.0, &q, &v).unwrap();
    let mut other = at(&q);
    assert_eq!(outcome(&mut simulation, 0.6), outcome(&mut other, 0.6));
    simulation.reset().unwrap();
    assert_eq!(simulation.state(), ball(0.0).build().unwrap().state());
}

#[test]
fn a_controller_sees_the_forces_of_contacts_in_newtons() {
    let mut simulation = ball(0.0).build().unwrap();
    assert_eq!(simulation.observe().unwrap().forces, [[0.0; 3]]);
    simulation.run_until(1.0, &mut Unwatched).unwrap();
    let seen = simulation.observe().unwrap();
    // The ball rests: its weight, to the rounding of impulses of 0.01 N s over 1 ms.
    assert!((seen.forces[0][0] - 9.81).abs() < 1e-9, "{:?}", seen.forces);
    assert!((seen.first_impact.unwrap() - (2.0_f64 / 9.81).sqrt()).abs() < 1e-9);
}

#[test]
fn a_model_and_contacts_may_be_shared() {
    let model = Arc::new(door());
    let contacts = Arc::new(Contacts::none(&model));
    let build = || {
        Simulation::builder(model.clone())
            .contacts(contacts.clone())
            .build()
            .unwrap()
    };
    let (mut one, mut two) = (build(), build());
    let end: Result<RunStop, RunError<Infallible>> = one.run_until(0.1, &mut Unwatched);
    assert_eq!(end, Ok(RunStop::Reached));
    two.run_until(0.1, &mut Unwatched).unwrap();
    assert_eq!(one.state(), two.state());
}
