//! The robots that ship: against Pinocchio, against closed forms, and against the papers they come from.

use std::path::Path;

use carom::dynamics::{Kinematics, bias_forces, mass_matrix};
use carom::model::urdf::{LoadOptions, load};
use carom::model::{Base, Model, sample};
use carom::scenario::{Inspection, RobotState};
use nalgebra::{DMatrix, DVector, Vector3};
use serde::Deserialize;

fn robot(path: &str, base: Base) -> Model {
    load(Path::new(path), &LoadOptions::default())
        .unwrap()
        .base(base)
        .build()
        .unwrap()
}

fn at(model: &Model, q: &[f64]) -> Kinematics<f64> {
    let mut kinematics = Kinematics::new(model);
    kinematics.update_placements(model, q);
    kinematics
}

#[derive(Deserialize)]
struct Golden {
    robot: String,
    base: Base,
    state: serde_json::Value,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    coordinates: Vec<String>,
    mass: f64,
    mass_matrix: Vec<Vec<f64>>,
    gravity: Vec<f64>,
    bias: Vec<f64>,
    kinetic_energy: f64,
    potential_energy: f64,
    center_of_mass: [f64; 3],
}

#[test]
fn quantities_agree_with_pinocchio() {
    let text = std::fs::read_to_string("tests/data/pinocchio.json").unwrap();
    let cases: Vec<Golden> = serde_json::from_str(&text).unwrap();
    assert_eq!(cases.len(), 12);
    for case in cases {
        let model = robot(&case.robot, case.base);
        let state = RobotState::parse("state", &case.state.to_string()).unwrap();
        assert!(state.base().is_none_or(|base| base == case.base));
        let (q, v) = state.of(&model).unwrap();
        let ours = Inspection::in_state(&model, &q, &v).unwrap();
        let quantities = ours.state.unwrap();
        let theirs = case.expected;
        let index = |name: &String| ours.coordinates.iter().position(|c| c == name).unwrap();
        let order: Vec<usize> = theirs.coordinates.iter().map(index).collect();
        let place = format!("{} {:?}", case.robot, case.base);
        // Two recursions over at most 30 bodies round differently by some hundred epsilons.
        let near = |a: f64, b: f64, scale: f64, what: &str| {
            assert!((a - b).abs() <= 1e-13 * scale, "{place}: {what}: {a} {b}");
        };
        near(ours.mass, theirs.mass, theirs.mass, "mass");
        let weight = theirs.mass * 9.81;
        let bias = bias_forces(&model, &q, &v).unwrap();
        let largest = theirs.bias.iter().fold(weight, |m: f64, b| m.max(b.abs()));
        for (i, &row) in order.iter().enumerate() {
            near(
                quantities.gravity[row],
                theirs.gravity[i],
                weight,
                "gravity",
            );
            near(bias[row], theirs.bias[i], largest, "bias");
            for (j, &column) in order.iter().enumerate() {
                let scale = (theirs.mass_matrix[i][i] * theirs.mass_matrix[j][j]).sqrt();
                let (a, b) = (
                    quantities.mass_matrix[row][column],
                    theirs.mass_matrix[i][j],
                );
                near(a, b, scale, "mass matrix");
            }
        }
        near(
            quantities.kinetic_energy,
            theirs.kinetic_energy,
            theirs.kinetic_energy,
            "kinetic",
        );
        near(
            quantities.potential_energy,
            theirs.potential_energy,
            weight * 3.0,
            "potential",
        );
        for (a, b) in quantities
            .center_of_mass
            .unwrap()
            .iter()
            .zip(theirs.center_of_mass)
        {
            near(*a, b, 3.0, "centre of mass");
        }
    }
}

/// One row of Table I in the units and angles of the paper (cm, rad).
struct TrexRow {
    file: &'static str,
    base: [f64; 3],
    phi_a: f64,
    gamma_a: f64,
    phi_b: f64,
    gamma_b: f64,
    phi_t: f64,
    design: [f64; 4],
    /// Gaps of foot and tail at the printed digits [cm].
    gaps: [f64; 2],
    /// Height [cm] and angle that close both gaps.
    closed: [f64; 2],
    /// ⟨u, v⟩ [1/g], its normalised value, and the latter with both gaps closed.
    products: [f64; 3],
}

