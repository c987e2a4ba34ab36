//! Compliant collisions: the integrators against closed forms, the models against independent values, and the law
//! `plus` against the compliant model it approximates.

use carom::comparison::compliant::{
    BodyState, DormandPrince, HertzContact, IntegrationError, Method, Radau, RockingBlock,
    SphereBody, System, Tolerances, integrate,
};
use carom::impact::{ContactRows, ContactSpace, ImpactLaw, Plus};
use nalgebra::{DMatrix, DVector, Matrix3, UnitQuaternion, Vector2, Vector3};
use serde_json::Value;

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

fn vector(value: &Value) -> Vector3<f64> {
    Vector3::from_iterator(value.as_array().unwrap().iter().map(number))
}

/// y'' = −y.
struct Oscillator;

impl System for Oscillator {
    fn dimension(&self) -> usize {
        2
    }
    fn derivative(&self, _: f64, y: &[f64], rates: &mut [f64]) {
        rates[0] = y[1];
        rates[1] = -y[0];
    }
}

/// y' = −k (y − cos t) − sin t, whose slow solution is cos t.
struct Relaxation {
    rate: f64,
}

impl System for Relaxation {
    fn dimension(&self) -> usize {
        1
    }
    fn derivative(&self, t: f64, y: &[f64], rates: &mut [f64]) {
        rates[0] = -self.rate * (y[0] - t.cos()) - t.sin();
    }
}

/// Never to be reached.
struct Undefined;

impl System for Undefined {
    fn dimension(&self) -> usize {
        1
    }
    fn derivative(&self, t: f64, _: &[f64], rates: &mut [f64]) {
        rates[0] = if t > 0.5 { f64::NAN } else { 1.0 };
    }
}

fn tolerances(relative: f64) -> Tolerances {
    Tolerances {
        relative,
        absolute: relative * 1e-3,
    }
}

fn never(_: f64, _: &[f64]) -> f64 {
    -1.0
}

/// Error at t = 1 of `steps` steps of the same length.
fn error_of_fixed_steps(method: &mut impl Method, steps: usize) -> f64 {
    let h = 1.0 / steps as f64;
    let mut y = vec![1.0, 0.0];
    let mut next = y.clone();
    for i in 0..steps {
        method.step(
            &Oscillator,
            &tolerances(1e-15),
            i as f64 * h,
            &y,
            h,
            &mut next,
        );
        std::mem::swap(&mut y, &mut next);
    }
    (y[0] - 1f64.cos()).hypot(y[1] + 1f64.sin())
}

#[test]
fn both_methods_are_of_order_five() {
    let order = |coarse: f64, fine: f64| (coarse / fine).log2();
    let explicit = order(
        error_of_fixed_steps(&mut DormandPrince::default(), 16),
        error_of_fixed_steps(&mut DormandPrince::default(), 32),
    );
    let implicit = order(
        error_of_fixed_steps(&mut Radau::default(), 4),
        error_of_fixed_steps(&mut Radau::default(), 8),
    );
    assert!((explicit - 5.0).abs() < 0.2, "{explicit}");
    assert!((implicit - 5.0).abs() < 0.2, "{implicit}");
}

#[test]
fn adaptive_steps_meet_the_tolerance_and_events_are_found() {
    let mut last = f64::INFINITY;
    for relative in [1e-5, 1e-7, 1e-9] {
        let end = integrate(
            &Oscillator,
            &mut DormandPrince::default(),
            &tolerances(relative),
            (0.0, 100.0),
            &[1.0, 0.0],
            never,
        )
        .unwrap();
        let error = (end.state[0] - 100f64.cos()).abs();
        // Errors of single steps add up over a hundred units of time.
        assert!(
            error < 200.0 * relative && error < last,
            "{relative}: {error}"
        );
        last = error;
    }
    // y rises through zero at 3 π / 2.
    let end = integrate(
        &Oscillator,
        &mut DormandPrince::default(),
        &tolerances(1e-11),
        (0.0, 100.0),
        &[1.0, 0.0],
        |_, y| y[0],
    )
    .unwrap();
    assert!(end.event);
    assert!((end.time - 1.5 * std::f64::consts::PI).abs() < 1e-9);
}

