//! What springs between points add to the matrix of an implicit step, against derivatives of their forces.

use carom::dynamics::{Kinematics, POINT_SPRING_ROWS, add_passive_forces, point_spring_load};
use carom::model::sample::Uniform;
use carom::model::{Base, Joint, Link, Model, ModelBuilder};
use nalgebra::{DMatrix, Vector3};
use num_dual::Dual64;

const H: f64 = 0.02;

fn dual(x: &[f64]) -> Vec<Dual64> {
    x.iter().map(|x| Dual64::from(*x)).collect()
}

/// −∂f/∂q, or −∂f/∂v, of the passive forces f.
fn slope(model: &Model, q: &[f64], v: &[f64], by_velocity: bool) -> DMatrix<f64> {
    let n = model.dof();
    let mut matrix = DMatrix::zeros(n, n);
    for j in 0..n {
        let (mut moved, mut rate) = (dual(q), dual(v));
        if by_velocity {
            rate[j].eps = 1.0;
        } else {
            let mut direction = dual(&vec![0.0; n]);
            direction[j].eps = 1.0;
            model.integrate(&dual(q), &direction, Dual64::from(1.0), &mut moved);
        }
        let mut kinematics = Kinematics::<Dual64>::new(model);
        kinematics.update_placements(model, &moved);
        kinematics.update_twists(model, &rate);
        let mut force = dual(&vec![0.0; n]);
        add_passive_forces(model, &kinematics, &moved, &rate, &mut force);
        for (i, f) in force.iter().enumerate() {
            matrix[(i, j)] = -f.eps;
        }
    }
    matrix
}

/// Σ w u uᵀ, and the weights.
fn load(model: &Model, q: &[f64], h: f64) -> (DMatrix<f64>, Vec<f64>) {
    let n = model.dof();
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    let count = POINT_SPRING_ROWS * model.point_springs().len();
    let (mut rows, mut weights) = (vec![f64::NAN; count * n], vec![f64::NAN; count]);
    point_spring_load(model, &kinematics, h, &mut rows, &mut weights);
    let rows = DMatrix::from_row_slice(count, n, &rows);
    let weighed = DMatrix::from_fn(count, n, |i, j| weights[i] * rows[(i, j)]);
    (rows.transpose() * weighed, weights)
}

/// Two bodies that slide along x, y and z, and a spring between their corners.
fn sliding(rest: f64, stiffness: f64, damping: f64) -> Model {
    let mut builder = ModelBuilder::new("sliding").link(Link::new("world"));
    for side in ["a", "b"] {
        let mut parent = "world".to_string();
        for (axis, direction) in [
            ("x", [1.0, 0.0, 0.0]),
            ("y", [0.0, 1.0, 0.0]),
            ("z", [0.0, 0.0, 1.0]),
        ] {
            let link = format!("{side}{axis}");
            builder = builder
                .link(Link::new(&link).solid_sphere(0.5, 0.1, Vector3::zeros()))
                .joint(Joint::prismatic(&format!("to_{link}"), &parent, &link).axis(direction));
            parent = link;
        }
    }
    let points = [[0.25, 0.5, 0.125], [0.5, 0.25, 0.375]];
    builder
        .point_spring([Some("az"), Some("bz")], points, rest, stiffness, damping)
        .build()
        .unwrap()
}

/// A free body with a turning arm, whose spring has no tension in configuration `q`.
fn turning(q: &[f64], stiffness: f64, damping: f64) -> Model {
    let points = [[0.1, 0.2, 0.3], [0.4, 0.0, 0.1]];
    let build = |rest: f64| {
        ModelBuilder::new("turning")
            .base(Base::Floating)
            .link(Link::new("a").solid_box(1.0, [0.2, 0.3, 0.4], Vector3::new(0.1, 0.0, 0.05)))
            .link(Link::new("b").solid_box(2.0, [0.3, 0.1, 0.2], Vector3::new(0.0, 0.1, 0.0)))
            .joint(Joint::revolute("j", "a", "b").origin([0.3, 0.0, 0.1], [0.2, 0.1, 0.0]))
            .point_spring([Some("a"), Some("b")], points, rest, stiffness, damping)
            .build()
            .unwrap()
    };
    let model = build(0.0);
    let mut k = Kinematics::new(&model);
    k.update_placements(&model, q);
    let spring = &model.point_springs()[0];
    let end = |side: usize| k.world_point(spring.bodies[side], &spring.points[side]);
    build((end(1) - end(0)).norm())
}

