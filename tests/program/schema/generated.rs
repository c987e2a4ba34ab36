//! The files in `robots/schema` are what the code makes of itself.

use std::fs;
use std::path::{Path, PathBuf};

use carom::schema::{FileKind, page};
use serde_json::Value;

use super::support::Parts;

/// With this variable, the test writes the files instead of comparing them.
const WRITE: &str = "CAROM_WRITE_SCHEMAS";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/schema")
}

#[test]
fn the_generated_files_are_those_of_the_code() {
    let schemas = FileKind::ALL.map(|kind| {
        let name = format!("{}.schema.json", kind.name());
        (name, kind.schema_text())
    });
    let mut expected = schemas.to_vec();
    expected.push(("KEYS.md".to_string(), page()));
    for (name, text) in &expected {
        let file = folder().join(name);
        if std::env::var_os(WRITE).is_some() {
            fs::create_dir_all(folder()).unwrap();
            fs::write(&file, text).unwrap();
        }
        let found = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            found == *text,
            "robots/schema/{name} is not what the code says; write it with\n  \
             {WRITE}=1 cargo test --test program generated_files"
        );
    }
    let count = fs::read_dir(folder()).unwrap().count();
    assert_eq!(count, expected.len(), "a file that nothing generates");
}

#[test]
fn every_key_says_what_it_is_with_an_example() {
    let mut count = 0;
    let mut missing = Vec::new();
    for kind in FileKind::ALL {
        for section in kind.sections() {
            for key in &section.keys {
                let place = format!("{} {} {}", kind.name(), section.heading, key.name);
                count += 1;
                if key.description.is_empty() {
                    missing.push(format!("{place}: a documentation comment"));
                }
                if key.kind.is_empty() || key.kind == "value" {
                    missing.push(format!("{place}: a type"));
                }
                // Tables are told by their keys.
                let words = [
                    "table",
                    "list of tables",
                    "table, or list of tables",
                    "table of tables by name",
                ];
                if !words.contains(&key.kind.as_str()) && key.example.is_none() {
                    missing.push(format!("{place}: #[schemars(example = ...)]"));
                }
            }
        }
    }
    assert!(missing.is_empty(), "fields lack\n{}", missing.join("\n"));
    assert!(count > 250, "{count} keys");
}

#[test]
fn defaults_and_examples_are_valid() {
    let mut count = 0;
    for kind in FileKind::ALL {
        let schema = kind.schema();
        let mut parts = Parts::of(kind);
        for section in kind.sections() {
            for key in section.keys {
                let own = schema.pointer(&key.pointer).unwrap();
                let examples = own.get("examples").and_then(Value::as_array);
                let values = examples.into_iter().flatten().chain(own.get("default"));
                let values: Vec<&Value> = values.collect();
                if values.is_empty() {
                    continue;
                }
                let part = parts.compiled(&key.pointer);
                for value in values {
                    count += 1;
                    let defect = parts.defect(part, value);
                    assert_eq!(defect, None, "{} {}: {value}", section.heading, key.name);
                }
            }
        }
    }
    assert!(count > 250, "{count} values");
}

/// What editors of TOML know of JSON schemas is draft 7: no keyword of a later one.
#[test]
fn schemas_are_of_the_draft_that_editors_know() {
    for kind in FileKind::ALL {
        let schema = kind.schema();
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        let text = kind.schema_text();
        for later in [
            "\"$defs\"",
            "\"prefixItems\"",
            "unevaluated",
            "\"format\":",
            "\\\\[",
        ] {
            assert!(!text.contains(later), "{} has {later}", kind.name());
        }
    }
}
