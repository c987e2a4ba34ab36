//! Lists of a scenario's text that are longer than what they are read as: a reader of pairs stops after the second.

use toml::{Table, Value};

/// The first list of `written` that has more entries than what was `read` from it: its place, its length, and how many
/// entries it may have.
pub(in crate::scenario) fn too_long(
    written: &Table,
    read: &Table,
) -> Option<(String, usize, usize)> {
    in_table(written, read, "")
}

fn in_table(written: &Table, read: &Table, place: &str) -> Option<(String, usize, usize)> {
    written.iter().find_map(|(key, value)| {
        let place = match place {
            "" => key.clone(),
            table => format!("{table}.{key}"),
        };
        in_value(value, read.get(key)?, place)
    })
}

fn in_value(written: &Value, read: &Value, place: String) -> Option<(String, usize, usize)> {
    match (written, read) {
        (Value::Array(written), Value::Array(read)) if written.len() > read.len() => {
            Some((place, written.len(), read.len()))
        }
        (Value::Array(written), Value::Array(read)) => {
            // Most lists are numbers, which hold none.
            let holds = |value: &Value| value.is_array() || value.is_table();
            let mut both = written.iter().zip(read).enumerate();
            both.find_map(|(i, (a, b))| {
                let place = || format!("{place}[{i}]");
                holds(a).then(|| in_value(a, b, place())).flatten()
            })
        }
        (Value::Table(written), Value::Table(read)) => in_table(written, read, &place),
        _ => None,
    }
}
