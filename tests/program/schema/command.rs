//! `carom schema`.

use std::fs;
use std::process::{Command, Output};

use carom::schema::{FileKind, page};

use crate::folder::Folder;

fn carom(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.arg("schema").args(arguments).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = carom(arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), told.as_str()), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_kind_and_the_page_are_printed_or_written() {
    assert_eq!(printed(&[]), FileKind::Scenario.schema_text());
    let folder = Folder::new("schema");
    let file = folder.path("x.json");
    for kind in FileKind::ALL {
        assert_eq!(printed(&[kind.name()]), kind.schema_text());
        assert_eq!(printed(&[kind.name(), "--out", file.to_str().unwrap()]), "");
        assert_eq!(fs::read_to_string(&file).unwrap(), kind.schema_text());
        assert!(printed(&["--list"]).contains(kind.about()));
    }
    assert_eq!(printed(&["--page"]), page());
    let pages: serde_json::Value = serde_json::from_str(&printed(&["--page", "--json"])).unwrap();
    assert_eq!(pages["scenario"][0]["keys"][4]["name"], "duration");
    let kinds: serde_json::Value = serde_json::from_str(&printed(&["--list", "--json"])).unwrap();
    assert_eq!(kinds.as_object().unwrap().len(), FileKind::ALL.len());
}

#[test]
fn what_cannot_be_done_is_bad_input_and_what_cannot_be_written_is_not() {
    let nowhere = "no/such/folder/x.json";
    for (arguments, code, said) in [
        (&["scenarios"][..], 2, "scenario"),
        (&["--out", nowhere], 3, nowhere),
        (&["--list", "--page"], 2, "--page"),
    ] {
        let output = carom(arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(said), "{told}");
    }
}
