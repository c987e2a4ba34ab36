//! `carom orbit` as a user runs it: answers, files, pictures, refusals.
#![cfg(feature = "cli")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::folder::Folder;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots")
        .join(name)
}

fn orbit(scenario: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.arg("orbit").arg(shipped(scenario)).args(arguments);
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_scan_through_a_fold_leaves_tables_diagrams_and_a_page() {
    let folder = Folder::new("orbit-scan");
    let out = folder.path("scan");
    let done = orbit(
        "ball/table.toml",
        &[
            "--scan",
            "controller.joint.0.feed_forward.sine.amplitude=5:3:3",
            "--set",
            "stepper.order=2",
            "--out",
            out.to_str().unwrap(),
        ],
    );
    assert!(done.status.success(), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    assert!(
        said.contains("fold at controller.joint.0.feed_forward.sine.amplitude = 3.424"),
        "{said}"
    );
    let mut table = csv::Reader::from_path(out.join("orbit.csv")).unwrap();
    let header: Vec<String> = table
        .headers()
        .unwrap()
        .iter()
        .map(str::to_string)
        .collect();
    assert_eq!(header[..2], ["parameter", "period_s"]);
    assert_eq!(
        header[header.len() - 4..],
        ["stable", "differentiability", "branch", "arc_length"]
    );
    let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    let values: Vec<(&str, &str)> = rows.iter().map(|r| (&r[0], &r[header.len() - 2])).collect();
    assert_eq!(values, [("5", "0"), ("4", "0"), ("4", "1"), ("5", "1")]);
    let found: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("bifurcations.json")).unwrap()).unwrap();
    assert_eq!(found[0]["kind"], "fold");
    for name in [
        "bifurcation_q_z.svg",
        "bifurcation_v_z.svg",
        "bifurcation_modulus.svg",
        "multipliers.svg",
    ] {
        let svg = std::fs::read_to_string(out.join(name)).unwrap();
        assert!(svg.starts_with("<svg") && svg.contains("</svg>"), "{name}");
    }
    let diagram = std::fs::read_to_string(out.join("bifurcation_q_z.svg")).unwrap();
    for word in ["stable", "unstable", "fold", "q_z on the section [m]"] {
        assert!(diagram.contains(word), "{word}");
    }
    assert!(
        std::fs::read_to_string(out.join("orbit.html"))
            .unwrap()
            .contains("Folds and bifurcations")
    );
}

#[test]
fn an_orbit_leaves_portraits_and_a_replay_that_repeats() {
    let folder = Folder::new("orbit-pictures");
    let out = folder.path("ball");
    let done = orbit(
        "ball/table.toml",
        &[
            "--set",
            "stepper.order=2",
            "--json",
            "--out",
            out.to_str().unwrap(),
        ],
    );
    assert!(done.status.success(), "{}", text(&done.stderr));
    let printed: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
    let written: serde_json::Value =
        serde_json::from_slice(&std::fs::read(out.join("orbit.json")).unwrap()).unwrap();
    assert_eq!(printed, written);
    let portrait = std::fs::read_to_string(out.join("phase_z.svg")).unwrap();
    assert!(portrait.contains("jump at an impact") && portrait.contains("z [m]"));
    let replay = std::fs::read_to_string(out.join("run/replay.html")).unwrap();
    assert!(replay.contains("\"repeats\":true"));
    // The run of the period is one like any other.
    let again = Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("simulate")
        .arg(out.join("run/scenario.toml"))
        .args(["--out", folder.path("again").to_str().unwrap()])
        .output()
        .unwrap();
    assert!(again.status.success(), "{}", text(&again.stderr));
    let series = |folder: PathBuf| std::fs::read(folder.join("series.csv")).unwrap();
    assert_eq!(series(folder.path("again")), series(out.join("run")));
}

