//! Held contacts with friction: blocks on slopes, rolling wheels, standing robots.

use carom::contact::{Combination, Contacts, Material, Site, SiteShape, Terrain};
use carom::discrete::held::{HeldContact, HeldJoint};
use carom::discrete::linearization::HeldStep;
use carom::discrete::{StepInput, StepSettings, Stepper};
use carom::dynamics::{ArticulatedFactor, JointServo, Kinematics, gravity_energy, kinetic_energy};
use carom::friction::HeldMode;
use carom::model::{Base, Geometry, Joint, Link, Model, ModelBuilder};
use carom::spatial::{Pose, quaternion_exp};
use nalgebra::{Matrix3, Vector3};

/// A held contact whose gap exceeds this is open [m].
const CLOSED_GAP: f64 = 1e-9;

struct Run {
    model: Model,
    contacts: Contacts,
    held: Vec<HeldContact>,
    joints: Vec<HeldJoint>,
    q: Vec<f64>,
    p: Vec<f64>,
    worst_gap: f64,
    friction_work: f64,
}

impl Run {
    fn new(model: Model, contacts: Contacts, q: Vec<f64>) -> Self {
        let p = vec![0.0; model.dof()];
        let mut k = Kinematics::new(&model);
        k.update_placements(&model, &q);
        let held = (0..contacts.len())
            .filter(|&i| contacts.gap(&k, i).abs() < 1e-12)
            .map(HeldContact::new)
            .collect();
        Self {
            joints: HeldJoint::of(&model),
            model,
            contacts,
            held,
            q,
            p,
            worst_gap: 0.0,
            friction_work: 0.0,
        }
    }

    fn advance(&mut self, h: f64, steps: usize) {
        // The bounds are those of the scheme: a step ends at its tolerance, 1e-10 of the momentum by default.
        let settings = StepSettings {
            tolerance: 1e-14,
            ..StepSettings::default()
        };
        let mut stepper = Stepper::new(&self.model, settings);
        let mut v = vec![0.0; self.model.dof()];
        let (mut q1, mut p1) = (self.q.clone(), self.p.clone());
        let applied = vec![0.0; self.model.dof()];
        for _ in 0..steps {
            let input = StepInput {
                model: &self.model,
                contacts: &self.contacts,
                q0: &self.q,
                p0: &self.p,
                applied: &applied,
                servos: &[],
                h,
                whole: h,
                closed_gap: CLOSED_GAP,
            };
            let (held, joints) = (&mut self.held, &mut self.joints);
            stepper
                .step(&input, held, joints, &mut v, &mut q1, &mut p1)
                .unwrap();
            std::mem::swap(&mut self.q, &mut q1);
            std::mem::swap(&mut self.p, &mut p1);
            self.friction_work += stepper.work.dissipative;
            for held in &self.held {
                self.worst_gap = self.worst_gap.max(held.gap.abs());
            }
        }
    }

    fn velocity(&self) -> Vec<f64> {
        let mut k = Kinematics::new(&self.model);
        k.update_placements(&self.model, &self.q);
        let mut factor = ArticulatedFactor::new(&self.model);
        factor.factor(&self.model, &k).unwrap();
        let mut v = vec![0.0; self.model.dof()];
        factor.solve(&self.model, &k, &self.p, &mut v);
        v
    }

    fn energy(&self) -> f64 {
        let mut k = Kinematics::new(&self.model);
        k.update_placements(&self.model, &self.q);
        k.update_twists(&self.model, &self.velocity());
        kinetic_energy(&self.model, &k) + gravity_energy(&self.model, &k)
    }
}

