//! What is answered to a problem, and to many.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::support::{TemporaryFile, ambiguous, assert_near, carom, corner, cradle, impact};

#[test]
fn cradle_is_answered_as_the_contract_says() {
    let run = impact(&cradle(), "propagative", &[]);
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    let answer = run.json();
    assert_eq!(answer["name"], "cradle");
    assert_eq!(answer["law"], "propagative");
    assert_eq!(answer["unique"], true);
    assert_eq!(answer["indeterminacy"], 0.0);
    assert_eq!(answer["outcomes"].as_array().unwrap().len(), 1);
    let outcome = &answer["outcomes"][0];
    assert_near(&outcome["velocity"], &[0.0, 0.0, 1.0]);
    assert_near(&outcome["momentum"], &[0.0, 0.0, 1.0]);
    assert_eq!(outcome["sequence"], json!(["AB", "BC"]));
    assert_eq!(outcome["minimal"], true);
    assert_eq!(outcome["impulses"][1]["contact"], "BC");
    assert_eq!(outcome["impulses"][1]["tangential"], json!([]));
    assert_near(&json!([outcome["impulses"][0]["normal"]]), &[1.0]);
    let energy = &outcome["kinetic_energy"];
    assert_near(&json!([energy["before"], energy["after"]]), &[0.5, 0.5]);
    let certificate = &answer["certificate"];
    assert_eq!(certificate["unique_for_every_momentum"], true);
    assert_eq!(certificate["reason"], "dihedral");
    assert_eq!(certificate["angles"][0]["contacts"], json!(["AB", "BC"]));
    assert_eq!(certificate["angles"][0]["order"], 3);
    assert_near(&json!([certificate["angles"][0]["cosine"]]), &[-0.5]);
}

