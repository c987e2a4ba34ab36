//! Joints that mimic others: the robot is its tree with fewer coordinates, q_tree = G q + o.

use std::ops::ControlFlow;

use carom::contact::{Combination, Contacts, Material, Site, Terrain};
use carom::control::Observation;
use carom::discrete::StepSettings;
use carom::discrete::midpoint::Midpoint;
use carom::dynamics::{
    ArticulatedFactor, Kinematics, LagrangianTerms, add_passive_forces, bias_forces,
    gravity_energy, inverse_dynamics, kinetic_energy, mass_matrix, spring_energy,
};
use carom::hybrid::{Event, Simulation};
use carom::model::sample::Uniform;
use carom::model::{Base, Joint, JointLimits, Link, Mimic, Model, ModelBuilder};
use carom::spatial::{Pose, rotation_from_rpy};
use nalgebra::{DMatrix, DVector, Vector3};

use crate::free_steps::FreeSteps;

const TIGHT: StepSettings = StepSettings {
    tolerance: 1e-14,
    max_iterations: 60,
    max_halvings: 0,
};

/// A hand: a finger of two phalanges, of which the second mimics a thumb that comes later, a thumb that mimics the finger,
/// and a slide of its own. Everything has rotors, dampers and springs.
fn hand(base: Base) -> ModelBuilder {
    let rod =
        |name: &str, m: f64| Link::new(name).rod(m, Vector3::zeros(), [0.1, 0.05, -0.3].into());
    ModelBuilder::new("hand")
        .base(base)
        .link(Link::new("palm").solid_box(2.0, [0.3, 0.2, 0.1], [0.02, 0.0, 0.01].into()))
        .link(rod("near", 0.4))
        .link(rod("far", 0.3))
        .link(rod("thumb", 0.5))
        .link(rod("nail", 0.2))
        .joint(
            Joint::revolute("knuckle", "palm", "near")
                .origin([0.1, 0.0, 0.05], [0.1, 0.2, 0.3])
                .axis([0.0, 1.0, 0.2])
                .armature(0.03)
                .damping(0.1),
        )
        .joint(
            Joint::revolute("middle", "near", "far")
                .origin([0.1, 0.05, -0.3], [0.4, 0.0, 0.1])
                .axis([0.1, 1.0, 0.0])
                .armature(0.02)
                .damping(0.2)
                .mimics("opposition", 1.5, 0.2),
        )
        .joint(
            Joint::prismatic("opposition", "palm", "thumb")
                .origin([-0.1, 0.05, 0.0], [0.0, 0.3, 0.0])
                .axis([1.0, 0.0, 0.3])
                .armature(0.05)
                .damping(0.3)
                .mimics("knuckle", -0.4, 0.05),
        )
        .joint(
            Joint::prismatic("extension", "thumb", "nail")
                .origin([0.0, 0.1, -0.1], [0.2, 0.0, 0.0])
                .axis([0.0, 0.2, 1.0]),
        )
        .joint_spring("knuckle", 0.1, 4.0, 0.05)
        .joint_spring("middle", -0.2, 3.0, 0.02)
        .joint_spring("extension", 0.0, 30.0, 0.2)
        .point_spring(
            [Some("far"), Some("nail")],
            [[0.1, 0.0, -0.3], [0.0, 0.1, 0.0]],
            0.1,
            25.0,
            0.4,
        )
}

/// G and o by the names of the coordinates.
struct Embedding {
    g: DMatrix<f64>,
    offset: DVector<f64>,
}

impl Embedding {
    fn new(model: &Model, tree: &Model) -> Self {
        let names = model.coordinate_names();
        let mut g = DMatrix::zeros(tree.dof(), model.dof());
        let mut offset = DVector::zeros(tree.dof());
        for (row, name) in tree.coordinate_names().iter().enumerate() {
            let own = |name: &String| names.iter().position(|n| n == name);
            if let Some(column) = own(name) {
                g[(row, column)] = 1.0;
                continue;
            }
            let (_, follower) = model
                .following_bodies()
                .find(|(b, _)| b.joint == *name)
                .unwrap();
            let leader = &model.bodies()[follower.leader].joint;
            g[(row, own(leader).unwrap())] = follower.ratio;
            offset[row] = follower.offset;
        }
        Self { g, offset }
    }