/// A block of 1 m × 0.6 m × 0.2 m on a slope of tan θ = 0.309 down x, four corners on it.
fn block(base: Base, friction: f64) -> (Run, f64) {
    let slope = 0.309_f64.atan();
    let model = ModelBuilder::new("block")
        .base(base)
        .link(Link::new("block").solid_box(2.0, [1.0, 0.6, 0.2], Vector3::zeros()))
        .build()
        .unwrap();
    let material = Material::new(friction, 0.0);
    let sites = Site::box_corners(
        &model,
        "corner",
        "block",
        &Pose::identity(),
        [1.0, 0.6, 0.2],
        material,
    )
    .unwrap();
    let normal = [slope.sin(), 0.0, slope.cos()];
    let ground = Terrain::plane("slope", [0.0; 3], normal, material);
    let contacts = Contacts::new(&model, sites, vec![ground], &[], Combination::Minimum).unwrap();
    let up = Vector3::from(normal) * 0.1;
    let turn = quaternion_exp(&Vector3::new(0.0, slope, 0.0));
    let q = match base {
        Base::Floating => [up.as_slice(), &turn].concat(),
        _ => vec![up.x, up.z, slope],
    };
    (Run::new(model, contacts, q), slope)
}

#[test]
fn a_block_below_the_friction_angle_does_not_creep() {
    for base in [Base::Planar, Base::Floating] {
        let (mut run, _) = block(base, 0.35);
        let start = run.q.clone();
        assert_eq!(run.held.len(), 4);
        run.advance(0.01, 1000);
        let moved = run
            .q
            .iter()
            .zip(&start)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        assert!(moved < 1e-9, "{base:?}: {moved:e}");
        assert!(run.worst_gap < 1e-9, "{base:?}: {:e}", run.worst_gap);
    }
}

#[test]
fn a_block_above_the_friction_angle_slides_with_the_right_acceleration() {
    for base in [Base::Planar, Base::Floating] {
        let (mut run, slope) = block(base, 0.25);
        let start = run.q.clone();
        let before = run.energy();
        run.advance(0.01, 1000);
        let path = (run.q[0] - start[0]) / slope.cos();
        // The midpoint rule is exact for constant acceleration.
        let expected = 9.81 * (slope.sin() - 0.25 * slope.cos()) * 100.0 / 2.0;
        assert!(
            (path / expected - 1.0).abs() < 1e-11,
            "{base:?}: {path} {expected}"
        );
        assert!(run.worst_gap < 1e-9);
        let balance = run.energy() - before - run.friction_work;
        assert!(balance.abs() < 1e-9 * expected, "{base:?}: {balance:e}");
    }
}

#[test]
fn redundant_contacts_share_the_load_evenly() {
    let (mut run, slope) = block(Base::Floating, 0.35);
    run.advance(0.01, 3);
    let normals: Vec<f64> = run.held.iter().map(|h| h.impulse()[0]).collect();
    let total: f64 = normals.iter().sum();
    assert!((total - 2.0 * 9.81 * slope.cos() * 0.01).abs() < 1e-12);
    // Mirror symmetry across the slope's fall line: both pairs of corners at the same height, 0 and 2 above, 1 and 3
    // below, carry the same; friction at the bottom of the block turns more of the weight onto the lower pair.
    for [left, right] in [[0, 2], [1, 3]] {
        assert!(
            (normals[left] - normals[right]).abs() < 1e-12,
            "{normals:?}"
        );
    }
    assert!(normals[1] > normals[0], "{normals:?}");
}

