//! Input that cannot be: told with its file and place, before anything is written.
#![cfg(feature = "cli")]

use std::fs;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use carom::scenario::{Experiment, Scenario};
use carom::study::ScenarioBatch;

use crate::cli_simulate::support::{
    Folder, ROBOT, SCENARIO, json, refused, shipped, simulate, text,
};

fn carom(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_carom");
    Command::new(program).args(arguments).output().unwrap()
}

/// Runs and expects exit code 2 and one line on standard error with all of `words`.
fn bad(arguments: &[&str], words: &[&str]) {
    let output = carom(arguments);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    assert_eq!(told.lines().count(), 1, "{told}");
    for word in words {
        assert!(told.contains(word), "\"{word}\" is not in: {told}");
    }
}

#[test]
fn numbers_beyond_all_bounds_are_refused_with_the_file_and_the_key() {
    let folder = Folder::new("numbers");
    folder.write("robot.urdf", ROBOT);
    let good = folder.write("case.toml", SCENARIO);
    for (set, words) in [
        (
            "initial.velocities.hinge=1e200",
            ["case.toml", "initial", "hinge"],
        ),
        (
            "initial.joints.hinge=-1e300",
            ["case.toml", "initial", "hinge"],
        ),
        (
            "stepper.tolerance=1e20",
            ["case.toml", "stepper.tolerance", "0.01"],
        ),
        (
            "stepper.tolerance=0.0",
            ["case.toml", "stepper.tolerance", "positive"],
        ),
        (
            "stepper.order=3",
            ["case.toml", "stepper.order", "2, 4, 6 or 8"],
        ),
        (
            "stepper.switch_threshold=-1.0",
            ["case.toml", "stepper.switch_threshold", "at least 0"],
        ),
        (
            "contact.capture_speed=-1.0",
            ["case.toml", "contact.capture_speed", "at least 0"],
        ),
        (
            "impact.simultaneity=0.0",
            ["case.toml", "impact.simultaneity", "positive"],
        ),
        (
            "impact.zeno_time=-1.0",
            ["case.toml", "impact.zeno_time", "at least 0"],
        ),
        (
            "robot.gravity=[0, 0, 1e200]",
            ["robot.urdf", "gravity z", "1e9"],
        ),
        (
            "robot.mass_scale.arm=1e200",
            ["case.toml", "mass_scale", "1e30"],
        ),
        (
            "spring=[{joint=\"hinge\", stiffness=1e200}]",
            ["case.toml: spring[0]", "stiffness", "1e30"],
        ),
    ] {
        refused(&folder, &good, &["--set", set], &words);
    }
    for (old, new, words) in [
        (
            "mass value=\"1\"",
            "mass value=\"1e200\"",
            ["robot.urdf:3", "mass", "1e30"],
        ),
        (
            "xyz=\"0.5 0 0\"",
            "xyz=\"1e160 0 0\"",
            ["robot.urdf:3", "centre of mass", "1e9"],
        ),
        (
            "<axis",
            "<origin xyz=\"0 1e160 0\"/><axis",
            ["robot.urdf:5", "origin", "1e9"],
        ),
        (
            "iyy=\"0.1\"",
            "iyy=\"1e300\"",
            ["robot.urdf:3", "inertia", "1e30"],
        ),
    ] {
        let robot = ROBOT.replace(old, new);
        assert_ne!(robot, ROBOT);
        folder.write("robot.urdf", robot);
        refused(&folder, &good, &[], &words);
    }
    // A joint that moves nothing but a point on its axis: no inverse of its inertia.
    let tiny = ROBOT.replace("xyz=\"0.5 0 0\"", "xyz=\"0 0 0\"");
    let tiny = tiny
        .replace("iyy=\"0.1\"", "iyy=\"1e-310\"")
        .replace("ixx=\"0.01\"", "ixx=\"1e-310\"");
    folder.write("robot.urdf", tiny.replace("izz=\"0.1\"", "izz=\"1e-310\""));
    refused(&folder, &good, &[], &["positive definite"]);
}

#[test]
fn a_run_that_leaves_the_numbers_stops_at_a_coordinate_and_its_summary_has_none_that_is_none() {
    let folder = Folder::new("stops");
    folder.write("robot.urdf", ROBOT);
    let scenario = folder.write("case.toml", SCENARIO);
    let out = folder.path("out");
    // The spring's force overflows the momentum of the first step.
    let spring = "spring=[{joint=\"hinge\", rest=1e9, stiffness=1e30}]";
    let run = simulate(&scenario, &out, &["--set", spring, "--json"]);
    let told = text(&run.stderr);
    assert_eq!(run.status.code(), Some(3), "{told}");
    assert!(told.contains("hinge"), "{told}");
    let summary = json(&out.join("summary.json"));
    assert_eq!(summary["status"], "stopped");
    // A number that is none would stand there as null.
    assert!(!summary.to_string().contains("null"), "{summary}");
}

