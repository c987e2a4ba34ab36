//! Springs between points that are far stiffer than a step resolves: 1e7 N/m on 0.1 kg at 1 ms.

use crate::free_steps::FreeSteps;
use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::discrete::{StepReport, StepSettings};
use carom::dynamics::{Kinematics, gravity_energy, kinetic_energy, mass_matrix, spring_energy};
use carom::hybrid::{Simulation, SimulationSettings};
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{DVector, Matrix2, Vector2, Vector3};

const STIFFNESS: f64 = 1e7;
const MASS: f64 = 0.1;
const H: f64 = 1e-3;
const REST: f64 = 0.3;

/// Corrections that a step may take: the first from the prediction, and as many as a quadratic iteration needs from
/// there to rounding.
const FEW: usize = 6;

/// Two masses that slide along x, y and z without weight, and a spring between their centers.
fn pair(rest: f64, stiffness: f64, damping: f64) -> Model {
    let mut builder = ModelBuilder::new("pair")
        .gravity([0.0; 3])
        .link(Link::new("world"));
    for side in ["a", "b"] {
        let mut parent = "world".to_string();
        for (axis, direction) in [
            ("x", [1.0, 0.0, 0.0]),
            ("y", [0.0, 1.0, 0.0]),
            ("z", [0.0, 0.0, 1.0]),
        ] {
            let link = format!("{side}{axis}");
            let mut part = Link::new(&link);
            if axis == "z" {
                part = part.solid_sphere(MASS, 0.05, Vector3::zeros());
            }
            builder = builder
                .link(part)
                .joint(Joint::prismatic(&format!("to_{link}"), &parent, &link).axis(direction));
            parent = link;
        }
    }
    builder
        .point_spring(
            [Some("az"), Some("bz")],
            [[0.0; 3]; 2],
            rest,
            stiffness,
            damping,
        )
        .build()
        .unwrap()
}

fn energy(model: &Model, q: &[f64], p: &[f64]) -> f64 {
    let mut k = Kinematics::new(model);
    k.update_placements(model, q);
    let v = mass_matrix(model, &k)
        .cholesky()
        .unwrap()
        .solve(&DVector::from_column_slice(p));
    k.update_twists(model, v.as_slice());
    kinetic_energy(model, &k) + gravity_energy(model, &k) + spring_energy(model, &k, q)
}

/// Linear momentum in the world.
fn momentum(model: &Model, q: &[f64], p: &[f64]) -> [f64; 3] {
    let pose = model.floating_pose(0, q);
    (pose.rotation * Vector3::new(p[0], p[1], p[2])).into()
}

/// Steps from (q, p); the mean velocity of one is the starting value of the next.
fn run(
    model: &Model,
    h: f64,
    steps: usize,
    q: &mut [f64],
    p: &mut [f64],
    mut see: impl FnMut(usize, &StepReport, &[f64], &[f64]),
) {
    let mut free = FreeSteps::new(model, StepSettings::default());
    let mut v = vec![0.0; model.dof()];
    let (mut q1, mut p1) = (q.to_vec(), p.to_vec());
    for step in 1..=steps {
        let report = free.step(q, p, h, &mut v, &mut q1, &mut p1).unwrap();
        q.copy_from_slice(&q1);
        p.copy_from_slice(&p1);
        see(step, &report, q, p);
    }
}

