//! `carom inspect` as a user meets it: options, answers, exit codes, messages.
#![cfg(feature = "cli")]

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

/// What one run of the program left behind.
struct Run {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Run {
    #[track_caller]
    fn json(&self) -> Value {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""));
        serde_json::from_str(&self.stdout).unwrap()
    }

    /// Bad input: exit 2, nothing on standard output, one message with these parts.
    #[track_caller]
    fn refused(&self, parts: &[&str]) {
        assert_eq!(
            (self.code, self.stdout.as_str()),
            (2, ""),
            "{}",
            self.stderr
        );
        for part in parts {
            assert!(
                self.stderr.contains(part),
                "{:?} should contain {part:?}",
                self.stderr
            );
        }
    }
}

fn inspect(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("inspect")
        .args(arguments)
        .output()
        .unwrap();
    Run {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A file that is removed at the end of a test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str, text: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("carom-inspect-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }

    fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

const CHAIN: &str = "robots/chain/chain4.urdf";
const ANYMAL: &str = "robots/anymal_b/anymal.urdf";

#[test]
fn robot_without_a_state_is_described() {
    let answer = inspect(&[ANYMAL, "--base", "floating", "--json"]).json();
    assert!((answer["mass"].as_f64().unwrap() - 30.475).abs() < 1e-3);
    assert_eq!(answer["dof"], 18);
    assert_eq!(answer["coordinates"][0], "base.vx");
    assert_eq!(answer["coordinates"][5], "base.wz");
    assert_eq!(answer["coordinates"][6], "LF_HAA");
    assert_eq!(answer["joints"][0]["position"], json!([-9.42, 9.42]));
    assert_eq!(answer["joints"][0]["effort"], 80.0);
    let feet: Vec<&str> = answer["contact_sites"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["link"].as_str().unwrap())
        .collect();
    assert_eq!(feet, ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"]);
    assert!(
        answer["warnings"]
            .to_string()
            .contains("meshes are not found")
    );
    assert!(answer.get("mass_matrix").is_none());

    let text = inspect(&[ANYMAL, "--base", "floating"]);
    assert_eq!(text.code, 0);
    for part in [
        "18 degrees of freedom",
        "30.4754 kg",
        "LF_HAA",
        "-9.42 to 9.42",
        "RH_FOOT",
        "warning: ",
    ] {
        assert!(text.stdout.contains(part), "{}", text.stdout);
    }
}

#[test]
fn state_gives_the_quantities_of_the_contract() {
    // One rod straight down at rest, the other three hanging straight below it.
    let state = Scratch::new(
        "hanging.json",
        &json!({"joints": {"joint1": std::f64::consts::FRAC_PI_2}, "velocities": {"joint4": 2.0}})
            .to_string(),
    );
    let answer = inspect(&[CHAIN, "--state", state.path(), "--json"]).json();
    assert_eq!(answer["base"], "fixed");
    assert_eq!(
        answer["coordinates"],
        json!(["joint1", "joint2", "joint3", "joint4"])
    );
    let number = |value: &Value| value.as_f64().unwrap();
    // The last rod turns about its end: ½ (1/3) 2².
    assert!((number(&answer["kinetic_energy"]) - 2.0 / 3.0).abs() < 1e-14);
    assert!((number(&answer["potential_energy"]) + 9.81 * 8.0).abs() < 1e-12);
    assert!((number(&answer["center_of_mass"][2]) + 2.0).abs() < 1e-14);
    assert!((number(&answer["mass_matrix"][3][3]) - 1.0 / 3.0).abs() < 1e-14);
    assert_eq!(answer["mass_matrix"].as_array().unwrap().len(), 4);
    for i in 0..4 {
        assert!(number(&answer["gravity"][i]).abs() < 1e-13);
        assert_eq!(answer["mass_matrix"][i][3], answer["mass_matrix"][3][i]);
    }
    // Stretched out, the first joint carries 4 kg at 2 m: dV/dq = -m g x for a turn about +y.
    let zero = Scratch::new("zero.json", "{}");
    let answer = inspect(&[CHAIN, "--state", zero.path(), "--json"]).json();
    assert!((number(&answer["gravity"][0]) + 4.0 * 9.81 * 2.0).abs() < 1e-12);

    let text = inspect(&[CHAIN, "--state", zero.path()]).stdout;
    for part in [
        "dV/dq",
        "kinetic energy   0 J",
        "centre of mass   (2, 0, 0) m",
        "diagonal of M",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn base_follows_the_state_unless_it_is_given() {
    let floating = json!({"base": {"position": [1, 2, 3], "quaternion": [0, 0, 0, 1], "twist": [1, 0, 0, 0, 0, 0]}});
    let state = Scratch::new("floating.json", &floating.to_string());
    let ball = "robots/ball/ball.urdf";
    let answer = inspect(&[ball, "--state", state.path(), "--json"]).json();
    assert_eq!(
        (answer["base"].as_str(), answer["dof"].as_u64()),
        (Some("floating"), Some(6))
    );
    assert_eq!(answer["kinetic_energy"], 0.5);
    assert_eq!(answer["center_of_mass"], json!([1.0, 2.0, 3.0]));
    inspect(&[ball, "--base", "fixed", "--state", state.path()]).refused(&[
        "floating.json",
        "base.position",
        "fixed base",
    ]);

    let planar = json!({"base": {"x": 1, "z": 2, "pitch": 0.5, "vx": 3, "vz": 4, "wpitch": 0}});
    let state = Scratch::new("planar.json", &planar.to_string());
    let answer = inspect(&[ball, "--state", state.path(), "--json"]).json();
    assert_eq!(
        answer["coordinates"],
        json!(["base.vx", "base.vz", "base.wpitch"])
    );
    assert!((answer["kinetic_energy"].as_f64().unwrap() - 12.5).abs() < 1e-14);

    let fixed = inspect(&[ball, "--json"]).json();
    assert_eq!(
        (fixed["base"].as_str(), fixed["dof"].as_u64()),
        (Some("fixed"), Some(0))
    );
}

#[test]
fn limits_that_the_state_violates_are_warned_of() {
    let state = Scratch::new(
        "beyond.json",
        &json!({"joints": {"LF_HAA": 10}}).to_string(),
    );
    let answer = inspect(&[ANYMAL, "--state", state.path(), "--json"]).json();
    let warnings = answer["warnings"].to_string();
    assert!(
        warnings.contains("\\\"LF_HAA\\\" is at 10, outside its limits -9.42 to 9.42"),
        "{warnings}"
    );
}

#[test]
fn bad_input_is_one_message_and_exit_code_two() {
    inspect(&["no/such.urdf"]).refused(&["cannot read no/such.urdf"]);
    inspect(&["robots/LICENSES.md", "--json"]).refused(&["robots/LICENSES.md", "not a URDF"]);
    inspect(&[CHAIN, "--state", "no/such.json"]).refused(&["no/such.json", "cannot be read"]);
    inspect(&[CHAIN, "--base", "flying"]).refused(&["flying", "floating"]);
    inspect(&[CHAIN, "--package", "name"]).refused(&["NAME=VALUE"]);
    for (name, text, parts) in [
        (
            "name.json",
            json!({"joints": {"jiont1": 0}}),
            &["joints", "did you mean \"joint1\""][..],
        ),
        (
            "key.json",
            json!({"joint": {}}),
            &["key.json:1", "unknown field `joint`"],
        ),
        (
            "huge.json",
            json!({"velocities": {"joint1": 1e200}}),
            &["kinetic energy is not finite"],
        ),
    ] {
        let state = Scratch::new(name, &text.to_string());
        inspect(&[CHAIN, "--state", state.path()]).refused(parts);
    }
    let nan = Scratch::new("nan.json", "{\"joints\": {\"joint1\": NaN}}");
    inspect(&[CHAIN, "--state", nan.path()]).refused(&["nan.json:1:", "joints.joint1"]);
    let massless = Scratch::new(
        "massless.urdf",
        "<robot name='r'><link name='world'/><link name='wheel'/><joint name='axle' type='continuous'>\
         <parent link='world'/><child link='wheel'/></joint></robot>",
    );
    inspect(&[massless.path()]).refused(&["massless.urdf", "\"wheel\"", "\"axle\"", "no mass"]);
}

#[test]
fn help_has_an_example_and_names_the_bases() {
    let help = inspect(&["--help"]);
    assert_eq!(help.code, 0);
    for part in [
        "Example:",
        "--base",
        "planar",
        "--state",
        "--package",
        "--json",
    ] {
        assert!(help.stdout.contains(part), "{}", help.stdout);
    }
}

/// Two fingers, of which the second mimics the first.
const GRIPPER: &str = r#"<robot name="gripper"><link name="palm"/>
<link name="left"><inertial><mass value="1"/></inertial></link>
<link name="right"><inertial><mass value="3"/></inertial></link>
<joint name="grip" type="prismatic"><parent link="palm"/><child link="left"/><axis xyz="0 1 0"/></joint>
<joint name="other" type="prismatic"><parent link="palm"/><child link="right"/><axis xyz="0 1 0"/>
<mimic joint="grip" multiplier="-2" offset="0.1"/></joint></robot>"#;

#[test]
fn mimic_joints_are_listed_under_what_they_follow() {
    let robot = Scratch::new("gripper.urdf", GRIPPER);
    let state = Scratch::new("grip.json", r#"{"velocities": {"grip": 2}}"#);
    let answer = inspect(&[robot.path(), "--state", state.path(), "--json"]).json();
    assert_eq!(answer["coordinates"], json!(["grip"]));
    let mimic =
        json!({"name": "other", "link": "right", "leader": "grip", "ratio": -2.0, "offset": 0.1});
    assert_eq!(answer["mimics"], json!([mimic]));
    // 1 kg at 2 m/s and 3 kg at −4 m/s.
    assert_eq!(answer["mass_matrix"], json!([[13.0]]));
    assert_eq!(answer["kinetic_energy"], 26.0);
    let text = inspect(&[robot.path()]).stdout;
    for part in ["1 degree of freedom", "mimic joint", "-2 grip + 0.1"] {
        assert!(text.contains(part), "{text}");
    }
    let wrong = Scratch::new("other.json", r#"{"joints": {"other": 0.1}}"#);
    inspect(&[robot.path(), "--state", wrong.path()]).refused(&[
        "joints",
        "\"other\" has no coordinate of its own",
        "name \"grip\" instead",
    ]);
    for (option, dof) in [("free", 2), ("fixed", 1)] {
        let answer = inspect(&[robot.path(), "--mimic", option, "--json"]).json();
        assert_eq!(
            (answer["dof"].clone(), answer.get("mimics")),
            (json!(dof), None),
            "{option}"
        );
        assert!(answer["warnings"].to_string().contains("mimic joints"));
    }
}

#[test]
fn keys_of_a_scenario_are_overridden_and_those_of_a_robot_are_none() {
    let root = env!("CARGO_MANIFEST_DIR");
    let ball = format!("{root}/robots/ball/bounce.toml");
    let higher = ["--json", "--set", "initial.base.position=[0.0,0.0,2.0]"];
    let told = inspect(&[&[ball.as_str()], &higher[..]].concat()).json();
    assert_ne!(told, inspect(&[&ball, "--json"]).json());
    inspect(&[&ball, "--set", "initial.bass.z=2.0"]).refused(&["bass", "base"]);
    let robot = format!("{root}/robots/ball/ball.urdf");
    inspect(&[&robot, "--set", "a=1"]).refused(&["--set a=1", "ball.urdf", "no scenario"]);
}
