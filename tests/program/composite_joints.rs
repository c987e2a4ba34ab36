//! Ball joints and their like as a user meets them: what is told, named, set, driven and written.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::cli_simulate::support::{assert_same, column, header, json, shipped, simulate, text};
use crate::folder::Folder;

/// A trunk on a hinge with an arm in a ball joint.
const ROBOT: &str = r#"<robot name="torso">
<link name="world"/>
<link name="trunk"><inertial><mass value="4"/><inertia ixx="0.1" iyy="0.1" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="arm"><inertial><origin xyz="0 0 -0.2"/><mass value="1"/>
<inertia ixx="0.02" iyy="0.02" izz="0.004" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="waist" type="continuous"><parent link="world"/><child link="trunk"/><axis xyz="0 0 1"/></joint>
<joint name="left_shoulder" type="spherical"><origin xyz="0 0.2 0.4"/><parent link="trunk"/><child link="arm"/>
<dynamics damping="0.01"/></joint>
</robot>"#;

const TURNS: [&str; 3] = ["left_shoulder_rx", "left_shoulder_ry", "left_shoulder_rz"];
const NOTICE: &str = "the middle one of three turns stops at -1.5 and 1.5 rad, where the robot has no stop, because at ±π/2 the angles are \
                      singular: \"left_shoulder_ry\"";

fn numbers(series: &Path, name: &str) -> Vec<f64> {
    let column = column(series, name);
    column.iter().map(|x| x.parse().unwrap()).collect()
}

fn inspect(file: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("inspect")
        .arg(file)
        .args(options)
        .output()
        .unwrap()
}

fn robot(folder: &Folder) -> std::path::PathBuf {
    let file = folder.path("torso.urdf");
    fs::write(&file, ROBOT).unwrap();
    file
}

