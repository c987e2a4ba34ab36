//! `carom design` as a user meets it: files, exit codes, messages.
#![cfg(all(feature = "cli", feature = "xacro"))]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

fn carom(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .output()
        .unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("carom-design-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// A copy of the shipped design file with changes, next to nothing: its robot path is made absolute.
fn changed(folder: &Path, change: &dyn Fn(String) -> String) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let text = fs::read_to_string(root().join("robots/trex/design.toml")).unwrap();
    let robot = root().join("robots/trex/trex.xacro");
    let text = text.replace(
        "\"trex.xacro\"",
        &format!("{:?}", robot.display().to_string()),
    );
    let path = folder.join("problem.toml");
    fs::write(&path, change(text)).unwrap();
    path
}

#[test]
fn trex_writes_everything_the_contract_names() {
    let folder = folder("trex");
    let design = root().join("robots/trex/design.toml");
    let out = folder.to_str().unwrap();
    let run = carom(&[
        "design",
        design.to_str().unwrap(),
        "--out",
        out,
        "--json",
        "--map",
        "base.pitch,phi_A",
        "--map-points",
        "3",
    ]);
    let errors = String::from_utf8(run.stderr).unwrap();
    assert_eq!(run.status.code(), Some(0), "{errors}");
    let printed: Value = serde_json::from_slice(&run.stdout).unwrap();
    let text = fs::read_to_string(folder.join("design.json")).unwrap();
    let json: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(printed, json);
    assert_eq!(json["status"], "converged");
    assert!(json["iterations"].as_u64().unwrap() <= 10);
    let cosine = &json["cosines"]["after"][0];
    assert_eq!(cosine["contacts"], serde_json::json!(["foot_A", "tail"]));
    assert!(cosine["cosine"].as_f64().unwrap().abs() <= 1e-12);
    for side in ["before", "after"] {
        assert_eq!(json["gaps_m"][side].as_object().unwrap().len(), 2);
    }
    for (_, gap) in json["gaps_m"]["after"].as_object().unwrap() {
        assert!(gap.as_f64().unwrap().abs() <= 1e-12);
    }
    assert_eq!(json["parameters"]["r1"]["before"], 0.07);
    assert_eq!(json["coordinates"].as_object().unwrap().len(), 7);
    assert!(json["xi"]["after"].as_f64().unwrap() <= 1e-13);
    for plot in [
        "cosine_path",
        "convergence",
        "stance_landing",
        "momentum_distance",
        "map_cosine_0",
        "map_xi",
    ] {
        let svg = fs::read_to_string(folder.join(format!("plots/{plot}.svg"))).unwrap();
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{plot}"
        );
    }
    // The whole run of 2 s, before and after, in both orders.
    let drop = &json["drop"];
    assert_eq!(
        drop["before"]["parting"]["contacts"],
        serde_json::json!(["foot_A", "tail"])
    );
    let apart = |side: &str| drop[side]["distance_after_landing"].as_f64().unwrap();
    assert!(apart("before") > 1e5 * apart("after"));
    let curve = fs::read_to_string(folder.join("momentum_distance.csv")).unwrap();
    assert_eq!(curve.lines().count(), 1 + 2 * 2001);
    // The tuned robot loads as it is and has the tuned size.
    let model = carom::model::urdf::load(&folder.join("robot.urdf"), &Default::default());
    let model = model
        .unwrap()
        .base(carom::model::Base::Planar)
        .build()
        .unwrap();
    let mass = json["mass_kg"]["after"].as_f64().unwrap();
    assert!((model.mass() / mass - 1.0).abs() < 1e-14);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn bad_problems_leave_nothing_behind() {
    let folder = folder("bad");
    let out = folder.join("out");
    type Case<'a> = (&'a dyn Fn(String) -> String, i32, &'a [&'a str]);
    let cases: [Case<'_>; 5] = [
        (
            &|t| t.replace("drop_height", "drop_hight"),
            2,
            &["problem.toml:", "drop_hight", "drop_height"],
        ),
        (
            &|t| t.replace("upper = 0.049", "upper = 0.01"),
            2,
            &["\"r2\"", "contradict"],
        ),
        (
            &|t| t.replace("touch = [\"foot_A\"", "touch = [\"foot_C\""),
            2,
            &["foot_C", "foot_A"],
        ),
        // The head too high for anything to touch: the stance's z between 1 and 2 m.
        (
            &|t| {
                let (head, rest) = t.split_once("[[parameter]]").unwrap();
                let (_, tail) = rest.split_once("[contact]").unwrap();
                let t = format!("{head}[contact]{tail}");
                t.replace("z = 0.1238", "z = 1.5").replace(
                    "name = \"base.z\"",
                    "name = \"base.z\", lower = 1.0, upper = 2.0",
                )
            },
            1,
            &["\"foot_A\" and \"tail\" cannot touch:", "gap of contact"],
        ),
        (&|t| t.replace("[[parameter]]", "[[gone]]"), 2, &["gone"]),
    ];
    for (change, code, parts) in cases {
        let file = changed(&folder, change);
        let run = carom(&[
            "design",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ]);
        let message = String::from_utf8(run.stderr).unwrap();
        assert_eq!(run.status.code(), Some(code), "{message}");
        assert!(run.stdout.is_empty());
        for part in parts {
            assert!(
                message.contains(part),
                "{message:?} should contain {part:?}"
            );
        }
        assert!(!out.exists());
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Every file below a folder with its bytes, by its path within.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_path_buf();
                files.insert(name, fs::read(path).unwrap());
            }
        }
    }
    files
}