/// A ball that rests in a groove of two slopes of 45° with a friction of 0.99: impulses of least norm have τ = λ, just outside of the
/// cones, and what is nearest to them, τ = μλ, is λ = m g h/(√2 (1 + μ)). What both sides press against each other beyond that is
/// nobody's, and could be a hundred times as much. Cones are kept to 1e-6.
#[test]
fn a_ball_wedged_in_a_groove_is_pressed_no_more_than_it_must() {
    let friction = 0.99;
    let material = Material::new(friction, 0.0);
    let model = ModelBuilder::new("ball")
        .base(Base::Floating)
        .link(Link::new("ball").solid(1.5, &Geometry::Sphere(0.1)))
        .build()
        .unwrap();
    let site = Site::sphere(&model, "skin", "ball", [0.0; 3], 0.1, material).unwrap();
    let slope = |name, side| Terrain::plane(name, [0.0; 3], [0.0, side, 1.0], material);
    let groove = vec![slope("left", -1.0), slope("right", 1.0)];
    let contacts = Contacts::new(&model, vec![site], groove, &[], Combination::Minimum).unwrap();
    let height = 0.1 * std::f64::consts::SQRT_2;
    let mut run = Run::new(model, contacts, vec![0.0, 0.0, height, 0.0, 0.0, 0.0, 1.0]);
    run.advance(2e-3, 1000);
    let pressed = 1.5 * 9.81 * 2e-3 / (std::f64::consts::SQRT_2 * (1.0 + friction));
    for held in &run.held {
        let [normal, ..] = held.impulse();
        assert!((normal / pressed - 1.0).abs() < 1e-5, "{normal} {pressed}");
    }
}

/// A disc of 0.5 m rolling down a gentle slope without slip.
#[test]
fn a_wheel_rolls_without_slip_and_keeps_its_energy() {
    let material = Material::new(0.6, 0.0);
    for base in [Base::Planar, Base::Floating] {
        let model = ModelBuilder::new("wheel")
            .base(base)
            .link(Link::new("disc").inertial(
                3.0,
                Vector3::zeros(),
                nalgebra::Matrix3::from_diagonal(&Vector3::new(0.2, 0.375, 0.2)),
            ))
            .build()
            .unwrap();
        let edge = SiteShape::DiscEdge {
            axis: Vector3::y(),
            radius: 0.5,
        };
        let site = Site::new(&model, "rim", "disc", [0.0; 3], edge, material).unwrap();
        let slope = 0.2_f64;
        let normal = [slope.sin(), 0.0, slope.cos()];
        let ground = Terrain::plane("slope", [0.0; 3], normal, material);
        let contacts =
            Contacts::new(&model, vec![site], vec![ground], &[], Combination::Minimum).unwrap();
        let up = Vector3::from(normal) * 0.5;
        let q = match base {
            Base::Floating => vec![up.x, up.y, up.z, 0.0, 0.0, 0.0, 1.0],
            _ => vec![up.x, up.z, 0.0],
        };
        let mut run = Run::new(model, contacts, q);
        let before = run.energy();
        run.advance(0.01, 400);
        let path = (run.q[0] - up.x) / slope.cos();
        let expected = 9.81 * slope.sin() / 1.5 * 16.0 / 2.0;
        // Constant acceleration: the midpoint rule is exact, but for 400 roundings of the path and of the residual.
        assert!(
            (path / expected - 1.0).abs() < 400.0 * 1e-14,
            "{base:?}: {path} {expected}"
        );
        let v = run.velocity();
        let (speed, spin) = match base {
            Base::Floating => {
                let pose = run.model.floating_pose(0, &run.q);
                (
                    (pose.rotation * Vector3::new(v[0], v[1], v[2])).norm(),
                    v[4],
                )
            }
            _ => (v[0].hypot(v[1]), v[2]),
        };
        assert!(
            (speed - 0.5 * spin.abs()).abs() < 1e-10 * speed,
            "{base:?}: {speed} {spin}"
        );
        let drift = (run.energy() - before).abs() / (3.0 * 9.81 * expected);
        // Constant acceleration about a constant axis: the midpoint rule is exact. A floating base rotates
        // its momentum in each of the 400 steps, ten more roundings of 2e-16.
        let rounding = if base == Base::Planar { 1e-12 } else { 2e-12 };
        assert!(drift < rounding, "{base:?}: {drift:e}");
        assert!(run.friction_work.abs() < 1e-10);
        assert!(run.worst_gap < 1e-9);
    }
}