/// A spring of rest length zero is linear in all directions: the midpoint rule turns (s, v/ω) by θ a step, with
/// cos θ = (1 − (ωh/2)²)/(1 + (ωh/2)²), and that is all it does.
#[test]
fn a_stiff_spring_of_no_length_swings_with_the_frequency_of_the_midpoint_rule() {
    let model = pair(0.0, STIFFNESS, 0.0);
    let frequency = (STIFFNESS / (0.5 * MASS)).sqrt();
    let half = 0.5 * frequency * H;
    let turn = ((1.0 - half * half) / (1.0 + half * half)).acos();
    let (s0, v0) = ([1e-3, -2e-4, 0.0], [0.3, 0.5, -1.0]);
    // The pair rests as a whole: each has half of the distance and of the velocity.
    let mut q: Vec<f64> = [-0.5, 0.5].iter().flat_map(|f| s0.map(|s| f * s)).collect();
    let mut p: Vec<f64> = [-0.5, 0.5]
        .iter()
        .flat_map(|f| v0.map(|v| f * v * MASS))
        .collect();
    let amplitude = s0
        .iter()
        .zip(v0)
        .map(|(s, v)| s * s + (v / frequency).powi(2))
        .sum::<f64>()
        .sqrt();
    let before = energy(&model, &q, &p);
    let steps = 1000;
    run(&model, H, steps, &mut q, &mut p, |step, report, q, p| {
        // Linear: one correction, and one for its rounding.
        assert!(report.iterations <= 2, "step {step}: {}", report.iterations);
        // What every step may leave, as a share of the motion.
        let bound = step as f64 * StepSettings::default().tolerance;
        let angle = step as f64 * turn;
        for axis in 0..3 {
            let expected = s0[axis] * angle.cos() + v0[axis] / frequency * angle.sin();
            let found = q[3 + axis] - q[axis];
            assert!(
                (found - expected).abs() <= bound * amplitude,
                "{step}: {found} {expected}"
            );
        }
        assert!((energy(&model, q, p) - before).abs() <= 2.0 * bound * before);
    });
}

/// At rest at length zero, where the spring has no direction, its slope is still k in all directions.
#[test]
fn the_linear_part_at_length_zero_is_that_of_the_midpoint_rule() {
    let model = pair(0.0, STIFFNESS, 0.0);
    let mut simulation = Simulation::builder(model).build().unwrap();
    simulation.step(&[0.0; 6]).unwrap();
    let linear = simulation.linearize().unwrap();
    let h = SimulationSettings::default().time_step;
    let half = 0.5 * h * (STIFFNESS / (0.5 * MASS)).sqrt();
    let cosine = (1.0 - half * half) / (1.0 + half * half);
    for axis in 0..3 {
        // Of the mean place and of the distance.
        let own = linear.transition[(axis, axis)];
        let other = linear.transition[(axis, 3 + axis)];
        assert!((own + other - 1.0).abs() <= 1e-13, "{own} {other}");
        assert!(
            (own - other - cosine).abs() <= 1e-13,
            "{own} {other} {cosine}"
        );
    }
}

/// Along a spring with a damper the midpoint rule is a map of two numbers (s, v), written down here.
#[test]
fn a_stiff_damped_spring_swings_along_itself_as_the_midpoint_rule_says() {
    for rest in [0.0, REST] {
        for damping in [1.0, 300.0] {
            let model = pair(rest, STIFFNESS, damping);
            let reduced = 0.5 * MASS;
            // (1 − hA/2)⁻¹ (1 + hA/2) of the rates A.
            let rates = Matrix2::new(0.0, 1.0, -STIFFNESS / reduced, -damping / reduced);
            let one = Matrix2::identity();
            let map = (one - rates * (0.5 * H)).try_inverse().unwrap() * (one + rates * (0.5 * H));
            let mut expected = Vector2::new(2e-4, 0.7);
            let scale = 2e-4_f64.hypot(0.7 / (STIFFNESS / reduced).sqrt());
            let mut q = vec![0.0; 6];
            let mut p = vec![0.0; 6];
            q[3] = rest + expected.x;
            (p[0], p[3]) = (-reduced * expected.y, reduced * expected.y);
            run(&model, H, 5000, &mut q, &mut p, |step, report, q, _| {
                // Linear, until what is left of the motion is rounding of the places.
                let few = if step <= 50 { 2 } else { FEW };
                assert!(
                    report.iterations <= few,
                    "step {step}: {}",
                    report.iterations
                );
                expected = map * expected;
                let found = q[3] - q[0] - rest;
                let bound = step as f64 * StepSettings::default().tolerance * scale;
                // The difference of two places is rounded.
                let rounding = step as f64 * 4.0 * f64::EPSILON * (rest + scale);
                assert!(
                    (found - expected.x).abs() <= bound + rounding,
                    "{rest} {damping} {step}: {found} {}",
                    expected.x
                );
            });
        }
    }
}

