//! `carom simulate` as a user meets it: files, columns, exit codes, resumed runs.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

#[path = "support/folder.rs"]
mod folder;

use folder::Folder;

fn simulate(scenario: &Path, out: &Path, options: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom"))
        .arg("simulate")
        .arg(scenario)
        .arg("--out")
        .arg(out)
        .args(options)
        .output()
        .unwrap()
}

fn shipped(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("robots")
        .join(name)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn header(path: &Path) -> Vec<String> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader
        .headers()
        .unwrap()
        .iter()
        .map(str::to_string)
        .collect()
}

fn column(path: &Path, name: &str) -> Vec<String> {
    let place = header(path).iter().position(|n| n == name).unwrap();
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader
        .records()
        .map(|r| r.unwrap()[place].to_string())
        .collect()
}

/// Tables and summary of two runs, without the time they took.
fn assert_same(a: &Path, b: &Path) {
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

#[test]
fn a_run_writes_every_file_with_the_columns_of_the_contract() {
    let folder = Folder::new("files");
    let out = folder.path("out");
    let run = simulate(
        &shipped("ball/bounce.toml"),
        &out,
        &["--set", "duration=0.6"],
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let report = text(&run.stdout);
    for word in [
        "completed",
        "energy",
        "impacts",
        "penetration",
        "Newton",
        "times real time",
    ] {
        assert!(report.contains(word), "{word}: {report}");
    }
    assert!(report.lines().count() < 24);
    let series = header(&out.join("series.csv"));
    let expected = [
        "time_s",
        "q_base.x",
        "q_base.y",
        "q_base.z",
        "q_base.qx",
        "q_base.qy",
        "q_base.qz",
        "q_base.qw",
        "v_base.vx",
        "v_base.vy",
        "v_base.vz",
        "v_base.wx",
        "v_base.wy",
        "v_base.wz",
        "kinetic_J",
        "potential_J",
        "work_actuators_J",
        "work_dissipative_J",
        "work_impacts_J",
        "energy_residual_J",
        "gap_ball_m",
        "force_ball_n_N",
    ];
    assert_eq!(series, expected);
    let times = column(&out.join("series.csv"), "time_s");
    assert_eq!(times.len(), 61);
    assert_eq!(times.last().unwrap().parse::<f64>().unwrap(), 600.0 * 1e-3);
    let events = header(&out.join("events.csv"));
    let expected = [
        "time_s",
        "kind",
        "contacts",
        "law",
        "sequence",
        "outcomes",
        "indeterminacy",
        "energy_before_J",
        "energy_after_J",
        "impulse_ball_n_Ns",
        "impulse_ball_t_Ns",
    ];
    assert_eq!(&events[..expected.len()], expected);
    assert_eq!(column(&out.join("events.csv"), "kind"), ["impact"]);
    let summary = json(&out.join("summary.json"));
    for (place, expected) in [
        ("/status", serde_json::json!("completed")),
        ("/steps", serde_json::json!(600)),
        ("/impacts/count", serde_json::json!(1)),
        ("/impacts/reflections", serde_json::json!(1)),
        ("/impacts/ambiguous", serde_json::json!(0)),
        ("/distance_m", serde_json::json!(0.0)),
    ] {
        assert_eq!(summary.pointer(place), Some(&expected), "{place}");
    }
    for place in [
        "/time_s",
        "/wall_time_s",
        "/real_time_factor",
        "/energy/initial_J",
        "/energy/final_J",
        "/energy/max_residual_J",
        "/impacts/max_indeterminacy",
        "/max_penetration_m",
        "/newton/iterations_mean",
        "/newton/iterations_max",
        "/version",
        "/scenario_hash",
    ] {
        assert!(summary.pointer(place).is_some(), "{place}");
    }
    // m g h: 1 kg at 1.1 m.
    let initial = summary
        .pointer("/energy/initial_J")
        .unwrap()
        .as_f64()
        .unwrap();
    assert!((initial - 9.81 * 1.1).abs() < 1e-12);
    for plot in ["energy", "gaps", "contacts"] {
        let svg = fs::read_to_string(out.join(format!("plots/{plot}.svg"))).unwrap();
        assert!(svg.contains("<svg") && svg.contains("time (s)"), "{plot}");
    }
    let mut names: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "events.csv",
            "plots",
            "replay.html",
            "robot.urdf",
            "scenario.toml",
            "series.csv",
            "state.json",
            "summary.json"
        ]
    );
}

