//! Scenes as a user runs them: several robots, tables that shake, what `inspect` says of a scenario, gaits from `init`.
#![cfg(feature = "cli")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::cli_simulate::support::{column, header, json, shipped, simulate, text};
use crate::folder::Folder;

fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .output()
        .unwrap()
}

fn answer(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn numbers(series: &Path, name: &str) -> Vec<f64> {
    let column = column(series, name);
    column.iter().map(|x| x.parse().unwrap()).collect()
}

/// Up to where the second robot has struck the first.
const SHORT: [&str; 2] = ["--set=duration=0.65", "--set=output.plots=false"];

#[test]
fn two_quadrupeds_bump_and_the_folder_repeats_the_run() {
    let folder = Folder::new("scene-bump");
    let (out, again) = (folder.path("out"), folder.path("again"));
    answer(&simulate(&shipped("quadruped/bump.toml"), &out, &SHORT));
    let series = out.join("series.csv");
    let names = header(&series);
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len());
    for name in [
        "q_still.base.x",
        "q_sliding.FR_thigh_joint",
        "effort_still.FL_calf_joint",
    ] {
        assert!(names.iter().any(|n| n == name), "{name}");
    }
    // It stands until it is struck, and then it goes the way of the other.
    let x = numbers(&series, "q_still.base.x");
    let other = numbers(&series, "q_sliding.base.x");
    assert!(x[1].abs() < 1e-3 && x[x.len() - 1] < -4e-2, "{x:?}");
    assert!(other[0] == 1.0 && other[other.len() - 1] < 0.9);
    assert!(out.join("robot_1.urdf").is_file() && out.join("robot_2.urdf").is_file());
    answer(&simulate(&out.join("scenario.toml"), &again, &[]));
    for file in [
        "series.csv",
        "events.csv",
        "scenario.toml",
        "robot_1.urdf",
        "robot_2.urdf",
    ] {
        assert!(
            fs::read(out.join(file)).unwrap() == fs::read(again.join(file)).unwrap(),
            "{file} differs"
        );
    }
}

#[test]
fn keys_of_one_robot_of_a_scene_are_set_by_its_name() {
    let folder = Folder::new("scene-set");
    let out = folder.path("out");
    let set = [
        "--set=duration=0.01",
        "--set=output.plots=false",
        "--set=robot.sliding.position=[2.0, 0.0, 0.3]",
        "--set=robot.still.position=[0.0, 0.0, 0.31]",
        "--set=robot.still.initial.joints.FR_hip_joint=0.05",
        "--set=robot.still.controller.joint.FR_hip_joint.target=0.1",
    ];
    answer(&simulate(&shipped("quadruped/bump.toml"), &out, &set));
    let first = |name: &str| numbers(&out.join("series.csv"), name)[0];
    assert_eq!(first("q_sliding.base.x"), 2.0);
    assert_eq!(first("q_still.FR_hip_joint"), 0.05);
    assert!(first("q_sliding.FR_hip_joint") == 0.0);
    // 100 N m/rad pull the joint from 0.05 rad to 0.1 rad.
    let hip = numbers(&out.join("series.csv"), "q_still.FR_hip_joint");
    assert!(hip[hip.len() - 1] > 0.05, "{hip:?}");
    let wrong = ["--set=robot.stil.limits=false"];
    let refused = simulate(&shipped("quadruped/bump.toml"), &out, &wrong);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("no entry \"stil\""),
        "{}",
        text(&refused.stderr)
    );
}

#[test]
fn a_baseline_of_a_scene_is_recorded_and_verified() {
    let folder = Folder::new("scene-baseline");
    let file = folder.path("bump.baseline.json");
    let scenario = shipped("quadruped/bump.toml");
    let arguments = |verb: &'static str| {
        let mut all = vec!["baseline", verb];
        match verb {
            "record" => all.extend([
                scenario.to_str().unwrap(),
                "--out",
                file.to_str().unwrap(),
                "--set",
                "duration=0.02",
            ]),
            _ => all.push(file.to_str().unwrap()),
        }
        carom(&all)
    };
    answer(&arguments("record"));
    answer(&arguments("verify"));
}

#[test]
fn a_block_hops_on_the_shipped_table() {
    let folder = Folder::new("scene-shaker");
    let out = folder.path("out");
    answer(&simulate(
        &shipped("block/shaker.toml"),
        &out,
        &["--set=duration=0.5", "--set=output.plots=false"],
    ));
    let series = out.join("series.csv");
    let work = numbers(&series, "work_surfaces_J");
    assert!(work[work.len() - 1] > 0.0);
    let summary = json(&out.join("summary.json"));
    assert!(
        summary["impacts"]["count"].as_u64().unwrap() > 2,
        "{summary}"
    );
    // Above the table's highest place it flies: 1 m from its feet to its middle.
    let highest = numbers(&series, "q_base.z").into_iter().fold(0.0, f64::max);
    assert!(highest > 1.003, "{highest}");
}

