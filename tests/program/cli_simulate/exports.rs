//! Formats of other programs.

use super::support::{Folder, shipped, simulate, text};

#[cfg(not(feature = "mcap"))]
#[test]
fn an_export_that_the_build_lacks_is_refused_with_the_remedy() {
    let folder = Folder::new("no-export");
    let out = folder.path("out");
    let run = simulate(
        &shipped("ball/bounce.toml"),
        &out,
        &["--export", "mcap,parquet"],
    );
    assert_eq!(run.status.code(), Some(2));
    let message = text(&run.stderr);
    assert!(message.contains("--features mcap"), "{message}");
    assert!(!out.exists());
}

#[cfg(all(feature = "mcap", feature = "parquet"))]
#[test]
fn exports_are_the_same_bytes_twice_and_go_when_they_are_not_wanted() {
    let folder = Folder::new("export");
    let (a, b) = (folder.path("a"), folder.path("b"));
    let scenario = shipped("cradle/three.toml");
    let exported = ["run.mcap", "series.parquet", "events.parquet"];
    for out in [&a, &b] {
        let run = simulate(&scenario, out, &["--export", "mcap,parquet"]);
        assert!(run.status.success(), "{}", text(&run.stderr));
    }
    for file in exported {
        assert!(
            std::fs::read(a.join(file)).unwrap() == std::fs::read(b.join(file)).unwrap(),
            "{file} differs"
        );
    }
    assert!(simulate(&scenario, &a, &[]).status.success());
    for file in exported {
        assert!(!a.join(file).exists(), "{file}");
    }
}
