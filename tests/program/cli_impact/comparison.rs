//! All laws side by side.

use super::support::{ambiguous, carom, corner};

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

/// The block that falls on both corners at once, with a law that has parameters.
const FALL: &str = "robots/block/drop.toml";

#[test]
fn a_scenario_is_compared_with_the_settings_of_its_own_law() {
    let compare = |options: &[&str]| {
        let run = carom(&[&["compare", FALL, "--json"], options].concat(), "");
        assert_eq!(run.code, 0, "{}", run.stderr);
        let laws = run.json()["laws"].as_array().unwrap().clone();
        move |name: &str| laws.iter().find(|l| l["law"] == name).unwrap().clone()
    };
    let own = [
        "--set",
        "impact.law=sequential",
        "--set",
        "impact.parameters.sequence=B,A",
    ];
    // Left to itself the law lists the outcomes of both orders; told one, it has that one.
    let free = compare(&["--set", "impact.law=sequential"]);
    let given = compare(&own);
    assert_eq!(free("sequential")["outcomes"].as_array().unwrap().len(), 2);
    let outcomes = given("sequential")["outcomes"].clone();
    assert_eq!(outcomes.as_array().unwrap().len(), 1);
    assert_eq!(outcomes[0]["sequence"][0], "B");
    // Other laws have none of it, whatever their keys are called.
    assert_eq!(free("stronge")["outcomes"], given("stronge")["outcomes"]);
    // The command line counts before the scenario.
    let turned = compare(&[&own[..], &["--sequence", "A,B"]].concat());
    assert_eq!(turned("sequential")["outcomes"][0]["sequence"][0], "A");
}

#[test]
fn keys_are_set_wherever_a_scenario_is_read() {
    let rough = carom(
        &["compare", FALL, "--json", "--set", "initial.base.z=1.5"],
        "",
    );
    let plain = carom(&["compare", FALL, "--json"], "");
    assert_eq!((rough.code, plain.code), (0, 0), "{}", rough.stderr);
    assert!(
        rough.json()["name"] != plain.json()["name"],
        "{}",
        rough.stdout
    );
    let wrong = carom(&["compare", FALL, "--set", "initial.base.zz=1.5"], "");
    wrong.refused(&["zz"]);
    let problem = carom(
        &["compare", "examples/impacts/corner.json", "--set", "a=1"],
        "",
    );
    problem.refused(&["--set a=1", "no scenario", "--param"]);
}
