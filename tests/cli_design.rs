//! `carom design` as a user meets it: files, exit codes, messages.
#![cfg(all(feature = "cli", feature = "xacro"))]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

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
        "map_cosine_0",
        "map_xi",
    ] {
        let svg = fs::read_to_string(folder.join(format!("plots/{plot}.svg"))).unwrap();
        assert!(
            svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"),
            "{plot}"
        );
    }
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
                t.replace("z = 0.1238", "z = 1.5").replace(
                    "name = \"base.z\"",
                    "name = \"base.z\", lower = 1.0, upper = 2.0",
                )
            },
            1,
            &["cannot be brought to 0", "gap of contact"],
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

#[test]
fn an_interrupted_search_resumes_to_the_same_design() {
    let folder = folder("resume");
    let search = |t: String| format!("{t}\n[solver]\nstarts = 2\nseed = 3\n");
    let file = changed(&folder, &search);
    let run = |out: &Path, more: &[&str]| {
        let mut arguments = vec![
            "design",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--quiet",
        ];
        arguments.extend(more);
        let run = carom(&arguments);
        assert_eq!(
            run.status.code(),
            Some(0),
            "{}",
            String::from_utf8_lossy(&run.stderr)
        );
        fs::read_to_string(out.join("design.json")).unwrap()
    };
    let whole = run(&folder.join("whole"), &[]);
    let again = run(&folder.join("again"), &["--resume"]);
    assert_eq!(whole, again);
    let json: Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(json["starts"].as_array().unwrap().len(), 2);
    // A checkpoint of another problem is refused.
    let other = folder.join("other");
    fs::create_dir_all(&other).unwrap();
    fs::write(
        other.join("checkpoint.json"),
        "{\"fingerprint\": \"0\", \"starts\": []}",
    )
    .unwrap();
    let arguments = [
        "design",
        file.to_str().unwrap(),
        "--out",
        other.to_str().unwrap(),
        "--resume",
    ];
    let refused = carom(&arguments);
    assert_eq!(refused.status.code(), Some(2));
    fs::remove_dir_all(folder).unwrap();
}
