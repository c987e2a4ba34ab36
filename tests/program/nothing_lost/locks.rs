//! One folder or file, one writer.

use carom::files::{OutputFolder, OutputLock, RUN_OUTPUT};

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
    assert!(!first.has_ended(), "the first run ended");
    first.kill();
    done(&["simulate", &chain, "--out", &out, "--set", "duration=0.1"]);
    assert_eq!(
        json(&folder.path("out/summary.json"))["status"],
        "completed"
    );
    #[cfg(unix)]
    assert!(!folder.path("out/.carom.lock").exists());
}

/// Two different ones at once: what is complete in the end is one of them, every file of it.
#[test]
fn of_two_runs_at_once_one_writes() {
    let folder = Folder::new("race");
    let ball = shipped("ball/bounce.toml");
    let run = |out: &str, set: &str| -> Vec<String> {
        let words = [
            "simulate",
            &ball,
            "--out",
            out,
            "--set",
            "duration=1",
            "--set",
            set,
        ];
        words.map(str::to_string).to_vec()
    };
    let call = |words: &[String]| start(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let settings = ["contact.restitution=0.7", "contact.restitution=0.3"];
    let names = [
        "series.csv",
        "events.csv",
        "scenario.toml",
        "plots/energy.svg",
    ];
    let files = |out: &str| names.map(|name| std::fs::read(format!("{out}/{name}")).unwrap());
    let alone = settings.map(|set| {
        let out = path(&folder, "alone");
        assert_eq!(call(&run(&out, set)).end().0, Some(0));
        files(&out)
    });
    for round in 0..5 {
        let out = path(&folder, &format!("out{round}"));
        let both = settings.map(|set| call(&run(&out, set)));
        let codes = both.map(|child| child.end().0);
        // The second may also come after the first has ended.
        assert!(codes.contains(&Some(0)), "{codes:?}");
        assert!(
            codes.iter().all(|c| [Some(0), Some(2)].contains(c)),
            "{codes:?}"
        );
        assert_eq!(
            json(&folder.path(&format!("out{round}/summary.json")))["status"],
            "completed"
        );
        assert!(alone.contains(&files(&out)), "round {round}: {codes:?}");
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
