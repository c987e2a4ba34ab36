//! Durations that are not a whole number of time steps.

use std::fs;

use super::support::{CHANNEL, Folder, done, json, path, refused, shipped};

fn last_row(folder: &Folder, table: &str, columns: &[&str]) -> Vec<f64> {
    let mut reader = csv::Reader::from_path(folder.path(table)).unwrap();
    let header = reader.headers().unwrap().clone();
    let row = reader.records().last().unwrap().unwrap();
    let place = |name: &&str| header.iter().position(|h| h == *name).unwrap();
    columns
        .iter()
        .map(|name| row[place(name)].parse().unwrap())
        .collect()
}

/// A ball in free fall: the midpoint rule is exact under constant gravity, with steps of whatever length, so that only
/// a run that ends at the stated time has the height of that time. Rounding: a few ulp of 1 m.
#[test]
fn a_run_ends_at_the_stated_time() {
    let folder = Folder::new("ends");
    let ball = shipped("ball/bounce.toml");
    for (out, step, duration, steps) in [
        ("larger", 3.0, 0.25, 1),
        ("part", 0.1, 0.25, 3),
        ("rows", 0.01, 0.255, 26),
        ("whole", 0.05, 0.25, 5),
        // A millionth of a step is still one.
        ("dot", 1e-3, 1e-9, 1),
    ] {
        let (step, end) = (format!("time_step={step}"), format!("duration={duration}"));
        let to = path(&folder, out);
        done(&[
            "simulate", &ball, "--out", &to, "--set", &step, "--set", &end,
        ]);
        let summary = json(&folder.path(out).join("summary.json"));
        assert_eq!(summary["status"], "completed");
        assert_eq!(summary["time_s"], duration, "{out}");
        assert_eq!(summary["steps"], steps, "{out}");
        let row = last_row(
            &folder,
            &format!("{out}/series.csv"),
            &["time_s", "q_base.z", "v_base.vz"],
        );
        assert_eq!(row[0], duration);
        let (height, speed) = (1.1 - 0.5 * 9.81 * duration * duration, -9.81 * duration);
        assert!(
            (row[1] - height).abs() < 1e-13,
            "{out}: {} {height}",
            row[1]
        );
        assert!((row[2] - speed).abs() < 1e-13, "{out}: {} {speed}", row[2]);
        let text = fs::read_to_string(folder.path(out).join("series.csv")).unwrap();
        let mut times: Vec<&str> = text.lines().map(|l| l.split(',').next().unwrap()).collect();
        let rows = times.len();
        times.dedup();
        assert_eq!(times.len(), rows, "{out}: a row is written twice");
    }
}

/// Across an impact, and with everything that a run can be taken up by.
#[test]
fn a_run_that_ended_in_a_step_is_prolonged_to_the_bytes_of_one_that_did_not() {
    let folder = Folder::new("prolonged");
    let ball = shipped("ball/bounce.toml");
    let run = |out: &str, options: &[&str]| {
        let out = path(&folder, out);
        done(&[&["simulate", &ball, "--out", &out][..], options].concat());
    };
    run("whole", &["--set", "duration=0.6"]);
    for first in ["0.0003", "0.4501", "0.45999"] {
        run("parts", &["--set", &format!("duration={first}")]);
        let time = json(&folder.path("parts/summary.json"))["time_s"].as_f64();
        assert_eq!(time, first.parse().ok());
        // Resumed with nothing left to do, it is the same run again.
        let table = fs::read(folder.path("parts/series.csv")).unwrap();
        run(
            "parts",
            &["--resume", "--set", &format!("duration={first}")],
        );
        assert!(table == fs::read(folder.path("parts/series.csv")).unwrap());
        run("parts", &["--resume", "--set", "duration=0.6"]);
        for file in ["series.csv", "events.csv", "scenario.toml"] {
            let read = |name: &str| fs::read(folder.path(name).join(file)).unwrap();
            assert!(read("whole") == read("parts"), "{first}: {file}");
        }
        let energy = |name: &str| json(&folder.path(name).join("summary.json"))["energy"].clone();
        assert_eq!(energy("whole"), energy("parts"));
    }
}

#[test]
fn branches_batches_and_baselines_end_at_the_stated_time() {
    let folder = Folder::new("others");
    let billiards = shipped("billiards/break.toml");
    let end = ["--set", "duration=0.30025"];
    let out = path(&folder, "out");
    done(
        &[
            &[
                "simulate",
                &billiards,
                "--out",
                &out,
                "--set",
                "impact.order=all",
            ][..],
            &end,
        ]
        .concat(),
    );
    let tree = json(&folder.path("out/branches.json"));
    for branch in tree["branches"].as_array().unwrap() {
        if branch["merged_into"].is_null() {
            assert_eq!(branch["ended_at_s"], 0.30025, "{branch}");
        }
    }
    assert_eq!(
        last_row(&folder, "out/branches/series_1.csv", &["time_s"]),
        [0.30025]
    );
    done(
        &[
            &["simulate", &billiards, "--out", &out, "--batch", "2"][..],
            &end,
        ]
        .concat(),
    );
    let columns = ["time_s", "q_x_A"];
    let batch = last_row(&folder, "out/batch.csv", &columns);
    assert_eq!(batch, last_row(&folder, "out/series.csv", &columns));
    let file = path(&folder, "b.toml");
    done(
        &[
            &["baseline", "record", &billiards, "--out", &file][..],
            &end,
        ]
        .concat(),
    );
    done(&["baseline", "verify", &file]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("0.30025"));
}

#[test]
fn particles_take_whole_steps_and_say_which() {
    let folder = Folder::new("particles");
    let channel = folder.write("channel.toml", CHANNEL).display().to_string();
    let out = path(&folder, "out");
    let run = ["simulate", &channel, "--out", &out, "--set"];
    for (entry, words) in [
        ("duration=2.05e-3", ["duration", "0.002 or 0.0021 s"]),
        ("duration=5e-5", ["duration", "0.0001"]),
    ] {
        refused(&[&run[..], &[entry]].concat(), &words);
        assert!(!folder.path("out").exists());
    }
}
