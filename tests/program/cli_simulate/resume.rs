//! Runs that are stopped, killed and prolonged.

use std::fs;
use std::process::Command;

use super::support::{Folder, assert_same, json, shipped, simulate, text};

#[test]
fn a_run_that_is_stopped_and_resumed_has_the_bytes_of_one_that_was_not() {
    let folder = Folder::new("resume");
    // In mid flight, at a row; between rows; after the hold; at the time of an impact; and in the middle of a sample.
    let sampled = "controller.sampling_period=0.004";
    for (scenario, duration, until, other) in [
        ("trex/drop.toml", "0.4", "0.2", None),
        ("trex/drop.toml", "0.3", "0.187", None),
        ("rhex/stand.toml", "0.1", "0.055", None),
        ("rhex/stand.toml", "0.1", "0.055", Some(sampled)),
        ("cradle/three.toml", "0.6", "0.3", None),
    ] {
        let (whole, parts) = (folder.path("whole"), folder.path("parts"));
        let duration = format!("duration={duration}");
        let mut options = vec!["--set", &duration];
        options.extend(other.into_iter().flat_map(|other| ["--set", other]));
        let with = |more: &[&'static str]| [&options, more].concat();
        assert!(
            simulate(&shipped(scenario), &whole, &options)
                .status
                .success()
        );
        let stopped = simulate(&shipped(scenario), &parts, &with(&["--until", until]));
        assert_eq!(stopped.status.code(), Some(3), "{}", text(&stopped.stderr));
        assert_eq!(json(&parts.join("summary.json"))["status"], "stopped");
        let resumed = simulate(&shipped(scenario), &parts, &with(&["--resume"]));
        assert!(resumed.status.success(), "{}", text(&resumed.stderr));
        assert_same(&whole, &parts);
        // Resuming a finished run changes nothing.
        let again = simulate(&shipped(scenario), &parts, &with(&["--resume"]));
        assert!(again.status.success());
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
