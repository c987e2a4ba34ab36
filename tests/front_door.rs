//! The way into a simulation: what the builder refuses, one loop, starting again, and the linear part of a step.
#![allow(clippy::unwrap_used)]

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::control::{
    Controller, DrivenJoint, Observation, Sampled, Schedule, Servo, ServoController,
};
use carom::discrete::StepSettings;
use carom::hybrid::{
    BuildError, Event, LinearizeError, RunError, RunStop, Simulation, SimulationBuilder,
    SimulationError, SimulationSettings, State, StepSummary, Unwatched, Watcher,
};
use carom::impact::{Plastic, Routh};
use carom::model::sample::{chain, hexapod};
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

// The linear part of a step.

const TIGHT: StepSettings = StepSettings {
    tolerance: 1e-14,
    max_iterations: 60,
    max_halvings: 8,
};

/// Changes of (q, v) from `a` to `b`, 2n: of a floating base the body twist.
fn change(model: &Model, a: &(Vec<f64>, Vec<f64>), b: &(Vec<f64>, Vec<f64>)) -> Vec<f64> {
    let mut out = Vec::new();
    for body in model.bodies() {
        if body.kind == carom::model::JointKind::Floating {
            let at = body.q_index;
            let (from, to) = (&a.0[at..at + 7], &b.0[at..at + 7]);
            let quaternion = |q: &[f64]| {
                nalgebra::UnitQuaternion::new_normalize(nalgebra::Quaternion::new(
                    q[6], q[3], q[4], q[5],
                ))
            };
            let (start, end) = (quaternion(from), quaternion(to));
            let moved = Vector3::new(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
            out.extend_from_slice((start.inverse() * moved).as_slice());
            out.extend_from_slice((start.inverse() * end).scaled_axis().as_slice());
        } else {
            out.push(b.0[body.q_index] - a.0[body.q_index]);
        }
    }
    out.extend(b.1.iter().zip(&a.1).map(|(b, a)| b - a));
    out
}

/// Where a step leads from a state changed by `by` (2n), under `applied`.
fn stepped(
    probe: &mut Simulation,
    before: &State,
    by: &[f64],
    applied: &[f64],
) -> (Vec<f64>, Vec<f64>) {
    probe.restore(before.clone()).unwrap();
    let n = by.len() / 2;
    let v: Vec<f64> = probe
        .velocity()
        .unwrap()
        .iter()
        .zip(&by[n..])
        .map(|(v, d)| v + d)
        .collect();
    let mut q = before.q.clone();
    probe.model().integrate(&before.q, &by[..n], 1.0, &mut q);
    let mut kinematics = carom::dynamics::Kinematics::new(probe.model());
    kinematics.update_placements(probe.model(), &q);
    let mass = carom::dynamics::mass_matrix(probe.model(), &kinematics);
    let p = (mass * nalgebra::DVector::from_vec(v)).as_slice().to_vec();
    probe
        .restore(State {
            q,
            p,
            ..before.clone()
        })
        .unwrap();
    probe.step(applied).unwrap();
    let v = probe.velocity().unwrap().to_vec();
    (probe.state().q.clone(), v)
}

/// A and B of the next step of `simulation` under `applied`, along the changes that its contacts allow, against central
/// differences of the step itself.
fn check_linear_part(simulation: &mut Simulation, applied: &[f64]) {
    let before = simulation.state().clone();
    simulation.step(applied).unwrap();
    let linear = simulation.linearize().unwrap();
    let reduced = linear.reduced();
    let n = applied.len();
    let model = simulation.model().clone();
    let size = 1e-5;
    let mut compare = |by: Vec<f64>, force: Vec<f64>, found: Vec<f64>, what: &str| {
        let ends = [-size, size].map(|d| {
            let by: Vec<f64> = by.iter().map(|x| d * x).collect();
            let push: Vec<f64> = applied.iter().zip(&force).map(|(a, f)| a + d * f).collect();
            stepped(simulation, &before, &by, &push)
        });
        let difference = change(&model, &ends[0], &ends[1]);
        let largest = found.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        for (i, (found, difference)) in found.iter().zip(difference).enumerate() {
            let difference = difference / (2.0 * size);
            // Differences over 1e-5 see third derivatives times 1e-10 and rounding times 1e5.
            assert!(
                (found - difference).abs() <= 1e-6 * largest,
                "{what}, row {i}: {found} {difference}"
            );
        }
    };
    for (k, by) in reduced.lift.column_iter().enumerate() {
        let found = (&linear.transition * by).as_slice().to_vec();
        compare(
            by.as_slice().to_vec(),
            vec![0.0; n],
            found,
            &format!("state {k}"),
        );
    }
    for (k, at) in linear.input_coordinates.iter().enumerate() {
        let mut force = vec![0.0; n];
        force[*at] = 1.0;
        let found = linear.input.column(k).as_slice().to_vec();
        compare(vec![0.0; 2 * n], force, found, &format!("effort {k}"));
    }
}

#[test]
fn the_linear_part_of_a_flight_is_that_of_the_step() {
    let model = hexapod().unwrap();
    let n = model.dof();
    let v: Vec<f64> = (0..n).map(|i| (1.7 * i as f64).sin()).collect();
    let mut simulation = Simulation::builder(model.clone())
        .settings(SimulationSettings {
            time_step: 5e-3,
            solver: TIGHT,
            ..SimulationSettings::default()
        })
        .state(&model.neutral_configuration(), &v)
        .build()
        .unwrap();
    assert_eq!(simulation.linearize(), Err(LinearizeError::NoStep));
    simulation.run_until(0.05, &mut Unwatched).unwrap();
    let pushed: Vec<f64> = (0..n).map(|i| (0.9 * i as f64).cos()).collect();
    check_linear_part(&mut simulation, &pushed);
    let linear = simulation.linearize().unwrap();
    assert_eq!(linear.input_coordinates, (6..n).collect::<Vec<_>>());
    // No contacts, nothing to reduce.
    assert_eq!(linear.reduced().transition, linear.transition);
}

#[test]
fn a_joint_that_sticks_is_held_in_the_linear_part() {
    let rod = |name: &str| Link::new(name).rod(1.0, Vector3::zeros(), Vector3::new(0.0, 0.0, -0.5));
    let model = ModelBuilder::new("arm")
        .link(Link::new("wall"))
        .link(rod("upper"))
        .link(rod("lower"))
        .joint(
            Joint::revolute("shoulder", "wall", "upper")
                .axis([0.0, 1.0, 0.0])
                .friction(50.0),
        )
        .joint(
            Joint::revolute("elbow", "upper", "lower")
                .origin([0.0, 0.0, -0.5], [0.0; 3])
                .axis([0.0, 1.0, 0.0]),
        )
        .build()
        .unwrap();
    let mut simulation = Simulation::builder(model)
        .settings(SimulationSettings {
            solver: TIGHT,
            ..SimulationSettings::default()
        })
        .position("shoulder", 0.4)
        .position("elbow", 0.7)
        .build()
        .unwrap();
    simulation.run_until(0.1, &mut Unwatched).unwrap();
    check_linear_part(&mut simulation, &[0.0, 0.3]);
    let reduced = simulation.linearize().unwrap().reduced();
    assert_eq!(reduced.transition.shape(), (2, 2));
}

/// The quadruped of the scenario under its servos, `after` seconds after it was let fall.
fn standing(after: f64) -> (Simulation, carom::study::Experiment) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/quadruped/stand.toml");
    let scenario = carom::study::Scenario::read(&file, &[]).unwrap();
    let experiment = carom::study::Experiment::new("stand.toml", scenario).unwrap();
    let mut simulation = Simulation::builder(experiment.model.clone())
        .contacts(experiment.contacts.clone())
        .boxed_law(experiment.law().unwrap())
        .boxed_controller(experiment.controller().unwrap())
        .settings(SimulationSettings {
            solver: TIGHT,
            ..experiment.settings()
        })
        .state(&experiment.q, &experiment.v)
        .build()
        .unwrap();
    simulation.run_until(after, &mut Unwatched).unwrap();
    (simulation, experiment)
}

