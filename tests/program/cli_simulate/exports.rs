//! Formats of other programs, in a build without them; `written_exports.rs` is for one with them.
#![cfg(not(feature = "mcap"))]

use super::support::{Folder, shipped, simulate, text};

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
