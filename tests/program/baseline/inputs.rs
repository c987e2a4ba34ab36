//! What a baseline was recorded from: the files on disk are run, and what changed in them is named.

use std::fs;
use std::path::PathBuf;

use super::support::{Folder, assert_done, carom, record, shipped, text, verify};

/// Four links that servos hold, in files of their own: `bench/arm.toml` with its robot beside it.
pub fn arm(folder: &Folder) -> PathBuf {
    let robot = fs::read_to_string(shipped("chain/chain4.urdf")).unwrap();
    folder.write("bench/arm.urdf", robot);
    let servos: String = (1..=4)
        .map(|i| {
            format!(
                "[[controller.joint]]\nname = \"joint{i}\"\nstiffness = 100.0\ndamping = 10.0\n"
            )
        })
        .collect();
    folder.write(
        "bench/arm.toml",
        format!(
            "time_step = 1e-3\nduration = 0.3\n[robot]\nfile = \"arm.urdf\"\n\
             [controller]\nkind = \"servo\"\n{servos}"
        ),
    )
}

/// Replaces text in a file; it must be there.
pub fn edit(file: &PathBuf, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from}");
    fs::write(file, text.replace(from, to)).unwrap();
}

#[test]
fn the_scenario_on_disk_is_run_and_its_changed_keys_are_told() {
    let folder = Folder::new("edited");
    let scenario = arm(&folder);
    let file = folder.path("arm.baseline.toml");
    assert_done(&record(&scenario, &file, &["--set", "duration=0.2"]));
    assert_done(&verify(&file, &[]));
    edit(&scenario, "stiffness = 100.0", "stiffness = 102.0");
    let changed = verify(&file, &[]);
    assert_eq!(changed.status.code(), Some(1));
    let told = text(&changed.stdout);
    for part in [
        "arm.toml: controller.joint.joint1.stiffness was 100.0, is 102.0",
        "arm.toml: controller.joint.joint4.stiffness was 100.0, is 102.0",
        "what differs, the largest against its tolerance first",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // What was set when it was recorded is set again: it is no change.
    assert!(!told.contains("duration"), "{told}");
    // The copy inside does what it did.
    let frozen = verify(&file, &["--frozen"]);
    assert_done(&frozen);
    assert!(text(&frozen.stdout).contains("no difference"));
    // For a program.
    let json = verify(&file, &["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let inputs = json["inputs"].as_array().unwrap();
    assert_eq!(inputs.len(), 4);
    assert_eq!(inputs[1]["key"], "controller.joint.joint2.stiffness");
    assert_eq!(inputs[1]["recorded"], "100.0");
    assert_eq!(inputs[1]["now"], "102.0");
    // Accepted, it is what is recorded: keys, hashes and results.
    assert_done(&verify(&file, &["--update"]));
    let accepted = verify(&file, &[]);
    assert_done(&accepted);
    assert!(!text(&accepted.stdout).contains("inputs"));
    assert_done(&verify(&file, &["--frozen"]));
}

#[test]
fn a_change_that_changes_nothing_is_told_and_passes() {
    let folder = Folder::new("harmless");
    let scenario = arm(&folder);
    let file = folder.path("arm.baseline.toml");
    assert_done(&record(&scenario, &file, &[]));
    edit(
        &scenario,
        "time_step",
        "# the step of the servos\ntime_step",
    );
    let comment = verify(&file, &[]);
    assert_done(&comment);
    let told = text(&comment.stdout);
    assert!(told.contains("no difference in what happens"), "{told}");
    assert!(told.contains("another text with the same keys"), "{told}");
    edit(
        &scenario,
        "duration = 0.3",
        "duration = 0.3\noutput = { every = 5 }",
    );
    let key = verify(&file, &[]);
    assert_done(&key);
    let told = text(&key.stdout);
    assert!(told.contains("output.every was 10, is 5"), "{told}");
}

#[test]
fn robot_gait_and_program_are_named_when_they_change() {
    let folder = Folder::new("files");
    let scenario = arm(&folder);
    let file = folder.path("arm.baseline.toml");
    assert_done(&record(&scenario, &file, &[]));
    let robot = folder.path("bench/arm.urdf");
    let plain = fs::read_to_string(&robot).unwrap();
    let lighter = plain.replacen("<mass value=\"1\"/>", "<mass value=\"0.9\"/>", 1);
    assert!(lighter != plain);
    fs::write(&robot, lighter).unwrap();
    let changed = verify(&file, &[]);
    assert_eq!(changed.status.code(), Some(1));
    let told = text(&changed.stdout);
    assert!(told.contains("arm.urdf: the robot has changed"), "{told}");

    let walk = fs::read_to_string(shipped("rhex/tripod.toml")).unwrap();
    let urdf = shipped("rhex/rhex.urdf").display().to_string();
    let gait = fs::read_to_string(shipped("rhex/gaits/tripod.toml")).unwrap();
    let gait_file = folder.write("walk/own.toml", gait);
    let walk = walk
        .replace("file = \"rhex.urdf\"", &format!("file = {urdf:?}"))
        .replace("gait = \"tripod\"", "gait = \"own.toml\"");
    let scenario = folder.write("walk/walk.toml", walk);
    let file = folder.path("walk.baseline.toml");
    // The stand before the walk, and the shift to the first places of the gait.
    assert_done(&record(&scenario, &file, &["--set", "duration=0.7"]));
    edit(&gait_file, "period = ", "period = 1");
    let changed = verify(&file, &[]);
    let told = text(&changed.stdout);
    assert!(told.contains("own.toml: the gait has changed"), "{told}");
    assert!(told.contains("controller.gait.period was"), "{told}");
}

#[test]
fn both_moved_together_are_found_and_a_scenario_that_is_gone_is_told_with_what_to_do() {
    let folder = Folder::new("moved");
    arm(&folder);
    let file = folder.path("bench/arm.baseline.toml");
    assert_done(&record(&folder.path("bench/arm.toml"), &file, &[]));
    fs::rename(folder.path("bench"), folder.path("elsewhere")).unwrap();
    let file = folder.path("elsewhere/arm.baseline.toml");
    let moved = verify(&file, &[]);
    assert_done(&moved);
    assert!(!text(&moved.stdout).contains("inputs"));
    // From a folder of its own, too.
    let from_there = carom()
        .current_dir(folder.path("elsewhere"))
        .args(["baseline", "verify", "arm.baseline.toml"])
        .output()
        .unwrap();
    assert_done(&from_there);
    fs::remove_file(folder.path("elsewhere/arm.toml")).unwrap();
    let gone = verify(&file, &[]);
    assert_eq!(gone.status.code(), Some(2));
    let told = text(&gone.stderr);
    for part in [
        "recorded_from.scenario",
        "arm.toml",
        "--frozen",
        "record again",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert_eq!(told.lines().count(), 1, "{told}");
    assert_done(&verify(&file, &["--frozen"]));
}
