//! Baselines that hold a periodic orbit.

use super::support::{Folder, assert_done, record, shipped, text, verify};

/// A step of the walker and a little more, which is as long as the search waits for a motion to return.
const QUICK: [&str; 8] = [
    "--set",
    "duration=1.0",
    "--set",
    "stepper.order=2",
    "--set",
    "time_step=2e-3",
    "--set",
    "baseline.orbit=true",
];

/// A heavier hip changes the gait: period and largest multiplier are named, with what they were and are.
#[test]
fn a_changed_mass_fails_the_orbit_of_a_baseline() {
    let folder = Folder::new("baseline-orbit");
    let file = folder.path("gait.baseline.toml");
    assert_done(&record(&shipped("compass/gait_long.toml"), &file, &QUICK));
    let kept = std::fs::read_to_string(&file).unwrap();
    for metric in [
        "orbit_found",
        "orbit_period_s",
        "orbit_largest_multiplier",
        "orbit_stable",
        "orbit_differentiability",
        "orbit_cost_of_transport",
    ] {
        assert!(kept.contains(metric), "{metric}\n{kept}");
    }
    assert_done(&verify(&file, &[]));
    let changed = verify(&file, &["--set", "robot.mass_scale.hip=1.05"]);
    assert_eq!(changed.status.code(), Some(1));
    let said = text(&changed.stdout);
    for words in [
        "period of the orbit",
        "largest multiplier of the orbit",
        ", was 0.71",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    // The orbit comes first: the run that starts on the old one differs by far more.
    let place = |words: &str| said.find(words).unwrap();
    assert!(place("period of the orbit") < place("of its largest"));
    // Neither its kind nor its stability is another.
    assert!(!said.contains("whether the orbit is stable"), "{said}");
}

#[test]
fn an_orbit_without_its_table_is_refused() {
    let folder = Folder::new("baseline-no-orbit");
    let file = folder.path("ball.baseline.toml");
    let refused = record(
        &shipped("ball/bounce.toml"),
        &file,
        &["--set", "baseline.orbit=true"],
    );
    assert_eq!(refused.status.code(), Some(2));
    let said = text(&refused.stderr);
    assert!(
        said.contains(
            "baseline.orbit: there is no table [orbit] to look for one; add it, or remove the key"
        ),
        "{said}"
    );
}
