//! Columns of a table as Parquet has them.

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::schema::types::Type;

/// A column of a table; what is empty in the text is `None`.
pub(crate) enum Column {
    Number(Vec<Option<f64>>),
    Count(Vec<Option<i64>>),
    Flag(Vec<Option<bool>>),
    Text(Vec<Option<String>>),
}

impl Column {
    /// Takes in a field; `None` if it is not of the column's type.
    pub fn push(&mut self, field: &str) -> Option<()> {
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

    pub fn field(&self, name: &str) -> Result<Type, ParquetError> {
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

    pub fn write(&self, writer: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
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
