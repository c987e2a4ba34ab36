//! Problem files: what is accepted, and what the messages say about what is not.

use carom::laws::{ImpactFile, ImpactFileError};

const GOOD: &str = r#"{"name": "good", "mass_matrix": [[1, 0], [0, 2]], "velocity": [1, 0],
  "contacts": [{"name": "AB", "normal": [-1, 1]}]}"#;

/// The message about the only problem of a text.
fn message(text: &str) -> String {
    match ImpactFile::parse("p.json", text) {
        Ok(file) => file.problems[0].problem.as_ref().unwrap_err().to_string(),
        Err(error) => error.to_string(),
    }
}

fn assert_says(text: &str, parts: &[&str]) {
    let message = message(text);
    for part in parts {
        assert!(
            message.contains(part),
            "{message:?} should contain {part:?}"
        );
    }
}

#[test]
fn defaults_are_filled_in() {
    let text = r#"{"mass_matrix": [[4]], "momentum": [-4],
        "contacts": [{"normal": [1]}, {"normal": [3]}]}"#;
    let file = ImpactFile::parse("p.json", text).unwrap();
    assert!(!file.is_array);
    assert_eq!(file.problems[0].name, "problem");
    let problem = file.problems[0].problem.as_ref().unwrap();
    assert_eq!(problem.velocity()[0], -1.0);
    assert_eq!(&*problem.names()[0], "c0");
    assert_eq!(&*problem.names()[1], "c1");
    let contact = problem.contact_space().contacts[0];
    assert_eq!((contact.friction, contact.restitution), (0.0, 1.0));
    assert_eq!(contact.tangents, 0);
}

#[test]
fn tangents_and_material_are_read() {
    let text = r#"{"mass_matrix": [[1, 0], [0, 1]], "velocity": [1, -1], "contacts":
        [{"normal": [0, 1], "tangents": [[1, 0]], "friction": 0.3, "restitution": 0.5}]}"#;
    let file = ImpactFile::parse("p.json", text).unwrap();
    let space = file.problems[0].problem.as_ref().unwrap().contact_space();
    let contact = space.contacts[0];
    assert_eq!((contact.friction, contact.restitution), (0.3, 0.5));
    assert_eq!(contact.tangents, 1);
    assert_eq!(space.velocity.as_slice(), [-1.0, 1.0]);
}

#[test]
fn unknown_keys_are_named_with_their_place_and_the_nearest_known_one() {
    assert_says(
        &GOOD.replace("velocity", "velocty"),
        &[
            "line 1",
            "velocty",
            "did you mean \"velocity\"",
            "mass_matrix",
        ],
    );
    assert_says(
        &GOOD.replace("\"normal\"", "\"frction\": 1, \"normal\""),
        &["line 2", "contacts[0].frction", "did you mean \"friction\""],
    );
    assert_says(
        &GOOD.replace("\"AB\"", "\"AB\", \"zzz\": 1"),
        &["contacts[0].zzz", "unknown key"],
    );
}

