//! Example 4 of [USD]: the sphere at the end of a falling triple pendulum strikes the ground.
//!
//! The paper does not say how the angles of its Fig. 15a are counted. Five conventions are followed here.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

use carom::comparison::compliant::{DormandPrince, System, Tolerances, integrate};
use carom::impact::plus::PlusMode;
use carom::impact::{Contact, ImpactLaw, ImpactProblem, Plus, PreImpact};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};
use serde_json::Value;

const GRAVITY: f64 = 9.81;
const LINK: f64 = 1.0;
const ROD_RADIUS: f64 = 0.1;
const SPHERE_RADIUS: f64 = 0.25;
/// Height of the pivot above the ground.
const PIVOT: f64 = 2.0;

/// Three rods of 1 kg and a sphere of 1 kg welded to the last, by the angles of the rods from straight down.
struct Pendulum;

impl Pendulum {
    /// Σ over bodies of m a_i a_j, where the centre of a body is Σ a_i (sin φ_i, −cos φ_i).
    fn coupling() -> (Matrix3<f64>, Vector3<f64>) {
        let half = 0.5 * LINK;
        let arms = [
            Vector3::new(half, 0.0, 0.0),
            Vector3::new(LINK, half, 0.0),
            Vector3::new(LINK, LINK, half),
            Vector3::new(LINK, LINK, LINK),
        ];
        let products = arms.iter().map(|a| a * a.transpose()).sum();
        (products, arms.iter().sum())
    }

    fn mass_matrix(angles: &Vector3<f64>) -> Matrix3<f64> {
        let (products, _) = Self::coupling();
        let rod = (3.0 * ROD_RADIUS * ROD_RADIUS + LINK * LINK) / 12.0;
        let sphere = 0.4 * SPHERE_RADIUS * SPHERE_RADIUS;
        Matrix3::from_fn(|i, j| products[(i, j)] * (angles[i] - angles[j]).cos())
            + Matrix3::from_diagonal(&Vector3::new(rod, rod, rod + sphere))
    }

    /// Height of the sphere's lowest point above the ground.
    fn gap(angles: &[f64]) -> f64 {
        PIVOT - SPHERE_RADIUS - LINK * angles[..3].iter().map(|a| a.cos()).sum::<f64>()
    }
}

impl System for Pendulum {
    fn dimension(&self) -> usize {
        6
    }

    fn derivative(&self, _: f64, y: &[f64], rates: &mut [f64]) {
        let angles = Vector3::new(y[0], y[1], y[2]);
        let (products, moments) = Self::coupling();
        let force = Vector3::from_fn(|i, _| {
            let centrifugal: f64 = (0..3)
                .map(|j| products[(i, j)] * (angles[i] - angles[j]).sin() * y[3 + j] * y[3 + j])
                .sum();
            -centrifugal - GRAVITY * moments[i] * angles[i].sin()
        });
        let acceleration = Self::mass_matrix(&angles).lu().solve(&force).unwrap();
        rates[..3].copy_from_slice(&y[3..]);
        rates[3..].copy_from_slice(acceleration.as_slice());
    }
}

/// Angles of the rods from straight down for the paper's angles under a convention.
fn start(convention: &str) -> [f64; 3] {
    let [a, b, c] = [FRAC_PI_4, 3.0 * FRAC_PI_4, 5.0 * PI / 6.0];
    match convention {
        "absolute from straight down" => [a, b, c],
        "relative from straight down" => [a, a + b, a + b + c],
        "absolute from +x" => [a, b, c].map(|x| x + FRAC_PI_2),
        "relative from +x" => [a, a + b, a + b + c].map(|x| x + FRAC_PI_2),
        "relative alternating" => [a, a - b, a - b + c],
        other => panic!("{other}"),
    }
}

#[test]
fn example_4_under_five_conventions() {
    let data: Value = serde_json::from_str(include_str!("../data/plus.json")).unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    for case in data["example_4"].as_array().unwrap() {
        let convention = case["convention"].as_str().unwrap();
        let angles = start(convention);
        let fall = integrate(
            &Pendulum,
            &mut DormandPrince::default(),
            &Tolerances {
                relative: 1e-11,
                absolute: 1e-13,
            },
            (0.0, 2.0),
            &[angles[0], angles[1], angles[2], 0.0, 0.0, 0.0],
            |_, y| -Pendulum::gap(y),
        )
        .unwrap();
        assert!(fall.event, "{convention}");
        // Nine decimals are printed.
        let time = number(&case["time"]);
        assert!(
            (fall.time - time).abs() < 1e-8,
            "{convention}: {} {time}",
            fall.time
        );

        let angles = Vector3::new(fall.state[0], fall.state[1], fall.state[2]);
        let m = Pendulum::mass_matrix(&angles);
        let normal = DVector::from_fn(3, |i, _| LINK * angles[i].sin());
        let tangent = DVector::from_fn(3, |i, _| {
            LINK * angles[i].cos() + if i == 2 { SPHERE_RADIUS } else { 0.0 }
        });
        let contact = Contact::new("sphere", normal.clone())
            .with_friction(vec![tangent.clone()], 0.1)
            .with_restitution(1.0);
        let problem = ImpactProblem::new(
            DMatrix::from_fn(3, 3, |i, j| m[(i, j)]),
            PreImpact::Velocity(DVector::from_column_slice(&fall.state[3..])),
            &[contact],
        )
        .unwrap();
        let (resolution, trace) = Plus::default().resolve_traced(&problem).unwrap();
        let outcome = &resolution.outcomes[0];
        // Six decimals are printed.
        let check = |what: &str, found: f64, expected: &Value| {
            let expected = number(expected);
            assert!(
                (found - expected).abs() < 2e-6,
                "{convention}, {what}: {found} {expected}"
            );
        };
        let before = &problem.contact_space().velocity;
        check("v_x before", before[1], &case["v_minus"][0]);
        check("v_z before", before[0], &case["v_minus"][1]);
        let impulse = &outcome.impulses[0];
        check("impulse x", impulse.tangential[0], &case["impulse"][0]);
        check("impulse z", impulse.normal, &case["impulse"][1]);
        check(
            "v_x after",
            tangent.dot(&outcome.velocity),
            &case["v_plus"][0],
        );
        check(
            "v_z after",
            normal.dot(&outcome.velocity),
            &case["v_plus"][1],
        );
        check(
            "energy",
            outcome.energy.after / outcome.energy.before,
            &case["energy_ratio"],
        );

        let modes: Vec<PlusMode> = trace.intervals.iter().map(|i| i.points[0].mode).collect();
        match convention {
            "absolute from straight down" => {
                let end = [PlusMode::Sliding, PlusMode::ImpendingSlip];
                assert!(modes.ends_with(&end), "{modes:?}");
            }
            "relative from straight down" => assert_eq!(modes[0], PlusMode::ImpendingSlip),
            _ => assert!(modes.iter().all(|m| *m == PlusMode::Sliding), "{modes:?}"),
        }
        let mut kernel = DVector::zeros(2);
        Plus::default()
            .impulse(problem.contact_space(), &mut kernel)
            .unwrap();
        assert_eq!(kernel[0], impulse.normal);
    }
}
