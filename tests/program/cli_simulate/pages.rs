//! The replay of a run and the report on several.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::support::{Folder, column, shipped, simulate, text};

#[test]
fn the_replay_is_one_file_that_no_name_breaks_and_can_be_left_out() {
    let folder = Folder::new("replay");
    let out = folder.path("out");
    let description = "</script><script>alert(1)</script> & <b>";
    let options = [
        "--set",
        "duration=0.1",
        "--set",
        &format!("description={description}"),
    ];
    let scenario = shipped("cradle/three.toml");
    assert!(simulate(&scenario, &out, &options).status.success());
    let page = fs::read_to_string(out.join("replay.html")).unwrap();
    // One element of data and one of scripts: the description opens and closes none.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(page.contains("<title>&lt;/script&gt;"));
    for outside in [
        "src=",
        "href=",
        "@import",
        "url(",
        "fetch(",
        "XMLHttpRequest",
    ] {
        assert!(!page.contains(outside), "{outside}");
    }
    let data = page.split_once("id=\"data\">").unwrap().1;
    let data = data.split_once("</script>").unwrap().0;
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!(
        data.pointer("/summary/description").unwrap(),
        &serde_json::json!(description)
    );
    // Written or not, the run is the same one and can be resumed.
    let without = [
        "--resume",
        "--set",
        "output.replay=false",
        "--set",
        "duration=0.2",
        "--set",
        &format!("description={description}"),
    ];
    let run = simulate(&scenario, &out, &without);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(!out.join("replay.html").exists());
}

#[test]
fn a_report_names_the_first_event_that_differs() {
    let folder = Folder::new("report");
    let (a, b) = (folder.path("a"), folder.path("b"));
    // TREX strikes with foot and tail at once: another order acts in another sequence.
    let scenario = shipped("trex/straight.toml");
    let short = ["--set", "duration=0.2"];
    assert!(simulate(&scenario, &a, &short).status.success());
    let order = [&short[..], &["--set", "impact.order=least-violated"]].concat();
    assert!(simulate(&scenario, &b, &order).status.success());
    let report = |folders: &[&Path], options: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_carom"))
            .arg("report")
            .args(folders)
            .args(options)
            .current_dir(&folder.0)
            .output()
            .unwrap()
    };
    let run = report(&[&a, &b, &a], &["--json"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let differences: Vec<_> = (0..3)
        .map(|i| answer["runs"][i]["first_difference"].clone())
        .collect();
    let events = column(&a.join("events.csv"), "sequence");
    let other = column(&b.join("events.csv"), "sequence");
    let first = events.iter().zip(&other).position(|(x, y)| x != y).unwrap();
    assert_eq!(
        differences,
        [
            serde_json::Value::Null,
            serde_json::json!(first),
            serde_json::Value::Null
        ]
    );
    let page = fs::read_to_string(folder.path("report.html")).unwrap();
    assert!(page.contains("\"impact.order\"") && page.contains("least-violated"));

    let run = report(&[&a, &folder.path("nothing")], &["--out", "other.html"]);
    assert_eq!(run.status.code(), Some(2));
    let message = text(&run.stderr);
    assert!(
        message.contains("summary.json") && message.contains("carom simulate"),
        "{message}"
    );
    assert!(!folder.path("other.html").exists());
}
