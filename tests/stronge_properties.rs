//! The properties that Stronge's law declares, on random problems, and the cases with a closed form.

use carom::impact::{
    Contact, ContactRows, ContactSpace, ImpactError, ImpactLaw, ImpactProblem, ImpactStatus,
    InvariantKind, PreImpact, Stronge,
};
use nalgebra::{DMatrix, DVector, Matrix2, Matrix3, Vector2, Vector3, dmatrix, dvector};
use proptest::prelude::*;

/// W (tangent, tangent, normal), velocity, friction, restitution.
#[derive(Debug, Clone, Copy)]
struct Data {
    w: Matrix3<f64>,
    v: Vector3<f64>,
    mu: f64,
    e: f64,
}

impl Data {
    fn space(&self) -> ContactSpace {
        const TO: [usize; 3] = [1, 2, 0];
        let mut delassus = DMatrix::zeros(3, 3);
        let mut velocity = DVector::zeros(3);
        for i in 0..3 {
            velocity[TO[i]] = self.v[i];
            for j in 0..3 {
                delassus[(TO[i], TO[j])] = self.w[(i, j)];
            }
        }
        ContactSpace {
            delassus,
            velocity,
            contacts: vec![ContactRows {
                normal: 0,
                tangents: 2,
                friction: self.mu,
                restitution: self.e,
            }],
        }
    }

    fn problem(&self) -> ImpactProblem {
        let contact = Contact::new("c", dvector![0.0, 0.0, 1.0])
            .with_friction(
                vec![dvector![1.0, 0.0, 0.0], dvector![0.0, 1.0, 0.0]],
                self.mu,
            )
            .with_restitution(self.e);
        let mass = self.w.try_inverse().unwrap();
        ImpactProblem::new(
            DMatrix::from_fn(3, 3, |i, j| 0.5 * (mass[(i, j)] + mass[(j, i)])),
            PreImpact::Velocity(DVector::from_column_slice(self.v.as_slice())),
            &[contact],
        )
        .unwrap()
    }

    fn impulse(&self) -> Vector3<f64> {
        let mut impulse = DVector::zeros(3);
        Stronge::new().impulse(&self.space(), &mut impulse).unwrap();
        Vector3::new(impulse[1], impulse[2], impulse[0])
    }

    fn energy_change(&self, i: &Vector3<f64>) -> f64 {
        i.dot(&self.v) + 0.5 * i.dot(&(self.w * i))
    }

    fn b(&self) -> Matrix2<f64> {
        self.w.fixed_view::<2, 2>(0, 0).into()
    }

    fn d(&self) -> Vector2<f64> {
        Vector2::new(self.w[(0, 2)], self.w[(1, 2)])
    }
}

prop_compose! {
    fn contact()(
        entries in prop::array::uniform9(-1.0..1.0f64),
        diagonal in 0.05..1.0f64,
        v in (-2.0..2.0f64, -2.0..2.0f64, -2.0..-0.01f64),
        mu in prop_oneof![1 => Just(0.0), 6 => 0.0..3.0f64],
        e in prop_oneof![1 => Just(0.0), 1 => Just(1.0), 6 => 0.0..1.0f64],
    ) -> Data {
        let a = Matrix3::from_row_slice(&entries);
        Data {
            w: a * a.transpose() + diagonal * Matrix3::identity(),
            v: Vector3::new(v.0, v.1, v.2),
            mu,
            e,
        }
    }
}

