//! Stronge's law against independently computed cases.

use std::collections::BTreeMap;

use carom::impact::{Contact, ImpactLaw, ImpactProblem, PreImpact, Stronge};
use nalgebra::{DMatrix, DVector};
use serde::Deserialize;

#[derive(Deserialize)]
struct Cases {
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    problem: Problem,
    expected: Expected,
}

#[derive(Deserialize)]
struct Problem {
    mass_matrix: Vec<Vec<f64>>,
    velocity: Vec<f64>,
    contacts: Vec<ContactData>,
}

#[derive(Deserialize)]
struct ContactData {
    normal: Vec<f64>,
    tangents: Vec<Vec<f64>>,
    friction: f64,
    restitution: f64,
}

#[derive(Deserialize)]
struct Expected {
    normal_impulse: f64,
    tangential_impulse: Vec<f64>,
    velocity: Vec<f64>,
    compression_energy: f64,
    events: String,
    invariant_directions: usize,
}

fn cases() -> Vec<Case> {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/stronge.json"
    ))
    .expect("valid test data");
    serde_json::from_str::<Cases>(&text)
        .expect("valid test data")
        .cases
}

fn problem(data: &Problem) -> ImpactProblem {
    let n = data.velocity.len();
    let contacts: Vec<Contact> = data
        .contacts
        .iter()
        .map(|c| {
            Contact::new("c", DVector::from_column_slice(&c.normal))
                .with_friction(
                    c.tangents
                        .iter()
                        .map(|t| DVector::from_column_slice(t))
                        .collect(),
                    c.friction,
                )
                .with_restitution(c.restitution)
        })
        .collect();
    ImpactProblem::new(
        DMatrix::from_fn(n, n, |i, j| data.mass_matrix[i][j]),
        PreImpact::Velocity(DVector::from_column_slice(&data.velocity)),
        &contacts,
    )
    .expect("valid test data")
}

#[test]
fn every_case_agrees_to_its_accuracy() {
    let all = cases();
    assert!(all.len() > 50);
    for case in &all {
        let problem = problem(&case.problem);
        let resolution = Stronge::default().resolve(&problem).unwrap();
        assert_eq!(resolution.outcomes.len(), 1);
        assert_eq!(resolution.unique(), Some(true));
        let outcome = &resolution.outcomes[0];
        let impulse = &outcome.impulses[0];
        let expected = &case.expected;
        let scale = expected
            .tangential_impulse
            .iter()
            .fold(expected.normal_impulse, |a, x| a.hypot(*x));
        // The cases are exact to about 1e-12 of the impulse.
        let mut error = (impulse.normal - expected.normal_impulse).abs();
        for i in 0..2 {
            error = error.max((impulse.tangential[i] - expected.tangential_impulse[i]).abs());
        }
        assert!(error < 2e-12 * scale, "{}: {:e}", case.name, error / scale);
        let speed = DVector::from_column_slice(&case.problem.velocity).amax();
        let after = DVector::from_column_slice(&expected.velocity);
        assert!(
            (&outcome.velocity - after).amax() < 1e-11 * speed,
            "{}",
            case.name
        );
        let details = outcome.details.fields();
        let energy = details["compression_energy"].as_f64().unwrap();
        assert!(
            (energy - expected.compression_energy).abs() < 2e-12 * expected.compression_energy,
            "{}",
            case.name
        );
        assert_eq!(details["events"], expected.events.as_str(), "{}", case.name);
        assert_eq!(
            details["invariant_directions"].as_array().unwrap().len(),
            expected.invariant_directions,
            "{}",
            case.name
        );
    }
}

/// The event sequences in the captions of [JW] Figs. 4, 7 and 10, which come from tolerances: one pair of tolerances
/// reproduces all of them.
#[test]
fn labels_with_tolerance_are_those_of_the_figures() {
    let printed: BTreeMap<&str, &str> = [
        ("icotetra_4a", "csr"),
        ("icotetra_4b", "lscr"),
        ("icotetra_4c", "clr"),
        ("icotetra_4d", "scr"),
        ("icotetra_7", "scr"),
        ("icotetra_10a", "lcsr"),
        ("icotetra_10b", "lcr"),
        ("icotetra_10c", "clsr"),
        ("pinball", "lscr"),
    ]
    .into();
    let mut seen = 0;
    for case in &cases() {
        let Some(&label) = printed.get(case.name.as_str()) else {
            continue;
        };
        seen += 1;
        let resolution = Stronge::default().resolve(&problem(&case.problem)).unwrap();
        let details = resolution.outcomes[0].details.fields();
        assert_eq!(details["events_with_tolerance"], label, "{}", case.name);
    }
    assert_eq!(seen, printed.len());
}

/// Table 1 of [JW]: NI, FS and VS beside the exact solver, for the two impacts of the paper with its steps. The printed
/// counts of NI and FS follow from the stated steps (FS on the pin and ball also from tolerances that are not stated). That
/// of VS on the first impact does not: with the curvature as printed in (37) it depends on how (36) is capped, with
/// the correct curvature it is 66, and on the second impact 31.
#[test]
fn table_1_has_its_structure() {
    let all = cases();
    for (name, step_ni, step_fs, printed) in [
        ("icotetra_4a", 0.00095, 0.001, [107..=107, 65..=75, 20..=70]),
        ("pinball", 0.001, 0.002, [2580..=2600, 75..=100, 25..=35]),
    ] {
        let case = all.iter().find(|c| c.name == name).unwrap();
        let rows = Stronge::default()
            .compare_solvers(&problem(&case.problem), step_ni, step_fs)
            .unwrap();
        let names: Vec<_> = rows.iter().map(|r| r.solver).collect();
        assert_eq!(names, ["exact", "ni", "fs", "vs"]);
        assert!(rows[0].iterations < rows[3].iterations);
        assert!(rows[3].iterations < rows[2].iterations);
        assert!(rows[2].iterations < rows[1].iterations);
        for (row, printed) in rows[1..].iter().zip(printed) {
            assert!(
                printed.contains(&row.iterations),
                "{name} {}: {}",
                row.solver,
                row.iterations
            );
            // Euler's method with steps of 1 % leaves errors in the third decimal, as printed.
            assert!(
                row.error > 1e-6 && row.error < 3e-3,
                "{name} {}",
                row.solver
            );
        }
        // The error of NI is of first order in its step.
        let finer = Stronge::default()
            .compare_solvers(&problem(&case.problem), 1e-2 * step_ni, step_fs)
            .unwrap();
        assert!(finer[1].error < 0.1 * rows[1].error);
    }
}
