//! The properties that Stronge's law declares, on random problems.

use crate::stronge_data::{Data, close};
use carom::impact::stronge::InvariantKind;
use carom::impact::{ContactRows, ContactSpace, ImpactLaw, Stronge};
use nalgebra::{DVector, Matrix3, Vector2, Vector3, dmatrix, dvector};
use proptest::prelude::*;

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
        let resolution = Stronge::default().resolve(&data.problem()).unwrap();
        let details = resolution.outcomes[0].details.fields();
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
        let curve = Stronge::default().curve(&data.problem(), 400).unwrap();
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
        let resolution = Stronge::default().resolve(&apart.problem()).unwrap();
        prop_assert_eq!(&resolution.outcomes[0].details.fields()["events"], "");
        prop_assert_eq!(resolution.unique(), Some(true));
    }

    /// Theorem 5 of [JW].
    #[test]
    fn invariant_directions_are_those_of_theorem_5(data in contact()) {
        let all = Stronge::default().invariant_directions(&data.space(), 0).unwrap().unwrap();
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
        let resolution = Stronge::default().resolve(&problem).unwrap();
        let outcome = &resolution.outcomes[0];
        let details = outcome.details.fields();
        let label = details["events"].as_str().unwrap().to_string();
        let list = details["event_list"].as_array().unwrap();
        let letters: String = list.iter().map(|x| x["name"].as_str().unwrap()).collect();
        prop_assert_eq!(&letters, &label);
        prop_assert!(["cr", "scr", "csr"].contains(&label.trim_start_matches('l')));
        let places: Vec<f64> = list.iter().map(|x| x["normal_impulse"].as_f64().unwrap()).collect();
        prop_assert!(places.windows(2).all(|p| p[0] <= p[1]));
        prop_assert_eq!(places[places.len() - 1], outcome.impulses[0].normal);

        let curve = Stronge::default().curve(&problem, 33).unwrap();
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
        let planar = ContactSpace::new(
            dmatrix![1.0, d; d, b],
            dvector![v.1, v.0],
            vec![ContactRows { normal: 0, tangents: 1, friction: mu, restitution: e }]);
        let mut impulse = DVector::zeros(2);
        Stronge::default().impulse(&planar, &mut impulse).unwrap();
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