fn close(a: &Vector3<f64>, b: &Vector3<f64>, share: f64) -> bool {
    (a - b).norm() <= share * (a.norm() + b.norm())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn the_impulse_is_in_the_cone_and_energy_does_not_grow(data in contact()) {
        let i = data.impulse();
        prop_assert!(i.z > 0.0);
        prop_assert!(i.xy().norm() <= data.mu * i.z * (1.0 + 1e-12));
        let energy = 0.5 * data.v.dot(&(data.w.try_inverse().unwrap() * data.v));
        prop_assert!(data.energy_change(&i) <= 1e-13 * energy);
    }

    /// What the system loses is (1 − e²) E_c in the normal direction and the work of friction, which is never positive and
    /// at most what the longest hodograph would take.
    #[test]
    fn the_energy_balance_closes(data in contact()) {
        let resolution = Stronge::new().resolve(&data.problem()).unwrap();
        let details = &resolution.outcomes[0].details;
        let compression = details["compression_energy"].as_f64().unwrap();
        let i = data.impulse();
        let friction = data.energy_change(&i) + (1.0 - data.e * data.e) * compression;
        let scale = data.v.norm_squared() / data.w.symmetric_eigenvalues().min();
        prop_assert!(friction <= 1e-12 * scale);
        prop_assert!((details["friction_work"].as_f64().unwrap() - friction).abs() <= 1e-11 * scale);
        if data.mu == 0.0 {
            prop_assert!(friction.abs() <= 1e-12 * scale);
        }
        // The curve integrates the same energies sample by sample: γ·dI_⊥ by the trapezoidal rule.
        let curve = Stronge::new().curve(&data.problem(), 400).unwrap();
        let mut work = 0.0;
        for pair in curve.samples.windows(2) {
            for k in 0..2 {
                work += 0.5
                    * (pair[0].sliding_velocity[k] + pair[1].sliding_velocity[k])
                    * (pair[1].tangential_impulse[k] - pair[0].tangential_impulse[k]);
            }
        }
        // Second order in a step of 1/400, with corners where γ = 0 is passed closely.
        prop_assert!((work - friction).abs() <= 2e-3 * scale.min(i.norm() * data.v.norm()).max(-friction));
    }

    #[test]
    fn a_rotated_or_mirrored_tangent_frame_changes_nothing(data in contact(), angle in -3.2..3.2f64, mirrored: bool) {
        let (s, c) = angle.sin_cos();
        let side = if mirrored { -1.0 } else { 1.0 };
        let q = Matrix3::new(c, -s, 0.0, side * s, side * c, 0.0, 0.0, 0.0, 1.0);
        let turned = Data { w: q * data.w * q.transpose(), v: q * data.v, ..data };
        // Rounding of the rotation itself, amplified by the impact.
        prop_assert!(close(&turned.impulse(), &(q * data.impulse()), 1e-11));
    }

    #[test]
    fn units_of_mass_and_velocity_do_not_matter(data in contact(), mass in -6.0..6.0f64, speed in -6.0..6.0f64) {
        let (m, s) = (10f64.powf(mass), 10f64.powf(speed));
        let scaled = Data { w: data.w / m, v: data.v * s, ..data };
        prop_assert!(close(&scaled.impulse(), &(data.impulse() * (m * s)), 1e-11));
    }

    #[test]
    fn frictionless_impacts_are_the_closed_form(data in contact()) {
        let data = Data { mu: 0.0, ..data };
        let i = data.impulse();
        let exact = -(1.0 + data.e) * data.v.z / data.w[(2, 2)];
        prop_assert!((i.z - exact).abs() <= 1e-14 * exact);
        prop_assert_eq!(i.xy(), Vector2::zeros());
        let elastic = Data { e: 1.0, ..data };
        let energy = 0.5 * data.v.dot(&(data.w.try_inverse().unwrap() * data.v));
        prop_assert!(elastic.energy_change(&elastic.impulse()).abs() <= 1e-13 * energy);
    }

    #[test]
    fn a_separating_contact_gets_nothing(data in contact(), speed in 0.0..2.0f64) {
        let apart = Data { v: Vector3::new(data.v.x, data.v.y, speed), ..data };
        prop_assert_eq!(apart.impulse(), Vector3::zeros());
        let resolution = Stronge::new().resolve(&apart.problem()).unwrap();
        prop_assert_eq!(&resolution.outcomes[0].details["events"], "");
        prop_assert_eq!(resolution.unique, Some(true));
    }

    /// Theorem 5 of [JW].
    #[test]
    fn invariant_directions_are_those_of_theorem_5(data in contact()) {
        let all = Stronge::new().invariant_directions(&data.space(), 0).unwrap().unwrap();
        prop_assert!((2..=4).contains(&all.len()));
        for x in &all {
            let s = Vector2::new(x.angle.cos(), x.angle.sin());
            let turn = data.d() - data.mu * data.b() * s;
            let scale = data.d().norm() + data.mu * data.b().norm();
            prop_assert!((s.x * turn.y - s.y * turn.x).abs() <= 1e-14 * scale);
            prop_assert!((s.dot(&turn) - x.rate).abs() <= 1e-14 * scale);
        }
        let centrifugal = all.iter().filter(|x| x.kind == InvariantKind::Centrifugal).count();
        let sticks = (data.b().try_inverse().unwrap() * data.d()).norm() <= data.mu;
        prop_assert_eq!(centrifugal, usize::from(!sticks));
    }

    #[test]
    fn events_come_in_order_and_the_curve_ends_at_the_impulse(data in contact()) {
        let problem = data.problem();
        let resolution = Stronge::new().resolve(&problem).unwrap();
        let outcome = &resolution.outcomes[0];
        let label = outcome.details["events"].as_str().unwrap().to_string();
        let list = outcome.details["event_list"].as_array().unwrap();
        let letters: String = list.iter().map(|x| x["name"].as_str().unwrap()).collect();
        prop_assert_eq!(&letters, &label);
        prop_assert!(["cr", "scr", "csr"].contains(&label.trim_start_matches('l')));
        let places: Vec<f64> = list.iter().map(|x| x["normal_impulse"].as_f64().unwrap()).collect();
        prop_assert!(places.windows(2).all(|p| p[0] <= p[1]));
        prop_assert_eq!(places[places.len() - 1], outcome.impulses[0].normal);

        let curve = Stronge::new().curve(&problem, 33).unwrap();
        let last = curve.samples.last().unwrap();
        prop_assert!((last.normal_impulse - outcome.impulses[0].normal).abs() <= 1e-14 * last.normal_impulse);
        prop_assert_eq!(curve.samples.len(), 33 + list.len());
        for x in &curve.samples {
            let i = Vector2::from(x.tangential_impulse);
            let exact = data.v.xy() + data.b() * i + data.d() * x.normal_impulse;
            let scale = data.v.norm() + data.w.norm() * last.normal_impulse;
            prop_assert!((exact - Vector2::from(x.sliding_velocity)).norm() <= 1e-12 * scale);
            let vz = data.v.z + data.w[(2, 2)] * x.normal_impulse + data.d().dot(&i);
            prop_assert!((vz - x.normal_velocity).abs() <= 1e-12 * scale);
            prop_assert!(x.stored_energy >= -1e-12 * data.v.norm_squared());
        }
    }

    /// A contact with one tangent is the spatial contact whose second tangent is decoupled.
    #[test]
    fn planar_impacts_are_spatial_ones_in_a_plane(
        b in 0.2..2.0f64, ratio in -0.95..0.95f64, v in (-2.0..2.0f64, -2.0..-0.05f64), mu in 0.0..2.0f64, e in 0.0..1.0f64,
    ) {
        let d = ratio * b.sqrt();
        let planar = ContactSpace {
            delassus: dmatrix![1.0, d; d, b],
            velocity: dvector![v.1, v.0],
            contacts: vec![ContactRows { normal: 0, tangents: 1, friction: mu, restitution: e }],
        };
        let mut impulse = DVector::zeros(2);
        Stronge::new().impulse(&planar, &mut impulse).unwrap();
        let spatial = Data {
            w: Matrix3::new(b, 0.0, d, 0.0, 0.7 * b, 0.0, d, 0.0, 1.0),
            v: Vector3::new(v.0, 0.0, v.1),
            mu,
            e,
        };
        let i = spatial.impulse();
        prop_assert!(close(&Vector3::new(impulse[1], 0.0, impulse[0]), &i, 1e-12));
    }
}

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
    let resolution = Stronge::new().resolve(&ball(0.5).problem()).unwrap();
    let details = &resolution.outcomes[0].details;
    assert_eq!(details["events"], "lscr");
    assert_eq!(details["every_direction_invariant"], true);
    // Almost isotropic and almost central: almost the same.
    let mut near = ball(0.5);
    near.w[(0, 0)] += 1e-9;
    near.w[(0, 2)] += 1e-9;
    near.w[(2, 0)] += 1e-9;
    assert!(close(&near.impulse(), &i, 1e-8));
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
    let all = Stronge::new()
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
    let resolution = Stronge::new().resolve(&data.problem()).unwrap();
    assert_eq!(resolution.outcomes[0].details["events"], "scr");
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
        Stronge::new()
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
    .unwrap()
}