    fn configuration(&self, model: &Model, q: &[f64]) -> Vec<f64> {
        let base = if model.base() == Base::Floating { 7 } else { 0 };
        let first = base - base / 7;
        let joints = DVector::from_column_slice(&q[base..]);
        let g = self.g.view(
            (first, first),
            (self.g.nrows() - first, self.g.ncols() - first),
        );
        let mut tree = q[..base].to_vec();
        let rest = g * joints + self.offset.rows(first, self.offset.len() - first);
        tree.extend(rest.iter());
        tree
    }

    fn velocity(&self, v: &[f64]) -> Vec<f64> {
        (&self.g * DVector::from_column_slice(v))
            .as_slice()
            .to_vec()
    }

    fn project(&self, f: &[f64]) -> DVector<f64> {
        self.g.transpose() * DVector::from_column_slice(f)
    }
}

fn random_state(model: &Model, random: &mut Uniform) -> (Vec<f64>, Vec<f64>) {
    let mut draw = |scale: f64| -> Vec<f64> {
        (0..model.dof())
            .map(|_| random.between(-scale, scale))
            .collect()
    };
    let (turn, v) = (draw(1.0), draw(2.0));
    let neutral = model.neutral_configuration();
    let mut q = neutral.clone();
    model.integrate(&neutral, &turn, 1.0, &mut q);
    (q, v)
}

fn placed(model: &Model, q: &[f64], v: &[f64]) -> Kinematics<f64> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics.update_twists(model, v);
    kinematics
}

/// All entries are sums of a few dozen terms of order ten.
#[track_caller]
fn same(found: &[f64], expected: &DVector<f64>) {
    let error = (DVector::from_column_slice(found) - expected).amax();
    assert!(
        error < 1e-13 * (1.0 + expected.amax()),
        "{found:?}\n{expected}"
    );
}

#[test]
fn the_dynamics_are_those_of_the_tree_projected() {
    let mut random = Uniform::new(11);
    for base in [Base::Fixed, Base::Planar, Base::Floating] {
        let model = hand(base).build().unwrap();
        let tree = hand(base).mimic(Mimic::Free).build().unwrap();
        let map = Embedding::new(&model, &tree);
        assert_eq!((tree.dof() - model.dof(), model.dof()), (2, map.g.ncols()));
        let (q, v) = random_state(&model, &mut random);
        let (tree_q, tree_v) = (map.configuration(&model, &q), map.velocity(&v));
        let (own, free) = (placed(&model, &q, &v), placed(&tree, &tree_q, &tree_v));
        for (a, b) in own.world.iter().zip(&free.world) {
            assert!((a.translation - b.translation).amax() < 1e-15);
            assert!((a.rotation - b.rotation).amax() < 1e-15);
        }
        let m = mass_matrix(&model, &own);
        let projected = map.g.transpose() * mass_matrix(&tree, &free) * &map.g;
        same(
            m.as_slice(),
            &DVector::from_column_slice(projected.as_slice()),
        );
        same(
            &bias_forces(&model, &q, &v).unwrap(),
            &map.project(&bias_forces(&tree, &tree_q, &tree_v).unwrap()),
        );
        let (_, a) = random_state(&model, &mut random);
        let tree_force = inverse_dynamics(&tree, &tree_q, &tree_v, &map.velocity(&a)).unwrap();
        same(
            &inverse_dynamics(&model, &q, &v, &a).unwrap(),
            &map.project(&tree_force),
        );
        let (mut terms, mut tree_terms) =
            (LagrangianTerms::new(&model), LagrangianTerms::new(&tree));
        terms.update(&model, &own);
        tree_terms.update(&tree, &free);
        same(&terms.momentum, &map.project(&tree_terms.momentum));
        same(&terms.force, &map.project(&tree_terms.force));
        let (mut f, mut tree_f) = (vec![0.0; model.dof()], vec![0.0; tree.dof()]);
        let power = add_passive_forces(&model, &own, &q, &v, &mut f);
        let tree_power = add_passive_forces(&tree, &free, &tree_q, &tree_v, &mut tree_f);
        same(&f, &map.project(&tree_f));
        same(
            &[
                power,
                kinetic_energy(&model, &own),
                gravity_energy(&model, &own),
                spring_energy(&model, &own, &q),
            ],
            &DVector::from_vec(vec![
                tree_power,
                kinetic_energy(&tree, &free),
                gravity_energy(&tree, &free),
                spring_energy(&tree, &free, &tree_q),
            ]),
        );
        let mut factor = ArticulatedFactor::new(&model);
        factor.factor(&model, &own).unwrap();
        let mut back = vec![0.0; model.dof()];
        factor.solve(
            &model,
            &own,
            (&m * DVector::from_column_slice(&a)).as_slice(),
            &mut back,
        );
        // Rounding times the condition of M, which is below 1e3.
        assert!(back.iter().zip(&a).all(|(x, y)| (x - y).abs() < 1e-12));
        // Jacobians of a point of the far phalanx.
        let body = model.link("far").unwrap().body;
        let x = own.world_point(body, &Vector3::new(0.1, 0.0, -0.2));
        let mut jacobian = DMatrix::zeros(6, model.dof());
        own.frame_jacobian(&model, body, &x, &mut jacobian);
        let mut tree_jacobian = DMatrix::zeros(6, tree.dof());
        free.frame_jacobian(&tree, body, &x, &mut tree_jacobian);
        assert!((&jacobian - tree_jacobian * &map.g).amax() < 1e-14);
        let push = Vector3::new(0.3, -1.0, 2.0);
        let mut force = vec![0.0; model.dof()];
        own.add_point_force(&model, body, &x, &push, &mut force);
        same(&force, &(jacobian.rows(0, 3).transpose() * push));
    }
}