#[test]
fn wrong_kinds_of_values_are_named_with_their_place() {
    assert_says(
        &GOOD.replace("[-1, 1]", "[-1, \"x\"]"),
        &["contacts[0].normal[1]", "a number"],
    );
    assert_says(
        &GOOD.replace("[[1, 0],", "[1,"),
        &["mass_matrix[0]", "sequence"],
    );
    assert_says(
        &GOOD.replace("[-1, 1]", "[-1, null]"),
        &["contacts[0].normal[1]", "null"],
    );
    assert_says(&GOOD.replace("[1, 0],\n", "{},\n"), &["velocity", "map"]);
    assert_says(r#"[["x", [[1]], [1], null, []]]"#, &["an object"]);
    assert_says(
        &GOOD.replace(r#", "velocity""#, r#", "name": "again", "velocity""#),
        &["(name)", "duplicate"],
    );
    assert_says(
        r#"{"velocity": [1], "contacts": []}"#,
        &["missing field `mass_matrix`"],
    );
    assert_says(
        r#"{"mass_matrix": [[1]], "velocity": [1], "contacts": [{"name": "A"}]}"#,
        &["contacts[0]", "missing field `normal`"],
    );
}

#[test]
fn numbers_that_are_not_finite_are_refused_in_every_spelling() {
    for word in ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"] {
        assert_says(
            &GOOD.replace("[-1, 1]", &format!("[-1, {word}]")),
            &[
                "line 2",
                "contacts[0].normal[1]",
                word,
                "not a finite number",
            ],
        );
    }
}

#[test]
fn one_of_velocity_and_momentum_is_needed() {
    assert_says(
        &GOOD.replace("\"velocity\"", "\"momentum\": [1, 2], \"velocity\""),
        &["both \"velocity\" and \"momentum\"", "exactly one"],
    );
    assert_says(
        &GOOD.replace(r#" "velocity": [1, 0],"#, ""),
        &["neither \"velocity\" nor \"momentum\"", "exactly one"],
    );
}

#[test]
fn numbers_that_make_no_impact_problem_say_why() {
    let cases: [(&str, &str, &[&str]); 12] = [
        ("[0, 2]", "[0, -2]", &["not positive definite", "-2"]),
        ("[0, 2]", "[0.5, 2]", &["not symmetric"]),
        (
            "[0, 2]",
            "[0, 2, 3]",
            &["mass_matrix[1]", "3", "expected 2"],
        ),
        ("[[1, 0], [0, 2]]", "[]", &["mass_matrix", "at least 1"]),
        ("[1, 0],\n", "[1],\n", &["velocity has 1", "expected 2"]),
        ("[-1, 1]", "[0, 0]", &["AB", "normal", "zero length"]),
        (
            "[-1, 1]",
            "[1]",
            &["contacts[0] \"AB\": normal", "expected 2"],
        ),
        (
            "[-1, 1]",
            "[-1, 1], \"tangents\": [[1, 2], [2, 1], [1, 1]]",
            &["number of tangents", "0, 1 or 2"],
        ),
        (
            "[-1, 1]",
            "[-1, 1], \"tangents\": [[0, 0]]",
            &["tangent", "zero length"],
        ),
        (
            "[-1, 1]",
            "[-1, 1], \"friction\": -0.1",
            &["friction", "-0.1"],
        ),
        (
            "[-1, 1]",
            "[-1, 1], \"restitution\": 1.5",
            &["restitution", "1.5"],
        ),
        (
            "]}]",
            "]}, {\"name\": \"AB\", \"normal\": [1, 0]}]",
            &["named \"AB\""],
        ),
    ];
    for (from, to, parts) in cases {
        assert!(GOOD.contains(from), "{from}");
        assert_says(&GOOD.replace(from, to), parts);
    }
}

#[test]
fn text_that_is_no_problem_is_an_error_of_the_file() {
    let parse = |text: &str| ImpactFile::parse("p.json", text).unwrap_err().to_string();
    for (text, place) in [
        ("{\"name\": \n oops}", "p.json:2:2: not JSON"),
        ("[{}, ", "p.json:1:5: not JSON"),
        ("", "p.json:1:1: not JSON"),
        ("[{\"contacts\": []},]", "p.json:1:"),
    ] {
        assert!(parse(text).starts_with(place), "{}", parse(text));
    }
    assert!(parse(&format!("{GOOD} x")).contains("not JSON: trailing"));
    assert!(parse("3").contains("holds a number"));
    assert!(parse("\"x\"").contains("holds a string"));
    assert!(matches!(
        ImpactFile::read(std::path::Path::new("no/such.json")),
        Err(ImpactFileError::Unreadable { file, .. }) if file == "no/such.json"
    ));
}

#[test]
fn bad_problem_of_an_array_keeps_its_name_and_spares_the_others() {
    let bad = r#"{"mass_matrix": [[NaN]], "name": "bad"}"#;
    let nameless = r#"{"mass_matrix": [[1]], "velocity": [1], "contacts": 5}"#;
    let text = format!("[{GOOD},\n {bad},\n {nameless}, 7, {GOOD}]");
    let file = ImpactFile::parse("p.json", &text).unwrap();
    assert!(file.is_array);
    let names: Vec<&str> = file.problems.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["good", "bad", "problem[2]", "problem[3]", "good"]);
    let solved: Vec<bool> = file.problems.iter().map(|p| p.problem.is_ok()).collect();
    assert_eq!(solved, [true, false, false, false, true]);
    let error = file.problems[1].problem.as_ref().unwrap_err().to_string();
    assert!(error.contains("line 3"), "{error}");
    assert!(error.contains("mass_matrix[0][0]"), "{error}");
    let empty = ImpactFile::parse("p.json", " [ ] ").unwrap();
    assert!(empty.is_array && empty.problems.is_empty());
}
