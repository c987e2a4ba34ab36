//! Values of keys as texts.

use std::path::Path;

use toml::Value;

use crate::files::toml_string;

/// A value as `--set` takes it: numbers with the shortest text that reads back to the same bits, a text as it is where
/// TOML does not take it for something else.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::Float(x) if x.is_finite() => format!("{x:?}"),
        Value::String(text) => {
            let reads = toml::from_str::<toml::Table>(&format!("value = {text}")).is_ok();
            let plain = !reads && !text.chars().any(char::is_control) && text.trim() == text;
            if plain && !text.is_empty() {
                text.clone()
            } else {
                toml_string(text)
            }
        }
        other => other.to_string(),
    }
}

/// Whether a value is a number.
pub(super) fn is_number(value: &Value) -> bool {
    value.is_float() || value.is_integer()
}

/// A cell of a table of runs: key, text, whether it is a number.
pub(super) type Cell = (String, String, bool);

/// The rows of a table of runs. An empty cell leaves the key as it is.
pub(super) fn read_table(path: &Path) -> Result<Vec<Vec<Cell>>, String> {
    let mut reader = csv::Reader::from_path(path).map_err(|e| e.to_string())?;
    let header = reader.headers().map_err(|e| e.to_string())?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|e| e.to_string())?;
        let cells = header.iter().zip(&record);
        let cells = cells.filter(|(_, cell)| !cell.trim().is_empty());
        let row = cells.map(|(key, cell)| {
            let cell = cell.trim().to_string();
            let number = cell.parse::<f64>().is_ok();
            (key.trim().to_string(), cell, number)
        });
        rows.push(row.collect());
    }
    Ok(rows)
}
