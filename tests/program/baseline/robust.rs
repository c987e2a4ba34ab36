//! Baselines over orders of impact and perturbed states, masses and friction.

use std::fs;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::support::{Folder, assert_done, carom, record, shipped, text, verify};

/// The scenario of TREX with robust runs: three orders, perturbed stance, mass and friction.
fn robust(folder: &Folder, draws: u64) -> PathBuf {
    let scenario = fs::read_to_string(shipped("trex/drop.toml")).unwrap();
    let robot = shipped("trex/trex_optimized.urdf");
    let scenario = scenario
        .replace("trex_optimized.urdf", &robot.display().to_string())
        .replace("duration = 2.0", "duration = 0.22");
    folder.write(
        "robust.toml",
        format!(
            "{scenario}
[baseline.robust]
orders = [\"index\"]
seeds = 1
draws = {draws}
seed = 7
[[baseline.robust.perturb]]
key = \"initial.joints.gamma_B\"
uniform = 0.01
[[baseline.robust.perturb]]
key = \"initial.base.z\"
uniform = 0.005
[[baseline.robust.perturb]]
key = \"robot.mass_scale.tail\"
normal = 0.02
[[baseline.robust.perturb]]
key = \"contact.friction\"
normal = 0.05
relative = true
"
        ),
    )
}

#[test]
fn robust_runs_have_the_same_bytes_on_1_2_and_4_threads_and_name_their_worst_case() {
    let folder = Folder::new("threads");
    let scenario = robust(&folder, 9);
    let files = ["1", "2", "4"].map(|jobs| {
        let file = folder.path(&format!("{jobs}.toml"));
        assert_done(&record(&scenario, &file, &["--jobs", jobs]));
        fs::read(&file).unwrap()
    });
    assert!(files[0] == files[1] && files[0] == files[2]);
    let table: toml::Table = toml::from_str(&text(&files[0])).unwrap();
    let report = table["robust"].as_table().unwrap();
    assert_eq!(report["runs"].as_integer(), Some(30));
    // Orders alone part at the ambiguous landing.
    let by_order = report["spread_by_order"].as_table().unwrap();
    assert_eq!(by_order["event"].as_integer(), Some(1));
    assert_eq!(by_order["ambiguous"].as_bool(), Some(true));
    assert_eq!(by_order["contacts"].as_array().unwrap().len(), 2);
    // The worst run alone, with the keys that the baseline tells, comes to the worst value.
    let peak = report["metrics"]["peak_effort"].as_table().unwrap();
    let worst = peak["highest_set"].as_array().unwrap();
    assert!(!worst.is_empty());
    let mut options = Vec::new();
    for set in worst {
        options.extend(["--set", set.as_str().unwrap()]);
    }
    options.extend(["--set", "baseline={}"]);
    let alone = folder.path("alone.toml");
    assert_done(&record(&scenario, &alone, &options));
    let alone: toml::Table = toml::from_str(&fs::read_to_string(&alone).unwrap()).unwrap();
    assert_eq!(
        alone["metrics"]["peak_effort"]["value"].as_float(),
        peak["max"].as_float()
    );
    // The bands hold for what was recorded, and not for a controller four times as stiff.
    let file = folder.path("2.toml");
    assert_done(&verify(&file, &[]));
    let stiff = verify(&file, &["--set", "controller.stiffness=4.0", "--jobs", "2"]);
    assert_eq!(stiff.status.code(), Some(1));
    let told = text(&stiff.stdout);
    assert!(told.contains("peak_effort: outside of the band"), "{told}");
}

#[test]
fn a_killed_process_loses_nothing_that_was_finished() {
    let folder = Folder::new("killed");
    let scenario = robust(&folder, 39);
    let whole = folder.path("whole.toml");
    assert_done(&record(&scenario, &whole, &[]));
    let resumed = folder.path("resumed.toml");
    let finished = folder.path(".resumed.toml.runs");
    let mut child = carom()
        .args(["baseline", "record"])
        .arg(&scenario)
        .arg("--out")
        .arg(&resumed)
        .args(["--jobs", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = || {
        fs::read_to_string(&finished)
            .unwrap_or_default()
            .lines()
            .count()
    };
    let begun = Instant::now();
    while lines() < 20 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let kept = lines();
    assert!((20..121).contains(&kept), "{kept}");
    assert!(!resumed.exists());
    // The process may have been killed in the middle of a line.
    let mut torn = fs::read(&finished).unwrap();
    torn.extend_from_slice(b"{\"index\": 3, \"over");
    fs::write(&finished, torn).unwrap();
    // Of another scenario they are refused, and stay.
    let other = record(&scenario, &resumed, &["--resume", "--set", "duration=0.2"]);
    assert_eq!(other.status.code(), Some(2));
    assert!(text(&other.stderr).contains("--resume"));
    assert!(lines() >= kept && !resumed.exists());
    assert_done(&record(&scenario, &resumed, &["--resume", "--jobs", "1"]));
    assert!(fs::read(&whole).unwrap() == fs::read(&resumed).unwrap());
    assert!(!finished.exists());
}