/// The step satisfies the discrete Euler-Lagrange equation of the tree in the directions that the coordinates move it.
#[test]
fn a_step_solves_the_equations_of_the_tree_projected() {
    let mut random = Uniform::new(12);
    for base in [Base::Fixed, Base::Planar, Base::Floating] {
        let model = hand(base).build().unwrap();
        let tree = hand(base).mimic(Mimic::Free).build().unwrap();
        let map = Embedding::new(&model, &tree);
        let (q0, v0) = random_state(&model, &mut random);
        let p0 = mass_matrix(&model, &placed(&model, &q0, &v0)) * DVector::from_column_slice(&v0);
        let (mut v, mut q1, mut p1) = (v0.clone(), q0.clone(), vec![0.0; model.dof()]);
        let h = 0.02;
        let mut steps = FreeSteps::new(&model, TIGHT);
        steps
            .step(&q0, p0.as_slice(), h, &mut v, &mut q1, &mut p1)
            .unwrap();
        let mut midpoint = Midpoint::<f64>::new(&tree);
        let none = vec![0.0; tree.dof()];
        let tree_v = map.velocity(&v);
        midpoint.evaluate(&tree, &map.configuration(&model, &q0), &tree_v, &none, h);
        let (mut start, mut end) = (none.clone(), none.clone());
        midpoint.start_momentum(&tree, &tree_v, h, &mut start);
        midpoint.end_momentum(&tree, &tree_v, h, &mut end);
        // The residual is below 1e-14 of the momentum, in the norm of M.
        assert!((map.project(&start) - &p0).amax() < 1e-12 * p0.amax());
        assert!((map.project(&end) - DVector::from_column_slice(&p1)).amax() < 1e-12 * p0.amax());
        // And the step back undoes it.
        let (mut back_q, mut back_p) = (q0.clone(), p1.clone());
        steps
            .step(&q1, &p1, -h, &mut v, &mut back_q, &mut back_p)
            .unwrap();
        let apart = |a: &[f64], b: &[f64]| {
            a.iter()
                .zip(b)
                .fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()))
        };
        assert!(apart(&back_q, &q0) < 1e-12 && apart(&back_p, p0.as_slice()) < 1e-12 * p0.amax());
    }
}

/// Two equal rods on one axis that turn against each other: each falls as it would alone.
fn scissors(blades: usize) -> Model {
    let rod = |name: &str| Link::new(name).rod(0.7, Vector3::zeros(), Vector3::x());
    let pivot =
        |name: &str, blade: &str| Joint::revolute(name, "wall", blade).axis([0.0, 1.0, 0.0]);
    let mut builder = ModelBuilder::new("scissors")
        .link(Link::new("wall"))
        .link(rod("first"))
        .joint(pivot("one", "first"));
    if blades == 2 {
        // Mirrored about the vertical: it hangs to the other side at zero.
        let mirrored = pivot("two", "second").mimics("one", -1.0, std::f64::consts::PI);
        builder = builder.link(rod("second")).joint(mirrored);
    }
    builder.build().unwrap()
}