#[test]
fn many_starts_and_a_basin_are_the_same_on_any_number_of_threads() {
    let folder = Folder::new("orbit-basin");
    let run = |threads: &str, name: &str| {
        let out = folder.path(name);
        let done = Command::new(env!("CARGO_BIN_EXE_carom"))
            .env("RAYON_NUM_THREADS", threads)
            .arg("orbit")
            .arg(shipped("ball/table.toml"))
            .args(["--set", "stepper.order=2", "--starts", "6", "--seed", "3"])
            .args([
                "--set",
                "orbit.spread.q_z=0.03",
                "--set",
                "orbit.spread.v_z=1.5",
            ])
            .args(["--basin", "q_z=0.01:0.05:4", "--basin", "v_z=-1.0:0.6:3"])
            .args(["--out", out.to_str().unwrap()])
            .output()
            .unwrap();
        assert!(done.status.success(), "{}", text(&done.stderr));
        let read = |file: &str| std::fs::read_to_string(out.join(file)).unwrap();
        (
            text(&done.stdout),
            read("orbits.json"),
            read("basin.csv"),
            read("basin.svg"),
        )
    };
    let one = run("1", "one");
    assert_eq!(one, run("3", "three"));
    assert_eq!(one.2.lines().count(), 1 + 4 * 3);
    assert!(one.2.starts_with("q_z,v_z,end,periods\n"));
    assert!(one.3.contains("to orbit 0") && one.3.contains("q_z [m]"));
}

#[test]
fn what_does_not_fit_is_refused_with_its_remedy() {
    let refused = |arguments: &[&str]| {
        let done = orbit("ball/table.toml", arguments);
        assert_eq!(done.status.code(), Some(2), "{arguments:?}");
        text(&done.stderr)
    };
    let said = refused(&["--basin", "q_z=0:1:3", "--out", "nowhere"]);
    assert!(said.contains("--basin is given twice"), "{said}");
    let said = refused(&["--scan", "contact.restitution=0.8:1.5:3"]);
    assert!(said.contains("restitution"), "{said}");
    let said = refused(&["--scan", "q=1:2"]);
    assert!(said.contains("KEY=FROM:TO:N"), "{said}");
    let said = refused(&["--seed", "3"]);
    assert!(said.contains("--starts"), "{said}");
    let said = refused(&["--starts", "0"]);
    assert!(said.contains("1..=100000"), "{said}");
    let folder = Folder::new("orbit-refused");
    let out = folder.path("out");
    let out = out.to_str().unwrap();
    let said = refused(&[
        "--basin",
        "q_zz=0:1:3",
        "--basin",
        "v_z=0:1:3",
        "--out",
        out,
    ]);
    assert!(
        said.contains("the section has no coordinate \"q_zz\" (did you mean \"q_z\"?)"),
        "{said}"
    );
}

