//! One folder or file, one writer.

use carom::study::{OutputFolder, OutputLock, RUN_OUTPUT};

use super::support::{
    CHANNEL, Folder, carom, done, json, path, refused, shipped, start, text, wait_for,
};

#[test]
fn a_second_run_into_a_folder_is_told_who_has_it_and_a_killed_one_blocks_nobody() {
    let folder = Folder::new("two");
    let out = path(&folder, "out");
    let chain = shipped("chain/chain4.toml");
    let long = ["simulate", &chain, "--out", &out, "--set", "duration=1e6"];
    let mut first = start(&long);
    wait_for(|| folder.path("out/state.json").exists());
    let holder = format!("process {}, for ", first.id());
    let words = [holder.as_str(), "by now", "--out", &out];
    refused(&["simulate", &chain, "--out", &out], &words);
    refused(&[&long[..], &["--resume"]].concat(), &words);
    assert!(first.try_wait().unwrap().is_none(), "the first run ended");
    first.kill().unwrap();
    first.wait().unwrap();
    done(&["simulate", &chain, "--out", &out, "--set", "duration=0.1"]);
    assert_eq!(
        json(&folder.path("out/summary.json"))["status"],
        "completed"
    );
    #[cfg(unix)]
    assert!(!folder.path("out/.carom.lock").exists());
}

/// Two at once: one of them completes, and its rows are those of one run.
#[test]
fn of_two_runs_at_once_one_writes() {
    let folder = Folder::new("race");
    let ball = shipped("ball/bounce.toml");
    let alone = path(&folder, "alone");
    done(&["simulate", &ball, "--out", &alone, "--set", "duration=0.2"]);
    for round in 0..3 {
        let out = path(&folder, &format!("out{round}"));
        let arguments = ["simulate", &ball, "--out", &out, "--set", "duration=0.2"];
        let both = [start(&arguments), start(&arguments)];
        let codes = both.map(|child| child.wait_with_output().unwrap().status.code());
        // The second may also come after the first has ended.
        assert!(codes.contains(&Some(0)), "{codes:?}");
        assert!(
            codes.iter().all(|c| [Some(0), Some(2)].contains(c)),
            "{codes:?}"
        );
        for file in ["series.csv", "events.csv"] {
            let read = |folder: &str| std::fs::read(format!("{folder}/{file}")).unwrap();
            assert!(read(&out) == read(&alone), "{file}");
        }
    }
}

#[test]
fn every_command_that_writes_a_folder_or_a_baseline_asks_for_the_lock() {
    let folder = Folder::new("asks");
    let (out, ball) = (path(&folder, "out"), shipped("ball/bounce.toml"));
    let channel = folder.write("channel.toml", CHANNEL).display().to_string();
    let design = shipped("trex/design.toml");
    let holder = format!("process {}, for ", std::process::id());
    let held = OutputFolder::hold(&folder.path("out"), &RUN_OUTPUT).unwrap();
    for arguments in [
        vec!["simulate", &ball, "--out", &out],
        vec!["simulate", &ball, "--out", &out, "--resume"],
        vec!["simulate", &ball, "--out", &out, "--batch", "2"],
        vec!["simulate", &channel, "--out", &out],
        vec!["design", &design, "--out", &out],
    ] {
        refused(&arguments, &[&holder, &out]);
    }
    drop(held);
    let file = path(&folder, "ball.baseline.toml");
    let record = [
        "baseline",
        "record",
        &ball,
        "--out",
        &file,
        "--set",
        "duration=0.05",
    ];
    let lock = OutputLock::of_file(&folder.path("ball.baseline.toml")).unwrap();
    refused(&record, &[&holder, &file]);
    drop(lock);
    done(&record);
    let lock = OutputLock::of_file(&folder.path("ball.baseline.toml")).unwrap();
    refused(&["baseline", "verify", &file, "--update"], &[&holder]);
    // Who only reads needs nobody's leave.
    done(&["baseline", "verify", &file]);
    drop(lock);
    let left: Vec<_> = std::fs::read_dir(&folder.0)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    #[cfg(unix)]
    assert_eq!(left.len(), 2, "{left:?}");
    let shown = text(&carom(&["baseline", "verify", &file, "--json"]).stdout);
    assert!(shown.starts_with('{'));
}