#[test]
fn the_implicit_method_takes_no_notice_of_fast_components() {
    let system = Relaxation { rate: 1e8 };
    let end = integrate(
        &system,
        &mut Radau::default(),
        &tolerances(1e-8),
        (0.0, 1.0),
        &[0.0],
        never,
    )
    .unwrap();
    assert!((end.state[0] - 1f64.cos()).abs() < 1e-7);
    // An explicit method would need about rate / 3 steps.
    assert!(end.steps < 500, "{}", end.steps);
}

#[test]
fn numbers_that_are_not_finite_stop_the_integration() {
    for error in [
        integrate(
            &Undefined,
            &mut DormandPrince::default(),
            &tolerances(1e-8),
            (0.0, 1.0),
            &[0.0],
            never,
        )
        .unwrap_err(),
        integrate(
            &Undefined,
            &mut Radau::default(),
            &tolerances(1e-8),
            (0.0, 1.0),
            &[0.0],
            never,
        )
        .unwrap_err(),
    ] {
        let IntegrationError::StepTooShort { time, .. } = error else {
            panic!("{error}");
        };
        assert!((time - 0.5).abs() < 1e-6);
    }
}

const HALF_LENGTHS: Vector3<f64> = Vector3::new(0.2, 0.3, 0.4);

fn brick(half: Vector3<f64>, spheres: Vec<Vector3<f64>>, contact: HertzContact) -> SphereBody {
    let mass = 2.0;
    SphereBody {
        mass,
        inertia: Matrix3::from_diagonal(&Vector3::new(
            mass / 3.0 * (half.y * half.y + half.z * half.z),
            mass / 3.0 * (half.z * half.z + half.x * half.x),
            mass / 3.0 * (half.x * half.x + half.y * half.y),
        )),
        spheres: spheres.into_iter().map(|c| (c, contact)).collect(),
    }
}

/// Example 1 of [USD], with the lowest sphere just touching.
fn example_1(mu: f64, modulus: f64) -> (SphereBody, BodyState) {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::FRAC_PI_4)
        * UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_6);
    let lowest = (0..8)
        .map(|bits| {
            let sign = |bit: u32| if bits >> bit & 1 == 1 { 1.0 } else { -1.0 };
            HALF_LENGTHS.component_mul(&Vector3::new(sign(0), sign(1), sign(2)))
        })
        .min_by(|a, b| (rotation * a).z.total_cmp(&(rotation * b).z))
        .unwrap();
    let contact = HertzContact {
        radius: 0.1,
        modulus,
        dissipation: 0.26,
        friction: mu,
        transition_speed: 0.01,
    };
    let state = BodyState {
        position: Vector3::z() * (0.1 - (rotation * lowest).z),
        rotation,
        velocity: Vector3::new(-5.0, 0.0, -5.74),
        angular_velocity: Vector3::zeros(),
    };
    (brick(HALF_LENGTHS, vec![lowest], contact), state)
}

const TIGHT: Tolerances = Tolerances {
    relative: 1e-10,
    absolute: 1e-13,
};

#[test]
fn example_1_with_hertzian_contact() {
    let data: Value = serde_json::from_str(include_str!("../data/plus.json")).unwrap();
    for case in data["example_1_compliant"].as_array().unwrap() {
        let (body, start) = example_1(number(&case["mu"]), number(&case["E"]));
        let end = body.collide(&start, &TIGHT, 0.1).unwrap();
        // Six decimals are printed.
        let difference = (end.impulses[0] - vector(&case["impulse"])).amax();
        assert!(difference < 1e-6, "{case}: {difference:e}");
        if let Some(velocity) = case.get("velocity") {
            let difference = (end.velocities[0] - vector(velocity)).amax();
            assert!(difference < 1e-6, "{case}: {difference:e}");
            let compression = body.compress(&start, &TIGHT, 0.1).unwrap().impulses[0].z;
            let poisson = (end.impulses[0].z - compression) / compression;
            assert!(
                (poisson - number(&case["poisson"])).abs() < 1e-4,
                "{poisson}"
            );
        }
    }
}