#[test]
fn two_rods_that_mirror_each_other_fall_as_one() {
    let (two, one) = (scissors(2), scissors(1));
    let run = |model: &Model| {
        let mut steps = FreeSteps::new(model, TIGHT);
        let (mut q, mut p, mut v) = ([0.3], [0.0], [0.0]);
        let mut path = Vec::new();
        for _ in 0..300 {
            let (q0, p0) = (q, p);
            steps.step(&q0, &p0, 0.01, &mut v, &mut q, &mut p).unwrap();
            path.push((q[0], p[0]));
        }
        path
    };
    for ((q, p), (q_one, p_one)) in run(&two).into_iter().zip(run(&one)) {
        // Rounding of 300 steps of a swing that is not chaotic.
        assert!((q - q_one).abs() < 1e-11, "{q} {q_one}");
        assert!((p - 2.0 * p_one).abs() < 1e-10, "{p} {p_one}");
    }
}

/// Swings with a crank that is moved twice as far: the energy stays in its band.
#[test]
fn the_energy_has_no_trend() {
    let rod = |name: &str| Link::new(name).rod(0.7, Vector3::zeros(), Vector3::x());
    let model = ModelBuilder::new("crank")
        .link(Link::new("wall"))
        .link(rod("arm"))
        .link(rod("hand"))
        .joint(Joint::revolute("shoulder", "wall", "arm").axis([0.0, 1.0, 0.0]))
        .joint(
            Joint::revolute("elbow", "arm", "hand")
                .origin([1.0, 0.0, 0.0], [0.0; 3])
                .axis([0.0, 1.0, 0.0])
                .mimics("shoulder", 2.0, 0.4),
        )
        .build()
        .unwrap();
    let bands = |h: f64, count: usize| {
        let mut steps = FreeSteps::new(&model, TIGHT);
        let (mut q, mut p, mut v) = ([0.2], [0.0], [0.0]);
        let mut errors = Vec::new();
        let energy = |q: &[f64], p: &[f64]| {
            let kinematics = placed(&model, q, &[0.0]);
            let m = mass_matrix(&model, &kinematics)[(0, 0)];
            0.5 * p[0] * p[0] / m + gravity_energy(&model, &kinematics)
        };
        let start = energy(&q, &p);
        for _ in 0..count {
            let (q0, p0) = (q, p);
            steps.step(&q0, &p0, h, &mut v, &mut q, &mut p).unwrap();
            errors.push((energy(&q, &p) - start).abs());
        }
        let largest = |e: &[f64]| e.iter().fold(0.0, |m: f64, x| m.max(*x));
        (
            largest(&errors[..count / 10]),
            largest(&errors[count - count / 10..]),
        )
    };
    // A motion of one coordinate is periodic: the band of any ten swings is that of any other, but for where steps fall in
    // them. A trend of the size of one band in a swing would make the last forty times as wide.
    let (first, last) = bands(0.01, 20_000);
    assert!(
        first > 1e-6 && (last / first - 1.0).abs() < 0.02,
        "{first:e} {last:e}"
    );
    // Order two: half the step has a quarter of the band, up to the square of the step over a swing.
    let (half, _) = bands(0.005, 20_000);
    assert!((first / half - 4.0).abs() < 0.2, "{first:e} {half:e}");
}

/// A body on two legs that spread as one.
fn straddler() -> (Model, Contacts) {
    let leg = |name: &str| Link::new(name).rod(0.5, Vector3::zeros(), Vector3::z() * -0.5);
    let hip = |name: &str, leg: &str, x: f64| {
        Joint::revolute(name, "body", leg)
            .origin([x, 0.05, 0.0], [0.0; 3])
            .axis([0.1, 1.0, 0.0])
            .armature(0.01)
    };
    let model = ModelBuilder::new("straddler")
        .base(Base::Floating)
        .link(Link::new("body").solid_box(2.0, [0.4, 0.2, 0.1], Vector3::zeros()))
        .link(leg("left"))
        .link(leg("right"))
        .joint(hip("left_hip", "left", -0.2))
        .joint(hip("right_hip", "right", 0.2).mimics("left_hip", -1.0, 0.1))
        .build()
        .unwrap();
    let material = Material::new(0.0, 0.6);
    let foot = Site::point(&model, "foot", "right", [0.0, 0.0, -0.5], material).unwrap();
    let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts = Contacts::new(&model, vec![foot], vec![floor], &[], Combination::Minimum);
    (model, contacts.unwrap())
}