#[test]
fn the_same_scenario_gives_the_same_bytes_and_so_does_its_resolved_text() {
    let folder = Folder::new("same");
    let (a, b, c) = (folder.path("a"), folder.path("b"), folder.path("c"));
    let short = ["--set", "duration=0.3"];
    assert!(
        simulate(&shipped("trex/drop.toml"), &a, &short)
            .status
            .success()
    );
    assert!(
        simulate(&shipped("trex/drop.toml"), &b, &short)
            .status
            .success()
    );
    assert_same(&a, &b);
    assert!(simulate(&a.join("scenario.toml"), &c, &[]).status.success());
    assert_same(&a, &c);
}

#[test]
fn a_run_that_is_stopped_and_resumed_has_the_bytes_of_one_that_was_not() {
    let folder = Folder::new("resume");
    // In mid flight, at a row; between rows; after the hold; and at the time of an impact.
    for (scenario, duration, until) in [
        ("trex/drop.toml", "0.4", "0.2"),
        ("trex/drop.toml", "0.3", "0.187"),
        ("rhex/stand.toml", "0.1", "0.055"),
        ("cradle/three.toml", "0.6", "0.3"),
    ] {
        let (whole, parts) = (folder.path("whole"), folder.path("parts"));
        let duration = format!("duration={duration}");
        let options = ["--set", &duration];
        assert!(
            simulate(&shipped(scenario), &whole, &options)
                .status
                .success()
        );
        let stopped = simulate(
            &shipped(scenario),
            &parts,
            &["--set", &duration, "--until", until],
        );
        assert_eq!(stopped.status.code(), Some(3), "{}", text(&stopped.stderr));
        assert_eq!(json(&parts.join("summary.json"))["status"], "stopped");
        let resumed = simulate(
            &shipped(scenario),
            &parts,
            &["--set", &duration, "--resume"],
        );
        assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        assert_same(&whole, &parts);
        // Resuming a finished run changes nothing.
        assert!(
            simulate(
                &shipped(scenario),
                &parts,
                &["--set", &duration, "--resume"]
            )
            .status
            .success()
        );
        assert_same(&whole, &parts);
        fs::remove_dir_all(&whole).unwrap();
        fs::remove_dir_all(&parts).unwrap();
    }
}

#[test]
fn a_run_that_is_killed_goes_on_from_its_last_saved_state() {
    let folder = Folder::new("killed");
    let (whole, parts) = (folder.path("whole"), folder.path("parts"));
    let scenario = shipped("chain/chain4.toml");
    let options = ["--set", "duration=60", "--set", "output.plots=false"];
    assert!(simulate(&scenario, &whole, &options).status.success());
    let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["simulate", "--quiet", "--out"])
        .args([&parts, &scenario])
        .args(options)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // A state is saved at the start and then once a second of wall time.
    let begun = std::time::Instant::now();
    while !parts.join("state.json").exists() && begun.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    std::thread::sleep(std::time::Duration::from_millis(600));
    child.kill().unwrap();
    child.wait().unwrap();
    let resumed = simulate(&scenario, &parts, &[&options[..], &["--resume"]].concat());
    assert!(resumed.status.success(), "{}", text(&resumed.stderr));
    assert_same(&whole, &parts);
}

#[test]
fn a_finished_run_is_prolonged_by_resuming_it_with_a_longer_duration() {
    let folder = Folder::new("prolong");
    let (whole, parts) = (folder.path("whole"), folder.path("parts"));
    let scenario = shipped("ball/bounce.toml");
    assert!(
        simulate(&scenario, &whole, &["--set", "duration=0.9"])
            .status
            .success()
    );
    // 455 steps: the last row of the short run is not one of the long run.
    assert!(
        simulate(&scenario, &parts, &["--set", "duration=0.455"])
            .status
            .success()
    );
    assert!(
        simulate(&scenario, &parts, &["--set", "duration=0.9", "--resume"])
            .status
            .success()
    );
    assert_same(&whole, &parts);
    for (options, word) in [
        (vec!["--resume", "--set", "duration=0.3"], "already"),
        (
            vec!["--resume", "--set", "contact.restitution=0.5"],
            "another scenario",
        ),
    ] {
        let refused = simulate(&scenario, &parts, &options);
        assert_eq!(refused.status.code(), Some(2));
        assert!(
            text(&refused.stderr).contains(word),
            "{}",
            text(&refused.stderr)
        );
        assert_same(&whole, &parts);
    }
    let nothing = simulate(&scenario, &folder.path("none"), &["--resume"]);
    assert_eq!(nothing.status.code(), Some(2));
    assert!(!folder.path("none").exists());
}