/// A pair that turns about itself at the length L at which tension and turning balance: with the turn α of a step,
/// k (L cos(α/2) − ℓ₀) = 4 m L sin(α/2) tan(α/2)/h², m the reduced mass. Then every step is a rotation by α.
#[test]
fn a_stiff_spring_that_turns_keeps_its_length_and_its_energy() {
    let (alpha, reduced) = (0.05_f64, 0.5 * MASS);
    let (s, c) = (0.5 * alpha).sin_cos();
    let length = STIFFNESS * REST / (STIFFNESS * c - 4.0 * reduced * s * s / (c * H * H));
    let model = pair(REST, STIFFNESS, 0.0);
    // |v̄| = 2 L sin(α/2)/h is the mean of two velocities that differ by α in direction.
    let speed = 2.0 * length * s / (H * c);
    let mut q = vec![0.0; 6];
    let mut p = vec![0.0; 6];
    (q[0], q[3]) = (-0.5 * length, 0.5 * length);
    (p[1], p[4]) = (-reduced * speed, reduced * speed);
    let before = energy(&model, &q, &p);
    let mut most = 0;
    run(&model, H, 2000, &mut q, &mut p, |step, report, q, p| {
        if step > 1 {
            most = most.max(report.iterations);
        }
        let bound = step as f64 * StepSettings::default().tolerance;
        let (sin, cos) = (step as f64 * alpha).sin_cos();
        let found = Vector2::new(q[3] - q[0], q[4] - q[1]);
        let expected = Vector2::new(cos, sin) * length;
        // An error of the angular velocity grows with time.
        let grown = step as f64 * bound;
        assert!(
            (found.norm() - length).abs() <= bound * length,
            "{step}: {}",
            found.norm()
        );
        assert!(
            (found - expected).norm() <= grown * length,
            "{step}: {found} {expected}"
        );
        assert!((energy(&model, q, p) - before).abs() <= 2.0 * bound * before);
    });
    assert!(most <= FEW, "{most}");
}

/// A turning pair that also swings along itself, with and without a damper: steps converge in a few iterations from the
/// prediction "as before", although the spring pulls to the other side in every step.
#[test]
fn stiff_springs_that_turn_and_swing_converge_in_a_few_iterations() {
    for (rest, damping) in [(0.0, 0.0), (REST, 0.0), (REST, 50.0), (REST, 2e3)] {
        for stiffness in [1e3, 1e5, STIFFNESS, 1e9] {
            let model = pair(rest, stiffness, damping);
            let mut q = vec![0.0; 6];
            let mut p = vec![0.0; 6];
            // An elastic energy of a tenth of the kinetic one.
            let stretch = (0.1 * MASS / stiffness).sqrt();
            q[3] = rest + stretch;
            (p[1], p[4]) = (-MASS, MASS);
            p[5] = 0.3 * MASS;
            let mut most = 0;
            run(&model, H, 500, &mut q, &mut p, |_, report, _, _| {
                most = most.max(report.iterations);
            });
            assert!(most <= FEW, "{rest} {damping} {stiffness}: {most}");
        }
    }
}

/// Beside length zero the damper along a spring turns round within a step: there whole corrections go to and fro, and
/// only those that are cut back converge.
#[test]
fn a_damper_that_turns_round_in_a_step_needs_corrections_that_are_cut_back() {
    let model = pair(0.0, STIFFNESS, 2e3);
    let stretch = (0.1 * MASS / STIFFNESS).sqrt();
    let (mut q, mut p) = (vec![0.0; 6], vec![0.0; 6]);
    q[3] = stretch;
    (p[1], p[4], p[5]) = (-MASS, MASS, 0.3 * MASS);
    let mut again = 0;
    run(&model, H, 500, &mut q, &mut p, |_, report, _, _| {
        again += usize::from(report.iterations > StepSettings::default().max_iterations);
    });
    // More corrections than one attempt may make.
    assert!(again > 0);
}

