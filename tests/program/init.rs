//! `carom init` and `carom simulate ROBOT.urdf`: from a robot's file to a run.
#![cfg(feature = "cli")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::cli_simulate::support::{assert_same, column, header, shipped, simulate, text};
use crate::folder::Folder;

fn init(robot: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("init")
        .arg(robot)
        .args(options)
        .output()
        .unwrap()
}

fn numbers(series: &Path, name: &str) -> Vec<f64> {
    let column = column(series, name);
    column.iter().map(|x| x.parse().unwrap()).collect()
}

/// Robots of others stand: after a second they are as high as at the start but for what their servos give (a twentieth),
/// and the ground carries their weight. What still swings then is a hundredth of it.
#[test]
fn a_robot_of_which_only_the_file_is_known_stands() {
    let folder = Folder::new("init-stands");
    for robot in [
        "quadruped/a1.urdf",
        "humanoid/g1.urdf",
        "anymal_b/anymal.urdf",
    ] {
        let out = folder.path(&robot.replace('/', "-"));
        let run = simulate(
            &shipped(robot),
            &out,
            &["--set=duration=1", "--set=output.plots=false"],
        );
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        assert!(
            text(&run.stderr).contains("floating base"),
            "{}",
            text(&run.stderr)
        );
        let series = out.join("series.csv");
        let height = numbers(&series, "q_base.z");
        let [first, last] = [height[0], height[height.len() - 1]];
        assert!(
            (first - last).abs() < 0.05 * first,
            "{robot} goes from {first} m to {last} m"
        );
        // Read once: of 200 contacts there are thousands of columns.
        let table = fs::read_to_string(&series).unwrap();
        let last = table.lines().last().unwrap();
        let carried: f64 = header(&series)
            .iter()
            .zip(last.split(','))
            .filter(|(n, _)| n.starts_with("force_") && n.ends_with("_n_N"))
            .map(|(_, force)| force.parse::<f64>().unwrap())
            .sum();
        let described = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(["inspect", "--base", "floating", "--json"])
            .arg(shipped(robot))
            .output()
            .unwrap();
        let described: serde_json::Value = serde_json::from_slice(&described.stdout).unwrap();
        let weight = 9.81 * described["mass"].as_f64().unwrap();
        assert!(
            (carried - weight).abs() < 0.01 * weight,
            "{robot}: {carried} N of {weight} N"
        );
    }
}

/// The scenario that is written is the one that `simulate` makes by itself, and the folder of its run repeats it.
#[test]
fn written_or_not_the_run_is_the_same() {
    let folder = Folder::new("init-same");
    let scenario = folder.path("a1.toml");
    let robot = shipped("quadruped/a1.urdf");
    let written = init(&robot, &["--out", scenario.to_str().unwrap()]);
    assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
    assert!(text(&written.stdout).contains("run it: carom simulate"));
    let short = ["--set=duration=0.2", "--set=output.plots=false"];
    let (by_file, by_robot, again) = (
        folder.path("file"),
        folder.path("robot"),
        folder.path("again"),
    );
    assert!(simulate(&scenario, &by_file, &short).status.success());
    assert!(simulate(&robot, &by_robot, &short).status.success());
    assert_same(&by_file, &by_robot);
    assert!(
        simulate(&by_robot.join("scenario.toml"), &again, &[])
            .status
            .success()
    );
    assert_same(&by_robot, &again);
}

#[test]
fn what_is_there_is_not_replaced_unasked() {
    let folder = Folder::new("init-there");
    let scenario = folder.path("mine.toml");
    fs::write(&scenario, "mine").unwrap();
    let robot = shipped("chain/chain4.urdf");
    let out = ["--out", scenario.to_str().unwrap()];
    let refused = init(&robot, &out);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--force replaces it"));
    assert_eq!(fs::read_to_string(&scenario).unwrap(), "mine");
    assert!(
        init(&robot, &[out.as_slice(), &["--force"]].concat())
            .status
            .success()
    );
    let text = fs::read_to_string(&scenario).unwrap();
    // One limb: an arm, held at its root, without a stance.
    assert!(
        text.contains("base = \"fixed\"") && !text.contains("[initial.base]"),
        "{text}"
    );
    let run = simulate(&scenario, &folder.path("run"), &["--set=duration=0.1"]);
    assert_eq!(run.status.code(), Some(0));
}

