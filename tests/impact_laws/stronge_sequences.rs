//! Stronge's law where a light body is struck to and fro between others, thousands of times.

use carom::impact::stronge::StrongeSettings;
use carom::impact::{Contact, ImpactLaw, ImpactProblem, ImpactStatus, PreImpact, Stronge};
use nalgebra::{DMatrix, DVector, dvector};

/// Rounds by hand until nothing approaches, each impact a problem of its own; how many there were.
fn by_hand(
    mass: &DMatrix<f64>,
    contacts: &[Contact],
    mut v: DVector<f64>,
) -> (DVector<f64>, usize) {
    let mut law = Stronge::default();
    let normals = [dvector![1.0, 0.0, 0.0, 0.0], dvector![-1.0, 1.0, 0.0, 0.0]];
    for round in 0..100_000 {
        let mut quiet = true;
        for (contact, normal) in contacts.iter().zip(&normals) {
            if normal.dot(&v) < -1e-13 {
                quiet = false;
                let before = PreImpact::Velocity(v.clone());
                let alone = ImpactProblem::new(mass.clone(), before, std::slice::from_ref(contact));
                let mut resolution = law.resolve(&alone.unwrap()).unwrap();
                v = resolution.outcomes.remove(0).velocity;
            }
        }
        if quiet {
            return (v, round);
        }
    }
    panic!("it does not end");
}

/// A heavy body falls on a light one that lies on the floor: heights and slides of both. Rounds of impacts lose a share of the
/// order of the ratio of masses each. Once contacts slide on or stick for good a round is linear, v ↦ A v, the limit a projection
/// with P (A − 1) = 0, and what is added at once is a change by A − 1: the limit is that of all rounds to rounding, which each of
/// some thousand may add to a speed of one.
#[test]
fn impulses_of_a_long_sequence_are_those_of_its_limit() {
    for (light, friction, restitution) in [
        (1e-2, [0.3, 0.3], [0.5, 0.6]),
        (1e-3, [0.8, 0.2], [0.3, 0.9]),
        (1e-3, [0.0, 1.5], [0.6, 0.6]),
        (2e-3, [0.1, 0.1], [0.9, 0.1]),
    ] {
        let mass = DMatrix::from_diagonal(&dvector![light, 1.0, light, 1.0]);
        let contacts = [
            Contact::new("floor", dvector![1.0, 0.0, 0.0, 0.0])
                .with_friction(vec![dvector![0.0, 0.0, 1.0, 0.0]], friction[0])
                .with_restitution(restitution[0]),
            Contact::new("heavy", dvector![-1.0, 1.0, 0.0, 0.0])
                .with_friction(vec![dvector![0.0, 0.0, -1.0, 1.0]], friction[1])
                .with_restitution(restitution[1]),
        ];
        let v = dvector![-0.1, -1.0, 0.2, 1.0];
        let (limit, rounds) = by_hand(&mass, &contacts, v.clone());
        let sequence = ["floor", "heavy"].map(str::to_string).to_vec();
        let settings = StrongeSettings {
            sequence,
            ..StrongeSettings::default()
        };
        let mut law = Stronge::new(settings).unwrap();
        let problem = ImpactProblem::new(mass, PreImpact::Velocity(v), &contacts).unwrap();
        let outcome = law.resolve(&problem).unwrap().outcomes.remove(0);
        assert_eq!(outcome.status, ImpactStatus::Resolved);
        let visits = outcome.sequence.as_ref().unwrap().len();
        assert!(rounds > 800 && visits < 800, "{rounds} {visits}");
        let off = (&outcome.velocity - &limit).norm();
        // Approaches below 1e-12 are rest; the rounds that they leave out, and roundings of as many, make 1/(1 − ρ) times as much.
        let bound = 2e-12 / light;
        assert!(off < bound, "{light}: {off}");
    }
}