/// A free trunk with two arms of two links each, whose hands a spring of no length holds together: a closed loop.
fn loop_robot(stiffness: f64, damping: f64) -> Model {
    let rod =
        |name: &str| Link::new(name).rod(MASS, Vector3::zeros(), Vector3::new(0.0, 0.0, -0.2));
    let mut builder = ModelBuilder::new("loop")
        .base(Base::Floating)
        .link(Link::new("trunk").solid_box(0.5, [0.2, 0.1, 0.1], Vector3::zeros()));
    for (side, x) in [("left", -0.1), ("right", 0.1)] {
        let (upper, lower) = (format!("{side}_upper"), format!("{side}_lower"));
        builder = builder
            .link(rod(&upper))
            .link(rod(&lower))
            .joint(
                Joint::revolute(&format!("{side}_shoulder"), "trunk", &upper)
                    .origin([x, 0.0, 0.0], [0.0; 3])
                    .axis([0.0, 1.0, 0.0]),
            )
            .joint(
                Joint::revolute(&format!("{side}_elbow"), &upper, &lower)
                    .origin([0.0, 0.0, -0.2], [0.0; 3])
                    .axis([0.0, 1.0, 0.0]),
            );
    }
    builder
        .point_spring(
            [Some("left_lower"), Some("right_lower")],
            [[0.0, 0.0, -0.2], [0.0, 0.0, -0.2]],
            0.0,
            stiffness,
            damping,
        )
        .build()
        .unwrap()
}

/// Angles at which the hands meet: the arms mirror each other.
fn closed(model: &Model) -> Vec<f64> {
    let mut q = model.neutral_configuration();
    // Half of the distance of the shoulders is 0.1: 0.2 sin(a) + 0.2 sin(a + b) = 0.1.
    let a: f64 = 0.6;
    let b = (0.5 - a.sin()).asin() - a;
    let at = q.len() - 4;
    q[at..].copy_from_slice(&[-a, -b, a, b]);
    q
}

#[test]
fn a_loop_that_a_stiff_spring_closes_stays_closed_and_keeps_momentum_and_energy() {
    let model = loop_robot(STIFFNESS, 0.0);
    let mut q = closed(&model);
    let n = model.dof();
    let v: Vec<f64> = (0..n)
        .map(|i| if i < 6 { (1.3 * i as f64).sin() } else { 0.0 })
        .collect();
    let mut k = Kinematics::new(&model);
    k.update_placements(&model, &q);
    let mut p = (mass_matrix(&model, &k) * DVector::from_vec(v))
        .as_slice()
        .to_vec();
    let before = energy(&model, &q, &p);
    let momentum_before = momentum(&model, &q, &p);
    let (mut most, mut widest) = (0, 0.0_f64);
    let ends = |q: &[f64]| {
        let mut k = Kinematics::new(&model);
        k.update_placements(&model, q);
        let spring = &model.point_springs()[0];
        (k.world_point(spring.bodies[1], &spring.points[1])
            - k.world_point(spring.bodies[0], &spring.points[0]))
        .norm()
    };
    assert!(ends(&q) < 1e-15);
    run(&model, H, 1000, &mut q, &mut p, |_, report, q, _| {
        most = most.max(report.iterations);
        widest = widest.max(ends(q));
    });
    assert!(most <= FEW, "{most}");
    // Oscillations of the midpoint rule are of order h² = 1e-6 beside the kinetic energy of the arms; they have no trend.
    let after = energy(&model, &q, &p);
    assert!((after - before).abs() <= 1e-6, "{before} {after}");
    // The force in the loop is that of 0.9 kg at 1 m/s on 0.2 m at most, over k, twice in the swing about it.
    assert!(widest <= 2.0 * 0.9 / 0.2 / STIFFNESS, "{widest:e}");
    // Steps take what they leave of the residual out of their end, so that only rounding is left.
    let momentum_after = momentum(&model, &q, &p);
    let fallen = 9.81 * model.mass() * 1000.0 * H;
    for (axis, fall) in [0.0, 0.0, fallen].iter().enumerate() {
        let found = momentum_after[axis] + fall;
        let bound = 1e3 * 4.0 * f64::EPSILON * fallen;
        assert!(
            (found - momentum_before[axis]).abs() <= bound,
            "{axis}: {found}"
        );
    }
}

/// Lower end of a rod in the frame at its middle [m].
const TIP: [f64; 3] = [-0.05, 0.0, -0.2];