#[test]
fn every_sequence_of_an_ambiguous_impact_is_listed() {
    let run = impact(&ambiguous(), "propagative", &["--all"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let answer = run.json();
    assert_eq!(answer["unique"], false);
    assert!(answer["indeterminacy"].as_f64().unwrap() > 0.1);
    let outcomes = answer["outcomes"].as_array().unwrap();
    assert_eq!(outcomes.len(), 2);
    for outcome in outcomes {
        assert!(!outcome["sequences"].as_array().unwrap().is_empty());
        for sequence in outcome["minimal_sequences"].as_array().unwrap() {
            assert!(
                sequence
                    .as_array()
                    .unwrap()
                    .iter()
                    .all(|c| c == "left" || c == "right")
            );
        }
    }
}

#[test]
fn momentum_may_be_given_instead_of_velocity() {
    let mut by_momentum = cradle();
    let fields = by_momentum.as_object_mut().unwrap();
    let velocity = fields.remove("velocity").unwrap();
    fields.insert("momentum".to_string(), velocity);
    let answer = impact(&by_momentum, "propagative", &[]).json();
    assert_near(&answer["outcomes"][0]["momentum"], &[0.0, 0.0, 1.0]);
}

#[test]
fn file_and_standard_input_give_the_same_bytes() {
    let file = TemporaryFile::new("cradle.json", &cradle().to_string());
    let from_file = carom(&["impact", file.path(), "--law", "plastic", "--json"], "");
    assert_eq!(from_file.code, 0, "{}", from_file.stderr);
    assert_eq!(from_file.stdout, impact(&cradle(), "plastic", &[]).stdout);
}

#[test]
fn array_answers_every_problem_and_fails_the_bad_one_alone() {
    let mut bad = cradle();
    bad["name"] = json!("bad");
    bad["mass_matrix"][0][0] = json!(-1);
    let run = impact(&json!([cradle(), bad, ambiguous()]), "propagative", &[]);
    assert_eq!(run.code, 2);
    run.says(&["standard input", "bad", "not positive definite"]);
    let answers = run.json();
    let names: Vec<&Value> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|a| &a["name"])
        .collect();
    assert_eq!(names, ["cradle", "bad", "break"]);
    assert!(
        answers[1]["error"]
            .as_str()
            .unwrap()
            .contains("not positive definite")
    );
    assert_near(&answers[0]["outcomes"][0]["velocity"], &[0.0, 0.0, 1.0]);
    assert!(answers[2].get("error").is_none());
}

#[test]
fn python_spelling_of_nan_fails_its_problem_only() {
    let text = format!(
        "[{}, {}]",
        cradle().to_string().replace("[1,0,0]", "[NaN,0,0]"),
        ambiguous()
    );
    let run = carom(&["impact", "-", "--law", "propagative", "--json"], &text);
    assert_eq!(run.code, 2);
    let answers = run.json();
    assert!(
        answers[0]["error"]
            .as_str()
            .unwrap()
            .contains("NaN is not a finite number")
    );
    assert!(answers[1]["outcomes"].is_array());
    assert!(!run.stdout.contains("null,0"), "{}", run.stdout);
}

#[test]
fn array_of_one_and_empty_array_stay_arrays() {
    let run = impact(&json!([cradle()]), "plastic", &[]);
    assert_eq!((run.code, run.json().as_array().unwrap().len()), (0, 1));
    assert_eq!(impact(&json!([]), "plastic", &[]).json(), json!([]));
}

#[test]
fn report_for_a_person_has_outcome_verdict_and_certificate() {
    let run = carom(
        &["impact", "-", "--law", "propagative", "--all"],
        &cradle().to_string(),
    );
    assert_eq!(run.code, 0);
    for part in [
        "cradle",
        "(0, 0, 1)",
        "AB 1, BC 1",
        "AB BC",
        "unique for this momentum",
        "unique for every momentum",
        "0.5",
    ] {
        assert!(run.stdout.contains(part), "{:?} in {}", part, run.stdout);
    }
    let run = carom(
        &["impact", "-", "--law", "propagative", "--all"],
        &ambiguous().to_string(),
    );
    assert!(run.stdout.contains("ambiguous"), "{}", run.stdout);
    // One screen.
    assert!(run.stdout.lines().count() < 25, "{}", run.stdout);
}

#[test]
fn sequence_of_contacts_is_given_by_name() {
    let run = impact(&corner(), "sequential", &["--sequence", "wall,ground"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(run.json()["outcomes"][0]["sequence"][0], "wall");
    let all = impact(&corner(), "sequential", &["--all"]).json();
    assert_eq!(all["outcomes"].as_array().unwrap().len(), 2);
    assert_eq!(all["unique"], false);
}

#[test]
fn enumeration_that_is_cut_short_says_so() {
    let run = impact(
        &ambiguous(),
        "propagative",
        &["--all", "--param", "max_states=2"],
    );
    assert_eq!(run.code, 3);
    assert_eq!(run.json()["status"], "capped");
}

#[test]
fn help_has_an_example() {
    for arguments in [
        vec!["--help"],
        vec!["impact", "--help"],
        vec!["compare", "--help"],
    ] {
        let run = carom(&arguments, "");
        assert_eq!(run.code, 0);
        assert!(run.stdout.contains("Example"), "{}", run.stdout);
    }
}

#[test]
fn reader_that_stops_reading_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["impact", "-", "--law", "propagative", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let problem = cradle().to_string();
    let stdin = child.stdin.take();
    stdin.unwrap().write_all(problem.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn one_option_says_every_kind_of_order() {
    let same = |law: &str, new: &[&str], old: &[&str]| {
        let corner = || {
            if law == "propagative" {
                ambiguous()
            } else {
                corner()
            }
        };
        let (a, b) = (
            impact(&corner(), law, new).json(),
            impact(&corner(), law, old).json(),
        );
        assert_eq!(a, b, "{law}: {new:?}");
        a
    };
    same("propagative", &["--order", "all"], &["--all"]);
    let all = same("sequential", &["--order", "all"], &["--all"]);
    let one = same("sequential", &["--order", "1,0"], &["--sequence", "1,0"]);
    assert_ne!(all, one);
    impact(&ambiguous(), "plastic", &["--order", "all"]).refused(&["--order all", "plastic"]);
}