/// The velocity after an impact is that of the dense metric, with the gradient of the gap by differences.
#[test]
fn an_impact_is_reflected_in_the_metric_of_the_coordinates() {
    let (model, contacts) = straddler();
    let mut simulation = Simulation::builder(model.clone())
        .contacts(contacts.clone())
        .position("base.z", 0.6)
        .position("left_hip", 0.3)
        .rate("left_hip", 0.8)
        .time_step(1e-3)
        .build()
        .unwrap();
    let mut impacts = Vec::new();
    let mut watch = |_: &mut Simulation, events: &[Event]| {
        impacts.extend(
            events
                .iter()
                .filter_map(|e| Some((e.q.clone(), e.impact.clone()?))),
        );
        ControlFlow::Continue(())
    };
    simulation.run_until(0.2, &mut watch).unwrap();
    let (q, impact) = &impacts[0];
    let n = model.dof();
    let gap = |turn: &[f64]| {
        let mut moved = q.clone();
        model.integrate(q, turn, 1.0, &mut moved);
        contacts.gap(&placed(&model, &moved, &vec![0.0; n]), 0)
    };
    let row = DVector::from_fn(n, |i, _| {
        let mut turn = vec![0.0; n];
        turn[i] = 1e-5;
        let above = gap(&turn);
        turn[i] = -1e-5;
        (above - gap(&turn)) / 2e-5
    });
    let m = mass_matrix(&model, &placed(&model, q, &vec![0.0; n]));
    let answer = m.lu().solve(&row).unwrap();
    let before = DVector::from_column_slice(&impact.velocity_before);
    let after = &before - &answer * (1.6 * row.dot(&before) / row.dot(&answer));
    // Differences of a length with a step of 1e-5 are right to 1e-10, and speeds are of order one.
    let error = (DVector::from_column_slice(&impact.velocity_after) - after).amax();
    assert!(row.dot(&before) < -0.5 && error < 1e-8, "{error:e}");
}

/// What a follower has of friction and limits is felt at the coordinate.
#[test]
fn friction_and_limits_of_a_follower_act_on_its_leader() {
    let block = |name: &str| Link::new(name).solid_box(1.0, [0.1; 3], Vector3::zeros());
    let limits = |low: f64, high: f64| JointLimits {
        position: Some((low, high)),
        velocity: Some(3.0),
        effort: Some(5.0),
    };
    let slide =
        |name: &str, child: &str| Joint::prismatic(name, "rail", child).axis([1.0, 0.0, 0.0]);
    let model = ModelBuilder::new("doors")
        .link(Link::new("rail"))
        .link(block("left"))
        .link(block("right"))
        .joint(
            slide("left", "left")
                .limits(limits(-1.0, 1.0))
                .friction(1.0),
        )
        .joint(
            slide("right", "right")
                .mimics("left", -2.0, 0.2)
                .limits(limits(-0.6, 3.0))
                .friction(1.5),
        )
        .build()
        .unwrap();
    let body = &model.bodies()[0];
    // −0.6 ≤ 0.2 − 2 q ≤ 3 from q = −1.4 to 0.4; speeds are half of the follower's.
    assert_eq!(body.limits.effort, Some(5.0));
    assert_eq!(body.limits.velocity, Some(1.5));
    let (low, high) = body.limits.position.unwrap();
    assert!(low == -1.0 && (high - 0.4).abs() < 1e-15, "{low} {high}");
    assert_eq!(body.friction, 1.0 + 2.0 * 1.5);
    let pushed = |effort: f64| {
        let push = move |_: &Observation<'_>, efforts: &mut [f64]| efforts[0] = effort;
        let contacts = Contacts::none(&model)
            .with_joint_limits(&model, |_| 0.0)
            .unwrap();
        let mut simulation = Simulation::builder(model.clone())
            .contacts(contacts)
            .controller(push)
            .time_step(1e-3)
            .build()
            .unwrap();
        let mut first = None;
        let mut watch = |simulation: &mut Simulation, _: &[Event]| {
            if first.is_none() && simulation.state().time > 0.0995 {
                first = Some(simulation.state().q[0]);
            }
            ControlFlow::Continue(())
        };
        simulation.run_until(1.0, &mut watch).unwrap();
        (first.unwrap(), simulation.state().q[0])
    };
    assert_eq!(pushed(3.9), (0.0, 0.0));
    // 2 N beyond friction move 1 + 4 kg: a t²/2 in the first tenth of a second, which a step of order two has exactly
    // but for where it begins; then the right door meets its own end.
    let (moved, end) = pushed(6.0);
    assert!(
        (moved - 0.5 * 0.4 * 0.01).abs() < 0.4 * 0.1 * 1e-3,
        "{moved}"
    );
    let (_, end_faster) = pushed(12.0);
    assert!(
        end < 0.4 && (end_faster - 0.4).abs() < 1e-9,
        "{end} {end_faster}"
    );
}