#[test]
fn wrong_uses_are_refused() {
    let folder = Folder::new("init-refused");
    let nowhere = folder.path("no/such/folder.toml");
    let robot = shipped("chain/chain4.urdf");
    for (run, part) in [
        (
            init(&robot, &["--out", nowhere.to_str().unwrap()]),
            "there is no such folder",
        ),
        (init(Path::new("no.urdf"), &[]), "no.urdf"),
        (init(&robot, &["--base", "flying"]), "floating"),
        (
            simulate(
                &shipped("cradle/three.toml"),
                &folder.path("a"),
                &["--base", "fixed"],
            ),
            "--base is for a robot's file",
        ),
        (
            simulate(&robot, &folder.path("b"), &["--set=duraton=1"]),
            "duration",
        ),
    ] {
        assert_eq!(run.status.code(), Some(2), "{}", text(&run.stderr));
        assert!(text(&run.stderr).contains(part), "{}", text(&run.stderr));
    }
    assert!(!folder.path("a").exists() && !folder.path("b").exists());
}

/// Meshes are sites from the file alone: their points stand in the scenario of the run's folder.
#[test]
fn a_robot_of_meshes_lands_on_them_and_is_repeated_without_them() {
    let folder = Folder::new("init-mesh");
    let (robot, mesh) = (folder.path("cube.urdf"), folder.path("cube.obj"));
    fs::write(
        &mesh,
        "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\nf 1 2 3\nf 4 5 6\nf 6 7 8\n",
    )
    .unwrap();
    let urdf = r#"<robot name="cube"><link name="cube"><inertial><mass value="1"/>
        <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="cube.obj" scale="0.1 0.1 0.1"/></geometry></collision></link></robot>"#;
    fs::write(&robot, urdf).unwrap();
    let (out, again) = (folder.path("run"), folder.path("again"));
    let run = simulate(&robot, &out, &["--set=duration=0.1"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(
        text(&run.stderr).contains("contact sites from 1 mesh"),
        "{}",
        text(&run.stderr)
    );
    assert_eq!(
        *numbers(&out.join("series.csv"), "q_base.z").last().unwrap(),
        0.1
    );
    // The other shapes of a robot with meshes are sites too.
    let mixed = folder.path("mixed.urdf");
    let cylinder = "</collision><collision><geometry><cylinder radius=\"0.1\" length=\"0.3\"/></geometry></collision></link>";
    fs::write(&mixed, urdf.replace("</collision></link>", cylinder)).unwrap();
    let written = init(&mixed, &[]);
    let written = text(&written.stdout);
    assert!(!written.contains("[[contact.site]]"), "{written}");
    let stands = folder.path("mixed");
    let run = simulate(&mixed, &stands, &["--set=duration=0.1"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let height = numbers(&stands.join("series.csv"), "q_base.z");
    assert_eq!(*height.last().unwrap(), 0.15);
    fs::remove_file(&mesh).unwrap();
    assert!(
        simulate(&out.join("scenario.toml"), &again, &[])
            .status
            .success()
    );
    for file in ["series.csv", "events.csv", "scenario.toml"] {
        assert!(fs::read(out.join(file)).unwrap() == fs::read(again.join(file)).unwrap());
    }
    // Without the mesh nothing of the robot can touch, and that is said before it falls.
    let falls = simulate(&robot, &folder.path("falls"), &["--set=duration=0.1"]);
    let said = text(&falls.stderr);
    assert!(said.contains("falls through"), "{said}");
}

/// Masses that are points on the axis of a joint turn about it for nothing: an armature is given, and written where a
/// scenario that lacks it is refused by the joint's name.
#[test]
fn a_joint_that_moves_without_inertia_gets_an_armature() {
    let folder = Folder::new("init-rotor");
    let robot = folder.path("points.urdf");
    let point = |name: &str| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
            <inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial></link>"#
        )
    };
    let joint = |name: &str, parent: &str, child: &str, axis: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/><axis xyz="{axis}"/></joint>"#
        )
    };
    let urdf = format!(
        r#"<robot name="points"><link name="ground"/>{}{}{}{}</robot>"#,
        point("arm"),
        point("hand"),
        joint("swing", "ground", "arm", "0 1 0"),
        joint("turn", "arm", "hand", "1 0 0")
    );
    fs::write(&robot, urdf).unwrap();
    let file = folder.path("points.toml");
    let written = init(&robot, &["--out", file.to_str().unwrap()]);
    assert!(
        text(&written.stderr).contains("armature is given to them: turn"),
        "{}",
        text(&written.stderr)
    );
    let scenario = fs::read_to_string(&file).unwrap();
    assert!(
        scenario.contains("joint.turn.armature = 0.00002"),
        "{scenario}"
    );
    let options = ["--set=duration=0.1", "--set=output.plots=false"];
    let run = simulate(&file, &folder.path("run"), &options);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let without = ["--set=duration=0.1", "--set=robot.joint.turn.armature=0"];
    let refused = simulate(&file, &folder.path("without"), &without);
    assert_eq!(refused.status.code(), Some(2));
    assert!(
        text(&refused.stderr).contains("\"turn\" can move without inertia"),
        "{}",
        text(&refused.stderr)
    );
}

