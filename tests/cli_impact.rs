//! `carom impact` and `carom compare` as a user meets them: files, options, exit codes, messages.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

/// What one run of the program left behind.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|e| panic!("{e}: {:?} {:?}", self.stdout, self.stderr))
    }

    /// Bad input: exit 2, nothing on standard output, one message with these parts.
    #[track_caller]
    fn refused(&self, parts: &[&str]) {
        assert_eq!(self.code, 2, "{}", self.stderr);
        assert_eq!(self.stdout, "");
        self.says(parts);
    }

    #[track_caller]
    fn says(&self, parts: &[&str]) {
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "{:?} should contain {part:?}",
                self.stderr
            );
        }
    }
}

fn carom(arguments: &[&str], input: &str) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its options does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// `carom impact - --law LAW --json ...` on a problem.
fn impact(problem: &Value, law: &str, options: &[&str]) -> Run {
    let arguments = [&["impact", "-", "--law", law, "--json"], options].concat();
    carom(&arguments, &problem.to_string())
}

/// Three equal balls in a row, the first one moving at 1 m/s.
fn cradle() -> Value {
    json!({"name": "cradle", "mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [1, 0, 0],
        "contacts": [{"name": "AB", "normal": [-1, 1, 0], "tangents": [], "friction": 0.0, "restitution": 1.0},
                     {"name": "BC", "normal": [0, -1, 1]}]})
}

/// A ball strikes two that touch, slightly to the side of the middle: the order matters.
fn ambiguous() -> Value {
    let s = 0.75_f64.sqrt();
    json!({"name": "break",
        "mass_matrix": [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],
                        [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]],
        "velocity": [1, 0.1, 0, 0, 0, 0],
        "contacts": [{"name": "left", "normal": [-s, -0.5, s, 0.5, 0, 0]},
                     {"name": "right", "normal": [-s, 0.5, 0, 0, s, -0.5]}]})
}

/// A sliding disc strikes the ground and a wall at once, with friction.
fn corner() -> Value {
    json!({"name": "corner", "mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 0.5]], "velocity": [-1, -2, 0.5],
        "contacts": [{"name": "ground", "normal": [0, 1, 0], "tangents": [[1, 0, 1]], "friction": 0.4, "restitution": 0},
                     {"name": "wall", "normal": [1, 0, 0], "tangents": [[0, 1, -1]], "friction": 0.2, "restitution": 0}]})
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap())
        .collect()
}

#[track_caller]
fn assert_near(value: &Value, expected: &[f64]) {
    let found = numbers(value);
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        // A handful of operations on numbers of order one.
        assert!((a - b).abs() < 1e-12, "{found:?} should be {expected:?}");
    }
}

/// A file in a folder of its own, removed at the end.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str, text: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("carom-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(name), text).unwrap();
        Self(folder.join(name))
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(self.0.parent().unwrap());
    }
}

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
fn files_that_cannot_be_read_are_named() {
    carom(&["impact", "no/such.json", "--law", "plastic"], "")
        .refused(&["no/such.json", "No such file"]);
    let file = TemporaryFile::new("broken.json", "{\"name\": \n oops}");
    carom(&["impact", file.path(), "--law", "plastic"], "")
        .refused(&["broken.json:2:2", "not JSON"]);
}

#[test]
fn bad_problems_are_refused_with_the_place_and_the_remedy() {
    let with = |key: &str, value: Value| {
        let mut problem = cradle();
        problem[key] = value;
        problem
    };
    let contact = |key: &str, value: Value| {
        let mut problem = cradle();
        problem["contacts"][1][key] = value;
        problem
    };
    let cases: Vec<(Value, &[&str])> = vec![
        (
            with("velocty", json!([1])),
            &["velocty", "did you mean \"velocity\""],
        ),
        (
            contact("frictoin", json!(0)),
            &["contacts[1].frictoin", "did you mean \"friction\""],
        ),
        (
            with("mass_matrix", json!([[1, 0, 0], [0, 1, 2], [0, 2, 1]])),
            &["not positive definite"],
        ),
        (
            with("mass_matrix", json!([[1, 0], [0, 1]])),
            &["velocity has 3 entries, expected 2"],
        ),
        (
            with("momentum", json!([1, 0, 0])),
            &["both \"velocity\" and \"momentum\""],
        ),
        (contact("normal", json!([0, 0, 0])), &["BC", "zero length"]),
        (contact("normal", json!([0, 1])), &["BC", "expected 3"]),
        (
            contact("name", json!("AB")),
            &["two contacts are named \"AB\""],
        ),
        (
            contact("normal", json!([1, -1, 0])),
            &["wedged", "AB", "BC"],
        ),
        (
            contact("friction", json!(-1)),
            &["contacts[1] \"BC\": friction", "at least 0"],
        ),
        (contact("friction", json!(0.5)), &["has no friction", "BC"]),
    ];
    for (problem, parts) in cases {
        impact(&problem, "propagative", &[]).refused(parts);
    }
    let overflow = cradle().to_string().replace("[1,0,0]", "[1e999,0,0]");
    carom(&["impact", "-", "--law", "propagative"], &overflow)
        .refused(&["standard input", "1e999 is not a finite number"]);
}

