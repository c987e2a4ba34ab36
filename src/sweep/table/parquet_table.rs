//! `runs.parquet`: the table with the types of its columns.

use std::io;
use std::path::Path;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::merge::TABLE;
use crate::files::write_whole;
use crate::sweep::error::SweepError;
use crate::sweep::manifest::Manifest;
use crate::views::export::parquet_column::Column;

/// Name of the file.
pub(super) const PARQUET: &str = "runs.parquet";
/// Rows that are in memory at the same time.
const GROUP: usize = 1 << 16;

/// Writes it beside the table of a whole sweep.
///
/// # Errors
/// The table is damaged, a file cannot be written.
pub(in crate::sweep) fn write_parquet(
    folder: &Path,
    manifest: &Manifest,
) -> Result<(), SweepError> {
    let table = folder.join(TABLE);
    let reader = csv::Reader::from_path(&table);
    let mut reader = reader.map_err(|e| SweepError::folder(&table, e.to_string()))?;
    let target = folder.join(PARQUET);
    Ok(write_whole(&target, |out| {
        encode(manifest, &mut reader, out).map_err(io::Error::other)
    })?)
}

fn columns(manifest: &Manifest) -> Vec<Column> {
    let number = || Column::Number(Vec::new());
    let text = || Column::Text(Vec::new());
    let keys = manifest.keys.iter();
    let keys = keys.map(|key| if key.number { number() } else { text() });
    [Column::Count(Vec::new()), text(), text()]
        .into_iter()
        .chain(keys)
        .chain(manifest.metrics.iter().map(|_| number()))
        .collect()
}

fn encode(
    manifest: &Manifest,
    reader: &mut csv::Reader<std::fs::File>,
    out: &mut dyn io::Write,
) -> Result<(), ParquetError> {
    let names = manifest.columns();
    let fields = names.iter().zip(columns(manifest));
    let fields = fields.map(|(name, column)| column.field(name).map(Arc::new));
    let fields = fields.collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("runs")
        .with_fields(fields)
        .build()?;
    let notes = [
        ("carom.version", manifest.version.clone()),
        ("carom.sweep", manifest.fingerprint.clone()),
        ("carom.description", manifest.description.clone()),
    ];
    let notes = notes.map(|(key, value)| KeyValue::new(key.to_string(), value));
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(notes.to_vec()))
        .build();
    let mut writer = SerializedFileWriter::new(Vec::new(), Arc::new(schema), Arc::new(properties))?;
    let general = |reason: String| ParquetError::General(reason);
    let mut record = csv::StringRecord::new();
    loop {
        let mut group = columns(manifest);
        let mut rows = 0;
        while rows < GROUP
            && reader
                .read_record(&mut record)
                .map_err(|e| general(e.to_string()))?
        {
            for ((column, field), name) in group.iter_mut().zip(&record).zip(&names) {
                let taken = column.push(field);
                taken.ok_or_else(|| {
                    general(format!("{name}: \"{field}\" is no value of the column"))
                })?;
            }
            rows += 1;
        }
        if rows == 0 {
            break;
        }
        let mut target = writer.next_row_group()?;
        for column in &group {
            let Some(mut place) = target.next_column()? else {
                return Err(general("a column is missing".to_string()));
            };
            column.write(place.untyped())?;
            place.close()?;
        }
        target.close()?;
        // What is encoded goes out: no more than one group is in memory.
        let encoded = writer.inner_mut();
        out.write_all(encoded)?;
        encoded.clear();
    }
    out.write_all(&writer.into_inner()?)?;
    Ok(())
}
