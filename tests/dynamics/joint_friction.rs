//! Joints with dry friction against closed forms: what sticks does not move, what slides is braked by the
//! whole of it.

use carom::contact::{Combination, Contacts};
use carom::discrete::held::HeldJoint;
use carom::discrete::{StepInput, StepSettings, Stepper};
use carom::dynamics::{ArticulatedFactor, Kinematics, gravity_energy, inverse_dynamics};
use carom::friction::HeldMode;
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::Vector3;

const MASS: f64 = 2.0;
const FRICTION: f64 = 3.0;

/// A mass on a level rail along x, with a spring to x = 0.
fn block(stiffness: f64) -> Model {
    ModelBuilder::new("block")
        .base(Base::Fixed)
        .link(Link::new("rail"))
        .link(Link::new("block").solid_box(MASS, [0.1; 3], Vector3::zeros()))
        .joint(
            Joint::prismatic("x", "rail", "block")
                .axis([1.0, 0.0, 0.0])
                .friction(FRICTION),
        )
        .joint_spring("x", 0.0, stiffness, 0.0)
        .build()
        .unwrap()
}

/// A robot of one coordinate in motion.
struct Run {
    model: Model,
    contacts: Contacts,
    stepper: Stepper,
    joints: Vec<HeldJoint>,
    q: f64,
    p: f64,
    push: f64,
    work: f64,
}

impl Run {
    fn new(model: Model, q: f64, p: f64, push: f64) -> Self {
        Self {
            contacts: Contacts::new(&model, vec![], vec![], &[], Combination::Minimum).unwrap(),
            stepper: Stepper::new(
                &model,
                StepSettings {
                    tolerance: 1e-14,
                    ..StepSettings::default()
                },
            ),
            joints: HeldJoint::of(&model),
            model,
            q,
            p,
            push,
            work: 0.0,
        }
    }

    fn step(&mut self, h: f64) {
        let (q0, p0, applied) = ([self.q], [self.p], [self.push]);
        let input = StepInput {
            model: &self.model,
            contacts: &self.contacts,
            q0: &q0,
            p0: &p0,
            applied: &applied,
            servos: &[],
            h,
            whole: h,
            closed_gap: 0.0,
        };
        let (mut v, mut q1, mut p1) = ([0.0], [0.0], [0.0]);
        self.stepper
            .step(&input, &mut [], &mut self.joints, &mut v, &mut q1, &mut p1)
            .unwrap();
        self.q = q1[0];
        self.p = p1[0];
        self.work += self.stepper.work.dissipative;
    }
}

/// From v₀ it stops after m v₀²/(2 f). The midpoint rule is exact for a constant force; in units of
/// f h²/m the last step goes u − ½ (none for u < ½) in place of u²/2, u = m v₀/(f h) < 1, which is
/// 1/8 less at most.
#[test]
fn a_sliding_mass_stops_where_its_energy_is_used_up_and_stays() {
    for h in [0.01, 0.0073, 1e-3] {
        for speed in [1.0, -0.37, 0.004] {
            let mut run = Run::new(block(0.0), 0.0, MASS * speed, 0.0);
            let time = MASS * speed.abs() / FRICTION;
            for _ in 0..(time / h) as usize + 1 {
                run.step(h);
            }
            let exact = MASS * speed * speed.abs() / (2.0 * FRICTION);
            let short = (exact - run.q) * speed.signum();
            let most = FRICTION * h * h / (8.0 * MASS);
            assert!(
                (-1e-14..=most + 1e-14).contains(&short),
                "{h} {speed}: {short:e}"
            );
            assert_eq!(run.joints[0].modes[1], HeldMode::Stick);
            // The friction has taken all of the energy, to the rounding of the sum over the steps.
            let energy = 0.5 * MASS * speed * speed;
            assert!(
                (run.work + energy).abs() <= 1e-12 * energy,
                "{h} {speed}: {:e}",
                run.work
            );
            let stopped = run.q;
            for _ in 0..1000 {
                run.step(h);
            }
            assert!((run.q - stopped).abs() <= 1e-15, "{:e}", run.q - stopped);
        }
    }
}