const ROWS: [TrexRow; 2] = [
    TrexRow {
        file: "robots/trex/trex.urdf",
        base: [0.0, 12.38, 5.78],
        phi_a: 5.13,
        gamma_a: 5.24,
        phi_b: 1.99,
        gamma_b: 5.24,
        phi_t: 0.0,
        design: [7.0, 4.0, 8.0, 10.0],
        gaps: [0.1315, 0.0031],
        closed: [12.2872, 5.78399],
        products: [-2.7881e-5, -4.2778e-4, -4.2077e-4],
    },
    TrexRow {
        file: "robots/trex/trex_optimized.urdf",
        base: [0.0, 13.69, 5.92],
        phi_a: 4.79,
        gamma_a: 5.67,
        phi_b: 2.85,
        gamma_b: 5.71,
        phi_t: -0.19,
        design: [6.69, 4.22, 7.81, 9.86],
        gaps: [0.0577, 0.0209],
        closed: [13.64248, 5.92102],
        products: [3.6038e-5, 6.2951e-4, 6.2910e-4],
    },
];

impl TrexRow {
    /// Our coordinates: metres, and the pitch about +y is minus the paper's angle.
    fn configuration(&self, model: &Model, height: f64, angle: f64) -> Vec<f64> {
        assert_eq!(
            model.configuration_names(),
            [
                "base.x",
                "base.z",
                "base.pitch",
                "phi_A",
                "gamma_A",
                "phi_B",
                "gamma_B",
                "phi_T"
            ]
        );
        vec![
            self.base[0],
            height / 100.0,
            -angle,
            self.phi_a,
            self.gamma_a,
            self.phi_b,
            self.gamma_b,
            self.phi_t,
        ]
    }

    fn tail_length(&self) -> f64 {
        let [r1, r2, ..] = self.design;
        r2 * (r1 + r2) / (r1 - r2)
    }

    /// Gaps [m] and their gradients for foot and tail.
    fn contacts(&self, model: &Model, q: &[f64]) -> [(f64, DVector<f64>); 2] {
        let kinematics = at(model, q);
        [
            ("lower_leg_A", self.design[3]),
            ("tail", self.tail_length()),
        ]
        .map(|(link, length)| {
            let frame = model.link(link).unwrap();
            let end = frame.pose.point(&Vector3::new(length / 100.0, 0.0, 0.0));
            let point = kinematics.world_point(frame.body, &end);
            let mut gradient = vec![0.0; model.dof()];
            kinematics.add_point_force(model, frame.body, &point, &Vector3::z(), &mut gradient);
            (point.z, DVector::from_vec(gradient))
        })
    }
}

#[test]
fn trex_closes_both_gaps_as_in_table_one() {
    for row in &ROWS {
        let model = robot(row.file, Base::Planar);
        let q = row.configuration(&model, row.base[1], row.base[2]);
        for (k, (gap, gradient)) in row.contacts(&model, &q).iter().enumerate() {
            // The reference prints four decimals of a centimetre.
            assert!(
                (gap * 100.0 - row.gaps[k]).abs() < 5.1e-5,
                "{}: {gap}",
                row.file
            );
            assert!(gap.abs() < 0.0015);
            // The gradient against central differences: error (1e-6)² and round-off 1e-16/1e-6.
            for i in 0..model.dof() {
                let moved = |h: f64| {
                    let mut q = q.clone();
                    q[i] += h;
                    row.contacts(&model, &q).map(|c| c.0)
                };
                let (up, down) = (moved(1e-6), moved(-1e-6));
                let difference = (up[k] - down[k]) / 2e-6;
                assert!((difference - gradient[i]).abs() < 1e-9, "{} {i}", row.file);
            }
        }
    }
}

#[test]
fn trex_kinetic_cosines_are_those_of_the_literal_model() {
    for row in &ROWS {
        let model = robot(row.file, Base::Planar);
        let product = |height: f64, angle: f64| {
            let q = row.configuration(&model, height, angle);
            let [(_, u), (_, v)] = row.contacts(&model, &q);
            let inverse = mass_matrix(&model, &at(&model, &q)).try_inverse().unwrap();
            let raw = u.dot(&(&inverse * &v));
            let cosine = raw / (u.dot(&(&inverse * &u)) * v.dot(&(&inverse * &v))).sqrt();
            (raw, cosine)
        };
        let (raw, cosine) = product(row.base[1], row.base[2]);
        let near =
            |a: f64, b: f64| assert!((a - b).abs() < 1e-4 * b.abs(), "{}: {a} {b}", row.file);
        near(raw / 1000.0, row.products[0]);
        near(cosine, row.products[1]);
        near(product(row.closed[0], row.closed[1]).1, row.products[2]);
    }
}

