//! The files of a run and their columns.

use std::fs;

use super::support::{Folder, assert_same, column, header, json, shipped, simulate, text};

#[test]
fn a_run_writes_every_file_with_the_columns_of_the_contract() {
    let folder = Folder::new("files");
    let out = folder.path("out");
    let run = simulate(
        &shipped("ball/bounce.toml"),
        &out,
        &["--set", "duration=0.6"],
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let report = text(&run.stdout);
    for word in [
        "completed",
        "energy",
        "impacts",
        "penetration",
        "Newton",
        "times real time",
    ] {
        assert!(report.contains(word), "{word}: {report}");
    }
    assert!(report.lines().count() < 24);
    let series = header(&out.join("series.csv"));
    let expected = [
        "time_s",
        "q_base.x",
        "q_base.y",
        "q_base.z",
        "q_base.qx",
        "q_base.qy",
        "q_base.qz",
        "q_base.qw",
        "v_base.vx",
        "v_base.vy",
        "v_base.vz",
        "v_base.wx",
        "v_base.wy",
        "v_base.wz",
        "kinetic_J",
        "potential_J",
        "work_actuators_J",
        "work_dissipative_J",
        "work_impacts_J",
        "work_captured_J",
        "energy_residual_J",
        "gap_ball_m",
        "force_ball_n_N",
    ];
    assert_eq!(series, expected);
    let times = column(&out.join("series.csv"), "time_s");
    assert_eq!(times.len(), 61);
    assert_eq!(times.last().unwrap().parse::<f64>().unwrap(), 600.0 * 1e-3);
    let events = header(&out.join("events.csv"));
    let expected = [
        "time_s",
        "kind",
        "contacts",
        "law",
        "sequence",
        "outcomes",
        "indeterminacy",
        "energy_before_J",
        "energy_after_J",
        "impulse_ball_n_Ns",
        "impulse_ball_t_Ns",
    ];
    assert_eq!(&events[..expected.len()], expected);
    assert_eq!(column(&out.join("events.csv"), "kind"), ["impact"]);
    let summary = json(&out.join("summary.json"));
    for (place, expected) in [
        ("/status", serde_json::json!("completed")),
        ("/steps", serde_json::json!(600)),
        ("/impacts/count", serde_json::json!(1)),
        ("/impacts/reflections", serde_json::json!(1)),
        ("/impacts/ambiguous", serde_json::json!(0)),
        ("/distance_m", serde_json::json!(0.0)),
    ] {
        assert_eq!(summary.pointer(place), Some(&expected), "{place}");
    }
    for place in [
        "/time_s",
        "/wall_time_s",
        "/real_time_factor",
        "/energy/initial_J",
        "/energy/final_J",
        "/energy/max_residual_J",
        "/impacts/max_indeterminacy",
        "/max_penetration_m",
        "/newton/iterations_mean",
        "/newton/iterations_max",
        "/version",
        "/scenario_hash",
    ] {
        assert!(summary.pointer(place).is_some(), "{place}");
    }
    // m g h: 1 kg at 1.1 m.
    let initial = summary
        .pointer("/energy/initial_J")
        .unwrap()
        .as_f64()
        .unwrap();
    assert!((initial - 9.81 * 1.1).abs() < 1e-12);
    for plot in ["energy", "gaps", "contacts"] {
        let svg = fs::read_to_string(out.join(format!("plots/{plot}.svg"))).unwrap();
        assert!(svg.contains("<svg") && svg.contains("time (s)"), "{plot}");
    }
    let mut names: Vec<String> = fs::read_dir(&out)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "events.csv",
            "plots",
            "replay.html",
            "robot.urdf",
            "scenario.toml",
            "series.csv",
            "state.json",
            "summary.json"
        ]
    );
}

#[test]
fn the_same_scenario_gives_the_same_bytes_and_so_does_its_resolved_text() {
    let folder = Folder::new("same");
    let (a, b, c) = (folder.path("a"), folder.path("b"), folder.path("c"));
    let short = ["--set", "duration=0.3"];
    assert!(
        simulate(&shipped("trex/drop.toml"), &a, &short)
            .status
            .success()
    );
    assert!(
        simulate(&shipped("trex/drop.toml"), &b, &short)
            .status
            .success()
    );
    assert_same(&a, &b);
    assert!(simulate(&a.join("scenario.toml"), &c, &[]).status.success());
    assert_same(&a, &c);
}

#[test]
fn events_carry_the_configuration_at_their_moment() {
    let folder = Folder::new("moments");
    let out = folder.path("out");
    assert!(
        simulate(
            &shipped("ball/bounce.toml"),
            &out,
            &["--set", "duration=1.0"]
        )
        .status
        .success()
    );
    let heights = column(&out.join("events.csv"), "q_base.z");
    assert!(!heights.is_empty());
    for height in heights {
        // The ball has a radius of 0.1 m, and gaps are located to 1e-12 m.
        let gap = height.parse::<f64>().unwrap() - 0.1;
        assert!(gap.abs() < 1e-11, "{gap}");
    }
}

#[test]
fn the_energy_residual_is_one_thing_in_series_summary_and_report() {
    let folder = Folder::new("residual");
    let out = folder.path("out");
    let every = [
        "--set",
        "duration=2",
        "--set",
        "output.every=1",
        "--set",
        "output.plots=false",
    ];
    assert!(
        simulate(&shipped("chain/chain4.toml"), &out, &every)
            .status
            .success()
    );
    let residual: Vec<f64> = column(&out.join("series.csv"), "energy_residual_J")
        .iter()
        .map(|x| x.parse().unwrap())
        .collect();
    // The departure from the start's balance: nothing at the start, although the potential energy is not.
    assert_eq!(residual[0], 0.0);
    let largest = residual.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    assert!(largest > 0.0);
    let summary = json(&out.join("summary.json"));
    assert_eq!(summary["energy"]["max_residual_J"].as_f64(), Some(largest));
    // The base of the chain is fixed: there is no distance that it went.
    assert!(summary.get("distance_m").is_none());
    let stored = folder.path("chain.baseline.toml");
    let recorded = std::process::Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["baseline", "record"])
        .arg(shipped("chain/chain4.toml"))
        .arg("--out")
        .arg(&stored)
        .args(&every[..2])
        .output()
        .unwrap();
    assert!(recorded.status.success(), "{}", text(&recorded.stderr));
    let stored: toml::Table = toml::from_str(&fs::read_to_string(stored).unwrap()).unwrap();
    assert_eq!(
        stored["metrics"]["energy_residual_J"]["value"].as_float(),
        Some(largest)
    );
    let series = &stored["series"]["columns"]["energy_residual_J"]["values"];
    assert_eq!(series[0].as_float(), Some(0.0));
    assert!(stored["metrics"].get("distance_m").is_none());
}