/// A body that turns about one of its axes for nothing has no run, so no scenario is written for it; held fast it has one.
#[test]
fn a_base_without_inertia_is_refused() {
    let folder = Folder::new("init-weightless");
    let robot = folder.path("blob.urdf");
    let inertia = r#"<inertia ixx="1" iyy="1" izz="0" ixy="0" ixz="0" iyz="0"/>"#;
    let urdf = format!(
        r#"<robot name="blob"><link name="blob"><inertial><mass value="0.1"/>{inertia}</inertial></link></robot>"#
    );
    fs::write(&robot, urdf).unwrap();
    let file = folder.path("blob.toml");
    let refused = init(&robot, &["--out", file.to_str().unwrap()]);
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    for word in [
        "blob.urdf",
        "\"base.wz\" can move without inertia",
        "--base",
    ] {
        assert!(said.contains(word), "{said}");
    }
    assert!(!file.exists());
    let held = init(&robot, &["--base=fixed", "--out", file.to_str().unwrap()]);
    assert!(held.status.success(), "{}", text(&held.stderr));
}

/// A ball touches in one point, below its centre: neither inside nor outside of what touches.
#[test]
fn a_centre_of_mass_above_the_edge_is_not_said_to_tip() {
    let folder = Folder::new("init-edge");
    let scenario = folder.path("ball.toml");
    let done = init(
        &shipped("ball/ball.urdf"),
        &["--out", scenario.to_str().unwrap()],
    );
    assert!(done.status.success(), "{}", text(&done.stderr));
    let written = fs::read_to_string(&scenario).unwrap();
    assert!(written.contains("above the edge of what does"), "{written}");
    assert!(!written.contains("0.000 m"), "{written}");
}

/// Knees that are straight at their limits stay straight: bent by a share of their range they would tilt the soles, and the robot
/// would fall.
#[test]
fn a_biped_with_straight_knees_stands_on_its_soles() {
    let folder = Folder::new("init-biped");
    let leg = |side: &str, y: f64| {
        format!(
            r#"<link name="{side}_thigh"><inertial><origin xyz="0 0 -0.2"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="{side}_shin"><inertial><origin xyz="0 0 -0.2"/><mass value="2"/>
<inertia ixx="0.02" iyy="0.02" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><origin xyz="0.02 0 -0.39"/><geometry><box size="0.22 0.1 0.02"/></geometry></collision></link>
<joint name="{side}_hip" type="revolute"><parent link="pelvis"/><child link="{side}_thigh"/><origin xyz="0 {y} 0"/>
<axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="100" velocity="10"/></joint>
<joint name="{side}_knee" type="revolute"><parent link="{side}_thigh"/><child link="{side}_shin"/><origin xyz="0 0 -0.4"/>
<axis xyz="0 1 0"/><limit lower="0" upper="2.5" effort="100" velocity="10"/></joint>"#
        )
    };
    let robot = folder.path("biped.urdf");
    let text = format!(
        r#"<robot name="biped"><link name="pelvis"><inertial><mass value="10"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>{}{}</robot>"#,
        leg("left", 0.1),
        leg("right", -0.1)
    );
    fs::write(&robot, text).unwrap();
    let out = folder.path("run");
    let run = simulate(&robot, &out, &["--set=duration=1"]);
    assert_eq!(run.status.code(), Some(0), "{}", self::text(&run.stderr));
    let height = numbers(&out.join("series.csv"), "q_base.z");
    // Two limbs of 0.4 m.
    let [first, last] = [height[0], height[height.len() - 1]];
    assert!((first - 0.8).abs() < 1e-4, "{first}");
    assert!((first - last).abs() < 0.05 * first, "{first} {last}");
}
