//! `carom picture`: drawings of robots.

use std::fs;
use std::process::Command;

use super::support::{Folder, shipped, simulate, text};

#[test]
fn a_robot_is_drawn_at_a_time_from_a_side() {
    let folder = Folder::new("picture");
    let out = folder.path("out");
    let options = ["--set", "duration=0.05", "--set", "output.plots=false"];
    let run = simulate(&shipped("quadruped/stand.toml"), &out, &options);
    assert!(run.status.success(), "{}", text(&run.stderr));
    let picture = |options: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_carom"))
            .arg("picture")
            .arg(&out)
            .args(options)
            .output()
            .unwrap()
    };
    let made = picture(&[]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let first = fs::read_to_string(out.join("picture.svg")).unwrap();
    // The faces of its shapes.
    assert!(first.matches("<polygon").count() > 100);
    let other = folder.path("side.svg");
    let other = other.to_str().unwrap();
    let made = picture(&["--from", "side", "--time", "0", "--out", other]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert_ne!(fs::read_to_string(other).unwrap(), first);
    // A run that is made anew has no picture of the old one.
    let run = simulate(&shipped("quadruped/stand.toml"), &out, &options);
    assert!(run.status.success() && !out.join("picture.svg").exists());

    assert_eq!(picture(&["--time", "nan"]).status.code(), Some(2));
    let missing = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["picture", "nowhere"])
        .output()
        .unwrap();
    assert_eq!(missing.status.code(), Some(2));
    assert!(text(&missing.stderr).contains("scenario.toml"));
}