const ROBOT: &str = r#"<robot name="arm">
  <link name="world"/>
  <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"#;

const SCENARIO: &str = r#"time_step = 1e-3
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
fn refused(folder: &Folder, scenario: &Path, options: &[&str], words: &[&str]) {
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

#[test]
fn what_is_wrong_with_a_scenario_is_said_in_one_message_and_nothing_is_written() {
    let folder = Folder::new("scenario");
    folder.write("robot.urdf", ROBOT);
    let good = folder.write("good.toml", SCENARIO);
    assert!(simulate(&good, &folder.path("good"), &[]).status.success());
    refused(
        &folder,
        &folder.path("none.toml"),
        &[],
        &["none.toml", "cannot be read"],
    );
    for (old, new, words) in [
        (
            "file = \"robot.urdf\"",
            "file = \"robots.urdf\"",
            vec!["robots.urdf", "cannot read"],
        ),
        (
            "duration = 0.1",
            "duratoin = 0.1",
            vec!["case.toml:2", "duratoin", "\"duration\""],
        ),
        (
            "law = \"propagative\"",
            "law = \"propagativ\"",
            vec!["impact.law", "\"propagative\""],
        ),
        (
            "law = \"propagative\"",
            "law = \"plastic\"\norder = \"index\"",
            vec!["impact.order", "plastic", "remove"],
        ),
        (
            "law = \"propagative\"",
            "law = \"plastic\"\nparameters = { max_reflections = 3 }",
            vec!["max_reflections", "tolerance"],
        ),
        (
            "law = \"propagative\"\n[contact]",
            "law = \"plastic\"\n[contact]\nrestitution = 0.5",
            vec!["restitution", "plastic"],
        ),
        (
            "time_step = 1e-3",
            "time_step = nan",
            vec!["time_step", "positive"],
        ),
        (
            "time_step = 1e-3",
            "time_step = -1e-3",
            vec!["time_step", "positive"],
        ),
        (
            "friction = 0.0",
            "friction = -0.1",
            vec!["friction", "-0.1"],
        ),
        ("friction = 0.0", "friction = nan", vec!["friction", "NaN"]),
        ("-2.0]", "0.25]", vec!["\"tip\"", "2.5e-1 m below"]),
        ("link = \"arm\"", "link = \"arn\"", vec!["arn", "\"arm\""]),
        ("hinge = 0.0", "hinge = nan", vec!["hinge", "finite"]),
        ("hinge = 0.0", "hing = 0.0", vec!["hing", "\"hinge\""]),
    ] {
        let text = SCENARIO.replace(old, new);
        assert_ne!(text, SCENARIO, "{old}");
        let case = folder.write("case.toml", &text);
        refused(&folder, &case, &[], &words);
    }
    refused(
        &folder,
        &good,
        &["--set", "impact.ordr=index"],
        &["--set", "ordr", "\"order\""],
    );
    refused(
        &folder,
        &good,
        &["--set", "time_step=0"],
        &["time_step", "positive"],
    );
    refused(&folder, &good, &["--set", "time_step"], &["key=value"]);
    refused(&folder, &good, &["--until=-1"], &["--until"]);
}

#[test]
fn what_is_wrong_with_a_robot_is_said_in_one_message_and_nothing_is_written() {
    let folder = Folder::new("robot");
    let scenario = folder.write("case.toml", SCENARIO);
    let second = r#"<link name="two"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>"#;
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/><axis xyz="0 1 0"/></joint>"#
        )
    };
    for (old, new, words) in [
        (ROBOT, "once upon a time".to_string(), vec!["robot.urdf"]),
        (ROBOT, "<sdf/>".to_string(), vec!["robot.urdf", "SDF"]),
        ("mass value=\"1\"", "mass value=\"-1\"".to_string(), vec!["\"arm\"", "mass", "-1"]),
        ("mass value=\"1\"", "mass value=\"nan\"".to_string(), vec!["\"arm\"", "mass"]),
        ("axis xyz=\"0 1 0\"", "axis xyz=\"0 0 0\"".to_string(), vec!["\"hinge\"", "axis"]),
        ("</robot>", format!("{second}{}</robot>", joint("hinge", "arm", "two")), vec!["\"hinge\""]),
        ("</robot>", format!("{second}</robot>"), vec!["two"]),
        ("</robot>", format!("{second}{}{}</robot>", joint("a", "arm", "two"), joint("b", "two", "arm")), vec!["arm"]),
        // A point mass on its own axis turns without resistance.
        (
            ROBOT,
            r#"<robot name="arm"><link name="world"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 1 0"/></joint>
</robot>"#.to_string(),
            vec!["positive definite"],
        ),
    ] {
        let text = ROBOT.replace(old, &new);
        assert_ne!(text, ROBOT, "{old}");
        folder.write("robot.urdf", &text);
        refused(&folder, &scenario, &[], &words);
    }
}