/// The comparison the paper makes: PLUS with a hundredth of a radian per interval follows the compliant model.
#[test]
fn plus_approximates_the_compliant_model() {
    let data: Value = serde_json::from_str(include_str!("../data/plus.json")).unwrap();
    let delassus = &data["delassus_xyz"];
    for case in data["example_1"].as_array().unwrap() {
        if number(&case["theta_max"]) != 0.01 {
            continue;
        }
        let order = [2, 0, 1];
        let space = ContactSpace::new(
            DMatrix::from_fn(3, 3, |i, j| number(&delassus[order[i]][order[j]])),
            DVector::from_column_slice(&[-5.74, -5.0, 0.0]),
            vec![ContactRows {
                normal: 0,
                tangents: 2,
                friction: number(&case["mu"]),
                restitution: number(&case["restitution"]),
            }],
        );
        let mut plus = DVector::zeros(3);
        Plus::default().impulse(&space, &mut plus).unwrap();
        let (body, start) = example_1(number(&case["mu"]), 1e10);
        let compliant = body.collide(&start, &TIGHT, 0.1).unwrap().impulses[0];
        // The independent values differ by at most 0.3 % along the normal and 0.5 % along the ground.
        assert!((plus[0] / compliant.z - 1.0).abs() < 3.1e-3, "{case}");
        let along = Vector2::new(plus[1], plus[2]) - compliant.xy();
        assert!(along.norm() < 5e-3 * compliant.xy().norm(), "{case}");
    }
}

#[test]
fn example_2_with_hertzian_contacts() {
    let data: Value = serde_json::from_str(include_str!("../data/plus.json")).unwrap();
    for case in data["example_2"].as_array().unwrap() {
        let half = vector(&case["half_lengths"]);
        let contact = HertzContact {
            radius: 0.1,
            modulus: 1e10,
            dissipation: 0.15,
            friction: 0.2,
            transition_speed: 0.01,
        };
        let corners = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)]
            .map(|(x, y)| Vector3::new(x * half.x, y * half.y, -half.z));
        let body = brick(half, corners.to_vec(), contact);
        let start = BodyState {
            position: Vector3::z() * (half.z + 0.1),
            rotation: UnitQuaternion::identity(),
            velocity: Vector3::new(-2.0, 0.0, -8.84),
            angular_velocity: Vector3::zeros(),
        };
        let end = body.collide(&start, &TIGHT, 0.1).unwrap();
        for (point, name) in [
            (0, "compliant_minus_x"),
            (2, "compliant_minus_x"),
            (1, "compliant_plus_x"),
            (3, "compliant_plus_x"),
        ] {
            // Four decimals are printed.
            let difference = (end.impulses[point] - vector(&case[name])).amax();
            assert!(
                difference < 1e-4,
                "{case} {point}: {:?}",
                end.impulses[point]
            );
        }
        let restitution = end.state.velocity.z / 8.84;
        assert!(
            (restitution - number(&case["compliant_restitution"])).abs() < 1e-4,
            "{restitution}"
        );
    }
}

fn rocking() -> Value {
    serde_json::from_str(include_str!("../data/rocking_block.json")).unwrap()
}

#[test]
fn the_stiffness_ratio_decides_how_the_block_rocks() {
    let data = rocking();
    let speed = number(&data["speed"]);
    // v_n after the single impact at B and then at A: the largest velocity of a sequential impact.
    let sequential = 0.21 * speed;
    for case in data["stiffness_ratio"].as_array().unwrap() {
        let exponent = number(&case["exponent"]);
        let block = RockingBlock::with_stiffness_ratio(exponent);
        let end = block.collide(0.0, speed).unwrap();
        let (a, b) = end.normal_velocity;
        // Six decimals of velocity and five of impulse are printed; A ends at −δ.
        assert!(
            (b - number(&case["velocity_B"])).abs() < 1.1e-6,
            "{exponent}: {b}"
        );
        assert!((a + block.end_speed).abs() < 1e-11, "{exponent}: {a:e}");
        assert!((end.normal_impulse.0 - number(&case["impulse_A"])).abs() < 1e-5);
        assert!((end.normal_impulse.1 - number(&case["impulse_B"])).abs() < 1e-5);
        assert!(b < sequential);
        // The mirrored block rocks the other way.
        let mirrored = RockingBlock::with_stiffness_ratio(-exponent)
            .collide(0.0, speed)
            .unwrap();
        assert!((mirrored.normal_velocity.0 - b).abs() < 1e-8);
        let weightless = RockingBlock {
            gravity: 0.0,
            ..block
        };
        let b = weightless.collide(0.0, speed).unwrap().normal_velocity.1;
        assert!(
            (b - number(&case["without_gravity"])).abs() < 1.1e-6,
            "{exponent}: {b}"
        );
    }
}

