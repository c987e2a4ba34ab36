//! Cases of Stronge's law with a closed form, sequences of impacts, and input that is refused.

use crate::stronge_data::{Data, close};
use carom::impact::stronge::{InvariantKind, StrongeReport, StrongeSettings, StrongeSolver};
use carom::impact::{
    Contact, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus, PreImpact, Stronge,
};
use carom::laws::LawRegistry;
use nalgebra::{DMatrix, DVector, Matrix3, Vector2, Vector3, dvector};

/// A ball on a half-space: B isotropic and d = 0, every direction invariant, all closed form ([JW] §2).
#[test]
fn a_ball_slides_straight() {
    let ball = |mu: f64| Data {
        w: Matrix3::from_diagonal(&Vector3::new(3.5, 3.5, 1.0)),
        v: Vector3::new(0.6, 0.8, -1.0),
        mu,
        e: 0.5,
    };
    // Slides throughout: I_⊥ = −μ I_z s.
    let i = ball(0.1).impulse();
    assert!(close(&i, &Vector3::new(-0.09, -0.12, 1.5), 1e-15));
    // Sticks: I_⊥ = −γ⁻/3.5.
    let i = ball(0.5).impulse();
    assert!(close(&i, &Vector3::new(-0.6 / 3.5, -0.8 / 3.5, 1.5), 1e-15));
    let resolution = Stronge::default().resolve(&ball(0.5).problem()).unwrap();
    let details = resolution.outcomes[0].details.fields();
    assert_eq!(details["events"], "lscr");
    assert_eq!(details["every_direction_invariant"], true);
    // Almost isotropic and almost central: almost the same.
    let mut near = ball(0.5);
    near.w[(0, 0)] += 1e-9;
    near.w[(0, 2)] += 1e-9;
    near.w[(2, 0)] += 1e-9;
    assert!(close(&near.impulse(), &i, 1e-8));
}