#[test]
fn options_that_are_wrong_are_refused_before_anything_is_read() {
    impact(&cradle(), "propogative", &[]).refused(&[
        "propogative",
        "did you mean \"propagative\"",
        "stronge",
    ]);
    impact(&cradle(), "propagative", &["--order", "sideways"]).refused(&[
        "--order",
        "sideways",
        "most-violated",
    ]);
    impact(&cradle(), "plastic", &["--samples", "10"]).refused(&["--samples", "plastic"]);
    impact(&cradle(), "plus", &["--param", "theta_mx=0.01"]).refused(&["theta_mx", "theta_max"]);
    impact(&cradle(), "plus", &["--param", "theta_max"]).refused(&["NAME=VALUE"]);
    impact(&cradle(), "sequential", &["--sequence", "AB,CD"]).refused(&["\"CD\"", "AB, BC"]);
    carom(&["impact", "-"], "").refused(&["--law"]);
}

#[test]
fn samples_are_kept_in_a_csv_file() {
    let file = TemporaryFile::new("samples.csv", "old");
    let options = ["--samples", "300", "--seed", "7", "--keep", file.path()];
    let run = impact(&corner(), "routh", &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let set = &run.json()["set"];
    assert_eq!(set["samples"], 300);
    for key in [
        "terminated",
        "lcp_per_sample",
        "rest_fraction",
        "wall_time_s",
    ] {
        assert!(set[key].is_number(), "{key}: {set}");
    }
    for range in ["normal_velocity", "tangential_velocity"] {
        assert_eq!(numbers(&set[range]["min"]).len(), 2);
        assert_eq!(numbers(&set[range]["max"]).len(), 2);
    }
    let text = std::fs::read_to_string(&file.0).unwrap();
    assert_eq!(text.lines().count(), 301);
    assert!(text.starts_with("sample,"), "{text}");
    // The folder holds the file and no leftover of writing it.
    assert_eq!(
        std::fs::read_dir(file.0.parent().unwrap()).unwrap().count(),
        1
    );
}

#[test]
fn samples_do_not_depend_on_the_number_of_threads() {
    let run = |jobs: &str| {
        let file = TemporaryFile::new(&format!("jobs{jobs}.csv"), "");
        let options = ["--samples", "600", "--jobs", jobs, "--keep", file.path()];
        assert_eq!(impact(&corner(), "routh", &options).code, 0);
        std::fs::read_to_string(&file.0).unwrap()
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn curve_of_a_single_impact_is_written() {
    let mut problem = corner();
    problem["contacts"].as_array_mut().unwrap().pop();
    let file = TemporaryFile::new("curve.csv", "");
    let run = impact(&problem, "stronge", &["--curve", file.path()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let outcome = &run.json()["outcomes"][0];
    assert!(outcome["events"].is_string());
    let text = std::fs::read_to_string(&file.0).unwrap();
    let last = text.lines().last().unwrap();
    let end: f64 = last.split(',').next().unwrap().parse().unwrap();
    let normal = outcome["impulses"][0]["normal"].as_f64().unwrap();
    // The curve ends where the impact does; both are written with all digits.
    assert!((end - normal).abs() <= 1e-12 * normal, "{end} {normal}");
}

#[test]
fn series_that_cannot_be_written_are_refused() {
    impact(&corner(), "plastic", &["--curve", "c.csv"]).refused(&["--curve", "stronge"]);
    impact(&corner(), "plus", &["--plots", "p"]).refused(&["--plots", "stronge and routh"]);
    impact(&corner(), "routh", &["--plots", "p"]).refused(&["--samples"]);
    impact(&corner(), "plus", &["--keep", "k.csv"]).refused(&["--keep", "routh"]);
    impact(&corner(), "routh", &["--keep", "k.csv"]).refused(&["--samples"]);
    impact(&corner(), "stronge", &["--curve", "c.csv"]).refused(&["one contact"]);
    let options = ["--samples", "10", "--keep", "no/such/folder/k.csv"];
    impact(&corner(), "routh", &options).refused(&["no/such/folder/k.csv"]);
    let several = json!([corner(), corner()]);
    impact(&several, "routh", &["--samples", "10", "--keep", "k.csv"]).refused(&["2 problems"]);
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
fn compare_puts_all_laws_side_by_side() {
    let run = carom(&["compare", "-"], &corner().to_string());
    assert_eq!(run.code, 0, "{}", run.stderr);
    for law in [
        "propagative",
        "plastic",
        "stronge",
        "max-dissipation",
        "plus",
        "routh",
        "anitescu-potra",
        "sequential",
    ] {
        assert!(run.stdout.contains(law), "{law} in {}", run.stdout);
    }
    for part in ["outcomes", "unique", "ground", "has no friction"] {
        assert!(run.stdout.contains(part), "{part} in {}", run.stdout);
    }
}

#[test]
fn compare_has_one_json_document_with_every_law() {
    let run = carom(&["compare", "-", "--json"], &ambiguous().to_string());
    assert_eq!(run.code, 0, "{}", run.stderr);
    let comparison = run.json();
    assert_eq!(comparison["name"], "break");
    let laws = comparison["laws"].as_array().unwrap();
    let propagative = laws
        .iter()
        .find(|entry| entry["law"] == "propagative")
        .unwrap();
    assert_eq!(propagative["applicable"], true);
    assert_eq!(propagative["unique"], false);
    assert_eq!(propagative["outcomes"].as_array().unwrap().len(), 2);
    for entry in laws {
        assert!(
            entry["applicable"] == true || entry["reason"].is_string(),
            "{entry}"
        );
    }
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
fn pictures_of_an_impact_are_drawn_with_axes_and_units() {
    let folder = std::env::temp_dir().join(format!("carom-plots-{}", std::process::id()));
    let at = |name: &str| folder.join(name).display().to_string();
    let block = "examples/impacts/rocking_block.json";
    let single = json!({"mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [0.4, 0.1, -1],
        "contacts": [{"name": "c", "normal": [0.2, -0.1, 1], "tangents": [[1, 0, 0], [0, 1, 0]],
                      "friction": 0.3, "restitution": 0.5}]});
    let set = ["impact", block, "--law", "routh", "--samples", "500"];
    let run = carom(
        &[
            &set[..],
            &["--param", "extent_samples=0", "--plots", &at("set")],
        ]
        .concat(),
        "",
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = impact(&single, "stronge", &["--plots", &at("single")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for (file, parts) in [
        (
            "set/normal_A_B.svg",
            ["normal velocity of A (m/s)", "normal velocity of B (m/s)"],
        ),
        (
            "set/contact_A.svg",
            ["sliding velocity of A (m/s)", "convex hull"],
        ),
        ("set/net.svg", ["samples (log2)", "epsilon = 0.01"]),
        ("single/hodograph.svg", ["(m/s)", "direction"]),
        ("single/bundle.svg", ["15 hodographs", "(m/s)"]),
        (
            "single/impulses.svg",
            ["normal impulse (N s)", "tangential impulse (N s)"],
        ),
    ] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        for part in parts {
            assert!(text.contains(part), "{file}: {part}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn compare_lists_every_outcome_of_the_published_examples() {
    // Solutions of the simultaneous LCP, and sequential impacts that differ.
    for (file, simultaneous, sequential) in [
        ("rocking_block", 1, 2),
        ("compass_gait", 3, 1),
        ("box_and_wall", 1, 1),
        ("ramone", 3, 1),
        ("disk_stack", 1, 0),
    ] {
        let path = format!("examples/impacts/{file}.json");
        let run = carom(&["compare", &path, "--samples", "64", "--json"], "");
        assert_eq!(run.code, 0, "{}", run.stderr);
        let laws = run.json()["laws"].as_array().unwrap().clone();
        let law = |name: &str| laws.iter().find(|l| l["law"] == name).unwrap().clone();
        let outcomes = |name: &str| law(name)["outcomes"].as_array().map_or(0, Vec::len);
        assert_eq!(outcomes("anitescu-potra"), simultaneous, "{file}");
        // The disks' single impacts do not end: their outcomes are those of a budget.
        if sequential > 0 {
            assert_eq!(outcomes("sequential"), sequential, "{file}");
        }
    }
    let run = carom(
        &[
            "compare",
            "examples/impacts/rocking_block.json",
            "--samples",
            "64",
        ],
        "",
    );
    for part in ["Every outcome", "sequential  A B", "sequential  B A"] {
        assert!(run.stdout.contains(part), "{}", run.stdout);
    }
}
