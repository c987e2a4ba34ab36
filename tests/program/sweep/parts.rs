//! The same bytes however a sweep is divided.

use std::fs;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::support::{Folder, bounces, error_of, results, sweep};

const RUNS: u64 = 83;

#[test]
fn shards_in_any_order_and_the_whole_are_the_same_bytes() {
    let folder = Folder::new("sweep-shards");
    let file = bounces(&folder, RUNS);
    let file = file.to_str().unwrap();
    let whole = folder.path("whole");
    let done = sweep(&[
        file,
        "--out",
        whole.to_str().unwrap(),
        "--jobs",
        "2",
        "--quiet",
    ]);
    assert!(done.status.success(), "{}", error_of(&done));
    let expected = results(&whole);
    let table = String::from_utf8(expected[0].clone()).unwrap();
    assert_eq!(table.lines().count() as u64, RUNS + 1);
    assert!(
        table.contains("refused") && table.contains("completed"),
        "{table}"
    );
    for (of, step) in [(1, 1), (7, 3), (64, 27)] {
        let out = folder.path(&format!("of-{of}"));
        let out = out.to_str().unwrap();
        // Every step-th one, round and round: steps and numbers have no factor in common.
        for i in 0..of {
            let shard = format!("{}/{of}", (i * step) % of + 1);
            let done = sweep(&[file, "--out", out, "--shard", &shard, "--jobs", "1"]);
            assert!(done.status.success(), "{}", error_of(&done));
        }
        let merged = sweep(&["merge", out, "--quiet"]);
        assert!(merged.status.success(), "{}", error_of(&merged));
        assert!(results(out.as_ref()) == expected, "{of} shards");
    }
}

#[test]
fn what_is_missing_is_listed_and_done_by_the_plain_command() {
    let folder = Folder::new("sweep-resumed");
    let file = bounces(&folder, RUNS);
    let file = file.to_str().unwrap();
    let out = folder.path("out");
    let out = out.to_str().unwrap();
    for shard in ["2/4", "4/4"] {
        assert!(
            sweep(&[file, "--out", out, "--shard", shard])
                .status
                .success()
        );
    }
    let status = sweep(&["status", out, "--of", "4", "--json"]);
    assert_eq!(status.status.code(), Some(3));
    let told: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(told["ranges"], serde_json::json!([[0, 20], [41, 62]]));
    assert_eq!(told["shards"], serde_json::json!([1, 3]));
    let early = sweep(&["merge", out]);
    assert_eq!(early.status.code(), Some(3));
    assert!(error_of(&early).contains("41 of 83 runs are missing, the first is run 0"));
    // A shard that is there is not done again.
    let again = sweep(&[file, "--out", out, "--shard", "2/4", "--json"]);
    let again: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["part"], serde_json::Value::Null);

    let rest = sweep(&[file, "--out", out]);
    assert!(rest.status.success(), "{}", error_of(&rest));
    assert!(error_of(&rest).contains("42 of 83 runs are there already"));
    let whole = folder.path("whole");
    sweep(&[file, "--out", whole.to_str().unwrap()]);
    assert!(results(out.as_ref()) == results(&whole));
}

/// Killed at moments that differ, and begun again each time.
#[test]
fn a_sweep_that_is_killed_goes_on_to_the_same_bytes() {
    let folder = Folder::new("sweep-killed");
    let file = bounces(&folder, RUNS);
    let whole = folder.path("whole");
    sweep(&[file.to_str().unwrap(), "--out", whole.to_str().unwrap()]);
    let out = folder.path("out");
    for moment in [20, 60, 100, 150] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
            .arg("sweep")
            .arg(&file)
            .arg("--out")
            .arg(&out)
            .args(["--jobs", "1"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let done = sweep(&[file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    assert!(done.status.success(), "{}", error_of(&done));
    assert!(results(&out) == results(&whole));
}

#[test]
fn parts_of_other_machines_are_brought_together() {
    let folder = Folder::new("sweep-collected");
    let file = bounces(&folder, 20);
    let file = file.to_str().unwrap();
    let [a, b, all] = ["a", "b", "all"].map(|name| folder.path(name).display().to_string());
    sweep(&[file, "--out", &a, "--shard", "1/2"]);
    sweep(&[file, "--out", &b, "--shard", "2/2"]);
    let merged = sweep(&["merge", &all, &b, &a]);
    assert!(merged.status.success(), "{}", error_of(&merged));
    let whole = folder.path("whole");
    sweep(&[file, "--out", whole.to_str().unwrap()]);
    assert!(results(all.as_ref()) == results(&whole));
    // Of another sweep they are not.
    let other = folder.path("other");
    let other = other.to_str().unwrap();
    sweep(&[file, "--out", other, "--set", "plan.seed=4"]);
    let refused = sweep(&["merge", &all, other]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(error_of(&refused).contains("parts of another sweep"));
    assert!(fs::read_dir(&all).unwrap().count() >= 5);
}

/// What `merge` refuses, `status` does not count as there.
#[test]
fn a_part_that_is_cut_short_is_told_by_status() {
    let folder = Folder::new("sweep-cut");
    let file = bounces(&folder, 10);
    let file = file.to_str().unwrap();
    for shards in [vec!["1/2", "2/2"], vec!["1/2"]] {
        let out = folder.path(&format!("out-{}", shards.len()));
        for shard in &shards {
            let done = sweep(&[file, "--out", out.to_str().unwrap(), "--shard", shard]);
            assert!(done.status.success(), "{}", error_of(&done));
        }
        let missing = if shards.len() == 2 { 0 } else { 3 };
        let status = || sweep(&["status", out.to_str().unwrap()]);
        assert_eq!(status().status.code(), Some(missing));
        let mut parts = fs::read_dir(out.join("parts")).unwrap();
        let part = parts.next().unwrap().unwrap().path();
        let text = fs::read(&part).unwrap();
        fs::write(&part, &text[..text.len() - 20]).unwrap();
        let told = status();
        assert_eq!(told.status.code(), Some(2), "{shards:?}");
        let name = part.file_name().unwrap().to_str().unwrap();
        assert!(error_of(&told).contains(name), "{}", error_of(&told));
        assert!(error_of(&told).contains("damaged"), "{}", error_of(&told));
        // Without it the folder is whole but for its runs.
        fs::remove_file(&part).unwrap();
        assert_eq!(status().status.code(), Some(3));
    }
}