/// A rod on its tip, let fall: the tip stands on the ground, which holds it by friction, or a spring of no length holds
/// it where it is.
fn falling_rod(stiffness: Option<f64>) -> Model {
    let builder = ModelBuilder::new("rod")
        .base(Base::Planar)
        .link(Link::new("rod").rod(MASS, Vector3::from(TIP), -Vector3::from(TIP)));
    match stiffness {
        None => builder,
        Some(k) => builder.point_spring([None, Some("rod")], [[0.0; 3], TIP], 0.0, k, 0.0),
    }
    .build()
    .unwrap()
}

/// Configurations after each step of h in 0.2 s.
fn fallen(h: f64, stiffness: Option<f64>) -> Vec<Vec<f64>> {
    let model = falling_rod(stiffness);
    let mut builder = Simulation::builder(model.clone()).settings(SimulationSettings {
        time_step: h,
        solver: StepSettings {
            tolerance: 1e-13,
            ..StepSettings::default()
        },
        ..SimulationSettings::default()
    });
    if stiffness.is_none() {
        let rubber = Material::new(2.0, 0.0);
        let tip = Site::point(&model, "tip", "rod", TIP, rubber).unwrap();
        let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], rubber);
        builder = builder.contacts(
            Contacts::new(&model, vec![tip], vec![ground], &[], Combination::Minimum).unwrap(),
        );
    }
    let mut simulation = builder
        .position("base.x", -TIP[0])
        .position("base.z", -TIP[2])
        .build()
        .unwrap();
    let mut path = Vec::new();
    while simulation.state().time < 0.2 - 0.5 * h {
        simulation.advance().unwrap();
        path.push(simulation.state().q.clone());
    }
    path
}

/// Largest distance between two paths.
fn apart(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    let distances = a.iter().zip(b).map(|(a, b)| distance(a, b));
    distances.fold(0.0, f64::max)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

/// Both are of order two in the step for the same motion, and a finite stiffness gives way by F/k.
#[test]
fn a_spring_tends_to_a_held_contact_as_it_stiffens() {
    let step = 1e-3;
    // The differences of the two discretisations fall fourfold with half the step.
    let steps = [4.0, 2.0, 1.0].map(|f| f * step);
    let wrong = steps.map(|h| apart(&fallen(h, Some(1e10)), &fallen(h, None)));
    for pair in wrong.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() <= 0.1, "{order} {wrong:?}");
    }
    // What is left beside the limit falls tenfold with ten times the stiffness.
    let stiff = fallen(step, Some(1e11));
    let soft = [1e6, 1e7, 1e8].map(|k| apart(&fallen(step, Some(k)), &stiff));
    for pair in soft.windows(2) {
        let order = (pair[0] / pair[1]).log10();
        assert!((order - 1.0).abs() <= 0.1, "{order} {soft:?}");
    }
}

/// Springs that a step resolves do not lose its order to what stiff ones need.
#[test]
fn soft_springs_that_turn_are_of_order_two() {
    let model = pair(REST, 40.0, 0.2);
    let end = |steps: usize| {
        let (mut q, mut p) = (vec![0.0; 6], vec![0.0; 6]);
        (q[3], p[1], p[5]) = (1.3 * REST, 0.1, -0.05);
        run(
            &model,
            0.5 / steps as f64,
            steps,
            &mut q,
            &mut p,
            |_, _, _, _| {},
        );
        q
    };
    let reference = end(12_800);
    let errors = [50, 100, 200, 400].map(|steps| distance(&end(steps), &reference));
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() <= 0.05, "{order} {errors:?}");
    }
}

