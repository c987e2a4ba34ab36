//! `carom design` of a periodic orbit as a user runs it.
#![cfg(feature = "cli")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::folder::Folder;

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots")
        .join(name)
}

fn carom(command: &str, file: &Path, arguments: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_carom"));
    program.arg(command).arg(file).args(arguments);
    program.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn json(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_else(|error| panic!("{error}: {}", text(bytes)))
}

/// Feet of a bar are orthogonal where ⟨u_A, u_B⟩ = 1/m − a²/I = 0: a = √(0.04 kg m² / 1 kg) = 0.2 m. The orbit of the design
/// has the multipliers of two balls, all of modulus e = 0.8 (page `three_questions`), and where the feet stand does not
/// change that it bounces once in 0.2 s.
#[test]
fn the_feet_of_a_bar_become_orthogonal_on_its_orbit_and_the_written_scenario_confirms_it() {
    let folder = Folder::new("orbit-design");
    let out = folder.path("bar");
    let design = shipped("bar/design.toml");
    let done = carom(
        "design",
        &design,
        &["--json", "--out", out.to_str().unwrap()],
    );
    assert!(done.status.success(), "{}", text(&done.stderr));
    let report = json(&done.stdout);
    assert_eq!(report["status"], "converged");
    let written = json(&std::fs::read(out.join("design.json")).unwrap());
    assert_eq!(report, written);
    let [before, after] = ["before", "after"].map(|side| &report["orbit"][side]);
    assert_eq!(before["differentiability"], "discontinuous");
    assert_eq!(after["differentiability"], "differentiable");
    let jump = |orbit: &Value| {
        let jump = orbit["simultaneous"][0]["jump"].as_object().unwrap();
        jump.values()
            .map(|x| x.as_f64().unwrap())
            .fold(0.0, f64::max)
    };
    assert!(
        jump(before) > 0.01 && jump(after) < 1e-9,
        "{} {}",
        jump(before),
        jump(after)
    );
    assert!(before["multipliers"].as_array().unwrap().is_empty());
    let moduli = after["multipliers"].as_array().unwrap().iter();
    let moduli = moduli.map(|m| m[0].as_f64().unwrap().hypot(m[1].as_f64().unwrap()));
    for modulus in moduli {
        // What differences of the map know where strikes come together.
        assert!((modulus - 0.8).abs() < 4e-5, "{modulus}");
    }
    let width = report["parameters"]["half_width"]["after"]
        .as_f64()
        .unwrap();
    // The slope of the cosine by the width is −1/0.2 m⁻¹ there, and it is met to 1e-10.
    assert!((width - 0.2).abs() < 1e-10, "{width}");
    let cosine = &report["strikes"][0]["cosines"][0]["cosine"];
    // (κ − 1)/(κ + 1) with κ = I/(m a²) = 1/3 for a uniform bar.
    assert!((cosine["before"].as_f64().unwrap() + 0.5).abs() < 1e-12);

    let again = carom("orbit", &out.join("scenario.toml"), &["--json"]);
    assert!(again.status.success(), "{}", text(&again.stderr));
    let again = json(&again.stdout);
    assert_eq!(again["differentiability"], "differentiable");
    assert_eq!(again["stable"], true);
    assert!(jump(&again) < 1e-9);
    assert_eq!(again["period_s"], after["period_s"]);
}

/// Of the robot's own numbers: with the feet at 0.25 m the inertia must be m a² = 0.0625 kg m².
#[test]
fn the_inertia_of_a_bar_is_tuned_to_its_feet() {
    let folder = Folder::new("orbit-design-inertia");
    let file = folder.write(
        "design.toml",
        format!(
            r#"[orbit]
scenario = "{}"
law = "plus"
set = ["contact.site.A.position.0=-0.25", "contact.site.B.position.0=0.25"]
[[parameter]]
name = "inertia"
start = 0.020833333333333332
lower = 0.01
upper = 0.1
scale = 0.01
acts = [{{ link = "bar", entry = "inertia.iyy", set = 1.0 }}]
"#,
            shipped("bar/two_feet.toml").display()
        ),
    );
    let out = folder.path("out");
    let done = carom("design", &file, &["--out", out.to_str().unwrap()]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let said = text(&done.stdout);
    let line = said.lines().find(|line| line.starts_with("return map"));
    let words: Vec<&str> = line.unwrap().split_whitespace().skip(2).collect();
    assert_eq!(words, ["discontinuous", "differentiable"]);
    let report = json(&std::fs::read(out.join("design.json")).unwrap());
    let inertia = report["parameters"]["inertia"]["after"].as_f64().unwrap();
    assert!((inertia - 0.0625).abs() < 1e-10, "{inertia}");
    let robot = std::fs::read_to_string(out.join("robot.urdf")).unwrap();
    assert!(robot.contains(&format!("iyy=\"{inertia}\"")), "{robot}");
}

/// The law of maximum dissipation does not know one outcome of two contacts, so uniqueness is not asked. Down a slope of angle s what impacts take is what gravity gives, sin s of the weight and way: the least slope is best. A
/// walker's speed grows with it.
#[test]
fn cost_is_made_small_and_speed_large_within_bounds() {
    let folder = Folder::new("orbit-design-walker");
    let design = |wish: &str, name: &str| {
        let file = folder.write(
            name,
            format!(
                r#"[orbit]
scenario = "{}"
{wish}
set = ["stepper.order=2", "time_step=4e-3"]
[[parameter]]
name = "push"
start = 0.29425585698648243
lower = 0.25
upper = 0.35
scale = 0.1
acts = [{{ key = "robot.gravity.0", set = 1.0 }}]
[solver]
evaluations = 12
"#,
                shipped("compass/gait_long.toml").display()
            ),
        );
        let out = folder.path(&format!("{name}.out"));
        let done = carom("design", &file, &["--json", "--out", out.to_str().unwrap()]);
        assert!(done.status.success(), "{}", text(&done.stderr));
        json(&done.stdout)
    };
    let slow = design(
        "minimise = \"cost_of_transport\"\nunique = false",
        "cost.toml",
    );
    let push = slow["parameters"]["push"]["after"].as_f64().unwrap();
    assert_eq!((push, &slow["at_bounds"][0]), (0.25, &Value::from("push")));
    let cost = slow["objective"]["value"]["after"].as_f64().unwrap();
    // Of the discrete motion: the balance of energy of a step of 4 ms and order 2 is some 1e-5.
    assert!(
        (cost - 0.25 / 0.25_f64.hypot(9.805585831077568)).abs() < 1e-4,
        "{cost}"
    );
    let fast = design("maximise = \"speed\"\nunique = false", "speed.toml");
    assert_eq!(fast["parameters"]["push"]["after"], 0.35);
    let speed = &fast["objective"]["value"];
    assert!(speed["after"].as_f64() > speed["before"].as_f64());
}

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let folder = Folder::new("orbit-design-refused");
    let bar = shipped("bar/two_feet.toml");
    let refused = |orbit: &str, acts: &str, code: i32| {
        let file = folder.write(
            "design.toml",
            format!(
                "[orbit]\nscenario = \"{}\"\n{orbit}\n[[parameter]]\nname = \"x\"\nstart = 0.34641016151377546\nacts = [{acts}]\n",
                bar.display()
            ),
        );
        let out = folder.path("out");
        let done = carom("design", &file, &["--out", out.to_str().unwrap()]);
        let said = text(&done.stderr);
        assert_eq!(done.status.code(), Some(code), "{said}");
        assert!(!out.join("design.json").exists());
        said
    };
    let foot = r#"{ key = "contact.site.A.position.0", set = -1.0 }, { key = "contact.site.B.position.0", set = 1.0 }"#;
    let said = refused("", r#"{ key = "contact.site.C.position.0", set = 1.0 }"#, 2);
    assert!(
        said.contains("no number as contact.site.C.position.0"),
        "{said}"
    );
    let said = refused("", r#"{ key = "contact.site.B.position.0" }"#, 2);
    assert!(said.contains("one of set, add and multiply"), "{said}");
    let said = refused("touch = [[\"A\", \"BB\"]]", foot, 2);
    assert!(
        said.contains("there is no contact \"BB\" (did you mean"),
        "{said}"
    );
    let said = refused(
        "minimise = \"cost_of_transport\"\nmaximise = \"speed\"",
        foot,
        2,
    );
    assert!(said.contains("exclude each other"), "{said}");
    let said = refused(
        "target = [{ contacts = [\"A\", \"C\"], order = 3 }]",
        foot,
        2,
    );
    assert!(said.contains("A and C do not strike together"), "{said}");
    let said = refused(
        "set = [\"robot.gravity=[0.0, 0.0, 1.0]\"]\nminimise = \"largest_multiplier\"",
        foot,
        1,
    );
    assert!(said.contains("no orbit is found from the start"), "{said}");
}
