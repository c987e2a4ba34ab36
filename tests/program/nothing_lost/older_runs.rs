//! What an older run left, and what belongs to somebody else.

use std::fs;

use super::support::{CHANNEL, Folder, carom, done, json, path, refused, shipped, text};

/// Names of all files below a folder.
fn files(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(&inside).unwrap() {
            let entry = entry.unwrap().path();
            if entry.is_dir() {
                open.push(entry);
            } else {
                found.push(entry.strip_prefix(folder).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

#[test]
fn a_run_removes_what_an_older_one_wrote_and_nothing_else() {
    let folder = Folder::new("older");
    let out = path(&folder, "out");
    let own = [
        "out/branches/notes.txt",
        "out/branches/deep/series_0.csv",
        "out/branches/series_old.txt",
        "out/plots/mine.svg",
        "out/thesis.tex",
    ];
    for name in own {
        folder.write(name, "precious");
    }
    let billiards = shipped("billiards/break.toml");
    let arguments = [
        "simulate",
        &billiards,
        "--out",
        &out,
        "--set",
        "duration=0.3",
    ];
    let all = [&arguments[..], &["--set", "impact.order=all"]].concat();
    done(&all);
    for name in [
        "branches.json",
        "branches/series_1.csv",
        "replay.html",
        "plots/energy.svg",
    ] {
        assert!(folder.path("out").join(name).exists(), "{name}");
    }
    // What a killed process left.
    folder.write("out/.replay.html.12-0.partial", "half");
    done(
        &[
            &arguments[..],
            &[
                "--set",
                "output.plots=false",
                "--set",
                "output.replay=false",
            ],
        ]
        .concat(),
    );
    let mut expected: Vec<String> = own.map(|n| n.replace("out/", "")).to_vec();
    let run = [
        "events.csv",
        "robot.urdf",
        "scenario.toml",
        "series.csv",
        "state.json",
        "summary.json",
    ];
    expected.extend(run.map(str::to_string));
    expected.sort();
    assert_eq!(files(&folder.path("out")), expected);
    for name in own {
        assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "precious");
    }
    // A run of particles in the same folder.
    let channel = folder.write("channel.toml", CHANNEL).display().to_string();
    done(&["simulate", &channel, "--out", &out]);
    for name in ["events.csv", "robot.urdf", "state.json"] {
        assert!(!folder.path("out").join(name).exists(), "{name}");
    }
    for name in own {
        assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "precious");
    }
}

/// A picture that cannot be written: the run is there and can be gone on with, but nothing calls it complete.
#[test]
fn the_summary_is_the_last_file() {
    let folder = Folder::new("last");
    let (out, ball) = (path(&folder, "out"), shipped("ball/bounce.toml"));
    let arguments = ["simulate", &ball, "--out", &out, "--set", "duration=0.2"];
    for in_the_way in ["out/plots", "out/branches", "out/replay.html/x"] {
        let _ = fs::remove_dir_all(folder.path("out"));
        // An older run that was whole.
        done(&arguments);
        let _ = fs::remove_dir_all(folder.path("out/plots"));
        let _ = fs::remove_file(folder.path("out/replay.html"));
        folder.write(
            in_the_way,
            "a file where a folder belongs, or the other way round",
        );
        let all = [&arguments[..], &["--set", "impact.order=all"]].concat();
        let failed = carom(&all);
        // The input was good: 2 would say that nothing was written.
        let told = text(&failed.stderr);
        assert_eq!(failed.status.code(), Some(3), "{in_the_way}: {told}");
        assert!(told.contains("what was computed before is in"), "{told}");
        assert!(!folder.path("out/summary.json").exists(), "{in_the_way}");
        assert!(folder.path("out/state.json").exists(), "{in_the_way}");
        let report = carom(&["report", &out, &out, "--out", &path(&folder, "page.html")]);
        assert_eq!(report.status.code(), Some(2));
        assert!(
            text(&report.stderr).contains("--resume"),
            "{}",
            text(&report.stderr)
        );
        let place = folder.path(in_the_way);
        if in_the_way.ends_with('x') {
            fs::remove_dir_all(place.parent().unwrap()).unwrap();
        } else {
            fs::remove_file(place).unwrap();
        }
        done(&[&all[..], &["--resume"]].concat());
        let summary = json(&folder.path("out/summary.json"));
        assert_eq!(summary["status"], "completed");
        for name in ["plots/energy.svg", "replay.html", "branches.json"] {
            assert!(folder.path("out").join(name).exists(), "{name}");
        }
    }
}

#[test]
fn no_command_replaces_what_it_is_made_from() {
    let folder = Folder::new("sources");
    let robot = fs::read_to_string(shipped("ball/ball.urdf")).unwrap();
    let scenario = fs::read_to_string(shipped("ball/bounce.toml")).unwrap();
    let scenario = scenario.replace("ball.urdf", "robot.urdf");
    let robot_file = folder.write("x/robot.urdf", &robot);
    let scenario_file = folder.write("x/scenario.toml", &scenario);
    let (x, source) = (path(&folder, "x"), path(&folder, "x/scenario.toml"));
    let intact = || {
        assert_eq!(fs::read_to_string(&robot_file).unwrap(), robot);
        assert_eq!(fs::read_to_string(&scenario_file).unwrap(), scenario);
    };
    refused(
        &["simulate", &source, "--out", &x],
        &["scenario.toml", "--out"],
    );
    let other = folder
        .write("x/other.toml", &scenario)
        .display()
        .to_string();
    refused(&["simulate", &other, "--out", &x], &["robot.urdf", "--out"]);
    // Nor files of another experiment, which no run wrote.
    let ball = shipped("ball/bounce.toml");
    refused(
        &["simulate", &ball, "--out", &x],
        &["no run wrote", "--out"],
    );
    intact();
    let channel = folder
        .write("c/scenario.toml", CHANNEL)
        .display()
        .to_string();
    refused(
        &["simulate", &channel, "--out", &path(&folder, "c")],
        &["scenario.toml"],
    );
    assert_eq!(fs::read_to_string(&channel).unwrap(), CHANNEL);
    // A baseline takes the place of a baseline alone.
    let (urdf, base) = (path(&folder, "x/robot.urdf"), path(&folder, "b.toml"));
    let short = ["--set", "duration=0.05"];
    for kept in [&urdf, &source] {
        let record = ["baseline", "record", &ball, "--out", kept];
        refused(
            &[&record[..], &short].concat(),
            &["no baseline", "--out", kept],
        );
    }
    intact();
    folder.write("b.toml", "");
    for _ in 0..2 {
        let record = ["baseline", "record", &ball, "--out", &base];
        done(&[&record[..], &short].concat());
    }
    // What a run wrote may be run again, elsewhere.
    let first = path(&folder, "first");
    done(&["simulate", &ball, "--out", &first, "--set", "duration=0.05"]);
    let resolved = path(&folder, "first/scenario.toml");
    refused(
        &["simulate", &resolved, "--out", &first],
        &["scenario.toml"],
    );
    assert!(folder.path("first/summary.json").exists());
    done(&["simulate", &resolved, "--out", &path(&folder, "second")]);
}

#[cfg(feature = "xacro")]
#[test]
fn a_design_does_not_replace_its_robot() {
    let folder = Folder::new("design");
    let robot = "<robot name=\"r\"/>";
    let file = folder.write("d/robot.urdf", robot);
    let design = fs::read_to_string(shipped("trex/design.toml")).unwrap();
    let design = design.replace(
        "\"trex.xacro\"",
        &format!("{:?}", shipped("trex/trex.xacro")),
    );
    let design = folder.write("d/design.toml", design).display().to_string();
    refused(
        &["design", &design, "--out", &path(&folder, "d")],
        &["robot.urdf", "no run wrote"],
    );
    assert_eq!(fs::read_to_string(file).unwrap(), robot);
}

/// A table that was only half copied when the process was killed, and links in the place of files that grow.
#[test]
fn a_resumed_run_copes_with_half_copies_and_follows_no_links() {
    let folder = Folder::new("copies");
    let (out, whole) = (path(&folder, "out"), path(&folder, "whole"));
    let ball = shipped("ball/bounce.toml");
    let run = |out: &str, options: &[&str]| {
        done(&[&["simulate", &ball, "--out", out][..], options].concat());
    };
    run(&whole, &["--set", "duration=0.6"]);
    run(&out, &["--set", "duration=0.3"]);
    folder.write("out/.series.csv.partial", "time_s,q");
    let victim = folder.write("victim", "precious");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&victim, folder.path("out/.events.csv.partial")).unwrap();
    run(&out, &["--set", "duration=0.6", "--resume"]);
    for file in ["series.csv", "events.csv", "scenario.toml"] {
        let read = |folder: &str| fs::read(format!("{folder}/{file}")).unwrap();
        assert!(read(&out) == read(&whole), "{file}");
    }
    #[cfg(unix)]
    for name in [
        ".series.csv.partial",
        ".events.csv.partial",
        "summary.json",
        "series.csv",
        "branches.json",
    ] {
        let _ = fs::remove_file(folder.path("out").join(name));
        std::os::unix::fs::symlink(&victim, folder.path("out").join(name)).unwrap();
    }
    run(&out, &["--set", "duration=0.6"]);
    assert_eq!(fs::read_to_string(victim).unwrap(), "precious");
}
