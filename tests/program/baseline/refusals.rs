//! Bad scenarios and damaged baselines.

use std::fs;

use super::support::{Folder, assert_done, record, shipped, text, verify};

#[test]
fn bad_input_is_told_with_its_place_and_nothing_is_written() {
    let folder = Folder::new("bad");
    let file = folder.path("x.toml");
    let ball = shipped("ball/bounce.toml");
    for (set, part) in [
        ("baseline.metrics.m=last(q_base.w)", "did you mean"),
        ("baseline.metrics.m=q_base.z", "reduce it by one of"),
        ("baseline.metrics.m=max(", "ends at place 5"),
        ("baseline.toleranc=1", "did you mean \"tolerance\""),
        ("baseline.tolerance=-1.0", "at least 0"),
        ("baseline.samples=0", "at least 1"),
        ("impact.order=all", "a baseline follows one order"),
        (
            "baseline.robust={orders=[\"indx\"]}",
            "did you mean \"index\"",
        ),
        ("baseline.robust={draws=3}", "nothing to draw"),
        (
            "baseline.robust={seeds=9000000000000000000}",
            "runs are too many",
        ),
        (
            "baseline.robust={draws=3, perturb=[{key=\"contact.frictoin\", normal=1.0}]}",
            "no number at \"contact.frictoin\"",
        ),
        (
            "baseline.robust={draws=3, perturb=[{key=\"contact.friction\"}]}",
            "either uniform",
        ),
        (
            "baseline.robust={draws=1, perturb=[{key=\"robot.mass_scale.bal\", normal=0.1}]}",
            "did you mean \"ball\"",
        ),
        ("robot.mass_scale.bal=2.0", "did you mean \"ball\""),
        ("robot.mass_scale.ball=-2.0", "at least 0"),
    ] {
        let output = record(&ball, &file, &["--set", set]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{set}: {told}");
        assert!(told.contains(part), "{set}: {told}");
        assert_eq!(told.lines().count(), 1, "{told}");
        assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 0, "{set}");
    }
    let missing = verify(&file, &[]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("baseline record"));
    assert_done(&record(&ball, &file, &["--set", "duration=0.1"]));
    let good = fs::read_to_string(&file).unwrap();
    for (from, to, part) in [
        ("format = 2", "format = 9", "it is 9"),
        ("format = 2", "form = 2", "there is none"),
        ("format = 2", "format = 1", "record again"),
        ("[events]", "[evets]", "x.toml:"),
        ("every = ", "every = -", "x.toml:"),
        ("time_tolerance_s = ", "time_tolerance_s = -", "at least 0"),
    ] {
        assert!(good.contains(from));
        fs::write(&file, good.replacen(from, to, 1)).unwrap();
        let output = verify(&file, &[]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{to}: {told}");
        assert!(told.contains(part), "{to}: {told}");
    }
}