/// A state file changed at one place.
fn changed(text: &str, change: impl Fn(&mut serde_json::Value)) -> String {
    let mut value = serde_json::from_str(text).unwrap();
    change(&mut value);
    value.to_string()
}

/// What a state remembers of a contact that has struck.
fn strike(contact: usize, known: usize) -> serde_json::Value {
    serde_json::json!({
        "contact": contact, "known": known, "times": [0.1, 0.0, 0.0], "speeds": [1.0, 0.0, 0.0],
    })
}

#[test]
fn every_index_length_and_number_of_a_state_file_is_checked() {
    let folder = Folder::new("state");
    let scenario = shipped("block/rock.toml");
    let out = folder.path("out");
    let until = [
        "--until",
        "0.02",
        "--set",
        "output.plots=false",
        "--set",
        "output.replay=false",
    ];
    assert_eq!(simulate(&scenario, &out, &until).status.code(), Some(3));
    let file = out.join("state.json");
    let good = fs::read_to_string(&file).unwrap();
    let value: serde_json::Value = serde_json::from_str(&good).unwrap();
    assert!(!value["state"]["held"].as_array().unwrap().is_empty());
    type Change = fn(&mut serde_json::Value);
    let cases: [(&str, Change); 17] = [
        ("state.held[0].contact", |v| {
            v["state"]["held"][0]["contact"] = 99.into()
        }),
        ("state.held[0].face", |v| {
            v["state"]["held"][0]["face"] = 99.into()
        }),
        ("state.held[0].modes", |v| {
            v["state"]["held"][0]["modes"][0] = serde_json::json!({"Slide": [7.0, 0.0]})
        }),
        ("state.held[0].duration", |v| {
            v["state"]["held"][0]["duration"] = (-1.0).into()
        }),
        ("held", |v| {
            v["state"]["held"][0]["gap"] = serde_json::Value::Null
        }),
        ("state.held[1].contact", |v| {
            let first = v["state"]["held"][0].clone();
            v["state"]["held"] = vec![first.clone(), first].into();
        }),
        ("state.q", |v| v["state"]["q"] = vec![0.0].into()),
        ("state.p", |v| v["state"]["p"] = vec![0.0; 50].into()),
        ("state.q", |v| v["state"]["q"][0] = 1e200.into()),
        ("state.strikes[0].contact", |v| {
            v["state"]["strikes"] = vec![strike(999, 1)].into()
        }),
        ("state.strikes[1].contact", |v| {
            v["state"]["strikes"] = vec![strike(0, 1), strike(0, 1)].into()
        }),
        ("state.strikes[0]", |v| {
            v["state"]["strikes"] = vec![strike(0, 7)].into()
        }),
        ("state.step", |v| v["state"]["step"] = u64::MAX.into()),
        ("state.time", |v| v["state"]["time"] = 0.5.into()),
        ("state.predictor", |v| {
            v["state"]["predictor"] = serde_json::json!([[0.0, 1.0]])
        }),
        ("statistics", |v| {
            v["statistics"]["newton_total"] = u64::MAX.into()
        }),
        ("interval.impulses", |v| {
            v["interval"]["impulses"] = serde_json::json!([])
        }),
    ];
    for (place, change) in cases {
        fs::write(&file, changed(&good, change)).unwrap();
        let run = simulate(&scenario, &out, &[&until[2..], &["--resume"]].concat());
        let told = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{place}: {told}");
        for word in ["state.json", place, "--resume"] {
            assert!(told.contains(word), "\"{word}\" is not in: {told}");
        }
    }
    fs::write(&file, &good).unwrap();
    let run = simulate(
        &scenario,
        &out,
        &[&until[2..], &["--resume", "--until", "0.03"]].concat(),
    );
    assert_eq!(run.status.code(), Some(3), "{}", text(&run.stderr));
}

const XACRO: &str = "<robot name=\"r\" xmlns:xacro=\"http://www.ros.org/wiki/xacro\">";