fn largest_eigenvalue(matrix: &nalgebra::DMatrix<f64>) -> f64 {
    let eigenvalues = matrix.complex_eigenvalues();
    eigenvalues.iter().fold(0.0, |m, x| x.norm().max(m))
}

fn eigenvalues_at_one(matrix: &nalgebra::DMatrix<f64>) -> usize {
    let one = nalgebra::Complex::new(1.0, 0.0);
    let eigenvalues = matrix.complex_eigenvalues();
    eigenvalues
        .iter()
        .filter(|x| (*x - one).norm() < 1e-6)
        .count()
}

#[test]
fn the_linear_part_of_a_robot_on_its_feet_is_that_of_the_step() {
    // It still sinks into its knees: 0.02 m/s and more.
    let (mut simulation, _) = standing(0.4);
    assert_eq!(simulation.state().held.len(), 4);
    let fastest = simulation
        .velocity()
        .unwrap()
        .iter()
        .fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!(fastest > 0.02, "{fastest}");
    check_linear_part(&mut simulation, &[0.0; 18]);
}

#[test]
fn standing_is_stable_on_its_contacts_and_a_riccati_iteration_converges() {
    let (simulation, experiment) = standing(6.0);
    let linear = simulation.linearize().unwrap();
    // Tangents of four feet: nothing moves them back. The slowest mode falls by exp(-1.6) a second, so that it stands.
    assert_eq!(eigenvalues_at_one(&linear.transition), 8);
    let reduced = linear.reduced();
    // Four feet hold three directions each of eighteen.
    assert_eq!(reduced.transition.shape(), (12, 12));
    let servo = largest_eigenvalue(&reduced.transition);
    assert!(servo < 1.0 - 1e-4, "{servo}");

    // The same stance carried by constant efforts falls.
    let (q, efforts) = (simulation.state().q.clone(), simulation.efforts().to_vec());
    let mut simulation = Simulation::builder(experiment.model)
        .contacts(experiment.contacts)
        .law(Plastic::default())
        .state(&q, &[0.0; 18])
        .build()
        .unwrap();
    simulation.step(&efforts).unwrap();
    assert!(matches!(
        simulation.linearize(),
        Err(LinearizeError::Event { .. })
    ));
    simulation.step(&efforts).unwrap();
    let linear = simulation.linearize().unwrap();
    assert_eq!(eigenvalues_at_one(&linear.transition), 8);
    let reduced = linear.reduced();
    let (a, b) = (&reduced.transition, &reduced.input);
    assert_eq!((a.shape(), b.shape()), ((12, 12), (12, 12)));
    let passive = largest_eigenvalue(a);
    assert!(passive > 1.0 + 1e-4, "{passive}");

    let (weight, price) = (
        nalgebra::DMatrix::identity(12, 12),
        1e-4 * nalgebra::DMatrix::identity(12, 12),
    );
    let mut cost = weight.clone();
    let mut gain = nalgebra::DMatrix::zeros(12, 12);
    let mut change = f64::INFINITY;
    let mut iterations = 0;
    while change > 1e-10 && iterations < 20_000 {
        let pressed = b.transpose() * &cost;
        let price: nalgebra::DMatrix<f64> = &price + &pressed * b;
        gain = price.lu().solve(&(pressed * a)).unwrap();
        let next: nalgebra::DMatrix<f64> = &weight + a.transpose() * &cost * (a - b * &gain);
        let next = 0.5 * (&next + next.transpose());
        change = (&next - &cost).norm() / next.norm();
        cost = next;
        iterations += 1;
    }
    assert!(change <= 1e-10, "{change:e} after {iterations} iterations");
    let closed = largest_eigenvalue(&(a - b * gain));
    assert!(closed < 1.0 - 1e-4, "{closed}");
}

#[test]
fn steps_that_are_not_smooth_have_no_linear_part() {
    let mut simulation = ball(0.5).build().unwrap();
    let until_impact = |_: &mut Simulation, events: &[Event]| {
        if events.is_empty() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let mut watcher = until_impact;
    assert_eq!(
        simulation.run_until(1.0, &mut watcher),
        Ok(RunStop::Interrupted)
    );
    says(
        &simulation.linearize().unwrap_err(),
        &["0.452 s", "(impact)"],
    );
    let fourth = SimulationSettings {
        order: 4,
        ..SimulationSettings::default()
    };
    let mut simulation = Simulation::builder(chain(2).unwrap())
        .settings(fourth)
        .build()
        .unwrap();
    simulation.step(&[0.0; 2]).unwrap();
    assert_eq!(
        simulation.linearize(),
        Err(LinearizeError::Order { order: 4 })
    );
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
