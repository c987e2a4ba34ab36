//! The linear part of a step, free and on contacts, and what control makes of it.

use std::ops::ControlFlow;
use std::path::Path;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::discrete::StepSettings;
use carom::hybrid::{
    Event, LinearizeError, RunStop, Simulation, SimulationSettings, State, Unwatched,
};
use carom::impact::Plastic;
use carom::model::sample::{chain, hexapod};
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::Vector3;

pub const TIGHT: StepSettings = StepSettings {
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
pub fn check_linear_part(simulation: &mut Simulation, applied: &[f64]) {
    check_beside_rounding(simulation, applied, 0.0);
}

/// The same where the velocities after a step are known to `rounding` only.
fn check_beside_rounding(simulation: &mut Simulation, applied: &[f64], rounding: f64) {
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
                (found - difference).abs() <= 1e-6 * largest + rounding / size,
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

/// A block slides and turns on three feet, so that friction turns with the slip: only its normals are held.
#[test]
fn the_linear_part_of_a_turning_slide_is_that_of_the_step() {
    let block = Link::new("block").solid_box(2.0, [1.0, 0.6, 0.2], Vector3::zeros());
    let model = ModelBuilder::new("block")
        .base(Base::Floating)
        .link(block)
        .build()
        .unwrap();
    let rubber = Material::new(0.4, 0.0);
    let feet = [[0.5, 0.0], [-0.3, 0.3], [-0.4, -0.2]].map(|[x, y]| {
        let name = format!("foot{x}");
        Site::point(&model, &name, "block", [x, y, -0.1], rubber).unwrap()
    });
    let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], rubber);
    let contacts = Contacts::new(
        &model,
        feet.to_vec(),
        vec![floor],
        &[],
        Combination::Minimum,
    )
    .unwrap();
    let mut simulation = Simulation::builder(model)
        .contacts(contacts)
        .settings(SimulationSettings {
            solver: TIGHT,
            ..SimulationSettings::default()
        })
        .position("base.z", 0.1)
        .rate("base.vx", 1.0)
        .rate("base.vy", 0.5)
        .rate("base.wz", 0.8)
        .build()
        .unwrap();
    simulation.run_until(0.01, &mut Unwatched).unwrap();
    check_linear_part(&mut simulation, &[0.0; 6]);
    let reduced = simulation.linearize().unwrap().reduced();
    assert_eq!(reduced.transition.shape(), (6, 6));
}

/// The quadruped of the scenario under its servos, `after` seconds after it was let fall.
fn standing(after: f64) -> (Simulation, carom::scenario::Experiment) {
    standing_with(after, &[])
}

/// The same with other entries in its scenario.
fn standing_with(after: f64, entries: &[String]) -> (Simulation, carom::scenario::Experiment) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/quadruped/stand.toml");
    let scenario = carom::scenario::Scenario::read(&file, entries).unwrap();
    let experiment = carom::scenario::Experiment::new("stand.toml", scenario).unwrap();
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

/// Deflated where entries are below some roundings: with one rounding the iteration may not end.
fn largest_eigenvalue(matrix: &nalgebra::DMatrix<f64>) -> f64 {
    let schur = nalgebra::Schur::try_new(matrix.clone(), 16.0 * f64::EPSILON, 10_000);
    let eigenvalues = schur.unwrap().complex_eigenvalues();
    eigenvalues.iter().fold(0.0, |m, x| x.norm().max(m))
}

