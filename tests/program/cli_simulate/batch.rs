//! Many runs of a scenario.

use std::fs;

use super::support::{Folder, column, shipped, simulate, text};

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