/// The derivative's own rounding: a few dozen products of numbers of the size of its entries.
fn assert_same(a: &DMatrix<f64>, b: &DMatrix<f64>) {
    assert!((a - b).amax() <= 1e-13 * (1.0 + a.amax()), "{a} {b}");
}

/// Where points do not turn, a stretched spring's load is all of (h/2) ∂f/∂v + (h²/4) ∂f/∂q.
#[test]
fn load_of_a_stretched_spring_is_the_slope_of_its_force() {
    let mut random = Uniform::new(31);
    for rest in [0.0, 0.2] {
        for _ in 0..10 {
            let model = sliding(rest, 300.0, 4.0);
            let q: Vec<f64> = (0..6)
                .map(|i| 2.0 * f64::from(i >= 3) + random.unit())
                .collect();
            let rest_velocity = vec![0.0; 6];
            let expected = slope(&model, &q, &rest_velocity, true) * (0.5 * H)
                + slope(&model, &q, &rest_velocity, false) * (0.25 * H * H);
            assert_same(&load(&model, &q, H).0, &expected);
        }
    }
}

/// Where nothing pulls, a spring that turns with its bodies has its length's gradient as only row.
#[test]
fn load_of_a_spring_without_tension_is_the_slope_of_its_force() {
    let mut random = Uniform::new(32);
    let neutral = turning(&[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0], 1.0, 0.0);
    for (stiffness, damping) in [(500.0, 0.0), (0.0, 7.0), (500.0, 7.0)] {
        for _ in 0..10 {
            let mut draw = || {
                (0..7)
                    .map(|_| random.between(-1.0, 1.0))
                    .collect::<Vec<f64>>()
            };
            let (turn, v) = (draw(), draw());
            let mut q = neutral.neutral_configuration();
            neutral.integrate(&neutral.neutral_configuration(), &turn, 1.0, &mut q);
            let model = turning(&q, stiffness, damping);
            // The damper's force turns with the spring: by configuration only at rest.
            let expected = slope(&model, &q, &v, true) * (0.5 * H)
                + slope(&model, &q, &[0.0; 7], false) * (0.25 * H * H);
            let (found, weights) = load(&model, &q, H);
            assert_same(&found, &expected);
            let along = 0.5 * H * damping + 0.25 * H * H * stiffness;
            // The rest length is the length but for rounding.
            assert!((weights[0] - along).abs() <= 1e-15 * along);
            assert!(weights[1].max(weights[2]) <= 1e-15 * along);
        }
    }
}

/// The spring that closes a loop has no length; it holds in all directions.
#[test]
fn a_spring_of_no_length_holds_its_ends_together_in_all_directions() {
    let model = sliding(0.0, 300.0, 0.0);
    let q = [0.0, 0.0, 0.0, -0.25, 0.25, -0.25];
    let (found, weights) = load(&model, &q, H);
    let w = 0.25 * H * H * 300.0;
    assert_eq!(weights, [w; 3]);
    let expected = DMatrix::from_fn(6, 6, |i, j| match (i % 3 == j % 3, i == j) {
        (true, true) => w,
        (true, false) => -w,
        _ => 0.0,
    });
    assert_same(&found, &expected);
}

#[test]
fn weights_are_never_negative() {
    let mut random = Uniform::new(33);
    for _ in 0..50 {
        // Compressed and stretched springs, steps forwards and backwards.
        let model = sliding(random.between(0.0, 3.0), 300.0, 4.0);
        let q: Vec<f64> = (0..6).map(|_| random.between(-1.0, 1.0)).collect();
        for h in [H, -H] {
            let (_, weights) = load(&model, &q, h);
            assert!(weights.iter().all(|w| *w >= 0.0 && w.is_finite()));
        }
    }
}