#[test]
fn a_wedged_ball_is_refused() {
    let folder = Folder::new("wedged");
    let ball = shipped("ball/ball.urdf");
    let scenario = folder.write(
        "wedged.toml",
        format!(
            "time_step = 1e-3\nduration = 0.1\n[robot]\nfile = {:?}\nbase = \"floating\"\n\
             [initial.base]\nposition = [0.0, 0.0, 0.1]\ntwist = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]\n\
             [[terrain]]\nkind = \"plane\"\nname = \"floor\"\n\
             [[terrain]]\nkind = \"plane\"\nname = \"ceiling\"\npoint = [0.0, 0.0, 0.2]\nnormal = [0.0, 0.0, -1.0]\n",
            ball
        ),
    );
    refused(&folder, &scenario, &[], &["ball@floor", "ball@ceiling"]);
}

#[test]
fn a_controller_that_fails_stops_the_run_and_what_was_computed_is_kept() {
    let folder = Folder::new("nan");
    folder.write("robot.urdf", ROBOT);
    // At 0.05 s the feed-forward begins to grow beyond all numbers against an infinite stiffness.
    let text = format!(
        "{SCENARIO}[controller]\nkind = \"servo\"\n[[controller.joint]]\nname = \"hinge\"\nstiffness = 1e308\n\
         target = [[0.05, 0.0], [0.05, 1e308]]\nfeed_forward = [[0.05, 0.0], [0.05, -1e308]]\n"
    )
    .replace("file = \"robot.urdf\"", "file = \"robot.urdf\"\ngravity = [0.0, 0.0, 0.0]");
    let scenario = folder.write("case.toml", &text);
    let out = folder.path("out");
    let run = simulate(&scenario, &out, &["--json"]);
    assert_eq!(run.status.code(), Some(3), "{}", self::text(&run.stderr));
    let printed: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(printed["status"], "stopped");
    assert_eq!(printed, json(&out.join("summary.json")));
    assert_eq!(printed["steps"], 50);
    let message = self::text(&run.stderr);
    assert!(
        message.contains("hinge") && message.contains("not finite"),
        "{message}"
    );
    let times = column(&out.join("series.csv"), "time_s");
    assert_eq!(times.last().unwrap().parse::<f64>().unwrap(), 0.05);
    assert_eq!(times.len(), 6);
}