#[test]
fn xacro_that_expands_without_bounds_is_refused_at_its_line() {
    let folder = Folder::new("xacro");
    let levels = |one: fn(usize) -> String| (1..12).map(one).collect::<Vec<_>>().join("\n");
    let macros = levels(|i| {
        let calls = format!("<xacro:m{}/>", i - 1).repeat(10);
        format!("<xacro:macro name=\"m{i}\" params=\"\">{calls}</xacro:macro>")
    });
    let properties = levels(|i| {
        let value = format!("${{p{}}}", i - 1).repeat(10);
        format!("<xacro:property name=\"p{i}\" value=\"{value}\"/>")
    });
    let doubled = (1..40)
        .map(|i| format!("<xacro:property name=\"d{i}\" value=\"${{d{0} + e{0}}}\"/><xacro:property name=\"e{i}\" value=\"${{d{0} - e{0}}}\"/>", i - 1))
        .collect::<String>();
    let brackets = format!(
        "<link name=\"${{{}1{}}}\"/>",
        "(".repeat(4000),
        ")".repeat(4000)
    );
    folder.write("self.xacro", format!("{XACRO}<link name=\"a\"/></robot>"));
    for (name, body, words) in [
        (
            "brackets",
            brackets,
            vec!["brackets.xacro:1", "64 brackets"],
        ),
        (
            "macros",
            format!(
                "<xacro:macro name=\"m0\" params=\"\"><link name=\"x\"/></xacro:macro>\n{macros}\n<xacro:m11/>"
            ),
            vec!["macros.xacro:", "50000 elements"],
        ),
        (
            "properties",
            format!(
                "<xacro:property name=\"p0\" value=\"0123456789x\"/>\n{properties}\n<link name=\"${{p11}}\"/>"
            ),
            vec!["properties.xacro:13", "looked up"],
        ),
        (
            "blocks",
            format!(
                "<xacro:macro name=\"b\" params=\"*x\">{0}</xacro:macro>\n{1}<link name=\"a\"/>{2}",
                "<xacro:insert_block name=\"x\"/>".repeat(10),
                "<xacro:b><g>".repeat(8),
                "</g></xacro:b>".repeat(8)
            ),
            vec!["blocks.xacro:", "50000 elements"],
        ),
        (
            "in_macro",
            format!(
                "<xacro:property name=\"d0\" value=\"1\"/><xacro:property name=\"e0\" value=\"1\"/>{doubled}\n<xacro:macro name=\"m\" params=\"\"><link name=\"${{d39}}\"/></xacro:macro><xacro:m/>"
            ),
            vec!["in_macro.xacro:2", "looked up"],
        ),
        (
            "endless",
            "<xacro:include filename=\"/dev/zero\"/>".to_string(),
            vec!["endless.xacro:1", "/dev/zero", "64 MiB"],
        ),
        (
            "lambda",
            "<link name=\"${(lambda x: x(x))(lambda x: x(x))}\"/>".to_string(),
            vec!["lambda.xacro:1", "lambda"],
        ),
        (
            "pattern",
            "<xacro:include filename=\"*.xacro\"/>".to_string(),
            vec!["pattern.xacro:1", "pattern"],
        ),
    ] {
        let file = folder.write(&format!("{name}.xacro"), format!("{XACRO}{body}</robot>"));
        let begun = Instant::now();
        bad(&["inspect", &file.display().to_string()], &words);
        // The walk is bounded: at most some hundred thousand look-ups.
        assert!(begun.elapsed() < Duration::from_secs(20), "{name}");
    }
    bad(&["inspect", "/dev/zero"], &["/dev/zero", "64 MiB"]);
}

