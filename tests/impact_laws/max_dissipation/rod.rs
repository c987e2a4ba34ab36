//! Painlevé's rod, which friction jams: one impulse of maximum dissipation, several of Coulomb friction (\[PER\] §4.2).
//!
//! Corrected: A_oo is 4/m; the paper prints 1 + 3(cos²θ − sin²θ)², and the inverse matrix accordingly. The
//! motion in the plane is not affected.

use carom::impact::dissipation::{ContactBlock, CoulombKind, DissipationBranch, coulomb_solutions};
use carom::impact::{Contact, ImpactError, ImpactProblem, PreImpact};
use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use crate::painleve::{PainleveRod, mu_star};

/// The contact in the frame n, t, o, before the impact. It does not depend on the length.
fn block(rod: &PainleveRod) -> ContactBlock {
    let (s, c) = rod.angle.sin_cos();
    let coupling = -3.0 * s * c;
    let delassus = Matrix3::new(
        1.0 + 3.0 * c * c,
        coupling,
        0.0,
        coupling,
        1.0 + 3.0 * s * s,
        0.0,
        0.0,
        0.0,
        4.0,
    ) / rod.mass;
    ContactBlock {
        delassus,
        velocity: Vector3::new(0.0, -rod.speed, 0.0),
        tangents: 2,
        friction: rod.friction,
    }
}

/// The rod in its plane as an impact problem: coordinates are the centre (x along t, y along n) and the
/// angle, with one contact `tip`.
fn impact_problem(rod: &PainleveRod) -> Result<ImpactProblem, ImpactError> {
    let (s, c) = rod.angle.sin_cos();
    let half = 0.5 * rod.length;
    let m = rod.mass;
    // The tip is at the centre − (l/2)(cos θ, sin θ).
    let tip = Contact::new("tip", DVector::from_vec(vec![0.0, 1.0, -half * c]))
        .with_friction(
            vec![DVector::from_vec(vec![1.0, 0.0, half * s])],
            rod.friction,
        )
        .with_restitution(0.0);
    ImpactProblem::new(
        DMatrix::from_diagonal(&DVector::from_vec(vec![
            m,
            m,
            m * rod.length * rod.length / 12.0,
        ])),
        PreImpact::Velocity(DVector::from_vec(vec![-rod.speed, 0.0, 0.0])),
        &[tip],
    )
}

fn rod(degrees: f64, friction: f64) -> PainleveRod {
    PainleveRod {
        mass: 0.7,
        length: 0.4,
        angle: degrees.to_radians(),
        speed: 1.3,
        friction,
    }
}

#[test]
fn friction_that_jams() {
    // Values of the closed form, computed independently to 13 digits.
    for (degrees, expected) in [
        (10.0, 7.620_484_753_060),
        (30.0, 2.501_851_166_488),
        (45.0, 5.0 / 3.0),
        (60.0, 1.347_150_628_109),
        (80.0, 2.125_529_914_151),
    ] {
        let mu = mu_star(f64::to_radians(degrees));
        assert!((mu - expected).abs() < 1e-12, "{degrees}: {mu}");
    }
}

#[test]
fn impact_without_collision_only_above_mu_star() {
    for degrees in [10.0, 30.0, 45.0, 63.4349, 80.0] {
        let critical = mu_star(f64::to_radians(degrees));
        let below = rod(degrees, critical * (1.0 - 1e-6));
        let (x, branch) = block(&below).maximum_dissipation();
        assert_eq!((x, branch), (Vector3::zeros(), DissipationBranch::Point));

        let above = rod(degrees, critical * (1.0 + 1e-6));
        let (x, branch) = block(&above).maximum_dissipation();
        assert_eq!(branch, DissipationBranch::Stick);
        // Conditioning of A is below 4 · 16: a handful of roundings.
        assert!((x - above.sticking_impulse()).norm() < 1e-14);
    }
}

#[test]
fn coulomb_friction_leaves_the_rod_undecided() {
    let kinds = |mu: f64| -> Vec<CoulombKind> {
        coulomb_solutions(&block(&rod(45.0, mu)))
            .iter()
            .map(|s| s.kind)
            .collect()
    };
    assert_eq!(kinds(1.6), [CoulombKind::NoImpulse]);
    assert_eq!(kinds(1.7), [CoulombKind::NoImpulse, CoulombKind::Stick]);
    // At μ_* = 5/3 all combinations of the two are solutions, to rounding.
    assert!(kinds(5.0 / 3.0).contains(&CoulombKind::SlideFamily));
}

#[test]
fn the_planar_problem_has_the_same_contact() {
    let rod = rod(35.0, 3.0);
    let problem = impact_problem(&rod).unwrap();
    let space = problem.contact_space();
    let block = block(&rod);
    for i in 0..2 {
        assert!((space.velocity[i] - block.velocity[i]).abs() < 1e-15);
        for j in 0..2 {
            let difference = space.delassus[(i, j)] - block.delassus[(i, j)];
            assert!(difference.abs() < 1e-14, "{i} {j}");
        }
    }
}
