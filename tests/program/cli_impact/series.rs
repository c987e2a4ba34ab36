//! Samples, curves and pictures in files.

use serde_json::json;

use super::support::{TemporaryFile, carom, corner, impact, numbers};

#[test]
fn samples_are_kept_in_a_csv_file() {
    let file = TemporaryFile::new("samples.csv", "old");
    let options = [
        "--samples",
        "300",
        "--seed",
        "7",
        "--samples-csv",
        file.path(),
    ];
    let run = impact(&corner(), "routh", &options);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let set = &run.json()["set"];
    assert_eq!(set["samples"], 300);
    for key in [
        "terminated",
        "lcp_per_sample",
        "rest_fraction",
        "wall_time_s",
    ] {
        assert!(set[key].is_number(), "{key}: {set}");
    }
    for range in ["normal_velocity", "tangential_velocity"] {
        assert_eq!(numbers(&set[range]["min"]).len(), 2);
        assert_eq!(numbers(&set[range]["max"]).len(), 2);
    }
    let text = std::fs::read_to_string(&file.0).unwrap();
    assert_eq!(text.lines().count(), 301);
    assert!(text.starts_with("sample,"), "{text}");
    // The folder holds the file and no leftover of writing it.
    assert_eq!(
        std::fs::read_dir(file.0.parent().unwrap()).unwrap().count(),
        1
    );
}

#[test]
fn samples_do_not_depend_on_the_number_of_threads() {
    let run = |jobs: &str| {
        let file = TemporaryFile::new(&format!("jobs{jobs}.csv"), "");
        let options = ["--samples", "600", "--jobs", jobs, "--keep", file.path()];
        assert_eq!(impact(&corner(), "routh", &options).code, 0);
        std::fs::read_to_string(&file.0).unwrap()
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn curve_of_a_single_impact_is_written() {
    let mut problem = corner();
    problem["contacts"].as_array_mut().unwrap().pop();
    let file = TemporaryFile::new("curve.csv", "");
    let run = impact(&problem, "stronge", &["--curve", file.path()]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    let outcome = &run.json()["outcomes"][0];
    assert!(outcome["events"].is_string());
    let text = std::fs::read_to_string(&file.0).unwrap();
    let last = text.lines().last().unwrap();
    let end: f64 = last.split(',').next().unwrap().parse().unwrap();
    let normal = outcome["impulses"][0]["normal"].as_f64().unwrap();
    // The curve ends where the impact does; both are written with all digits.
    assert!((end - normal).abs() <= 1e-12 * normal, "{end} {normal}");
}

#[test]
fn series_that_cannot_be_written_are_refused() {
    impact(&corner(), "plastic", &["--curve", "c.csv"]).refused(&["--curve-csv", "stronge"]);
    impact(&corner(), "plus", &["--plots", "p"]).refused(&["--plots", "stronge and routh"]);
    impact(&corner(), "routh", &["--plots", "p"]).refused(&["--samples"]);
    impact(&corner(), "plus", &["--keep", "k.csv"]).refused(&["--samples-csv", "routh"]);
    impact(&corner(), "routh", &["--keep", "k.csv"]).refused(&["--samples"]);
    impact(&corner(), "stronge", &["--curve", "c.csv"]).refused(&["one contact"]);
    let options = ["--samples", "10", "--keep", "no/such/folder/k.csv"];
    let nowhere = impact(&corner(), "routh", &options);
    assert_eq!(nowhere.code, 3, "{}", nowhere.stderr);
    nowhere.says(&["no/such/folder/k.csv"]);
    let several = json!([corner(), corner()]);
    impact(&several, "routh", &["--samples", "10", "--keep", "k.csv"]).refused(&["2 problems"]);
}

#[test]
fn pictures_of_an_impact_are_drawn_with_axes_and_units() {
    let folder = std::env::temp_dir().join(format!("carom-plots-{}", std::process::id()));
    let at = |name: &str| folder.join(name).display().to_string();
    let block = "examples/impacts/rocking_block.json";
    let single = json!({"mass_matrix": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "velocity": [0.4, 0.1, -1],
        "contacts": [{"name": "c", "normal": [0.2, -0.1, 1], "tangents": [[1, 0, 0], [0, 1, 0]],
                      "friction": 0.3, "restitution": 0.5}]});
    let set = ["impact", block, "--law", "routh", "--samples", "500"];
    let run = carom(
        &[
            &set[..],
            &["--param", "extent_samples=0", "--plots", &at("set")],
        ]
        .concat(),
        "",
    );
    assert_eq!(run.code, 0, "{}", run.stderr);
    let run = impact(&single, "stronge", &["--plots", &at("single")]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    for (file, parts) in [
        (
            "set/normal_A_B.svg",
            ["normal velocity of A (m/s)", "normal velocity of B (m/s)"],
        ),
        (
            "set/contact_A.svg",
            ["sliding velocity of A (m/s)", "convex hull"],
        ),
        ("set/net.svg", ["samples (log2)", "epsilon = 0.01"]),
        ("single/hodograph.svg", ["(m/s)", "direction"]),
        ("single/bundle.svg", ["15 hodographs", "(m/s)"]),
        (
            "single/impulses.svg",
            ["normal impulse (N s)", "tangential impulse (N s)"],
        ),
    ] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        for part in parts {
            assert!(text.contains(part), "{file}: {part}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}