/// Four legs with springs at the hips standing on a plane: nothing may sink or drift.
#[test]
fn a_legged_robot_stands_still() {
    let material = Material::new(0.8, 0.0);
    let mut builder = ModelBuilder::new("stander")
        .base(Base::Floating)
        .link(Link::new("body").solid_box(6.0, [0.5, 0.3, 0.1], Vector3::new(0.02, 0.01, 0.0)));
    for (i, (x, y)) in [(0.2, 0.15), (0.2, -0.15), (-0.2, 0.15), (-0.2, -0.15)]
        .into_iter()
        .enumerate()
    {
        let (leg, hip) = (format!("leg{i}"), format!("hip{i}"));
        builder = builder
            .link(Link::new(&leg).rod(0.2, Vector3::zeros(), Vector3::new(0.0, 0.0, -0.3)))
            .joint(
                Joint::revolute(&hip, "body", &leg)
                    .origin([x, y, 0.0], [0.0; 3])
                    .axis([0.0, 1.0, 0.0]),
            )
            .joint_spring(&hip, 0.0, 50.0, 2.0);
    }
    let model = builder.build().unwrap();
    let sites = (0..4)
        .map(|i| {
            Site::point(
                &model,
                &format!("foot{i}"),
                &format!("leg{i}"),
                [0.0, 0.0, -0.3],
                material,
            )
            .unwrap()
        })
        .collect();
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts = Contacts::new(&model, sites, vec![ground], &[], Combination::Minimum).unwrap();
    let mut q = model.neutral_configuration();
    q[2] = 0.3;
    let mut run = Run::new(model, contacts, q);
    assert_eq!(run.held.len(), 4);
    run.advance(1e-3, 3000);
    let settled = run.q.clone();
    run.advance(1e-3, 3000);
    let drift = run
        .q
        .iter()
        .zip(&settled)
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f64::max);
    assert!(drift < 1e-6, "{drift:e}");
    assert!(run.worst_gap < 1e-9, "{:e}", run.worst_gap);
    let weight: f64 = run.held.iter().map(|h| h.impulse()[0]).sum::<f64>() / 1e-3;
    assert!((weight - 6.8 * 9.81).abs() < 1e-6, "{weight}");
}

/// One step with all contacts held, from a state, forces and a length that may be varied.
fn held_step(
    model: &Model,
    contacts: &Contacts,
    held: &[HeldContact],
    q0: &[f64],
    p0: &[f64],
    applied: &[f64],
    h: f64,
) -> (Vec<f64>, Vec<f64>, Vec<f64>, Vec<HeldContact>) {
    let settings = StepSettings {
        tolerance: 1e-13,
        ..StepSettings::default()
    };
    let mut stepper = Stepper::new(model, settings);
    let mut held = held.to_vec();
    let (mut v, mut q1, mut p1) = (vec![0.0; model.dof()], q0.to_vec(), p0.to_vec());
    let input = StepInput {
        model,
        contacts,
        q0,
        p0,
        applied,
        servos: &[],
        h,
        whole: h,
        closed_gap: CLOSED_GAP,
    };
    stepper
        .step(&input, &mut held, &mut [], &mut v, &mut q1, &mut p1)
        .unwrap();
    (v, q1, p1, held)
}