/// The search is killed in the middle, goes on from its checkpoint, and ends with the bytes of a run that was not.
#[test]
fn a_killed_search_resumes_to_the_same_bytes() {
    let robots = root().join("robots/rhex");
    let pair = fs::read_to_string(robots.join("design_pair.toml")).unwrap();
    let robot = format!("{:?}", robots.join("rhex.urdf").display().to_string());
    let pair = pair
        .replace("\"rhex.urdf\"", &robot)
        .replace("drop_height = 0.2", "");
    let solvers = [
        ("starts", "starts = 4\nseed = 3"),
        (
            "swarm",
            "global = \"particle-swarm\"\nparticles = 8\ngenerations = 12\nseed = 3",
        ),
    ];
    for (name, solver) in solvers {
        let folder = folder(&format!("kill-{name}"));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("pair.toml");
        fs::write(&file, format!("{pair}\n[solver]\n{solver}\n")).unwrap();
        let command = |out: &Path, more: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
            let arguments = [
                "design",
                file.to_str().unwrap(),
                "--quiet",
                "--out",
                out.to_str().unwrap(),
            ];
            command.args(arguments).args(more).stdout(Stdio::null());
            command
        };
        let (whole, cut) = (folder.join("whole"), folder.join("cut"));
        assert!(command(&whole, &[]).status().unwrap().success());
        let mut child = command(&cut, &[]).spawn().unwrap();
        let checkpoint = cut.join("checkpoint.json");
        while !checkpoint.exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended uncut");
            std::thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!cut.join("design.json").exists(), "{name}: killed too late");
        assert!(command(&cut, &["--resume"]).status().unwrap().success());
        assert_eq!(contents(&whole), contents(&cut), "{name}");
        let json: Value =
            serde_json::from_slice(&fs::read(cut.join("design.json")).unwrap()).unwrap();
        let starts = if name == "starts" { 4 } else { 2 };
        assert_eq!(json["starts"].as_array().unwrap().len(), starts);
        // A checkpoint of another problem is refused.
        fs::write(
            cut.join("checkpoint.json"),
            "{\"fingerprint\": \"0\", \"starts\": [], \"swarm\": null}",
        )
        .unwrap();
        let refused = command(&cut, &["--resume"]).stderr(Stdio::null()).status();
        assert_eq!(refused.unwrap().code(), Some(2));
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn the_folder_is_named_by_robot_and_file() {
    let folder = folder("name");
    fs::create_dir_all(&folder).unwrap();
    let design = root().join("robots/rhex/design_pair.toml");
    let run = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["design", design.to_str().unwrap(), "--json"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(0));
    let out = folder.join("out/rhex-design_pair");
    assert!(out.join("design.json").exists());
    // The drops run again as scenarios.
    let json: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(json["drop"]["after"]["duration_s"].as_f64().unwrap() > 0.3);
    let scenario = out.join("drop_after/scenario.toml");
    let again = folder.join("again");
    let run = carom(&[
        "simulate",
        scenario.to_str().unwrap(),
        "--out",
        again.to_str().unwrap(),
        "--set",
        "duration=0.21",
        "--set",
        "output.plots=false",
    ]);
    assert_eq!(
        run.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let summary = fs::read(again.join("summary.json")).unwrap();
    let summary: Value = serde_json::from_slice(&summary).unwrap();
    assert_eq!(summary["impacts"]["ambiguous"], 0);
    assert!(summary["impacts"]["count"].as_u64().unwrap() >= 1);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn keys_of_the_design_file_are_set_from_the_command_line() {
    let folder = folder("set");
    let design = root().join("robots/rhex/design_pair.toml");
    let run = |set: &str| {
        carom(&[
            "design",
            design.to_str().unwrap(),
            "--out",
            folder.to_str().unwrap(),
            "--json",
            "--set",
            set,
        ])
    };
    let wrong = run("solver.startss=2");
    assert_eq!(wrong.status.code(), Some(2));
    let told = String::from_utf8(wrong.stderr).unwrap();
    assert!(told.contains("did you mean \"starts\""), "{told}");
    assert!(!folder.exists());
    let other = run("parameter.end_x.start=0.19");
    let json: Value = serde_json::from_slice(&other.stdout).unwrap();
    assert_eq!(json["parameters"]["end_x"]["before"], 0.19);
    fs::remove_dir_all(folder).unwrap();
}