#[test]
fn inspect_says_what_a_scenario_puts_together() {
    let shown = answer(&carom(&[
        "inspect",
        shipped("rhex/tripod_step.toml").to_str().unwrap(),
    ]));
    for part in [
        "ground",
        "plane",
        "box",
        "can touch",
        "leg_left_front",
        "kinetic energy",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let bump = shipped("quadruped/bump.toml");
    let shown: serde_json::Value = serde_json::from_str(&answer(&carom(&[
        "inspect",
        bump.to_str().unwrap(),
        "--json",
    ])))
    .unwrap();
    let scene = &shown["scene"];
    let names: Vec<&str> = scene["robots"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["still", "sliding"]);
    assert_eq!(scene["terrain"][0]["name"], "ground");
    assert_eq!(scene["terrain"][0]["friction"], 0.1);
    let touching = scene["touching"].as_array().unwrap();
    let of = |link: &str, with: &str| {
        touching
            .iter()
            .any(|t| t["link"] == link && t["with"] == with)
    };
    assert!(of("still.FR_foot", "ground") && of("still.trunk", "sliding.trunk"));
    assert!(!of("still.trunk", "still.FR_thigh"));
    let shaker = shipped("block/shaker.toml");
    let shown = answer(&carom(&["inspect", shaker.to_str().unwrap()]));
    assert!(
        shown.contains("shaken by (0.001, 0, 0.003) m at 12 Hz"),
        "{shown}"
    );
    let refused = carom(&["inspect", bump.to_str().unwrap(), "--base", "fixed"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--base is for a robot's file"));
}

/// Ranges of the joints of a robot's file that have some.
fn limits(robot: &Path) -> Vec<(String, f64, f64)> {
    let shown = answer(&carom(&[
        "inspect",
        "--base",
        "floating",
        "--json",
        robot.to_str().unwrap(),
    ]));
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let joints = shown["joints"].as_array().unwrap();
    let ranged = joints.iter().filter_map(|joint| {
        let range = joint["position"].as_array()?;
        Some((
            joint["name"].as_str()?.to_string(),
            range[0].as_f64()?,
            range[1].as_f64()?,
        ))
    });
    ranged.collect()
}

#[test]
fn init_writes_gaits_for_the_legs_that_it_finds() {
    let folder = Folder::new("scene-gait");
    for (robot, legs, kind) in [
        ("quadruped/a1.urdf", 4, "kind = \"servo\""),
        ("rhex/rhex.urdf", 6, "kind = \"gait\""),
    ] {
        let scenario = folder.path(&format!("{}.toml", robot.replace('/', "-")));
        let path = shipped(robot);
        let written = carom(&[
            "init",
            path.to_str().unwrap(),
            "--controller",
            "gait",
            "--out",
            scenario.to_str().unwrap(),
        ]);
        assert!(
            answer(&written).contains(&format!("a gait of {legs} legs")),
            "{}",
            text(&written.stdout)
        );
        let content = fs::read_to_string(&scenario).unwrap();
        assert!(
            content.contains(kind) && content.contains("[locomotion]"),
            "{content}"
        );
        let out = folder.path("out");
        answer(&simulate(
            &scenario,
            &out,
            &["--set=duration=2.0", "--set=output.plots=false"],
        ));
        let series = out.join("series.csv");
        // It goes on its feet: the body stays above half of its height at the start.
        let height = numbers(&series, "q_base.z");
        let lowest = height.iter().fold(f64::INFINITY, |m, z| m.min(*z));
        assert!(
            lowest > 0.5 * height[0],
            "{robot}: {lowest} m of {} m",
            height[0]
        );
        let summary = json(&out.join("summary.json"));
        let strides = summary["locomotion"]["strides"].as_f64().unwrap();
        assert!(strides > 1.0, "{robot}: {summary}");
        assert!(
            summary["locomotion"]["distance_forward_m"]
                .as_f64()
                .unwrap()
                > 0.1,
            "{robot}: {summary}"
        );
        // What the servos want is inside of the limits; what they get leaves it by no more than a limit gives.
        for (joint, low, high) in limits(&path) {
            for q in numbers(&series, &format!("q_{joint}")) {
                assert!(
                    q > low - 1e-6 && q < high + 1e-6,
                    "{joint}: {q} of {low} to {high}"
                );
            }
        }
    }
}

#[test]
fn init_says_that_there_are_no_legs() {
    for robot in ["chain/chain4.urdf", "ball/ball.urdf"] {
        let refused = carom(&[
            "init",
            shipped(robot).to_str().unwrap(),
            "--controller",
            "gait",
        ]);
        assert_eq!(refused.status.code(), Some(2), "{robot}");
        assert!(
            text(&refused.stderr).contains("no legs are found"),
            "{}",
            text(&refused.stderr)
        );
        assert!(refused.stdout.is_empty());
    }
}
