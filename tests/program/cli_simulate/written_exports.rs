//! `carom simulate --export`, in a build that has the formats of other programs. What is in the files, `read_back.py` checks.
#![cfg(all(feature = "mcap", feature = "parquet"))]

use std::path::Path;
use std::process::Command;

use carom::scenario::ExportFormat;

use super::support::Folder;

const FILES: [&str; 3] = ["run.mcap", "series.parquet", "events.parquet"];

fn simulate(out: &Path, options: &[&str]) {
    let run = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["simulate", "robots/cradle/three.toml", "--out"])
        .arg(out)
        .args(options)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

#[test]
fn every_format_is_built_in() {
    for format in ExportFormat::ALL {
        assert!(format.available().is_ok(), "{}", format.name());
    }
}

#[test]
fn exports_are_the_same_bytes_twice_and_go_when_they_are_not_wanted() {
    let folder = Folder::new("export");
    let (a, b) = (folder.path("a"), folder.path("b"));
    for out in [&a, &b] {
        simulate(out, &["--export", "mcap,parquet"]);
    }
    for file in FILES {
        assert!(
            std::fs::read(a.join(file)).unwrap() == std::fs::read(b.join(file)).unwrap(),
            "{file} differs"
        );
    }
    simulate(&a, &[]);
    for file in FILES {
        assert!(!a.join(file).exists(), "{file}");
    }
}