/// A hopper slides on smooth ground while its hip is driven by a servo whose damping is thirty times its inertia in a
/// step: what ends by its last correction has the momentum of that correction.
#[test]
fn a_step_that_ends_by_a_correction_has_the_efforts_of_its_end() {
    let leg = Link::new("leg").solid_box(0.3, [0.03, 0.03, 0.4], [0.0, 0.0, -0.2].into());
    let model = ModelBuilder::new("hopper")
        .base(Base::Planar)
        .link(Link::new("body").solid_box(2.0, [0.3, 0.1, 0.1], Vector3::zeros()))
        .link(leg)
        .joint(Joint::revolute("hip", "body", "leg").axis([0.0, 1.0, 0.0]))
        .build()
        .unwrap();
    let smooth = Material::new(0.0, 0.0);
    let foot = Site::point(&model, "foot", "leg", [0.0, 0.0, -0.4], smooth).unwrap();
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], smooth);
    let contacts =
        Contacts::new(&model, vec![foot], vec![ground], &[], Combination::Minimum).unwrap();
    let n = model.dof();
    let hip = n - 1;
    let mut q = model.neutral_configuration();
    q[hip] = 0.4;
    q[1] = 0.4 * 0.4_f64.cos();
    let servo = JointServo {
        q_index: q.len() - 1,
        v_index: hip,
        stiffness: 50.0,
        damping: 800.0,
        target: 0.1,
        target_rate: 0.0,
        feed_forward: 0.0,
        effort_limit: f64::INFINITY,
        motor: None,
    };
    let h = 1e-3;
    let step =
        |tolerance: f64, (q0, p0): (&[f64], &[f64]), held: &mut [HeldContact], v: &mut [f64]| {
            let settings = StepSettings {
                tolerance,
                ..StepSettings::default()
            };
            let input = StepInput {
                model: &model,
                contacts: &contacts,
                q0,
                p0,
                applied: &[0.0; 4],
                servos: &[servo],
                h,
                whole: h,
                closed_gap: CLOSED_GAP,
            };
            let (mut q1, mut p1) = (q0.to_vec(), p0.to_vec());
            let mut stepper = Stepper::new(&model, settings);
            let report = stepper.step(&input, held, &mut [], v, &mut q1, &mut p1);
            (report.unwrap(), q1, p1, stepper.efforts()[hip])
        };
    let (mut held, mut v, mut p) = (vec![HeldContact::new(0)], vec![0.0; n], vec![0.0; n]);
    for _ in 0..20 {
        (_, q, p, _) = step(1e-14, (&q, &p), &mut held, &mut v);
    }
    let mut exact = v.clone();
    let (_, _, end, effort) = step(1e-14, (&q, &p), &mut held.clone(), &mut exact);
    let mut found = exact.clone();
    found[hip] += 4e-10;
    let (report, _, other, driven) = step(1e-10, (&q, &p), &mut held, &mut found);
    assert_eq!(report.iterations, 1);
    // The tolerance of the momentum. The correction turns the servo by 4e-10 · 800 N m: 3e-10 N m s in a step.
    let bound = 1e-10 * end.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
    for (a, b) in end.iter().zip(&other) {
        assert!((a - b).abs() <= bound, "{end:?} {other:?}");
    }
    assert!((effort - driven).abs() <= bound / h, "{effort} {driven}");
}