#[test]
fn the_replay_is_one_file_that_no_name_breaks_and_can_be_left_out() {
    let folder = Folder::new("replay");
    let out = folder.path("out");
    let description = "</script><script>alert(1)</script> & <b>";
    let options = [
        "--set",
        "duration=0.1",
        "--set",
        &format!("description={description}"),
    ];
    let scenario = shipped("cradle/three.toml");
    assert!(simulate(&scenario, &out, &options).status.success());
    let page = fs::read_to_string(out.join("replay.html")).unwrap();
    // One element of data and one of scripts: the description opens and closes none.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(page.contains("<title>&lt;/script&gt;"));
    for outside in [
        "src=",
        "href=",
        "@import",
        "url(",
        "fetch(",
        "XMLHttpRequest",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    let data = page.split_once("id=\"data\">").unwrap().1;
    let data = data.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(
        data.pointer("/summary/description").unwrap(),
        &serde_json::json!(description)
    );
    // Written or not, the run is the same one and can be resumed.
    let without = [
        "--resume",
        "--set",
        "output.replay=false",
        "--set",
        "duration=0.2",
        "--set",
        &format!("description={description}"),
    ];
    let run = simulate(&scenario, &out, &without);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(!out.join("replay.html").exists());
}

#[test]
fn events_carry_the_configuration_at_their_moment() {
    let folder = Folder::new("moments");
    let out = folder.path("out");
    assert!(
        simulate(
            &shipped("ball/bounce.toml"),
            &out,
            &["--set", "duration=1.0"]
        )
        .status
        .success()
    );
    let heights = column(&out.join("events.csv"), "q_base.z");
    assert!(!heights.is_empty());
    for height in heights {
        // The ball has a radius of 0.1 m, and gaps are located to 1e-12 m.
        let gap = height.parse::<f64>().unwrap() - 0.1;
        assert!(gap.abs() < 1e-11, "{gap}");
    }
}

#[test]
fn a_report_names_the_first_event_that_differs() {
    let folder = Folder::new("report");
    let (a, b) = (folder.path("a"), folder.path("b"));
    // TREX strikes with foot and tail at once: another order acts in another sequence.
    let scenario = shipped("trex/straight.toml");
    let short = ["--set", "duration=0.2"];
    assert!(simulate(&scenario, &a, &short).status.success());
    let order = [&short[..], &["--set", "impact.order=least-violated"]].concat();
    assert!(simulate(&scenario, &b, &order).status.success());
    let report = |folders: &[&Path], options: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_carom"))
            .arg("report")
            .args(folders)
            .args(options)
            .current_dir(&folder.0)
            .output()
            .unwrap()
    };
    let run = report(&[&a, &b, &a], &["--json"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let differences: Vec<_> = (0..3)
        .map(|i| answer["runs"][i]["first_difference"].clone())
        .collect();
    let events = column(&a.join("events.csv"), "sequence");
    let other = column(&b.join("events.csv"), "sequence");
    let first = events.iter().zip(&other).position(|(x, y)| x != y).unwrap();
    assert_eq!(
        differences,
        [
            serde_json::Value::Null,
            serde_json::json!(first),
            serde_json::Value::Null
        ]
    );
    let page = fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(page.contains("\"impact.order\"") && page.contains("least-violated"));

    let run = report(&[&a, &folder.path("nothing")], &["--out", "other.html"]);
    assert_eq!(run.status.code(), Some(2));
    let message = text(&run.stderr);
    assert!(
        message.contains("summary.json") && message.contains("carom simulate"),
        "{message}"
    );
    assert!(!folder.path("other.html").exists());
}

#[cfg(not(feature = "mcap"))]
#[test]
fn an_export_that_the_build_lacks_is_refused_with_the_remedy() {
    let folder = Folder::new("no-export");
    let out = folder.path("out");
    let run = simulate(
        &shipped("ball/bounce.toml"),
        &out,
        &["--export", "mcap,parquet"],
    );
    assert_eq!(run.status.code(), Some(2));
    let message = text(&run.stderr);
    assert!(message.contains("--features mcap"), "{message}");
    assert!(!out.exists());
}

#[cfg(all(feature = "mcap", feature = "parquet"))]
#[test]
fn exports_are_the_same_bytes_twice_and_go_when_they_are_not_wanted() {
    let folder = Folder::new("export");
    let (a, b) = (folder.path("a"), folder.path("b"));
    let scenario = shipped("cradle/three.toml");
    let exported = ["run.mcap", "series.parquet", "events.parquet"];
    for out in [&a, &b] {
        let run = simulate(&scenario, out, &["--export", "mcap,parquet"]);
        assert!(run.status.success(), "{}", text(&run.stderr));
    }
    for file in exported {
        assert!(
            fs::read(a.join(file)).unwrap() == fs::read(b.join(file)).unwrap(),
            "{file} differs"
        );
    }
    assert!(simulate(&scenario, &a, &[]).status.success());
    for file in exported {
        assert!(!a.join(file).exists(), "{file}");
    }
}

/// Every ball starts at a height of its own.
const HEIGHTS: &str = r#"baseline.robust.perturb=[{key="initial.base.position.2",normal=0.05}]"#;

#[test]
fn a_batch_ends_the_same_on_any_number_of_threads_and_each_run_can_be_repeated() {
    let folder = Folder::new("batch");
    let options = |jobs: &'static str| {
        [
            "--set",
            HEIGHTS,
            "--set",
            "duration=0.6",
            "--batch",
            "9",
            "--jobs",
            jobs,
            "--json",
        ]
    };
    let run = |jobs: &'static str| {
        let out = folder.path(&jobs.replace(',', "-"));
        let run = simulate(&shipped("ball/bounce.toml"), &out, &options(jobs));
        assert!(run.status.success(), "{}", text(&run.stderr));
        let table = fs::read(out.join("batch.csv")).unwrap();
        assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
        let mut answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        let throughput = answer
            .as_object_mut()
            .unwrap()
            .remove("throughput")
            .unwrap();
        for (row, threads) in throughput.as_array().unwrap().iter().zip(jobs.split(',')) {
            assert_eq!(row["threads"].to_string(), threads);
            assert!(row["steps_per_s"].as_f64().unwrap() > 0.0);
            let (steps, time) = (&row["steps_per_s"], &row["real_time_factor"]);
            // Steps of 1 ms.
            let ratio = steps.as_f64().unwrap() / time.as_f64().unwrap();
            assert!((ratio - 1e3).abs() < 1e-6, "{ratio}");
        }
        (answer, table)
    };
    let one = run("1");
    assert_eq!(one.0["runs"], 9);
    assert_eq!(one.0["completed"], 9);
    assert_eq!(one.0["distinct_ends"], 9);
    assert_eq!(one.0["steps"], 9 * 600);
    for jobs in ["2", "4", "4,1"] {
        assert!(one == run(jobs), "{jobs}");
    }

    let table = folder.path("1").join("batch.csv");
    let set = column(&table, "set")[7].clone();
    let alone = folder.path("alone");
    let mut repeated = vec!["--set", "duration=0.6"];
    for key in set.split(' ') {
        repeated.extend(["--set", key]);
    }
    let run = simulate(&shipped("ball/bounce.toml"), &alone, &repeated);
    assert!(run.status.success(), "{}", text(&run.stderr));
    for name in ["time_s", "q_base.z", "v_base.vz"] {
        let series = column(&alone.join("series.csv"), name);
        assert_eq!(series.last().unwrap(), &column(&table, name)[7], "{name}");
    }
}

