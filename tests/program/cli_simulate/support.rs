//! The program, and what it leaves in a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub use crate::folder::Folder;

pub fn simulate(scenario: &Path, out: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("simulate")
        .arg(scenario)
        .arg("--out")
        .arg(out)
        .args(options)
        .output()
        .unwrap()
}

pub fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots")
        .join(name)
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

pub fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

pub fn header(path: &Path) -> Vec<String> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_string)
        .collect()
}

pub fn column(path: &Path, name: &str) -> Vec<String> {
    let place = header(path).iter().position(|n| n == name).unwrap();
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader
        .records()
        .map(|r| r.unwrap()[place].to_string())
        .collect()
}

/// Tables and summary of two runs, without the time they took.
pub fn assert_same(a: &Path, b: &Path) {
    for file in ["series.csv", "events.csv", "scenario.toml", "robot.urdf"] {
        assert!(
            fs::read(a.join(file)).unwrap() == fs::read(b.join(file)).unwrap(),
            "{file} differs"
        );
    }
    let summary = |folder: &Path| {
        let mut value = json(&folder.join("summary.json"));
        let object = value.as_object_mut().unwrap();
        assert!(object.remove("wall_time_s").unwrap().is_f64());
        assert!(object.remove("real_time_factor").unwrap().is_f64());
        value
    };
    assert_eq!(summary(a), summary(b));
}

/// A robot of one joint.
pub const ROBOT: &str = r#"<robot name="arm">
  <link name="world"/>
  <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"#;

/// Its tip starts two metres above the ground.
pub const SCENARIO: &str = r#"time_step = 1e-3
duration = 0.1
[robot]
file = "robot.urdf"
[initial]
joints = { hinge = 0.0 }
[impact]
law = "propagative"
[contact]
friction = 0.0
[[contact.site]]
name = "tip"
link = "arm"
kind = "point"
position = [1.0, 0.0, 0.0]
[[terrain]]
kind = "plane"
name = "ground"
point = [0.0, 0.0, -2.0]
"#;

/// Runs and expects a refusal: exit code 2, one message with all of `words`, nothing written.
pub fn refused(folder: &Folder, scenario: &Path, options: &[&str], words: &[&str]) {
    let out = folder.path("refused");
    let run = simulate(scenario, &out, options);
    let message = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{words:?}: {message}");
    assert!(run.stdout.is_empty());
    assert_eq!(message.matches("error:").count(), 1, "{message}");
    for word in words {
        assert!(message.contains(word), "\"{word}\" is not in: {message}");
    }
    assert!(!out.exists(), "{words:?}: something was written");
}