/// The time is not in the state of the return map: what is prescribed in it must come round with the period.
#[test]
fn a_section_that_does_not_go_with_the_clock_is_refused() {
    let refused = |scenario: &str, arguments: &[&str], said: &[&str]| {
        let done = orbit(scenario, arguments);
        let stderr = text(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{arguments:?} {stderr}");
        for word in said {
            assert!(stderr.contains(word), "{arguments:?} {word}: {stderr}");
        }
    };
    let sine = "controller.joint.0.feed_forward";
    for period in ["0.19", "0.25", "0.3", "0.1", "0.2000001"] {
        let key = format!("orbit.section.period={period}");
        let said = ["orbit.section.period", "0.2 s, the period of", sine];
        refused("ball/table.toml", &["--set", &key], &said);
    }
    for section in [
        r#"orbit.section={impact="ball"}"#,
        r#"orbit.section={crossing="v_z",value=0.0,direction="falling"}"#,
    ] {
        let said = ["orbit.section", sine, "section = { period = 0.2 }"];
        refused("ball/table.toml", &["--set", section], &said);
    }
    let key = "controller.joint.z.feed_forward.sine.frequency_Hz=5:6:3";
    refused(
        "ball/table.toml",
        &["--scan", key],
        &["orbit.section.period"],
    );
    let starts = ["--set", "orbit.section.period=0.3", "--starts", "3"];
    refused("ball/table.toml", &starts, &["orbit.section.period"]);
    let points = "controller.joint.0.feed_forward=[[0.0,1.0],[1.0,2.0]]";
    refused("ball/table.toml", &["--set", points], &[sine, "no period"]);
    let key = "orbit.section.period=0.5";
    let said = ["0.6 s, the period of controller.gait.period"];
    refused("rhex/tripod_orbit.toml", &["--set", key], &said);
    let key = "controller.ramp=0.3";
    refused(
        "rhex/tripod_orbit.toml",
        &["--set", key],
        &["controller.start", "full speed"],
    );
    let key = "orbit.section.period=0.6";
    refused(
        "trex/run_orbit.toml",
        &["--set", key],
        &["0.6283185307179586 s", "controller.joints"],
    );
    let sampled = "controller.sampling_period=0.03";
    refused(
        "ball/table.toml",
        &["--set", sampled],
        &["0.03 s, the period of controller.sampling_period"],
    );
    let shaken = r#"terrain.0.motion={shake={amplitude=[0.0,0.0,0.005],frequency_Hz=3.0}}"#;
    refused(
        "ball/table.toml",
        &["--set", shaken],
        &["the terrain moves by itself"],
    );
}

#[test]
fn places_that_cannot_change_are_refused_by_name() {
    let said = |pair: &str| {
        let key = format!("orbit.symmetry.swap=[{pair}]");
        let done = orbit("compass/gait_long.toml", &["--set", &key]);
        assert_eq!(done.status.code(), Some(2), "{pair}");
        text(&done.stderr)
    };
    let itself = said(r#"["leading","leading"]"#);
    assert!(
        itself.contains("\"leading\" changes places with itself"),
        "{itself}"
    );
    let other = said(r#"["leading","hip_x"]"#);
    assert!(
        other.contains("\"leading\" and \"hip_x\" are joints of different kinds"),
        "{other}"
    );
}

/// A ball that loses nothing, thrown up with v from the ground: it strikes every 2v/g, and one cut there has one coordinate.
#[test]
fn a_ball_is_cut_at_its_strikes_and_at_its_tops() {
    let free = [
        "--json",
        "--set",
        "controller.joint.0.feed_forward=0.0",
        "--set",
        "contact.restitution=1.0",
    ];
    let found = |keys: [&str; 3]| -> serde_json::Value {
        let keys: Vec<&str> = keys.into_iter().flat_map(|key| ["--set", key]).collect();
        let done = orbit("ball/table.toml", &[&free[..], &keys].concat());
        assert!(done.status.success(), "{}", text(&done.stderr));
        serde_json::from_slice(&done.stdout).unwrap()
    };
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let struck = found([
        "initial.joints.z=0.0",
        "initial.velocities.z=1.0",
        r#"orbit.section={impact="ball"}"#,
    ]);
    let period = 2.0 * number(&struck["state"]["v"]["z"]) / 9.81;
    assert!((number(&struck["period_s"]) - period).abs() < 1e-9);
    assert_eq!(struck["coordinates"], serde_json::json!(["v_z"]));
    // Every height is one of an orbit.
    assert!((number(&struck["multipliers"][0][0]) - 1.0).abs() < 1e-6);
    let top = format!("initial.joints.z={}", 0.5 / 9.81);
    let top = found([
        &top,
        "initial.velocities.z=0.0",
        r#"orbit.section={crossing="v_z",value=0.0,direction="falling"}"#,
    ]);
    // Not the start itself, which is on the section.
    let period = 2.0 * (2.0 * number(&top["state"]["q"]["z"]) / 9.81).sqrt();
    assert!((number(&top["period_s"]) - period).abs() < 1e-9);
}