#[test]
fn a_push_below_the_friction_moves_nothing_and_one_above_moves_by_the_difference() {
    let (h, steps) = (0.01, 1000);
    for direction in [1.0, -1.0] {
        let mut run = Run::new(block(0.0), 0.2, 0.0, direction * 0.999 * FRICTION);
        for _ in 0..steps {
            run.step(h);
        }
        assert!((run.q - 0.2).abs() <= 1e-15, "{:e}", run.q - 0.2);
        // Roundings of a velocity that is zero.
        assert!(run.work.abs() <= 1e-15, "{:e}", run.work);
        let mut run = Run::new(block(0.0), 0.0, 0.0, direction * 1.1 * FRICTION);
        for _ in 0..steps {
            run.step(h);
        }
        let path = direction * 0.1 * FRICTION / MASS * (h * f64::from(steps)).powi(2) / 2.0;
        // Every step's velocity and place round by 1e-16 of themselves; errors add up twice.
        assert!((run.q / path - 1.0).abs() < 1e-11, "{} {path}", run.q);
        assert!((run.work + FRICTION * path.abs()).abs() < 1e-11 * run.work.abs());
    }
}

/// Between turning points a block on a spring swings about ∓f/k, so its amplitude falls by 2f/k from one
/// to the next, until the spring no longer overcomes the friction.
#[test]
fn a_block_on_a_spring_swings_down_by_the_friction_and_sticks() {
    let (stiffness, start) = (200.0, 0.13_f64);
    let offset = FRICTION / stiffness;
    let mut amplitude = start;
    let mut swings = 0;
    let mut at = start;
    while amplitude > offset {
        amplitude -= 2.0 * offset;
        at = -at.signum() * amplitude;
        swings += 1;
    }
    assert_eq!(swings, 4);
    let frequency = (stiffness / MASS).sqrt();
    let mut errors = Vec::new();
    for h in [2e-3, 1e-3, 2.5e-4] {
        let mut run = Run::new(block(stiffness), start, 0.0, 0.0);
        let mut turns = 0;
        let mut last = 0.0_f64;
        for _ in 0..(3.0 / h) as usize {
            run.step(h);
            // What has stopped has a rounding of momentum.
            if run.p.abs() > 1e-12 {
                turns += usize::from(run.p * last < 0.0);
                last = run.p;
            }
        }
        assert_eq!(run.joints[0].modes, [HeldMode::Stick; 2]);
        assert_eq!(turns, swings - 1, "{h}");
        // Where the rate turns in a step the friction may push the wrong way through all of it, an
        // impulse of 2 f h, which moves the swing by that over m ω.
        let bound = swings as f64 * 2.0 * FRICTION * h / (MASS * frequency);
        let error = (run.q - at).abs();
        assert!(error <= bound, "{h}: {error:e} ({bound:e})");
        errors.push(error);
        // The energy is in the spring or has been taken by the friction. Its work is booked on the mean of
        // the velocities at an end and in the middle, beside which the spring's impulse of h k x/2 leaves
        // that over 2 m times the difference of both friction impulses, at most f h: only in steps that
        // turn or stop.
        let energy = |x: f64| 0.5 * stiffness * x * x;
        let balance = energy(run.q) - energy(start) - run.work;
        let booked = FRICTION * h * h * stiffness * start / (4.0 * MASS);
        assert!(
            balance.abs() <= (swings + 1) as f64 * booked,
            "{h}: {balance:e}"
        );
        let stopped = run.q;
        for _ in 0..1000 {
            run.step(h);
        }
        assert!((run.q - stopped).abs() <= 1e-15, "{:e}", run.q - stopped);
    }
    assert!(errors[2] < 0.5 * errors[0], "{errors:?}");
}