#[test]
fn a_batch_marks_runs_that_stop_early() {
    let folder = Folder::new("batch-stopped");
    let out = folder.path("out");
    // Half of the balls would start in the ground.
    let wide = HEIGHTS.replace("0.05", "100");
    let options = [
        "--set",
        &wide,
        "--set",
        "duration=0.01",
        "--batch",
        "6",
        "--json",
    ];
    let run = simulate(&shipped("ball/bounce.toml"), &out, &options);
    assert_eq!(run.status.code(), Some(3), "{}", text(&run.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let stopped = answer["stopped"].as_array().unwrap();
    assert!(!stopped.is_empty() && stopped.len() < 6);
    assert_eq!(answer["completed"], 6 - stopped.len());
    let first = stopped[0]["index"].as_u64().unwrap();
    assert!(first > 0);
    let complaint = text(&run.stderr);
    assert!(complaint.contains(&format!("run {first}: ")), "{complaint}");
    let reasons = column(&out.join("batch.csv"), "stopped");
    assert_eq!(
        reasons.iter().filter(|r| !r.is_empty()).count(),
        stopped.len()
    );
}

#[test]
fn a_batch_refuses_what_it_cannot_do_and_writes_nothing() {
    let folder = Folder::new("batch-refused");
    let out = folder.path("out");
    let cases: &[(&str, &[&str], &str)] = &[
        ("ball/bounce.toml", &["--batch", "0"], "1..=1000000"),
        ("ball/bounce.toml", &["--batch", "10000000"], "1..=1000000"),
        ("ball/bounce.toml", &["--batch", "many"], "--batch"),
        (
            "ball/bounce.toml",
            &["--batch", "2", "--resume"],
            "--resume",
        ),
        (
            "ball/bounce.toml",
            &["--batch", "2", "--until", "1"],
            "--until",
        ),
        (
            "ball/bounce.toml",
            &["--batch", "2", "--jobs", "0"],
            "1..=1024",
        ),
        ("ball/bounce.toml", &["--jobs", "2"], "--batch"),
        (
            "ball/bounce.toml",
            &["--batch", "2", "--set", "impact.order=all"],
            "impact.order: a run of a batch follows one order",
        ),
        (
            "granular/channel.toml",
            &["--batch", "2"],
            "leave out --batch",
        ),
    ];
    for (scenario, options, expected) in cases {
        let run = simulate(&shipped(scenario), &out, options);
        assert_eq!(run.status.code(), Some(2), "{options:?}");
        let message = text(&run.stderr);
        assert!(message.contains(expected), "{options:?}: {message}");
        assert!(!out.exists());
    }
}
