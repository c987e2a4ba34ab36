//! SIGINT and SIGTERM.
#![cfg(unix)]

use std::fs;
use std::process::Command;
use std::time::Duration;

use super::support::{CHANNEL, Folder, Running, done, json, path, shipped, start, wait_for};

/// Tells a process to stop: its exit code and what it said.
fn send(signal: &str, child: Running) -> (Option<i32>, String) {
    let told = Command::new("kill")
        .args([format!("-{signal}"), child.id().to_string()])
        .status();
    assert!(told.unwrap().success());
    child.end()
}

#[test]
fn a_run_that_is_told_to_stop_saves_and_goes_on_to_the_same_bytes() {
    let folder = Folder::new("told");
    // Longer than what messages show of a value: the command to go on with is told whole.
    let long = format!("parts-{}", "x".repeat(180));
    let (whole, parts) = (path(&folder, "whole"), path(&folder, &long));
    let part = |name: &str| folder.path(&format!("{long}/{name}"));
    let chain = shipped("chain/chain4.toml");
    let options = ["--set", "duration=300", "--set", "output.every=1000"];
    let run = |out: &str| -> Vec<String> {
        let words = [&["simulate", &chain, "--out", out][..], &options].concat();
        words.into_iter().map(str::to_string).collect()
    };
    let (to_whole, to_parts) = (run(&whole), run(&parts));
    let words = |run: &'static str, all: &[String]| -> Vec<String> {
        let more = Some(run.to_string()).filter(|r| !r.is_empty());
        all.iter().cloned().chain(more).collect()
    };
    let call = |all: &[String]| start(&all.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(call(&to_whole).end().0, Some(0));
    let mut resume = "";
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let child = call(&words(resume, &to_parts));
        wait_for(|| part(".carom.lock").exists() && part("state.json").exists());
        std::thread::sleep(Duration::from_millis(50));
        let (ended, message) = send(signal, child);
        assert_eq!(ended, Some(code), "{message}");
        assert!(message.contains(&format!("SIG{signal}")), "{message}");
        let hint = message
            .lines()
            .find(|l| l.contains("go on with: "))
            .unwrap();
        assert!(
            hint.contains(&parts) && hint.ends_with("--resume"),
            "{hint}"
        );
        assert!(hint.contains("--set duration=300"), "{hint}");
        let summary = json(&part("summary.json"));
        assert_eq!(summary["status"], "stopped");
        assert!(summary["steps"].as_u64().unwrap() < 300_000);
        assert!(!part(".carom.lock").exists());
        resume = "--resume";
    }
    assert_eq!(call(&words("--resume", &to_parts)).end().0, Some(0));
    for file in [
        "series.csv",
        "events.csv",
        "scenario.toml",
        "plots/energy.svg",
    ] {
        let read = |folder: &str| fs::read(format!("{folder}/{file}")).unwrap();
        assert!(read(&whole) == read(&parts), "{file}");
    }
    assert_eq!(json(&part("summary.json"))["status"], "completed");
}

/// What is told to stop while it follows branches has no tree, and its summary says so.
#[test]
fn branches_that_are_told_to_stop_are_not_called_complete() {
    let folder = Folder::new("branches");
    let out = path(&folder, "out");
    let billiards = shipped("billiards/break.toml");
    let arguments = [
        "simulate",
        &billiards,
        "--out",
        &out,
        "--set",
        "impact.order=all",
        "--set",
        "time_step=1e-5",
        "--set",
        "output.every=100000",
        "--set",
        "duration=1",
    ];
    let child = start(&arguments);
    wait_for(|| folder.path("out/branches").exists());
    let (ended, message) = send("TERM", child);
    assert_eq!(ended, Some(143), "{message}");
    let summary = json(&folder.path("out/summary.json"));
    assert_eq!(summary["status"], "stopped");
    assert!(
        summary["reason"].as_str().unwrap().contains("branch"),
        "{summary}"
    );
    assert!(!folder.path("out/branches.json").exists());
    done(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(
        json(&folder.path("out/summary.json"))["status"],
        "completed"
    );
    assert!(folder.path("out/branches.json").exists());
}

/// Commands that compute first and write in the end leave nothing.
#[test]
fn what_writes_in_the_end_writes_nothing_when_it_is_told_to_stop() {
    let folder = Folder::new("end");
    let (out, file) = (path(&folder, "out"), path(&folder, "b.toml"));
    let chain = shipped("chain/chain4.toml");
    let channel = CHANNEL.replace("duration = 2e-3", "duration = 1e3");
    let channel = folder.write("channel.toml", channel).display().to_string();
    let long = ["--set", "duration=1e5"];
    for arguments in [
        [
            &["simulate", &chain, "--out", &out, "--batch", "4"][..],
            &long,
        ]
        .concat(),
        vec!["simulate", &channel, "--out", &out],
        [&["baseline", "record", &chain, "--out", &file][..], &long].concat(),
    ] {
        for (signal, code) in [("INT", 130), ("TERM", 143)] {
            let child = start(&arguments);
            let lock = [folder.path("out/.carom.lock"), folder.path(".b.toml.lock")];
            wait_for(|| lock.iter().any(|l| l.exists()));
            std::thread::sleep(Duration::from_millis(50));
            let (ended, message) = send(signal, child);
            assert_eq!(ended, Some(code), "{arguments:?}: {message}");
            assert!(message.contains("nothing was written"), "{message}");
            let left: Vec<_> = fs::read_dir(&folder.0)
                .unwrap()
                .map(|e| e.unwrap().file_name())
                .collect();
            assert_eq!(left, ["channel.toml"], "{arguments:?}");
        }
    }
}