/// A rod on a level axis whose weight the friction of its bearing bears stays at any such angle.
#[test]
fn a_rod_stays_at_every_angle_at_which_the_bearing_bears_it() {
    let length = 0.8;
    let torque = MASS * 9.81 * 0.5 * length;
    for angle in [0.0, 0.2, -0.35] {
        let rod = Link::new("rod").rod(MASS, Vector3::zeros(), Vector3::new(0.0, 0.0, -length));
        let model = ModelBuilder::new("rod")
            .base(Base::Fixed)
            .link(Link::new("ceiling"))
            .link(rod)
            .joint(
                Joint::revolute("bearing", "ceiling", "rod")
                    .axis([0.0, 1.0, 0.0])
                    .friction(0.36 * torque),
            )
            .build()
            .unwrap();
        let mut run = Run::new(model, angle, 0.0, 0.0);
        for _ in 0..2000 {
            run.step(5e-3);
        }
        // Its sine is below 0.36: the friction needs no motion to hold it.
        assert!(
            (run.q - angle).abs() <= 1e-14,
            "{angle}: {:e}",
            run.q - angle
        );
    }
}

/// An arm of two links that swings about a level axis, its elbow rubbing or rigid.
fn arm(elbow: Option<f64>) -> Model {
    let link =
        |name: &str| Link::new(name).solid_box(1.5, [0.1, 0.1, 0.8], Vector3::new(0.0, 0.0, -0.4));
    let shoulder = Joint::revolute("shoulder", "post", "upper").axis([0.0, 1.0, 0.0]);
    let joint = match elbow {
        Some(friction) => Joint::revolute("elbow", "upper", "lower")
            .axis([0.0, 1.0, 0.0])
            .friction(friction),
        None => Joint::fixed("elbow", "upper", "lower"),
    };
    ModelBuilder::new("arm")
        .base(Base::Fixed)
        .link(Link::new("post"))
        .link(link("upper"))
        .link(link("lower"))
        .joint(shoulder)
        .joint(joint.origin([0.0, 0.0, -0.8], [0.0, 0.6, 0.0]))
        .build()
        .unwrap()
}

/// What the friction of an elbow holds swings as if it were one body, and the friction's impulses on both sides
/// of a moment are the torque of inverse dynamics over a step, to order h².
#[test]
fn an_elbow_that_sticks_is_rigid() {
    let worst = |h: f64| {
        let models = [arm(Some(40.0)), arm(None)];
        let mut ends = Vec::new();
        let mut worst = 0.0_f64;
        for model in &models {
            let n = model.dof();
            let contacts = Contacts::new(model, vec![], vec![], &[], Combination::Minimum).unwrap();
            let settings = StepSettings {
                tolerance: 1e-14,
                ..StepSettings::default()
            };
            let mut stepper = Stepper::new(model, settings);
            let mut joints = HeldJoint::of(model);
            let mut q = vec![0.0; n];
            q[0] = 1.2;
            let mut p = vec![0.0; n];
            let applied = vec![0.0; n];
            let mut last: Option<(f64, f64)> = None;
            for _ in 0..(0.6 / h).round() as usize {
                let (mut v, mut q1, mut p1) = (vec![0.0; n], q.clone(), p.clone());
                let input = StepInput {
                    model,
                    contacts: &contacts,
                    q0: &q,
                    p0: &p,
                    applied: &applied,
                    servos: &[],
                    h,
                    whole: h,
                    closed_gap: 0.0,
                };
                stepper
                    .step(&input, &mut [], &mut joints, &mut v, &mut q1, &mut p1)
                    .unwrap();
                if n == 2 {
                    // Before the first step nothing is known of it.
                    let still = last.is_some() && q1[1] == q[1] || q1[1].abs() <= 1e-15;
                    assert!(still, "the elbow has moved");
                    let rate = v[0];
                    if let Some((rate_before, impulse_before)) = last {
                        let acceleration = [(rate - rate_before) / h, 0.0];
                        let mean = [0.5 * (rate + rate_before), 0.0];
                        let torque = inverse_dynamics(model, &q, &mean, &acceleration).unwrap()[1];
                        let impulse = impulse_before + joints[0].impulses[0];
                        worst = worst.max((impulse / h - torque).abs());
                    }
                    last = Some((rate, joints[0].impulses[1]));
                }
                (q, p) = (q1, p1);
            }
            ends.push((q[0], p[0]));
        }
        // The same equations, solved to 1e-14 of momenta of order ten in hundreds of steps.
        assert!((ends[0].0 - ends[1].0).abs() <= 1e-11 && (ends[0].1 - ends[1].1).abs() <= 1e-10);
        worst
    };
    let errors = [worst(4e-3), worst(2e-3)];
    let ratio = errors[0] / errors[1];
    assert!((3.6..4.4).contains(&ratio), "{errors:?}");
}

