//! Files, problems and options that are refused.

use serde_json::{Value, json};

use super::support::{TemporaryFile, carom, cradle, impact};

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
