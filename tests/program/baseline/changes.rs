//! A baseline of what has not changed holds; of what has changed, the first event that differs is named.

use std::fs;

use super::support::{Folder, assert_done, carom, record, shipped, text, verify};

/// TREX until shortly after its first impacts.
const SHORT: &[&str] = &["--set", "duration=0.3"];

#[test]
fn what_has_not_changed_has_no_difference_and_the_same_bytes() {
    let folder = Folder::new("same");
    let (first, second) = (folder.path("a.toml"), folder.path("b.toml"));
    assert_done(&record(&shipped("trex/drop.toml"), &first, SHORT));
    assert_done(&record(&shipped("trex/drop.toml"), &second, SHORT));
    let bytes = fs::read(&first).unwrap();
    assert!(bytes == fs::read(&second).unwrap());
    let same = verify(&first, &[]);
    assert_done(&same);
    assert!(text(&same.stdout).contains("no difference"));
    // Nothing to accept: the file stays as it is, to the byte.
    assert_done(&verify(&first, &["--update"]));
    assert!(bytes == fs::read(&first).unwrap());
    // The robot is found from where the file lies, wherever the program is called.
    let elsewhere = carom()
        .current_dir(&folder.0)
        .args(["baseline", "verify", "a.toml"])
        .output()
        .unwrap();
    assert_done(&elsewhere);
}

#[test]
fn a_gain_changed_by_5_percent_is_noticed_at_its_first_impact() {
    let folder = Folder::new("gain");
    let file = folder.path("drop.toml");
    assert_done(&record(&shipped("trex/drop.toml"), &file, SHORT));
    let recorded: toml::Table = toml::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    let report = folder.path("report.xml");
    let junit = format!("{}", report.display());
    let changed = verify(
        &file,
        &["--set", "controller.stiffness=1.05", "--junit", &junit],
    );
    assert_eq!(changed.status.code(), Some(1));
    let told = text(&changed.stdout);
    assert!(
        told.contains("the first differing event is number"),
        "{told}"
    );
    // Both sides of it, as the program's JSON names them, are events of two separate runs.
    let json = verify(&file, &["--set", "controller.stiffness=1.05", "--json"]);
    assert_eq!(json.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let order = &json["events"]["order"];
    let number = order["event"].as_u64().unwrap() as usize;
    let stored = &recorded["events"]["list"].as_array().unwrap()[number - 1];
    assert_eq!(
        stored["time_s"].as_float(),
        order["recorded"]["time_s"].as_f64()
    );
    assert_eq!(order["recorded"]["kind"], "impact");
    assert_eq!(order["now"]["kind"], "impact");
    let out = folder.path("out");
    let mut simulate = carom();
    simulate.arg("simulate").arg(shipped("trex/drop.toml"));
    simulate.arg("--out").arg(&out).args(SHORT);
    simulate.args([
        "--set",
        "controller.stiffness=1.05",
        "--set",
        "output.plots=false",
    ]);
    assert_done(&simulate.output().unwrap());
    let events = fs::read_to_string(out.join("events.csv")).unwrap();
    let row: Vec<&str> = events.lines().nth(number).unwrap().split(',').collect();
    assert_eq!(row[0].parse::<f64>().ok(), order["now"]["time_s"].as_f64());
    // Metrics and series follow.
    let ranked = json["ranked"].as_array().unwrap();
    assert!(ranked.iter().any(|d| d["check"] == "metrics.peak_effort"));
    assert!(told.contains("first differs at"), "{told}");
    let report = fs::read_to_string(report).unwrap();
    for part in [
        "<testcase classname=\"baseline.run\" name=\"status\"/>",
        "<testcase classname=\"baseline.events\" name=\"order\">",
        "<failure message=\"the first differing event",
    ] {
        assert!(report.contains(part), "{part}: {report}");
    }
}

#[test]
fn the_ambiguous_impact_is_named_when_the_order_of_two_contacts_is_swapped() {
    let folder = Folder::new("order");
    let file = folder.path("drop.toml");
    assert_done(&record(&shipped("trex/drop.toml"), &file, SHORT));
    let swapped = verify(&file, &["--set", "impact.order=index"]);
    assert_eq!(swapped.status.code(), Some(1));
    let told = text(&swapped.stdout);
    for part in [
        "the first differing event is number 1 at 0.186",
        "was impact of foot_A, tail in the sequence tail foot_A",
        "is impact of foot_A, tail in the sequence foot_A tail",
        "this impact is ambiguous",
        "2 outcomes",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    // Accepted after review: it says what it changes, keeps tolerances that were edited, and holds then.
    let edited = fs::read_to_string(&file)
        .unwrap()
        .replace("time_tolerance_s = 1e-6", "time_tolerance_s = 0.125");
    fs::write(&file, edited).unwrap();
    let updated = verify(&file, &["--set", "impact.order=index", "--update"]);
    assert_done(&updated);
    assert!(text(&updated.stdout).contains("this impact is ambiguous"));
    assert_done(&verify(&file, &[]));
    let now = fs::read_to_string(&file).unwrap();
    assert!(now.contains("order = \"index\"") && now.contains("time_tolerance_s = 0.125"));
}

#[test]
fn seeds_of_a_set_valued_law_part_at_the_first_impact_by_its_impulses() {
    let folder = Folder::new("seeds");
    let file = folder.path("routh.toml");
    let law = [
        "--set",
        "impact.law=routh",
        "--set",
        "contact.restitution=0",
    ];
    let options = [&["--set", "duration=0.2"], &law[..]].concat();
    let seeds = ["--set", "baseline.robust.seeds=2"];
    let recorded = record(
        &shipped("trex/drop.toml"),
        &file,
        &[&options[..], &seeds].concat(),
    );
    assert_done(&recorded);
    let told = text(&recorded.stdout);
    let sentence = "orders and seeds alone: the spread starts at event 1 at 0.186";
    assert!(told.contains(sentence), "{told}");
    assert!(told.contains("2 of 2 runs part"), "{told}");
    assert!(told.contains("with other impulses in run 1"), "{told}");
    // Another seed is another run, and the impact that begins it is named.
    let other = verify(&file, &["--skip-robust", "--set", "impact.seed=5"]);
    assert_eq!(other.status.code(), Some(1));
    let told = text(&other.stdout);
    assert!(
        told.contains("impulses: impact number 1 at 0.186"),
        "{told}"
    );
}
