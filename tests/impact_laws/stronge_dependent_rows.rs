//! Stronge's law where the bodies have fewer degrees of freedom than the contact has rows.

use crate::random_impacts::Random;
use carom::impact::stronge::StrongeDetails;
use carom::impact::{Contact, ImpactLaw, ImpactProblem, Outcome, PreImpact, Stronge};
use nalgebra::{DMatrix, DVector, dvector};

fn outcome(problem: &ImpactProblem) -> Outcome {
    let mut resolution = Stronge::default().resolve(problem).unwrap();
    assert_eq!(resolution.outcomes.len(), 1);
    let mut impulse = DVector::zeros(problem.contact_space().rows());
    let mut law = Stronge::default();
    law.impulse(problem.contact_space(), &mut impulse).unwrap();
    let outcome = resolution.outcomes.remove(0);
    let same = Outcome::from_impulse(problem, &impulse).velocity;
    assert_eq!(outcome.velocity, same);
    outcome
}

/// Two tangents of a plane mechanism, at an angle to it: what its one tangent alone does, bit for bit but for the rotation.
#[test]
fn tangents_of_a_line_are_one_tangent() {
    for seed in 0_u16..40 {
        let x = |k: u16| f64::from((seed + 1) * (7 + 5 * k) % 41) / 41.0;
        let coupling = 0.9 * (2.0 * x(0) - 1.0);
        let mass = DMatrix::from_row_slice(2, 2, &[1.0, coupling, coupling, 1.0 + x(1)]);
        let before = PreImpact::Velocity(dvector![2.0 * x(2) - 1.0, -1.0]);
        let (sine, cosine) = (6.3 * x(3)).sin_cos();
        let floor = |tangents: Vec<DVector<f64>>| {
            let contact = Contact::new("floor", dvector![0.3 * x(4), 1.0])
                .with_friction(tangents, x(5))
                .with_restitution(x(6));
            ImpactProblem::new(mass.clone(), before.clone(), &[contact]).unwrap()
        };
        let plane = outcome(&floor(vec![dvector![1.0, 0.0]]));
        let space = outcome(&floor(vec![dvector![cosine, 0.0], dvector![sine, 0.0]]));
        let scale = plane.velocity.norm();
        assert!(
            (&plane.velocity - &space.velocity).norm() <= 1e-13 * scale,
            "{seed}"
        );
        let along = plane.impulses[0].tangential[0];
        let [first, second] = [0, 1].map(|k| space.impulses[0].tangential[k]);
        assert!((first - cosine * along).abs() <= 1e-13, "{seed}");
        assert!((second - sine * along).abs() <= 1e-13, "{seed}");
    }
}

/// A point on a rail that leads into the floor: one coordinate, n = 1, t = τ. Against the slide it is
/// compressed at the rate w (1 + μτ), along it restored at w (1 − μτ): v⁺ = e ((1 − μτ)/(1 + μτ))^(1/2) |v⁻|. It sticks, and
/// keeps no velocity, where μτ ≥ 1.
#[test]
fn a_point_on_a_rail_rebounds_or_jams() {
    let (tau, e, m) = (0.8, 0.7, 2.0);
    for second in [0.0, 0.6] {
        // The same with a second tangent along which the rail leads as well, in part.
        let slope = f64::hypot(tau, second);
        for share in [0.0, 0.3, 0.9, 1.1, 3.0] {
            let mu = share / slope;
            let mut tangents = vec![dvector![tau], dvector![second]];
            tangents.retain(|row| row[0] != 0.0);
            let contact = Contact::new("floor", dvector![1.0])
                .with_friction(tangents, mu)
                .with_restitution(e);
            let mass = DMatrix::from_element(1, 1, m);
            let problem =
                ImpactProblem::new(mass, PreImpact::Velocity(dvector![-1.0]), &[contact]).unwrap();
            let found = outcome(&problem);
            let expected = if share < 1.0 {
                e * f64::sqrt((1.0 - share) / (1.0 + share))
            } else {
                0.0
            };
            assert!(
                (found.velocity[0] - expected).abs() < 1e-14,
                "μ tan {share}: {} for {expected}",
                found.velocity[0]
            );
            let Some(StrongeDetails::Single(impact)) = found.details.get() else {
                panic!("one contact")
            };
            let course = impact.course.as_ref().unwrap();
            // The work of compression against w (1 + μτ), and what energy is gone beside friction.
            let stored = 0.5 * m / (1.0 + share);
            assert!((course.compression_energy - stored).abs() < 1e-14);
            let kept = if share < 1.0 { e * e * stored } else { 0.0 };
            let change = 0.5 * m * (expected * expected - 1.0);
            assert!((course.friction_work - (change + stored - kept)).abs() < 1e-14);
        }
    }
}

