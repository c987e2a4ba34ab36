//! Dependencies point one way: a layer uses only the layers listed for it.

use std::fs;
use std::path::Path;

/// Each layer with the layers it may use.
const LAYERS: &[(&str, &[&str])] = &[
    ("numerics", &[]),
    ("spatial", &[]),
    ("model", &["spatial"]),
    ("dynamics", &["model", "spatial"]),
    ("contact", &["dynamics", "model", "spatial"]),
    ("friction", &["numerics"]),
    (
        "discrete",
        &[
            "contact", "dynamics", "friction", "model", "numerics", "spatial",
        ],
    ),
    ("impact", &["numerics"]),
    ("control", &["dynamics", "model", "spatial"]),
    (
        "hybrid",
        &[
            "contact", "control", "discrete", "dynamics", "friction", "impact", "model", "spatial",
        ],
    ),
    (
        "design",
        &[
            "contact", "dynamics", "impact", "model", "numerics", "spatial",
        ],
    ),
    ("granular", &["impact"]),
    ("compliant", &[]),
    // What the user touches may use all of it.
    (
        "study",
        &[
            "compliant",
            "contact",
            "control",
            "design",
            "discrete",
            "dynamics",
            "granular",
            "hybrid",
            "impact",
            "model",
            "spatial",
        ],
    ),
];
/// The program: it uses the library from outside, as `carom::`.
const PROGRAM: &str = "cli";

/// Every `crate::layer` mentioned in the sources of a folder.
fn used_layers(folder: &Path, found: &mut Vec<(String, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            used_layers(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for part in text.split("crate::").skip(1) {
            let name: String = part
                .chars()
                .take_while(|c| c.is_ascii_lowercase() || *c == '_')
                .collect();
            found.push((path.display().to_string(), name));
        }
    }
}

#[test]
fn layers_use_only_what_they_may() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    let mut folders: Vec<String> = fs::read_dir(&source)
        .unwrap()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| name != PROGRAM)
        .collect();
    folders.sort();
    let mut listed: Vec<&str> = LAYERS.iter().map(|(layer, _)| *layer).collect();
    listed.sort_unstable();
    assert_eq!(folders, listed, "every folder is a layer");
    for (layer, allowed) in LAYERS {
        let mut found = Vec::new();
        used_layers(&source.join(layer), &mut found);
        for (file, used) in found {
            // A macro of the crate is in no layer.
            if !folders.contains(&used) && used != PROGRAM {
                continue;
            }
            checked += 1;
            let own = used == *layer;
            assert!(
                own || allowed.contains(&used.as_str()),
                "{file} uses crate::{used}"
            );
        }
    }
    assert!(
        checked > 50,
        "only {checked} uses were found: has the layout changed?"
    );
}
