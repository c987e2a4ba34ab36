//! `series.parquet` and `events.parquet`: the columns of the tables with their types.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::ExportError;
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

/// A column of a table; what is empty in the text is `None`.
enum Column {
    Number(Vec<Option<f64>>),
    Count(Vec<Option<i64>>),
    Flag(Vec<Option<bool>>),
    Text(Vec<Option<String>>),
}

impl Column {
    /// The type follows from the name: what is not a text, a count or a flag is a number.
    fn named(name: &str) -> Self {
        match name {
            "kind" | "contacts" | "law" | "sequence" | "unique" | "mode" | "note" | "reason" => {
                Self::Text(Vec::new())
            }
            "outcomes" | "seed" => Self::Count(Vec::new()),
            "capped" => Self::Flag(Vec::new()),
            _ => Self::Number(Vec::new()),
        }
    }

    /// Takes in a field; `None` if it is not of the column's type.
    fn push(&mut self, field: &str) -> Option<()> {
        let given = !field.is_empty();
        match self {
            Self::Number(values) => values.push(parsed(field)?),
            // Seeds use all 64 bits; a count that ran out of its budget is its lower bound, and the
            // column "capped" says so.
            Self::Count(values) => {
                values.push(parsed::<u64>(field.trim_start_matches(">="))?.map(u64::cast_signed))
            }
            Self::Flag(values) => values.push(parsed(field)?),
            Self::Text(values) => values.push(given.then(|| field.to_string())),
        }
        Some(())
    }

    fn field(&self, name: &str) -> Result<Type, ParquetError> {
        let (physical, logical) = match self {
            Self::Number(_) => (PhysicalType::DOUBLE, None),
            Self::Count(_) => {
                let unsigned = LogicalType::integer(64, false);
                (PhysicalType::INT64, Some(unsigned))
            }
            Self::Flag(_) => (PhysicalType::BOOLEAN, None),
            Self::Text(_) => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical)
            .build()
    }

    fn write(&self, writer: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        match (self, writer) {
            (Self::Number(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                let (present, levels) = split(values);
                writer.write_batch(&present, Some(&levels), None)?;
            }
            (Self::Count(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                let (present, levels) = split(values);
                writer.write_batch(&present, Some(&levels), None)?;
            }
            (Self::Flag(values), ColumnWriter::BoolColumnWriter(writer)) => {
                let (present, levels) = split(values);
                writer.write_batch(&present, Some(&levels), None)?;
            }
            (Self::Text(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let (present, levels) = split(values);
                let texts: Vec<ByteArray> = present.iter().map(|t| t.as_str().into()).collect();
                writer.write_batch(&texts, Some(&levels), None)?;
            }
            _ => {
                let reason = "a column has another type than its schema";
                return Err(ParquetError::General(reason.to_string()));
            }
        }
        Ok(())
    }
}

/// An empty field is no value; `None` for a field that is not what it should be.
fn parsed<T: std::str::FromStr>(field: &str) -> Option<Option<T>> {
    if field.is_empty() {
        Some(None)
    } else {
        field.parse().ok().map(Some)
    }
}

/// Values that are there, and for each row whether there is one.
fn split<T: Clone>(values: &[Option<T>]) -> (Vec<T>, Vec<i16>) {
    let present = values.iter().flatten().cloned().collect();
    let levels = values.iter().map(|v| i16::from(v.is_some())).collect();
    (present, levels)
}

fn read_columns(path: &Path) -> Result<Vec<(String, Column)>, RunFileError> {
    let wrong = damaged(path);
    let mut reader = csv::Reader::from_path(path).map_err(|e| wrong(e.to_string()))?;
    let header = reader.headers().map_err(|e| wrong(e.to_string()))?;
    let mut columns: Vec<(String, Column)> = header
        .iter()
        .map(|name| (name.to_string(), Column::named(name)))
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