/// A ball on four feet with a second one on three slides, one of which rubs, and a spring between the two: held contacts
/// that slide and stick, dry joint friction and the spring in one step.
#[test]
fn stiff_springs_converge_beside_contacts_and_dry_friction() {
    let ball = |name: &str| Link::new(name).solid_sphere(MASS, 0.05, Vector3::zeros());
    for (stiffness, damping) in [(1e3, 0.0), (1e5, 0.0), (STIFFNESS, 0.0), (STIFFNESS, 100.0)] {
        let slide = |name: &str, parent: &str, axis: [f64; 3]| {
            Joint::prismatic(name, parent, name).axis(axis)
        };
        let model = ModelBuilder::new("balls")
            .base(Base::Floating)
            .link(ball("low"))
            .link(ball("x"))
            .link(ball("y"))
            .link(ball("high"))
            .joint(slide("x", "low", [1.0, 0.0, 0.0]))
            .joint(slide("y", "x", [0.0, 1.0, 0.0]).friction(0.3))
            .joint(slide("high", "y", [0.0, 0.0, 1.0]))
            .point_spring(
                [Some("low"), Some("high")],
                [[0.0; 3]; 2],
                REST,
                stiffness,
                damping,
            )
            .build()
            .unwrap();
        let rubber = Material::new(0.5, 0.0);
        let feet = [[0.05, 0.05], [0.05, -0.05], [-0.05, 0.05], [-0.05, -0.05]].map(|[x, y]| {
            Site::point(&model, &format!("foot{x}{y}"), "low", [x, y, -0.05], rubber).unwrap()
        });
        let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], rubber);
        let contacts = Contacts::new(
            &model,
            feet.to_vec(),
            vec![floor],
            &[],
            Combination::Minimum,
        );
        let mut simulation = Simulation::builder(model)
            .contacts(contacts.unwrap())
            .position("base.z", 0.05)
            .position("x", 0.2)
            .position("high", (REST * REST - 0.04).sqrt())
            .rate("y", 0.5)
            .rate("base.vx", 0.4)
            .build()
            .unwrap();
        let mut held = 0;
        for _ in 0..300 {
            let summary = simulation.step(&[0.0; 9]).unwrap();
            assert_eq!(summary.halvings, 0);
            let most = summary.newton_iterations;
            assert!(most <= FEW, "{stiffness} {damping}: {most}");
            held += usize::from(!simulation.state().held.is_empty());
        }
        // It may tip over an edge, and the spring may throw it off for a moment.
        assert!(held > 200, "{held}");
    }
}

/// The shipped quadruped with its fore and hind shanks tied together on both sides, on its servos and feet.
fn tied_quadruped(stiffness: f64, damping: f64) -> Simulation {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/quadruped/stand.toml");
    let ties: Vec<String> = ["R", "L"]
        .iter()
        .map(|side| {
            format!(
                "{{ links = [\"F{side}_calf\", \"R{side}_calf\"], points = [[0.0, 0.0, -0.1], [0.0, 0.0, -0.1]], \
                 rest_length = 0.361, stiffness = {stiffness:e}, damping = {damping} }}"
            )
        })
        .collect();
    let scenario =
        carom::scenario::Scenario::read(&file, &[format!("spring=[{}]", ties.join(", "))]).unwrap();
    let experiment = carom::scenario::Experiment::new("stand.toml", scenario).unwrap();
    assert_eq!(experiment.model.point_springs().len(), 2);
    Simulation::builder(experiment.model.clone())
        .contacts(experiment.contacts.clone())
        .boxed_law(experiment.law().unwrap())
        .boxed_controller(experiment.controller().unwrap())
        .settings(experiment.settings())
        .state(&experiment.q, &experiment.v)
        .build()
        .unwrap()
}

/// Springs, held contacts with friction and servos in one step: it falls, strikes, and stands.
#[test]
fn a_quadruped_whose_legs_stiff_springs_tie_together_lands_and_stands() {
    for (stiffness, damping) in [(STIFFNESS, 0.0), (STIFFNESS, 200.0)] {
        let mut simulation = tied_quadruped(stiffness, damping);
        let mut halvings = 0;
        let mut stretched = 0.0_f64;
        while simulation.state().time < 1.0 {
            let summary = simulation.advance().unwrap();
            halvings += summary.halvings;
            assert!(
                summary.newton_iterations <= FEW,
                "{}",
                summary.newton_iterations
            );
            let model = simulation.model();
            let mut k = Kinematics::new(model);
            k.update_placements(model, &simulation.state().q);
            for spring in model.point_springs() {
                let ends = [0, 1].map(|i| k.world_point(spring.bodies[i], &spring.points[i]));
                stretched = stretched.max(((ends[1] - ends[0]).norm() - spring.rest_length).abs());
            }
        }
        assert_eq!(halvings, 0);
        assert_eq!(simulation.state().held.len(), 4);
        // It fell 0.15 m with 12 kg: the springs cannot take up more than that energy.
        let all = (2.0 * 12.5 * 9.81 * 0.2 / stiffness).sqrt();
        assert!(stretched <= all, "{stretched:e} {all:e}");
    }
}