/// A chain whose joints stick and slip in turn loses what its friction takes and nothing else: the midpoint
/// rule's energy error of a step is of order h³, here (1 ms)³ times rates of 30/s cubed and energies of 50 J.
#[test]
fn joints_that_stick_and_slip_in_turn_keep_the_energy_balance() {
    let links = 6;
    let mut builder = ModelBuilder::new("chain")
        .base(Base::Fixed)
        .link(Link::new("l0"));
    for i in 1..=links {
        let name = format!("l{i}");
        let axis = if i % 2 == 0 {
            [0.0, 1.0, 0.0]
        } else {
            [1.0, 0.3, 0.0]
        };
        builder = builder
            .link(Link::new(&name).solid_box(0.6, [0.06, 0.04, 0.3], Vector3::new(0.0, 0.0, -0.15)))
            .joint(
                Joint::revolute(&format!("j{i}"), &format!("l{}", i - 1), &name)
                    .axis(axis)
                    .origin([0.0, 0.0, if i == 1 { 0.0 } else { -0.3 }], [0.0; 3])
                    .friction(0.4),
            );
    }
    let model = builder.build().unwrap();
    let n = model.dof();
    let contacts = Contacts::new(&model, vec![], vec![], &[], Combination::Minimum).unwrap();
    let mut stepper = Stepper::new(&model, StepSettings::default());
    let mut joints = HeldJoint::of(&model);
    let mut q: Vec<f64> = (0..n).map(|i| 1.3 * (i as f64 + 1.0).cos()).collect();
    let mut p = vec![0.0; n];
    let mut applied = vec![0.0; n];
    let h = 1e-3;
    let energy = |q: &[f64], p: &[f64]| {
        let mut kinematics = Kinematics::new(&model);
        kinematics.update_placements(&model, q);
        let mut factor = ArticulatedFactor::new(&model);
        factor.factor(&model, &kinematics).unwrap();
        let mut v = vec![0.0; n];
        factor.solve(&model, &kinematics, p, &mut v);
        let twice: f64 = p.iter().zip(&v).map(|(p, v)| p * v).sum();
        0.5 * twice + gravity_energy(&model, &kinematics)
    };
    let mut before = energy(&q, &p);
    let mut changes = 0;
    for step in 0..3000 {
        // Pushes that come and go release what sticks.
        let push = if step % 50 < 25 { 1.5 } else { 0.0 };
        for (i, applied) in applied.iter_mut().enumerate() {
            *applied = if (step / 50 + i) % 3 == 0 { push } else { 0.0 };
        }
        let (mut v, mut q1, mut p1) = (vec![0.0; n], q.clone(), p.clone());
        let input = StepInput {
            model: &model,
            contacts: &contacts,
            q0: &q,
            p0: &p,
            applied: &applied,
            servos: &[],
            h,
            whole: h,
            closed_gap: 0.0,
        };
        let sticks = |joints: &[HeldJoint]| {
            joints
                .iter()
                .filter(|j| j.modes[1] == HeldMode::Stick)
                .count()
        };
        let stuck = sticks(&joints);
        stepper
            .step(&input, &mut [], &mut joints, &mut v, &mut q1, &mut p1)
            .unwrap();
        changes += usize::from(sticks(&joints) != stuck);
        (q, p) = (q1, p1);
        let after = energy(&q, &p);
        let balance = after - before - stepper.work.dissipative - stepper.work.actuators;
        assert!(
            balance.abs() <= 50.0 * (30.0 * h).powi(3),
            "step {step}: {balance:e} J"
        );
        before = after;
    }
    assert!(changes > 50, "{changes} changes of modes");
}
