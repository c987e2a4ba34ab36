//! The page of every key.

use std::fmt::Write;

use super::{FileKind, Key, Section};

/// The keys of all kinds of files as a page in Markdown.
#[must_use]
pub fn page() -> String {
    let mut out = String::from(
        "# Every key of every file\n\n\
         Generated from the code by `carom schema --page`; a test compares. A key without a default that is not marked *required* may be left \
         out, and what that means is said in its text. Numbers are in SI units; a number without a unit is a pure one.\n",
    );
    let mut told: Vec<Section> = Vec::new();
    for kind in FileKind::ALL {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n## {}: {}\n", kind.name(), kind.about());
        let mut again = Vec::new();
        for section in kind.sections() {
            let same = |other: &Section| same_keys(other, &section);
            if told.iter().any(same) {
                again.push(format!("`{}`", section.heading));
                continue;
            }
            write_section(&mut out, &section);
            told.push(section);
        }
        if !again.is_empty() {
            let _ = write!(out, "\nAs above: {}.\n", again.join(", "));
        }
    }
    out
}

/// Whether two sections are one table, wherever their schemas stand.
fn same_keys(a: &Section, b: &Section) -> bool {
    let bare = |section: &Section| -> Vec<Key> {
        let keys = section.keys.iter().cloned();
        keys.map(|key| Key {
            pointer: String::new(),
            ..key
        })
        .collect()
    };
    !a.heading.is_empty() && a.heading == b.heading && bare(a) == bare(b)
}

fn write_section(out: &mut String, section: &Section) {
    if !section.heading.is_empty() {
        let _ = write!(out, "\n### `{}`\n", section.heading);
    }
    if !section.description.is_empty() {
        let _ = write!(out, "\n{}\n", section.description);
    }
    if section.keys.is_empty() {
        return;
    }
    out.push_str("\n| key | value | unit | default | allowed | example | meaning |\n|---|---|---|---|---|---|---|\n");
    for key in &section.keys {
        let default = match (&key.default, key.required) {
            (Some(default), _) => code(default),
            (None, true) => "*required*".to_string(),
            (None, false) => String::new(),
        };
        let cells = [
            code(&key.name),
            cell(&key.kind),
            cell(&key.unit),
            default,
            cell(&key.allowed),
            key.example.as_deref().map(code).unwrap_or_default(),
            cell(&key.description),
        ];
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

fn code(text: &str) -> String {
    format!("`{}`", cell(text))
}
