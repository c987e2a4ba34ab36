//! A changed controller is found, and what it changed is told in the order of its size.

use super::inputs::{arm, edit};
use super::support::{Folder, assert_done, record, shipped, text, verify};
use std::fs;

#[test]
fn two_percent_in_one_joint_are_found_and_the_joint_is_named() {
    let folder = Folder::new("one-joint");
    let scenario = arm(&folder);
    let file = folder.path("arm.baseline.toml");
    assert_done(&record(&scenario, &file, &[]));
    let servo = "name = \"joint3\"\nstiffness = 100.0";
    edit(&scenario, servo, "name = \"joint3\"\nstiffness = 102.0");
    let changed = verify(&file, &[]);
    assert_eq!(changed.status.code(), Some(1));
    let told = text(&changed.stdout);
    let mut lines = told.lines().skip_while(|line| !line.contains("  inputs"));
    assert_eq!(
        lines.nth(1).unwrap().split(": ").nth(1),
        Some("controller.joint.joint3.stiffness was 100.0, is 102.0")
    );
    // Of all that differs that joint does so most.
    assert_eq!(
        lines.next(),
        Some("  what differs, the largest against its tolerance first")
    );
    let first = lines.next().unwrap();
    assert!(first.starts_with("    joint3 "), "{told}");
    assert!(first.contains("in a run without impacts"), "{told}");
    let json = verify(&file, &["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let ranked = json["ranked"].as_array().unwrap();
    let sizes: Vec<f64> = ranked
        .iter()
        .map(|d| d["times_tolerance"].as_f64().unwrap())
        .collect();
    assert!(sizes.len() > 3);
    assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "{sizes:?}");
    let peak = ranked
        .iter()
        .find(|d| d["check"] == "metrics.peak_effort_joint3")
        .unwrap();
    assert_eq!(peak["name"], "joint3 torque peak");
    // 2 % more stiffness is at most about 2 % more torque while the joint is on its way.
    let change = peak["change"].as_f64().unwrap();
    assert!(change.abs() > 1e-5 && change.abs() < 0.03, "{change}");
}

#[test]
fn a_difference_is_placed_among_the_impacts() {
    let folder = Folder::new("place");
    let file = folder.path("bounce.toml");
    let short = ["--set", "duration=0.9", "--set", "baseline.samples=900"];
    assert_done(&record(&shipped("ball/bounce.toml"), &file, &short));
    // The ball falls from 1 m and strikes after sqrt(2/9.81) = 0.4515 s; less restitution shows from the next row on.
    let changed = verify(&file, &["--set", "contact.restitution=0.6"]);
    let told = text(&changed.stdout);
    assert!(
        told.contains("first differs at 0.452 s, about impact 1"),
        "{told}"
    );
    assert!(
        told.contains("--set: contact.restitution was 0.7, is 0.6"),
        "{told}"
    );
    // Another height shows at once.
    let lifted = verify(&file, &["--set", "initial.base.position=[0.0,0.0,1.2]"]);
    let told = text(&lifted.stdout);
    assert!(told.contains("before the first impact"), "{told}");
}

#[test]
fn exact_compares_bits_and_the_default_does_not() {
    let folder = Folder::new("exact");
    let scenario = arm(&folder);
    let file = folder.path("arm.baseline.toml");
    assert_done(&record(&scenario, &file, &[]));
    assert_done(&verify(&file, &["--exact"]));
    // A hundred-millionth of the gain is not what a person calls another controller.
    edit(
        &scenario,
        "name = \"joint3\"\nstiffness = 100.0",
        "name = \"joint3\"\nstiffness = 100.0000001",
    );
    assert_done(&verify(&file, &[]));
    assert_eq!(verify(&file, &["--exact"]).status.code(), Some(1));
}

#[test]
fn a_chaotic_run_is_compared_until_rounding_decides_and_by_its_distribution_beyond() {
    let folder = Folder::new("chaos");
    // Four links that fall freely: a difference grows by e several times a second.
    let file = folder.path("chain.toml");
    let long = ["--set", "duration=25.0", "--set", "output.plots=false"];
    let recorded = record(&shipped("chain/chain4.toml"), &file, &long);
    assert_done(&recorded);
    let stored: toml::Table = toml::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let until = stored["compared"]["until_s"].as_float().unwrap();
    assert!(until > 1.0 && until < 25.0, "{until}");
    let times = stored["series"]["time_s"].as_array().unwrap();
    assert!(times.last().unwrap().as_float().unwrap() <= until);
    assert_done(&verify(&file, &[]));
    // What another machine may round otherwise, a thousand times over, is no difference …
    let shaken = ["--set", "initial.velocities.joint1=1e-13"];
    let told = verify(&file, &shaken);
    assert_done(&told);
    assert!(text(&told.stdout).contains("the run is chaotic"));
    // … and another robot is one.
    let other = verify(&file, &["--set", "robot.mass_scale.link2=1.001"]);
    assert_eq!(other.status.code(), Some(1));
}

#[test]
fn distributions_of_a_chaotic_scenario_are_compared_not_their_ends() {
    let folder = Folder::new("distribution");
    let file = folder.path("chain.toml");
    let options = [
        "--set",
        "duration=20.0",
        "--set",
        "time_step=5e-3",
        "--set",
        "baseline.metrics={ rate = \"rms(v_joint1)\" }",
        "--set",
        "baseline.robust={ draws = 39, seed = 3, perturb = [{ key = \"initial.joints.joint1\", uniform = 1e-3 }] }",
    ];
    assert_done(&record(&shipped("chain/chain4.toml"), &file, &options));
    assert!(fs::read_to_string(&file).unwrap().contains("[compared]"));
    // Other draws of the same distribution.
    let other = verify(&file, &["--set", "baseline.robust.seed=4"]);
    assert_done(&other);
    // Half the gravity: it turns more slowly, by the square root of that.
    let lighter = verify(&file, &["--set", "robot.gravity=[0.0,0.0,-5.0]", "--json"]);
    assert_eq!(lighter.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&lighter.stdout).unwrap();
    let bands = json["failures"].as_array().unwrap();
    let rate = bands.iter().find(|f| f["check"] == "robust.rate").unwrap();
    let told = rate["message"].as_str().unwrap();
    assert!(told.contains("its distribution is another one"), "{told}");
}