/// How often 1 is an eigenvalue of A: what A − I has lost when it is cut down to its range until it keeps its rank. The
/// iteration for all eigenvalues need not end beside so many that coincide.
fn eigenvalues_at_one(matrix: &nalgebra::DMatrix<f64>) -> usize {
    let n = matrix.nrows();
    let mut rest = matrix - nalgebra::DMatrix::identity(n, n);
    loop {
        let (basis, triangle, _) = rest.clone().col_piv_qr().unpack();
        let least = 1e-10 * triangle[(0, 0)].abs();
        let diagonal = triangle.diagonal();
        let rank = diagonal.iter().filter(|x| x.abs() > least).count();
        if rank == rest.nrows() {
            return n - rank;
        }
        let range = basis.columns(0, rank);
        rest = range.transpose() * &rest * range;
    }
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

/// Springs between points far stiffer than the step resolves: with and without length, with a damper, to the world
/// and between branches.
#[test]
fn the_linear_part_of_stiff_springs_between_points_is_that_of_the_step() {
    let body = |name: &str| Link::new(name).solid_box(0.1, [0.1, 0.2, 0.15], Vector3::zeros());
    let builder = || {
        ModelBuilder::new("tied")
            .base(Base::Floating)
            .link(body("trunk"))
            .link(body("left"))
            .link(body("right"))
            .joint(Joint::revolute("l", "trunk", "left").origin([0.2, 0.0, 0.0], [0.1, 0.3, 0.0]))
            .joint(Joint::prismatic("r", "trunk", "right").origin([-0.2, 0.0, 0.1], [0.0; 3]))
    };
    // In the initial configuration no spring pulls.
    let bare = builder().build().unwrap();
    let mut k = carom::dynamics::Kinematics::new(&bare);
    k.update_placements(&bare, &bare.neutral_configuration());
    let [first, second] = [[0.1, 0.0, -0.1], [0.05, 0.1, 0.0]];
    let place = |name: &str, point: [f64; 3]| {
        let link = bare.link(name).unwrap();
        k.world_point(link.body, &link.pose.point(&Vector3::from(point)))
    };
    let (left, right) = (place("left", first), place("right", second));
    let length = (right - left).norm();
    let below = right - Vector3::z() * 0.5;
    let model = builder()
        .point_spring(
            [Some("left"), Some("right")],
            [first, second],
            length,
            1e7,
            30.0,
        )
        .point_spring(
            [Some("trunk"), Some("left")],
            [left.into(), first],
            0.0,
            1e7,
            0.0,
        )
        .point_spring([None, Some("right")], [below.into(), second], 0.5, 1e3, 2.0)
        .build()
        .unwrap();
    let mut simulation = Simulation::builder(model)
        .settings(SimulationSettings {
            time_step: 1e-3,
            solver: TIGHT,
            ..SimulationSettings::default()
        })
        .rate("base.wx", 1.0)
        .rate("base.wz", -0.7)
        .rate("l", 0.5)
        .build()
        .unwrap();
    simulation.run_until(0.02, &mut Unwatched).unwrap();
    // Springs make impulses of the rounding of lengths, and these turn bodies of 4e-4 kg m² with levers of 0.15 m.
    let impulse = f64::EPSILON * 0.5 * 1e7 * 1e-3;
    check_beside_rounding(&mut simulation, &[0.1; 8], impulse * 0.15 / 4e-4);
}

/// Springs, feet that stick and servos together.
#[test]
fn the_linear_part_of_a_robot_tied_by_stiff_springs_is_that_of_the_step() {
    let ties = ["R", "L"].map(|side| {
        format!(
            "{{ links = [\"F{side}_calf\", \"R{side}_calf\"], points = [[0.0, 0.0, -0.1], [0.0, 0.0, -0.1]], \
             rest_length = 0.361, stiffness = 1e7, damping = 200.0 }}"
        )
    });
    let (mut simulation, _) = standing_with(1.0, &[format!("spring=[{}]", ties.join(", "))]);
    assert_eq!(simulation.state().held.len(), 4);
    // The impulse of a rounded length turns a shank of 0.226 kg on 0.1 m.
    let impulse = f64::EPSILON * 0.361 * 1e7 * 1e-3;
    check_beside_rounding(&mut simulation, &[0.0; 18], impulse * 0.1 / (0.226 * 0.01));
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
    let (mut simulation, _) = standing(0.0);
    let mut until_impact = |_: &mut Simulation, events: &[Event]| {
        if events.is_empty() {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    };
    let end = simulation.run_until(1.0, &mut until_impact);
    assert_eq!(end, Ok(RunStop::Interrupted));
    let error = simulation.linearize().unwrap_err();
    assert!(error.to_string().contains("(impact)"), "{error}");
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