/// A hand that is fixed elsewhere is there with all of its links.
#[test]
fn a_hand_stands_where_it_is_placed() {
    let model = hand(Base::Fixed).build().unwrap();
    let turn = rotation_from_rpy(&[0.3, -0.2, 1.0]);
    let place = Pose::new(turn, [0.5, -1.0, 2.0].into());
    let elsewhere = model.clone().placed(&place);
    let mut random = Uniform::new(23);
    let (q, v) = random_state(&model, &mut random);
    let [here, there] = [&model, &elsewhere].map(|model| self::placed(model, &q, &v));
    for (own, moved) in here.world.iter().zip(&there.world) {
        let expected = place.compose(own);
        // Sums of a few products of numbers of order one.
        assert!((moved.translation - expected.translation).amax() < 1e-14);
        assert!((moved.rotation - expected.rotation).amax() < 1e-14);
    }
}

/// Of two hands with a ball between them each has the inertia, momenta and forces that it has alone.
#[test]
fn hands_beside_other_bodies_are_those_that_they_are_alone() {
    let alone = hand(Base::Floating).build().unwrap();
    let ball = Model::loose(
        "ball",
        Link::new("ball").solid_box(1.0, [0.1; 3], Vector3::zeros()),
    );
    let left = alone.clone().among("left");
    let both = left.beside(ball.unwrap()).unwrap();
    let both = both.beside(alone.clone().among("right")).unwrap();
    let n = alone.dof();
    assert_eq!(both.dof(), 2 * n + 6);
    let mut random = Uniform::new(17);
    for _ in 0..20 {
        let (q, v) = random_state(&both, &mut random);
        let kinematics = placed(&both, &q, &v);
        let mass = mass_matrix(&both, &kinematics);
        let mut terms = LagrangianTerms::new(&both);
        terms.update(&both, &kinematics);
        let nq = alone.configuration_len();
        for (iq, iv) in [(0, 0), (nq + 7, n + 6)] {
            let own = placed(&alone, &q[iq..iq + nq], &v[iv..iv + n]);
            let mut expected = LagrangianTerms::new(&alone);
            expected.update(&alone, &own);
            same(
                &terms.momentum[iv..iv + n],
                &DVector::from_column_slice(&expected.momentum),
            );
            same(
                &terms.force[iv..iv + n],
                &DVector::from_column_slice(&expected.force),
            );
            let block = mass.view((iv, iv), (n, n)).into_owned();
            // The same sums in the same order.
            assert!((block - mass_matrix(&alone, &own)).amax() < 1e-14);
        }
        assert_eq!(mass.view((0, n), (n, n + 6)).amax(), 0.0);
    }
}

#[test]
fn names_and_gravity_are_those_of_the_coordinates() {
    let model = hand(Base::Fixed).build().unwrap();
    assert_eq!(model.coordinate_names(), ["knuckle", "extension"]);
    assert_eq!(model.joint_coordinates(), [0, 1]);
    let error = model.joint("middle").unwrap_err().to_string();
    assert!(
        error.contains("\"middle\"") && error.contains("name \"knuckle\" instead"),
        "{error}"
    );
    let weightless = model.clone().with_gravity(Vector3::zeros());
    let bias = |model: &Model| bias_forces(model, &[0.3, 0.1], &[0.0, 0.0]).unwrap();
    assert_eq!(bias(&weightless), [0.0, 0.0]);
    assert!(bias(&model).iter().all(|x| x.abs() > 0.1));
}