/// Kinetic energy of the paper's planar bodies, in SI units, from central differences of their
/// centres: independent of spatial algebra and of the file.
fn trex_energy(row: &TrexRow, q: &[f64], v: &[f64]) -> f64 {
    use std::f64::consts::PI;
    let [r1, r2, lu, ll] = row.design.map(|x| x / 100.0);
    let tail = row.tail_length() / 100.0;
    let centers = |q: &[f64]| {
        let e = |a: f64| [a.cos(), a.sin()];
        let along = |o: [f64; 2], s: f64, d: [f64; 2]| [o[0] + s * d[0], o[1] + s * d[1]];
        let (o, theta) = ([q[0], q[1]], -q[2]);
        let posterior = along(o, r1 + r2, e(theta));
        let leg = |phi: f64, gamma: f64| {
            let knee = along(o, lu, e(theta + phi));
            [
                along(o, lu / 2.0, e(theta + phi)),
                along(knee, ll / 2.0, e(theta + phi + gamma)),
            ]
        };
        let ([ua, la], [ub, lb]) = (leg(q[3], q[4]), leg(q[5], q[6]));
        [
            o,
            posterior,
            along(posterior, tail / 2.0, e(theta + q[7])),
            ua,
            la,
            ub,
            lb,
        ]
    };
    let ball = |r: f64| 4.0 / 3.0 * PI * r.powi(3) * 1000.0;
    let rod = |l: f64| (0.25 * l, 0.25 * l.powi(3) / 12.0);
    let solid = |r: f64| (ball(r), 0.4 * ball(r) * r * r);
    let bodies = [
        solid(r1),
        solid(r2),
        rod(tail),
        rod(lu),
        rod(ll),
        rod(lu),
        rod(ll),
    ];
    let turn = -v[2];
    let spins = [
        turn,
        turn + v[7],
        turn + v[7],
        turn + v[3],
        turn + v[3] + v[4],
        turn + v[5],
        turn + v[5] + v[6],
    ];
    let h = 1e-5;
    let moved = |s: f64| {
        q.iter()
            .zip(v)
            .map(|(q, v)| q + s * h * v)
            .collect::<Vec<_>>()
    };
    let (before, after) = (centers(&moved(-1.0)), centers(&moved(1.0)));
    (0..7)
        .map(|i| {
            let speed = |k: usize| (after[i][k] - before[i][k]) / (2.0 * h);
            let (mass, inertia) = bodies[i];
            0.5 * mass * (speed(0).powi(2) + speed(1).powi(2)) + 0.5 * inertia * spins[i].powi(2)
        })
        .sum()
}

#[test]
fn trex_mass_matrix_is_that_of_the_planar_bodies() {
    for (row, mass) in ROWS.iter().zip([1.831504, 1.703944]) {
        let model = robot(row.file, Base::Planar);
        assert!((model.mass() - mass).abs() < 5.1e-7);
        let q = row.configuration(&model, row.base[1], row.base[2]);
        let m = mass_matrix(&model, &at(&model, &q));
        let unit = |i: usize, j: usize| {
            let mut v = vec![0.0; 8];
            v[i] += 1.0;
            v[j] += 1.0;
            trex_energy(row, &q, &v)
        };
        for i in 0..8 {
            for j in 0..8 {
                // ½ (K(e_i + e_j) − K(e_i − e_j)) by polarisation of K(2 e_i) = 4 K(e_i).
                let expected = unit(i, j) - (unit(i, i) + unit(j, j)) / 4.0;
                let scale = (m[(i, i)] * m[(j, j)]).sqrt();
                assert!(
                    (m[(i, j)] - expected).abs() < 1e-8 * scale,
                    "{} {i} {j}",
                    row.file
                );
            }
        }
    }
}

#[test]
fn chain_is_the_one_built_in_code() {
    let (file, code) = (
        robot("robots/chain/chain4.urdf", Base::Fixed),
        sample::chain(4).unwrap(),
    );
    let q = [0.3, -0.4, 0.5, -0.6];
    let (a, b) = (
        mass_matrix(&file, &at(&file, &q)),
        mass_matrix(&code, &at(&code, &q)),
    );
    // The file prints 1/12 with 15 digits.
    assert!((a - b).amax() < 1e-14 * 30.0);
    assert_eq!(file.coordinate_names(), code.coordinate_names());
}