/// Runs, and stops what waits for a pipe.
#[cfg(unix)]
fn bad_at_once(arguments: &[&str], words: &[&str]) {
    let child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(arguments)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn();
    let mut child = child.unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > Duration::from_secs(60) {
            child.kill().unwrap();
            panic!("{arguments:?} waits");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {told}");
    for word in words {
        assert!(told.contains(word), "\"{word}\" is not in: {told}");
    }
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_and_standard_input_is_read() {
    let folder = Folder::new("pipes");
    let pipe = |name: &str| {
        let path = folder.path(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path.display().to_string()
    };
    for name in ["f.toml", "f.urdf", "f.sweep.toml", "f.json"] {
        let path = pipe(name);
        let arguments = match name {
            "f.sweep.toml" => vec!["sweep", &path],
            "f.json" => vec!["impact", &path, "--law", "propagative"],
            _ => vec!["simulate", &path],
        };
        bad_at_once(&arguments, &[name, "pipe"]);
    }
    folder.write("robot.urdf", ROBOT);
    pipe("heights.csv");
    let heights = "[[terrain]]\nkind = \"height-field\"\nname = \"hills\"\ncell = 1.0\nfile = \"heights.csv\"\n";
    let scenario = folder.write("hills.toml", format!("{SCENARIO}\n{heights}"));
    let scenario = scenario.display().to_string();
    bad_at_once(&["simulate", &scenario], &["heights.csv", "pipe"]);
    // A pipe that the shell opened is read.
    let script = format!(
        "cat {} | \"$0\" inspect /dev/stdin",
        folder.path("robot.urdf").display()
    );
    let read = Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_carom"))
        .output()
        .unwrap();
    assert!(read.status.success(), "{}", text(&read.stderr));
}

#[test]
fn the_environment_is_read_only_when_asked_for() {
    let folder = Folder::new("env");
    let file = folder.write(
        "r.xacro",
        format!("{XACRO}<link name=\"$(env CARGO_PKG_NAME)\"><inertial><mass value=\"1\"/>\
             <inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link></robot>"),
    );
    let path = file.display().to_string();
    let out = folder.path("out").display().to_string();
    for command in [
        &["inspect", &path][..],
        &["init", &path],
        &["simulate", &path, "--until", "0", "--out", &out],
    ] {
        bad(command, &["r.xacro", "CARGO_PKG_NAME", "--allow-env"]);
        let allowed = carom(&[command, &["--allow-env"]].concat());
        assert_ne!(allowed.status.code(), Some(2), "{command:?}");
    }
    let scenario = "time_step = 1e-3\nduration = 1e-3\n[robot]\nfile = \"r.xacro\"\n";
    let scenario = folder.write("s.toml", scenario);
    refused(&folder, &scenario, &[], &["r.xacro", "allow_env"]);
}

#[test]
fn sizes_of_granular_runs_are_bounded() {
    let folder = Folder::new("granular");
    let scenario = shipped("granular/channel.toml");
    for (set, place) in [
        (
            "output.profile_cells=[4000000000000000000, 1]",
            "output.profile_cells",
        ),
        (
            "output.profile_cells=[4294967296, 4294967296]",
            "output.profile_cells",
        ),
        ("channel.size=[1e6, 1e3, 1e3]", "channel.size"),
        ("channel.size=[1e300, 1.0, 1.0]", "channel.size"),
        (
            "particles={ diameter = 1e-7, spacing = 1e-7 }",
            "channel.size",
        ),
    ] {
        refused(
            &folder,
            &scenario,
            &["--set", set],
            &["channel.toml", place],
        );
    }
}

#[test]
fn a_batch_without_runs_is_refused() {
    let file = shipped("ball/bounce.toml");
    let perturbed = "baseline.robust={perturb=[{key=\"contact.friction\", uniform=0.1}]}";
    let scenario = Scenario::read(&file, &[perturbed.to_string()]).unwrap();
    let experiment = Experiment::new("bounce.toml", scenario).unwrap();
    let error = ScenarioBatch::new(&experiment, 0)
        .err()
        .unwrap()
        .to_string();
    assert!(
        error.contains("bounce.toml") && error.contains("at least 1"),
        "{error}"
    );
    assert!(ScenarioBatch::new(&experiment, 1).is_ok());
}

#[test]
fn warnings_of_the_robots_file_are_shown_by_simulate_as_by_inspect() {
    let folder = Folder::new("warnings");
    let robot = folder.write(
        "robot.urdf",
        ROBOT.replace("<axis", "<orgin xyz=\"1 0 0\"/><axis"),
    );
    let scenario = folder.write("case.toml", SCENARIO);
    let misspelt = "<orgin> is ignored; did you mean <origin>?";
    let inspected = text(&carom(&["inspect", &robot.display().to_string()]).stdout);
    assert!(inspected.contains(misspelt), "{inspected}");
    let out = folder.path("out");
    let run = simulate(&scenario, &out, &[]);
    assert!(
        text(&run.stdout).contains(misspelt),
        "{}",
        text(&run.stdout)
    );
    assert!(
        json(&out.join("summary.json"))["remarks"]
            .to_string()
            .contains(misspelt)
    );
}

#[test]
fn names_that_tables_and_expressions_cannot_hold_are_refused_where_they_are_declared() {
    let folder = Folder::new("names");
    folder.write("robot.urdf", ROBOT);
    for name in ["", "  ", "a;b", "a\\nb", "a\\u001Bb"] {
        let site = SCENARIO.replace("name = \"tip\"", &format!("name = \"{name}\""));
        let scenario = folder.write("case.toml", site);
        refused(
            &folder,
            &scenario,
            &[],
            &["case.toml", "contact site", "a name must not"],
        );
        let ground = SCENARIO.replace("name = \"ground\"", &format!("name = \"{name}\""));
        let scenario = folder.write("case.toml", ground);
        refused(
            &folder,
            &scenario,
            &[],
            &["case.toml", "terrain", "a name must not"],
        );
    }
}

#[test]
fn baselines_of_odd_names_read_back_and_their_metrics_find_them() {
    let folder = Folder::new("odd");
    for (i, name) in [
        "a 'quoted' \"name\"",
        "tab\ttab",
        "1",
        "\\",
        "e\u{301}",
        "''' \"\"\"",
    ]
    .iter()
    .enumerate()
    {
        let escaped = name
            .replace('&', "&amp;")
            .replace('"', "&quot;")
            .replace('\t', "&#9;");
        folder.write("robot.urdf", ROBOT.replace("hinge", &escaped));
        let quoted = toml::Value::String((*name).to_string()).to_string();
        let site = toml::Value::String(name.replace('\t', " ")).to_string();
        let scenario = SCENARIO
            .replace(
                "joints = { hinge = 0.0 }",
                &format!("joints = {{ {} = 0.0 }}", key(name)),
            )
            .replace("name = \"tip\"", &format!("name = {site}"))
            .replace("friction = 0.0", "friction = 0.5")
            .replace("propagative", "max-dissipation");
        let servo = format!(
            "[controller]\nkind = \"servo\"\n[[controller.joint]]\nname = {quoted}\nstiffness = 1.0\n"
        );
        let scenario = folder.write("case.toml", scenario + &servo);
        let file = folder
            .path(&format!("{i}.baseline.toml"))
            .display()
            .to_string();
        let scenario = scenario.display().to_string();
        let recorded = carom(&["baseline", "record", &scenario, "--out", &file]);
        assert!(
            recorded.status.success(),
            "{name}: {}",
            text(&recorded.stderr)
        );
        let verified = carom(&["baseline", "verify", &file]);
        assert!(
            verified.status.success(),
            "{name}: {}{}",
            text(&verified.stdout),
            text(&verified.stderr)
        );
    }
}

/// A key of TOML as a basic string.
fn key(name: &str) -> String {
    format!(
        "\"{}\"",
        name.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\t', "\\t")
    )
}

#[test]
fn terminal_escapes_of_the_input_are_shown() {
    let folder = Folder::new("escapes");
    let escape = "\u{9b}31m\u{202e}";
    let robot = ROBOT.replace("\"arm\"", &format!("\"{escape}\""));
    let file = folder.write("robot.urdf", robot);
    let shown = "\\u009b31m\\u202e";
    let inspected = text(&carom(&["inspect", &file.display().to_string()]).stdout);
    assert!(
        inspected.contains(shown) && !inspected.contains(escape),
        "{inspected}"
    );
    let json = text(&carom(&["inspect", &file.display().to_string(), "--json"]).stdout);
    let read: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(read["name"], escape);
    let long = "x".repeat(100_000);
    let scenario = folder.write(
        "case.toml",
        SCENARIO.replace("\"arm\"", &format!("\"{long}\\u001B[2J\"")),
    );
    let run = simulate(&scenario, &folder.path("out"), &[]);
    let told = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        told.len() < 4000 && told.contains('…') && told.contains("[2J"),
        "{told}"
    );
    assert!(!told.contains('\u{1b}'));
}

#[test]
fn inspecting_a_long_chain_takes_time_in_proportion() {
    let folder = Folder::new("long");
    let mut robot = "<robot name=\"c\"><link name=\"l0\"/>".to_string();
    let inertial = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial>";
    let count = 3000;
    for i in 1..=count {
        let parent = i - 1;
        robot += &format!(
            "<link name=\"l{i}\">{inertial}</link><joint name=\"j{i}\" type=\"continuous\"><parent link=\"l{parent}\"/>\
             <child link=\"l{i}\"/><origin xyz=\"1 0 0\"/><axis xyz=\"0 1 0\"/></joint>"
        );
    }
    let file = folder.write("chain.urdf", robot + "</robot>");
    let begun = Instant::now();
    let output = carom(&["inspect", &file.display().to_string()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("3000 degrees of freedom"));
    assert!(!text(&output.stdout).contains("warning"));
    // Eigenvalues of the mass matrix alone would take 10 n³ = 2.7e11 operations: minutes.
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}