/// A second, heavy coordinate makes W definite; its outcome tends to that of the rail.
#[test]
fn a_jam_is_the_limit_of_definite_problems() {
    let rebound = |heavy: f64| {
        let contact = Contact::new("floor", dvector![1.0, 1.0])
            .with_friction(vec![dvector![0.8, 0.0]], 2.0)
            .with_restitution(0.7);
        let mass = DMatrix::from_diagonal(&dvector![2.0, heavy]);
        let before = PreImpact::Velocity(dvector![-1.0, 0.0]);
        outcome(&ImpactProblem::new(mass, before, &[contact]).unwrap())
            .velocity
            .sum()
    };
    let mut last = f64::INFINITY;
    for exponent in 2..11 {
        let velocity = rebound(10_f64.powi(exponent));
        // e (2 E_c (w − dᵀB⁻¹d))^(1/2), E_c at most the 1 J of the point.
        let bound = 0.7 * f64::sqrt(2.0 * 10_f64.powi(-exponent));
        assert!(
            velocity > 0.0 && velocity < last && velocity < bound,
            "{velocity:e}"
        );
        last = velocity;
    }
}

/// Two coordinates under three rows, and the same with a third, heavy one that makes W definite.
#[test]
fn two_coordinates_are_the_limit_of_three() {
    let heavy = 1e10;
    let mut random = Random::new(1);
    let mut x = || 2.0 * random.uniform() - 1.0;
    let (mut jams, mut rebounds) = (0, 0);
    for _ in 0..400 {
        let rows = [0; 3].map(|_| dvector![x(), x(), x()]);
        let (mu, e) = (1.0 + x(), 0.5 * (1.0 + x()));
        let mut velocity = dvector![x(), x()];
        if rows[0].rows(0, 2).dot(&velocity) > 0.0 {
            velocity = -velocity;
        }
        let strike = |n: usize| {
            let [normal, first, second] = rows.each_ref().map(|row| row.rows(0, n).into_owned());
            let contact = Contact::new("floor", normal)
                .with_friction(vec![first, second], mu)
                .with_restitution(e);
            let mass = DMatrix::from_diagonal(&dvector![1.0, 1.0, heavy].rows(0, n).into_owned());
            let before = velocity.clone().resize_vertically(n, 0.0);
            let found = outcome(
                &ImpactProblem::new(mass, PreImpact::Velocity(before), &[contact]).unwrap(),
            );
            let before = velocity.norm_squared();
            let after = found.velocity.rows(0, 2).norm_squared();
            assert!(after <= before * (1.0 + 1e-12));
            (found.velocity[0], found.velocity[1])
        };
        let (two, three) = (strike(2), strike(3));
        // What a jam keeps in three is the root of the third's compliance, whose impulses are as large.
        let difference = f64::hypot(two.0 - three.0, two.1 - three.1);
        assert!(difference < 1e-3, "{two:?} for {three:?}");
        let rests = f64::hypot(two.0, two.1) < 1e-9;
        jams += usize::from(rests);
        rebounds += usize::from(!rests);
    }
    assert!(jams > 20 && rebounds > 20, "{jams}, {rebounds}");
}