#[test]
fn paper_robots_have_the_published_mass_matrices() {
    let block = robot("robots/block/block.urdf", Base::Planar);
    let m = mass_matrix(&block, &at(&block, &[0.1, 0.2, 0.7]));
    let expected = DMatrix::from_diagonal(&DVector::from_vec(vec![1.0, 1.0, 5.0 / 12.0]));
    assert!((m - expected).amax() < 1e-14);

    // [HP] Table 5: legs at -78 and +78 degrees.
    let compass = robot("robots/compass/compass.urdf", Base::Fixed);
    let (s, c) = 78.0_f64.to_radians().sin_cos();
    let m = mass_matrix(
        &compass,
        &at(
            &compass,
            &[0.0, 0.0, -78f64.to_radians(), 78f64.to_radians()],
        ),
    );
    let expected = DMatrix::from_row_slice(
        4,
        4,
        &[
            2.0,
            0.0,
            c / 2.0,
            c / 2.0, //
            0.0,
            2.0,
            -s / 2.0,
            s / 2.0, //
            c / 2.0,
            -s / 2.0,
            0.25,
            0.0, //
            c / 2.0,
            s / 2.0,
            0.0,
            0.25,
        ],
    );
    assert!((m - expected).amax() < 1e-15);

    for (file, balls) in [("three", 3), ("five", 5)] {
        let cradle = robot(&format!("robots/cradle/{file}.urdf"), Base::Fixed);
        let m = mass_matrix(&cradle, &at(&cradle, &vec![0.0; balls]));
        assert_eq!(m, DMatrix::identity(balls, balls));
    }
    let table = robot("robots/billiards/break.urdf", Base::Fixed);
    assert_eq!(
        mass_matrix(&table, &at(&table, &[0.0; 6])),
        DMatrix::identity(6, 6) * 0.2
    );
    let rod = robot("robots/painleve/rod.urdf", Base::Planar);
    assert!((mass_matrix(&rod, &at(&rod, &[0.0; 3]))[(2, 2)] - 1.0 / 12.0).abs() < 1e-15);
}

#[test]
fn balls_touch_at_zero() {
    for (file, pairs) in [
        ("robots/cradle/three.urdf", &[(0, 1), (1, 2)][..]),
        ("robots/cradle/five.urdf", &[(0, 1), (1, 2), (2, 3), (3, 4)]),
        ("robots/billiards/break.urdf", &[(0, 1), (1, 2), (0, 2)]),
    ] {
        let model = robot(file, Base::Fixed);
        let kinematics = at(&model, &model.neutral_configuration());
        let balls: Vec<(Vector3<f64>, f64)> = model
            .shapes()
            .iter()
            .filter(|shape| shape.collision)
            .map(|shape| {
                let link = &model.links()[shape.link];
                let carom::model::Geometry::Sphere(radius) = shape.geometry else {
                    panic!("{file}: {:?}", shape.geometry);
                };
                (
                    kinematics.world_point(link.body, &link.pose.translation),
                    radius,
                )
            })
            .collect();
        for (i, j) in pairs {
            let gap = (balls[*i].0 - balls[*j].0).norm() - balls[*i].1 - balls[*j].1;
            assert!(gap.abs() < 1e-15, "{file} {i} {j}: {gap}");
        }
    }
}

#[test]
fn rhex_has_the_published_size() {
    let model = robot("robots/rhex/rhex.urdf", Base::Floating);
    assert_eq!(model.dof(), 12);
    assert!((model.mass() - 7.5).abs() < 1e-12);
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    // A half ring about its hinge, at one end of the arc: centre at distance r, so
    // I = m r² + m r² = 2 m r² (parallel axes through the centre of the circle, symmetric in x only).
    let m = mass_matrix(&model, &at(&model, &model.neutral_configuration()));
    let radius = 0.085_f64;
    for leg in 6..12 {
        assert!((m[(leg, leg)] - 0.2 * radius * radius).abs() < 1e-15);
    }
    let hips: Vec<&String> = model.coordinate_names()[6..].iter().collect();
    assert_eq!(hips[0], "hip_left_front");
    assert_eq!(hips[5], "hip_right_rear");
}