#[test]
fn an_angle_too_small_to_see_decides_how_the_block_rocks() {
    let data = rocking();
    let speed = number(&data["speed"]);
    for case in data["angle_degrees"].as_array().unwrap() {
        let angle = number(&case["angle"]).to_radians();
        let block = RockingBlock::with_stiffness_ratio(0.0);
        let b = block.collide(angle, speed).unwrap().normal_velocity.1;
        assert!(
            (b - number(&case["velocity_B"])).abs() < 1.1e-6,
            "{case}: {b}"
        );
        let a = block.collide(-angle, speed).unwrap().normal_velocity.0;
        assert!((a - b).abs() < 1e-8, "{case}: {a} {b}");
    }
}

/// Balls in a row with Hertzian contacts, no dissipation (\[USD\] Fig. 14, row A): positions, then velocities.
struct Row {
    balls: usize,
    mass: f64,
    stiffness: f64,
}

impl Row {
    /// Force between ball i and its right neighbour.
    fn force(&self, y: &[f64], i: usize) -> f64 {
        let overlap: f64 = y[i + 1] - y[i];
        self.stiffness * overlap.max(0.0).powf(1.5)
    }

    fn energy(&self, y: &[f64]) -> f64 {
        let kinetic = y[self.balls..].iter().map(|v| 0.5 * self.mass * v * v);
        let stored = (0..self.balls - 1).map(|i| {
            let overlap: f64 = y[i + 1] - y[i];
            0.4 * self.stiffness * overlap.max(0.0).powf(2.5)
        });
        kinetic.sum::<f64>() + stored.sum::<f64>()
    }
}

impl System for Row {
    fn dimension(&self) -> usize {
        2 * self.balls
    }
    fn derivative(&self, _: f64, y: &[f64], rates: &mut [f64]) {
        let n = self.balls;
        rates[..n].copy_from_slice(&y[n..2 * n]);
        rates[n..].fill(0.0);
        for i in 0..n - 1 {
            // The balls come from the right: ball 0 is the rightmost and moves to the left.
            let f = self.force(y, i) / self.mass;
            rates[n + i] += f;
            rates[n + i + 1] -= f;
        }
    }
}

#[test]
fn a_row_of_compliant_balls_passes_the_motion_on_as_plus_does() {
    // E = 10 GPa for the pair, R = 0.25 m: f = 4/3 E √(R/2) δ^1.5. Displacements, all zero at the touch.
    let row = Row {
        balls: 5,
        mass: 1.0,
        stiffness: 4.0 / 3.0 * 1e10 * 0.125_f64.sqrt(),
    };
    let mut start = vec![0.0; 10];
    start[5] = -2.0;
    let tolerances = Tolerances {
        relative: 1e-10,
        absolute: 1e-16,
    };
    let mut method = DormandPrince::default();
    let end = integrate(&row, &mut method, &tolerances, (0.0, 0.01), &start, never).unwrap();
    let v = &end.state[5..10];
    assert!((v.iter().sum::<f64>() + 2.0).abs() < 1e-9, "{v:?}");
    let (before, after) = (row.energy(&start), row.energy(&end.state));
    assert!((after - before).abs() < 1e-7 * before, "{before} {after}");
    // Apart at the end, in order.
    assert!(v.windows(2).all(|w| w[1] < w[0]), "{v:?}");
    // PLUS gives (0, 0, 0, 0, −2). The wave in a row of Hertzian contacts disperses a little: the last ball gets 99 %
    // of the speed, the one before it an eighth, and the rest recoils. Without propagation the last ball would have 40 %.
    assert!((v[4] + 2.0).abs() < 0.03, "{v:?}");
    assert!(v[..4].iter().all(|x| x.abs() < 0.3), "{v:?}");
}