/// A body on two feet in the plane slides on the ground, and pushed gently it sticks:
/// derivatives by state, force and time against central differences of the step itself.
#[test]
fn derivatives_of_a_held_step_are_those_of_the_step() {
    let model = ModelBuilder::new("slider")
        .base(Base::Planar)
        .link(Link::new("body").inertial(
            2.0,
            Vector3::zeros(),
            Matrix3::from_diagonal_element(0.1),
        ))
        .build()
        .unwrap();
    let material = Material::new(0.4, 0.0);
    let feet = [-0.3, 0.3].map(|x| {
        Site::point(
            &model,
            &format!("foot{x}"),
            "body",
            [x, 0.0, -0.2],
            material,
        )
        .unwrap()
    });
    let ground = Terrain::plane("ground", [0.0; 3], [0.0, 0.0, 1.0], material);
    let contacts = Contacts::new(
        &model,
        feet.to_vec(),
        vec![ground],
        &[],
        Combination::Minimum,
    )
    .unwrap();
    let n = model.dof();
    let held = [HeldContact::new(0), HeldContact::new(1)];
    let q0 = vec![0.0, 0.2, 0.0];
    let h = 0.01;
    // Sliding at 1 m/s, and pushed with less than friction bears.
    for (p0, push) in [(vec![2.0, 0.0, 0.0], 0.0), (vec![0.0; 3], 3.0)] {
        let applied = vec![push, 0.0, 0.0];
        let (v, _, p1, after) = held_step(&model, &contacts, &held, &q0, &p0, &applied, h);
        let found = HeldStep {
            model: &model,
            contacts: &contacts,
            held: &after,
            joints: &[],
            configuration: &q0,
            mean_velocity: &v,
            end_momentum: &p1,
            applied: &applied,
            time_step: h,
            two_sided: false,
        }
        .derivatives()
        .unwrap();
        let size = 1e-5;
        for j in 0..=3 * n {
            let ends = [size, -size].map(|d| {
                let mut x = [q0.clone(), p0.clone(), applied.clone()];
                let mut time = h;
                if j < 3 * n {
                    x[j / n][j % n] += d;
                } else {
                    time += d;
                }
                let (_, q1, p1, _) = held_step(&model, &contacts, &held, &x[0], &x[1], &x[2], time);
                [q1, p1].concat()
            });
            for i in 0..2 * n {
                let difference = (ends[0][i] - ends[1][i]) / (2.0 * size);
                // Differences of 1e-5 see third derivatives of at most 1e3 times 1e-10, and rounding.
                assert!(
                    (found[(i, j)] - difference).abs() <= 1e-6 * (1.0 + difference.abs()),
                    "push {push}, row {i}, column {j}: {} {difference}",
                    found[(i, j)]
                );
            }
        }
    }
}

/// A body on three feet slides and turns on the ground, so that friction turns with the slip: derivatives of
/// its momentum by state, force and time against central differences of the step itself.
#[test]
fn derivatives_of_a_turning_slide_are_those_of_the_step() {
    let (run, _) = block(Base::Floating, 0.4);
    let model = &run.model;
    let n = model.dof();
    let held: Vec<HeldContact> = run.held[1..].to_vec();
    let mut k = Kinematics::new(model);
    k.update_placements(model, &run.q);
    let v0 = nalgebra::DVector::from_vec(vec![1.0, 0.5, 0.0, 0.0, 0.0, 0.8]);
    let p0 = (carom::dynamics::mass_matrix(model, &k) * v0)
        .as_slice()
        .to_vec();
    let (applied, h) = (vec![0.0; n], 0.01);
    let (v, _, p1, after) = held_step(model, &run.contacts, &held, &run.q, &p0, &applied, h);
    assert!(
        after
            .iter()
            .all(|h| matches!(h.modes, [HeldMode::Slide(_), HeldMode::Slide(_)]))
    );
    let found = HeldStep {
        model,
        contacts: &run.contacts,
        held: &after,
        joints: &[],
        configuration: &run.q,
        mean_velocity: &v,
        end_momentum: &p1,
        applied: &applied,
        time_step: h,
        two_sided: false,
    }
    .derivatives()
    .unwrap();
    let size = 1e-5;
    for j in 0..=3 * n {
        let ends = [size, -size].map(|d| {
            let (mut q, mut p, mut u, mut time) = (run.q.clone(), p0.clone(), applied.clone(), h);
            if j < n {
                let mut twist = vec![0.0; n];
                twist[j] = d;
                model.integrate(&run.q, &twist, 1.0, &mut q);
            } else if j < 2 * n {
                p[j - n] += d;
            } else if j < 3 * n {
                u[j - 2 * n] += d;
            } else {
                time += d;
            }
            held_step(model, &run.contacts, &held, &q, &p, &u, time).2
        });
        for i in 0..n {
            let difference = (ends[0][i] - ends[1][i]) / (2.0 * size);
            let found = found[(n + i, j)];
            // Differences of 1e-5 see third derivatives of at most 1e3 times 1e-10, and the tolerance of
            // the step, 1e-13 of its momentum, over 1e-5.
            assert!(
                (found - difference).abs() <= 1e-6 * (1.0 + difference.abs()),
                "row {i}, column {j}: {found} {difference}"
            );
        }
    }
}