/// B = b U₂ and d = (d, 0): with t = tan(ψ/2), k = μ b/d and C set by the start, ‖γ‖ = C t^(k−1) (1 + t²) and
/// dI_z = −C/d t^(k−2) (1 + t²) dt, so that all impulses are powers of t (logarithms where k = 1, the limit of sticking).
/// Plastic impacts that end while they slide.
#[test]
fn isotropic_contacts_have_an_elementary_hodograph() {
    let power = |k: f64, t0: f64, t: f64| {
        if k == 0.0 {
            (t0 / t).ln()
        } else {
            (t0.powf(k) - t.powf(k)) / k
        }
    };
    let mut compared = 0;
    for (b, d) in [(1.0, 0.3), (2.0, 1.1), (0.5, 0.25)] {
        for k in [0.2, 0.9, 1.0, 1.1, 3.0] {
            let mu = k * d / b;
            for (t0, r0) in [
                (0.3_f64, 1.0),
                (2.4, 0.2),
                (20.0, 3.0),
                (0.01, 0.7),
                (2.4, 1e-3),
            ] {
                let c = r0 / (t0.powf(k - 1.0) * (1.0 + t0 * t0));
                let impulse = |t: f64| {
                    let low = power(k - 1.0, t0, t) * c / d;
                    let high = power(k + 1.0, t0, t) * c / d;
                    let middle = power(k, t0, t) * c / d;
                    Vector3::new(-mu * (low - high), -mu * 2.0 * middle, low + high)
                };
                let vz = |t: f64| {
                    let i = impulse(t);
                    -1.0 + i.z + d * i.x
                };
                let (mut low, mut high) = (1e-14_f64.ln(), t0.ln());
                if vz(low.exp()) < 0.0 {
                    continue;
                }
                for _ in 0..200 {
                    let middle = 0.5 * (low + high);
                    if vz(middle.exp()) < 0.0 {
                        high = middle;
                    } else {
                        low = middle;
                    }
                }
                compared += 1;
                let exact = impulse(low.exp());
                let psi = 2.0 * t0.atan();
                let data = Data {
                    w: Matrix3::new(b, 0.0, d, 0.0, b, 0.0, d, 0.0, 1.0),
                    v: Vector3::new(r0 * psi.cos(), r0 * psi.sin(), -1.0),
                    mu,
                    e: 0.0,
                };
                // Differences of powers lose the digits of t0/t − 1, three at most here.
                assert!(
                    close(&data.impulse(), &exact, 2e-12),
                    "{b} {d} {k} {t0} {r0}"
                );
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

#[test]
fn sliding_that_starts_at_zero_sticks_or_takes_the_centrifugal_direction() {
    let mut data = Data {
        w: Matrix3::new(2.0, 0.0, 0.6, 0.0, 1.0, 0.8, 0.6, 0.8, 1.5),
        v: Vector3::new(0.0, 0.0, -1.0),
        mu: 1.0,
        e: 0.5,
    };
    // ‖B⁻¹d‖ = 0.854: sticks, v_z' = 1.5 − 0.18 − 0.64.
    let i = data.impulse();
    let normal = 1.5 / (1.5 - 0.18 - 0.64);
    assert!(close(
        &i,
        &Vector3::new(-0.3 * normal, -0.8 * normal, normal),
        1e-14
    ));
    data.mu = 0.5;
    let all = Stronge::default()
        .invariant_directions(&data.space(), 0)
        .unwrap()
        .unwrap();
    let out = all
        .iter()
        .find(|x| x.kind == InvariantKind::Centrifugal)
        .unwrap();
    let s = Vector2::new(out.angle.cos(), out.angle.sin());
    let normal = 1.5 / (1.5 - 0.5 * (0.6 * s.x + 0.8 * s.y));
    let i = data.impulse();
    assert!(close(
        &i,
        &Vector3::new(-0.5 * normal * s.x, -0.5 * normal * s.y, normal),
        1e-14
    ));
    let resolution = Stronge::default().resolve(&data.problem()).unwrap();
    assert_eq!(resolution.outcomes[0].details.fields()["events"], "scr");
}

/// Theorem 8 of [JW], parts (ii) and (iii): d along a principal axis of B.
#[test]
fn invariant_directions_on_a_principal_axis() {
    let data = |d1: f64, d2: f64| Data {
        w: Matrix3::new(3.0, 0.0, d1, 0.0, 1.0, d2, d1, d2, 9.0),
        v: Vector3::new(1.0, 1.0, -1.0),
        mu: 1.0,
        e: 0.5,
    };
    let angles = |data: &Data| -> Vec<f64> {
        Stronge::default()
            .invariant_directions(&data.space(), 0)
            .unwrap()
            .unwrap()
            .iter()
            .map(|x| x.angle)
            .collect()
    };
    let (half, pi) = (std::f64::consts::FRAC_PI_2, std::f64::consts::PI);
    // κ = 2: d = (1, 0) has cos θ = 1/2 and θ = 0, π.
    for (found, expected) in [
        (angles(&data(1.0, 0.0)), vec![-pi / 3.0, 0.0, pi / 3.0, pi]),
        (angles(&data(2.5, 0.0)), vec![0.0, pi]),
        (
            angles(&data(0.0, 1.0)),
            vec![-5.0 * pi / 6.0, -half, -pi / 6.0, half],
        ),
        (
            angles(&data(0.0, -1.0)),
            vec![-half, pi / 6.0, half, 5.0 * pi / 6.0],
        ),
        (angles(&data(0.0, 0.0)), vec![-half, 0.0, half, pi]),
    ] {
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (a, b) in found.iter().zip(&expected) {
            let apart = (a - b).rem_euclid(2.0 * pi);
            assert!(
                apart.min(2.0 * pi - apart) < 1e-15,
                "{found:?} {expected:?}"
            );
        }
    }
}

fn cradle(restitution: f64) -> ImpactProblem {
    ImpactProblem::new(
        DMatrix::identity(3, 3),
        PreImpact::Velocity(dvector![1.0, 0.0, 0.0]),
        &[
            Contact::new("AB", dvector![-1.0, 1.0, 0.0]).with_restitution(restitution),
            Contact::new("BC", dvector![0.0, -1.0, 1.0]).with_restitution(restitution),
        ],
    )
    .expect("valid data")
}

#[test]
fn several_contacts_are_sequences_of_single_impacts() {
    let resolution = Stronge::default().resolve(&cradle(1.0)).unwrap();
    assert_eq!(resolution.status, ImpactStatus::Resolved);
    assert_eq!(resolution.unique(), Some(true));
    assert!((&resolution.outcomes[0].velocity - dvector![0.0, 0.0, 1.0]).amax() < 1e-15);
    assert_eq!(resolution.outcomes[0].sequence, Some(vec![0, 1]));

    // A box lands on two feet: which foot is first decides.
    let feet = |e: f64| {
        ImpactProblem::new(
            DMatrix::from_diagonal(&dvector![1.0, 1.0, 0.2]),
            PreImpact::Velocity(dvector![0.3, -1.0, 0.0]),
            &[
                Contact::new("left", dvector![0.0, 1.0, -0.5])
                    .with_friction(vec![dvector![1.0, 0.0, 0.4]], 0.4)
                    .with_restitution(e),
                Contact::new("right", dvector![0.0, 1.0, 0.5])
                    .with_friction(vec![dvector![1.0, 0.0, 0.4]], 0.4)
                    .with_restitution(e),
            ],
        )
        .unwrap()
    };
    let both = Stronge::default().resolve(&feet(0.3)).unwrap();
    assert_eq!(both.outcomes.len(), 2);
    assert_eq!(both.unique(), Some(false));
    assert!(both.indeterminacy() > 0.0);
    for outcome in &both.outcomes {
        assert!(outcome.energy.after < outcome.energy.before);
        for impulse in &outcome.impulses {
            assert!(impulse.normal >= 0.0);
        }
    }
    let mut law = visiting(&["right", "left"]);
    let given = law.resolve(&feet(0.3)).unwrap();
    assert_eq!(given.outcomes.len(), 1);
    assert_eq!(given.unique(), None);
    assert_eq!(given.outcomes[0].sequence.as_ref().unwrap()[0], 1);
    assert_eq!(given.outcomes[0].impulses, both.outcomes[1].impulses);
    // The fast path agrees, with indices.
    law = visiting(&["1", "0"]);
    let problem = feet(0.3);
    let mut impulse = DVector::zeros(4);
    law.impulse(problem.contact_space(), &mut impulse).unwrap();
    assert_eq!(impulse[0], given.outcomes[0].impulses[0].normal);
    assert_eq!(impulse[3], given.outcomes[0].impulses[1].tangential[0]);
    // Inelastic impacts chatter for ever but shrink: they end at rest.
    let inelastic = Stronge::default().resolve(&feet(0.0)).unwrap();
    assert_eq!(inelastic.status, ImpactStatus::Resolved);
}

#[test]
fn a_wedge_that_never_ends_is_given_up() {
    // Two opposite walls, elastic, gap zero: the body is reflected for ever.
    let problem = ImpactProblem::new(
        DMatrix::identity(1, 1),
        PreImpact::Velocity(dvector![1.0]),
        &[
            Contact::new("left", dvector![1.0]),
            Contact::new("right", dvector![-1.0]),
        ],
    )
    .unwrap();
    let resolution = Stronge::default().resolve(&problem).unwrap();
    assert_eq!(resolution.status, ImpactStatus::NotTerminated);
    assert_eq!(resolution.outcomes[0].status, ImpactStatus::NotTerminated);
}

/// The law with its contacts in this cyclic order.
fn visiting(contacts: &[&str]) -> Stronge {
    let sequence = contacts.iter().map(ToString::to_string).collect();
    Stronge::new(StrongeSettings {
        sequence,
        ..StrongeSettings::default()
    })
    .expect("in range")
}

#[test]
fn parameters_and_input_are_checked() {
    let laws = LawRegistry::standard();
    let mut draft = laws.get("stronge").unwrap().draft();
    for (name, value) in [
        ("solver", "euler"),
        ("tolerance_l", "2"),
        ("tolerance_l", "-0.1"),
        ("tolerance_s", "NaN"),
        ("step", "0"),
        ("step", "inf"),
        ("sequence", "A,,B"),
        ("colour", "red"),
    ] {
        let error = draft.set(name, value).unwrap_err();
        assert!(matches!(error, ImpactError::Parameter { .. }), "{error}");
    }
    let refused = visiting(&["AB", "CD"]).resolve(&cradle(1.0));
    let error = refused.unwrap_err().to_string();
    assert!(error.contains("CD") && error.contains("AB, BC"), "{error}");
    assert!(visiting(&["AB"]).resolve(&cradle(1.0)).is_err());
    // A normal along which nothing moves.
    let flat = Data {
        w: Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 0.0)),
        v: Vector3::new(1.0, 1.0, -1.0),
        mu: 0.5,
        e: 0.5,
    };
    let error = Stronge::default()
        .impulse(&flat.space(), &mut DVector::zeros(3))
        .unwrap_err();
    assert!(matches!(error, ImpactError::Unsupported { .. }), "{error}");
    let mut broken = flat.space();
    broken.velocity[0] = f64::NAN;
    assert!(
        Stronge::default()
            .impulse(&broken, &mut DVector::zeros(3))
            .is_err()
    );
}

#[test]
fn the_solvers_of_the_paper_approach_the_exact_impulse() {
    let data = Data {
        w: Matrix3::new(2.0, 0.3, 0.6, 0.3, 1.0, 0.4, 0.6, 0.4, 1.5),
        v: Vector3::new(0.7, -0.4, -1.0),
        mu: 0.3,
        e: 0.5,
    };
    let exact = data.impulse();
    for solver in [
        StrongeSolver::NumericalIntegration,
        StrongeSolver::FixedStep,
        StrongeSolver::VariableStep,
    ] {
        let mut law = Stronge::new(StrongeSettings {
            solver,
            step: Some(1e-4),
            tolerance_l: 0.0,
            tolerance_s: 1e-4,
            ..StrongeSettings::default()
        })
        .unwrap();
        let mut impulse = DVector::zeros(3);
        law.impulse(&data.space(), &mut impulse).unwrap();
        let found = Vector3::new(impulse[1], impulse[2], impulse[0]);
        // First order in the step; VS steps over up to 0.055 m/s of a hodograph of 0.8 m/s.
        let bound = match solver {
            StrongeSolver::VariableStep => 0.1,
            _ => 1e-3,
        };
        let error = (found - exact).norm() / exact.norm();
        assert!(error < bound, "{}: {error:e}", solver.name());
        let resolution = law.resolve(&data.problem()).unwrap();
        let report = resolution.details.get::<StrongeReport>().unwrap();
        assert_eq!(report.solver, Some(solver.name()));
    }
}

#[test]
fn the_curve_is_written_with_units() {
    let data = Data {
        w: Matrix3::new(
            11.5984, -0.910367, 2.44236, -0.910367, 9.90134, 1.95747, 2.44236, 1.95747, 2.59042,
        ),
        v: Vector3::new(-0.261976, 0.386329, -0.0771747),
        mu: 0.8,
        e: 0.95,
    };
    let curve = Stronge::default().curve(&data.problem(), 11).unwrap();
    let mut text = Vec::new();
    curve.write_csv(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "normal_impulse_Ns,tangential_impulse_x_Ns,tangential_impulse_y_Ns,sliding_velocity_x_m_s,\
         sliding_velocity_y_m_s,normal_velocity_m_s,stored_energy_J,kinetic_energy_change_J,event"
    );
    let events: String = lines.filter_map(|l| l.rsplit(',').next()).collect();
    assert_eq!(events, "csr");
    assert_eq!(text.lines().count(), 1 + 11 + 3);
    assert!(Stronge::default().curve(&data.problem(), 1).is_err());
    assert!(Stronge::default().curve(&cradle(1.0), 11).is_err());
}