#[test]
fn inspect_tells_the_turns_and_the_stop_of_the_middle_one() {
    let folder = Folder::new("composite-inspect");
    let file = robot(&folder);
    let answer = inspect(&file, &["--json"]);
    let told: serde_json::Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(told["dof"], 4);
    for (i, turn) in TURNS.iter().enumerate() {
        let joint = &told["joints"][i + 1];
        assert_eq!(joint["name"], *turn);
        assert_eq!(joint["part_of"], "left_shoulder");
        assert_eq!(
            (&joint["kind"], &joint["link"]),
            (&"revolute".into(), &"arm".into())
        );
    }
    assert_eq!(told["joints"][0].get("part_of"), None);
    let words = text(&inspect(&file, &[]).stdout);
    assert!(
        words.contains(NOTICE) && words.contains("turn the origin"),
        "{words}"
    );
    // A state by the names of the turns; the joint itself is no coordinate.
    let state = folder.path("state.json");
    fs::write(
        &state,
        r#"{"joints": {"left_shoulder_rx": 0.5}, "velocities": {"left_shoulder_rz": 2}}"#,
    )
    .unwrap();
    let at = inspect(&file, &["--state", state.to_str().unwrap(), "--json"]);
    assert_eq!(at.status.code(), Some(0), "{}", text(&at.stderr));
    fs::write(&state, r#"{"joints": {"left_shoulder": 0.5}}"#).unwrap();
    let refused = text(&inspect(&file, &["--state", state.to_str().unwrap()]).stderr);
    assert!(
        refused.contains("spherical") && refused.contains("\"left_shoulder_rx\""),
        "{refused}"
    );
}

#[test]
fn a_robot_with_a_ball_joint_runs_by_its_file_alone_and_runs_again_from_its_folder() {
    let folder = Folder::new("composite-file");
    let file = robot(&folder);
    let out = folder.path("run");
    let options = [
        "--set=duration=0.1",
        "--set=initial.joints.left_shoulder_ry=0.4",
        "--set=output.plots=false",
    ];
    let run = simulate(&file, &out, &options);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(text(&run.stderr).contains(NOTICE), "{}", text(&run.stderr));
    let series = out.join("series.csv");
    let columns = header(&series);
    for turn in TURNS {
        for kind in ["q", "v", "effort"] {
            let name = format!("{kind}_{turn}");
            assert!(columns.contains(&name), "{name} of {columns:?}");
        }
    }
    assert_eq!(numbers(&series, "q_left_shoulder_ry")[0], 0.4);
    let remarks = json(&out.join("summary.json"))["remarks"].to_string();
    assert!(remarks.contains("left_shoulder_ry"), "{remarks}");
    // What the folder holds is the run.
    assert_eq!(fs::read_to_string(out.join("robot.urdf")).unwrap(), ROBOT);
    let again = folder.path("again");
    let run = simulate(&out.join("scenario.toml"), &again, &[]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert_same(&out, &again);
    assert!(out.join("replay.html").exists());
    let picture = Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("picture")
        .arg(&out)
        .output()
        .unwrap();
    assert_eq!(picture.status.code(), Some(0), "{}", text(&picture.stderr));
}

#[test]
fn patterns_drive_adjust_and_start_the_turns() {
    let folder = Folder::new("composite-patterns");
    robot(&folder);
    let scenario = folder.path("torso.toml");
    let table = "time_step = 1e-3\nduration = 1.0\n[robot]\nfile = \"torso.urdf\"\n\
                 [robot.joint.\"*_shoulder_*\"]\narmature = 0.02\n\
                 [initial.joints]\nleft_shoulder_rx = 0.3\n\
                 [controller]\nkind = \"servo\"\n\
                 joint = [{ joints = \"*_shoulder_*\", stiffness = 40.0, damping = 4.0, target = 0.2 }]\n\
                 [output]\nplots = false\n";
    fs::write(&scenario, table).unwrap();
    let out = folder.path("run");
    let options = [
        "--set=controller.joint.left_shoulder_rz.target=-0.5",
        "--set=robot.joint.left_shoulder_rz.armature=0.03",
    ];
    let run = simulate(&scenario, &out, &options);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let written = fs::read_to_string(out.join("scenario.toml")).unwrap();
    let written: toml::Table = toml::from_str(&written).unwrap();
    let joints = &written["robot"]["joint"];
    for (turn, armature) in TURNS.iter().zip([0.02, 0.02, 0.03]) {
        assert_eq!(
            joints[*turn]["armature"].as_float(),
            Some(armature),
            "{joints}"
        );
    }
    // Where a servo has come to rest, k (target − q) holds the weight: at most m g l = 1.96 N m, 0.05 rad.
    for (turn, target) in TURNS.iter().zip([0.2, 0.2, -0.5]) {
        let last = *numbers(&out.join("series.csv"), &format!("q_{turn}"))
            .last()
            .unwrap();
        assert!((last - target).abs() < 0.06, "{turn}: {last}");
    }
    fs::write(
        &scenario,
        table.replace("\"*_shoulder_*\", s", "\"left_sholder_*\", s"),
    )
    .unwrap();
    let refused = text(&simulate(&scenario, &folder.path("none"), &[]).stderr);
    assert!(refused.contains("\"left_shoulder_rx\""), "{refused}");
}

#[test]
fn the_middle_turn_stops_where_it_is_told_to() {
    let folder = Folder::new("composite-stop");
    robot(&folder);
    let scenario = folder.path("torso.toml");
    let table = "time_step = 1e-3\nduration = 0.2\n[robot]\nfile = \"torso.urdf\"\ngravity = [0.0, 0.0, 0.0]\n\
                 [initial.joints]\nleft_shoulder_ry = 1.4\n[initial.velocities]\nleft_shoulder_ry = 2.0\n\
                 [output]\nplots = false\n";
    fs::write(&scenario, table).unwrap();
    let out = folder.path("run");
    let run = simulate(&scenario, &out, &[]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let turn = numbers(&out.join("series.csv"), "q_left_shoulder_ry");
    assert!(turn.iter().all(|q| *q <= 1.5 + 1e-9), "{turn:?}");
    let events = fs::read_to_string(out.join("events.csv")).unwrap();
    assert!(events.contains("left_shoulder_ry:upper"), "{events}");
    // Without limits nothing stops it, which is said.
    let out = folder.path("loose");
    let run = simulate(
        &scenario,
        &out,
        &["--set=robot.limits=false", "--set=duration=0.06"],
    );
    assert!(
        text(&run.stderr).contains("nothing stops the middle one of three turns"),
        "{}",
        text(&run.stderr)
    );
    assert!(
        *numbers(&out.join("series.csv"), "q_left_shoulder_ry")
            .last()
            .unwrap()
            > 1.5
    );
}

/// What the scenario says it shows: after t the ball is at the angle Ω t, Ω² = g / (l cos θ).
#[test]
fn the_conical_pendulum_goes_round_at_its_rate() {
    let folder = Folder::new("composite-conical");
    let way = |name: &str, options: &[&str]| -> Vec<(f64, [f64; 3])> {
        let out = folder.path(name);
        let options = [options, &["--set=output.plots=false"]].concat();
        let run = simulate(&shipped("ball_joint/conical.toml"), &out, &options);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let columns = ["time_s", "q_pivot_rx", "q_pivot_ry"];
        let [time, rx, ry] = columns.map(|name| numbers(&out.join("series.csv"), name));
        // −R e_z of R = R_x(rx) R_y(ry) R_z(rz).
        let bob = |(rx, ry): (f64, f64)| [-ry.sin(), rx.sin() * ry.cos(), -rx.cos() * ry.cos()];
        time.into_iter()
            .zip(rx.into_iter().zip(ry).map(bob))
            .collect()
    };
    let apart =
        |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    let coarse = way("coarse", &["--set=time_step=1e-2", "--set=output.every=1"]);
    let fine = way("fine", &["--set=time_step=5e-3", "--set=output.every=2"]);
    assert_eq!(fine.len(), 1001);
    let rate = (9.81 / 0.5_f64.cos()).sqrt();
    let (mut change, mut error) = (0.0_f64, 0.0_f64);
    for ((_, a), (time, b)) in coarse.iter().zip(&fine) {
        let (sin, cos) = (rate * time).sin_cos();
        let tilt = 0.5_f64.sin();
        let exact = [-tilt * cos, -tilt * sin, -0.5_f64.cos()];
        (change, error) = (change.max(apart(a, b)), error.max(apart(b, &exact)));
    }
    assert!(change < 1e-6, "{change}");
    // Of order 4: what is left is a fifteenth of what the halving of the step changed, twice over for the higher terms, and
    // the roundings of 2·10³ steps.
    assert!(error < 2.0 * change / 15.0 + 1e-11, "{error} {change}");
}