#[test]
fn several_contacts_are_sequences_of_single_impacts() {
    let resolution = Stronge::new().resolve(&cradle(1.0)).unwrap();
    assert_eq!(resolution.status, ImpactStatus::Resolved);
    assert_eq!(resolution.unique, Some(true));
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
    let both = Stronge::new().resolve(&feet(0.3)).unwrap();
    assert_eq!(both.outcomes.len(), 2);
    assert_eq!(both.unique, Some(false));
    assert!(both.indeterminacy > 0.0);
    for outcome in &both.outcomes {
        assert!(outcome.energy.after < outcome.energy.before);
        for impulse in &outcome.impulses {
            assert!(impulse.normal >= 0.0);
        }
    }
    let mut law = Stronge::new();
    law.set_parameter("sequence", "right, left").unwrap();
    let given = law.resolve(&feet(0.3)).unwrap();
    assert_eq!(given.outcomes.len(), 1);
    assert_eq!(given.unique, None);
    assert_eq!(given.outcomes[0].sequence.as_ref().unwrap()[0], 1);
    assert_eq!(given.outcomes[0].impulses, both.outcomes[1].impulses);
    // The fast path agrees, with indices.
    law.set_sequence(&[1, 0]);
    let problem = feet(0.3);
    let mut impulse = DVector::zeros(4);
    law.impulse(problem.contact_space(), &mut impulse).unwrap();
    assert_eq!(impulse[0], given.outcomes[0].impulses[0].normal);
    assert_eq!(impulse[3], given.outcomes[0].impulses[1].tangential[0]);
    // Inelastic impacts chatter for ever but shrink: they end at rest.
    let inelastic = Stronge::new().resolve(&feet(0.0)).unwrap();
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
    let resolution = Stronge::new().resolve(&problem).unwrap();
    assert_eq!(resolution.status, ImpactStatus::NotTerminated);
    assert_eq!(resolution.outcomes[0].status, ImpactStatus::NotTerminated);
}

