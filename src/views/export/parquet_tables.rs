//! `series.parquet` and `events.parquet`: the columns of the tables with their types.

use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::ExportError;
use super::parquet_column::Column;
use crate::files::write_whole;
use crate::record::{RunFileError, damaged};
use crate::scenario::Experiment;

/// Writes both files beside those of the finished run in `folder`.
///
/// # Errors
/// A table is missing or damaged, or a file cannot be written.
pub(crate) fn write_parquet(experiment: &Experiment, folder: &Path) -> Result<(), ExportError> {
    for name in ["series", "events"] {
        let columns = read_columns(&folder.join(format!("{name}.csv")))?;
        let path = folder.join(format!("{name}.parquet"));
        let bytes = encode(experiment, name, &columns).map_err(|e| ExportError::Encoding {
            path: path.clone(),
            reason: e.to_string(),
        })?;
        write_whole(&path, |out| out.write_all(&bytes))?;
    }
    Ok(())
}

/// The type follows from the name: what is not a text, a count or a flag is a number.
fn named(name: &str) -> Column {
    match name {
        "kind" | "contacts" | "law" | "sequence" | "unique" | "mode" | "note" | "reason" => {
            Column::Text(Vec::new())
        }
        "outcomes" | "seed" => Column::Count(Vec::new()),
        "capped" => Column::Flag(Vec::new()),
        _ => Column::Number(Vec::new()),
    }
}

fn read_columns(path: &Path) -> Result<Vec<(String, Column)>, RunFileError> {
    let wrong = damaged(path);
    let mut reader = csv::Reader::from_path(path).map_err(|e| wrong(e.to_string()))?;
    let header = reader.headers().map_err(|e| wrong(e.to_string()))?;
    let mut columns: Vec<(String, Column)> = header
        .iter()
        .map(|name| (name.to_string(), named(name)))
        .collect();
    for record in reader.records() {
        let record = record.map_err(|e| wrong(e.to_string()))?;
        for ((name, column), field) in columns.iter_mut().zip(&record) {
            column.push(field).ok_or_else(|| {
                wrong(format!("{name}: \"{field}\" is not a value of the column"))
            })?;
        }
    }
    Ok(columns)
}

fn encode(
    experiment: &Experiment,
    name: &str,
    columns: &[(String, Column)],
) -> Result<Vec<u8>, ParquetError> {
    let fields = columns
        .iter()
        .map(|(name, column)| column.field(name).map(Arc::new))
        .collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder(name).with_fields(fields).build()?;
    let hash = experiment.hash().ok();
    let notes = [
        ("carom.version", Some(env!("CARGO_PKG_VERSION").to_string())),
        ("carom.scenario_hash", hash),
        (
            "carom.description",
            Some(experiment.scenario.description.clone()),
        ),
    ];
    let notes = notes.map(|(key, value)| KeyValue::new(key.to_string(), value));
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(notes.to_vec()))
        .build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    for (_, column) in columns {
        let Some(mut target) = group.next_column()? else {
            return Err(ParquetError::General("a column is missing".to_string()));
        };
        column.write(target.untyped())?;
        target.close()?;
    }
    group.close()?;
    writer.close()?;
    Ok(bytes)
}