#[test]
fn parameters_and_input_are_checked() {
    let mut law = Stronge::new();
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
        let error = law.set_parameter(name, value).unwrap_err();
        assert!(matches!(error, ImpactError::Parameter { .. }), "{error}");
    }
    law.set_parameter("sequence", "AB,CD").unwrap();
    let error = law.resolve(&cradle(1.0)).unwrap_err().to_string();
    assert!(error.contains("CD") && error.contains("AB, BC"), "{error}");
    law.set_parameter("sequence", "AB").unwrap();
    assert!(law.resolve(&cradle(1.0)).is_err());
    // Two equal tangents span no plane.
    let flat = Data {
        w: Matrix3::new(1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        v: Vector3::new(1.0, 1.0, -1.0),
        mu: 0.5,
        e: 0.5,
    };
    let error = Stronge::new()
        .impulse(&flat.space(), &mut DVector::zeros(3))
        .unwrap_err();
    assert!(matches!(error, ImpactError::Unsupported { .. }), "{error}");
    let mut broken = flat.space();
    broken.velocity[0] = f64::NAN;
    assert!(
        Stronge::new()
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
    for solver in ["ni", "fs", "vs"] {
        let mut law = Stronge::new();
        law.set_parameter("solver", solver).unwrap();
        law.set_parameter("step", "1e-4").unwrap();
        law.set_parameter("tolerance_l", "0").unwrap();
        law.set_parameter("tolerance_s", "1e-4").unwrap();
        let mut impulse = DVector::zeros(3);
        law.impulse(&data.space(), &mut impulse).unwrap();
        let found = Vector3::new(impulse[1], impulse[2], impulse[0]);
        // First order in the step; VS steps over up to 0.055 m/s of a hodograph of 0.8 m/s.
        let bound = if solver == "vs" { 0.1 } else { 1e-3 };
        let error = (found - exact).norm() / exact.norm();
        assert!(error < bound, "{solver}: {error:e}");
        let resolution = law.resolve(&data.problem()).unwrap();
        assert_eq!(resolution.details["solver"], solver);
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
    let curve = Stronge::new().curve(&data.problem(), 11).unwrap();
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
    assert!(Stronge::new().curve(&data.problem(), 1).is_err());
    assert!(Stronge::new().curve(&cradle(1.0), 11).is_err());
}
