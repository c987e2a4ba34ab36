//! `series.csv` of a finished run, read back.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file of a finished run cannot be read.
#[derive(Debug, Error)]
#[error("{}: {reason}", .path.display())]
pub struct RunFileError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong.
    pub reason: String,
}

/// Makes errors about one file.
pub(crate) fn damaged(path: &Path) -> impl Fn(String) -> RunFileError {
    let path = path.to_path_buf();
    move |reason| RunFileError {
        path: path.clone(),
        reason,
    }
}

/// The columns of `series.csv`.
#[derive(Debug, Clone, PartialEq)]
pub struct RunSeries {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    /// Where the column of a name is, the first of several: robots have thousands.
    places: BTreeMap<String, usize>,
}

impl RunSeries {
    /// Reads the table.
    ///
    /// # Errors
    /// It is missing, or an entry is not a number.
    pub fn read(path: &Path) -> Result<Self, RunFileError> {
        let reader = csv::Reader::from_path(path).map_err(|e| damaged(path)(e.to_string()))?;
        Self::parse(reader, path)
    }

    /// The table of a text with its header.
    pub(in crate::record) fn begin(text: &[u8], path: &Path) -> Result<Self, RunFileError> {
        Self::parse(csv::Reader::from_reader(text), path)
    }

    /// Takes in more rows.
    pub(in crate::record) fn extend(
        &mut self,
        rows: &[u8],
        path: &Path,
    ) -> Result<(), RunFileError> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(rows);
        self.take(&mut reader, path)
    }

    fn parse(mut reader: csv::Reader<impl Read>, path: &Path) -> Result<Self, RunFileError> {
        let wrong = damaged(path);
        let header = reader.headers().map_err(|e| wrong(e.to_string()))?;
        let names: Vec<String> = header.iter().map(str::to_string).collect();
        if names.first().map(String::as_str) != Some("time_s") {
            return Err(wrong("its first column is not \"time_s\"".to_string()));
        }
        let backwards = names.iter().enumerate().rev();
        let places = backwards.map(|(i, name)| (name.clone(), i)).collect();
        let mut series = Self {
            columns: vec![Vec::new(); names.len()],
            names,
            places,
        };
        series.take(&mut reader, path)?;
        Ok(series)
    }

    fn take(
        &mut self,
        reader: &mut csv::Reader<impl Read>,
        path: &Path,
    ) -> Result<(), RunFileError> {
        let wrong = damaged(path);
        let mut record = csv::ByteRecord::new();
        while reader
            .read_byte_record(&mut record)
            .map_err(|e| wrong(e.to_string()))?
        {
            for (column, field) in self.columns.iter_mut().zip(&record) {
                let value = number(field).ok_or_else(|| {
                    let field = String::from_utf8_lossy(field);
                    wrong(format!("\"{field}\" is not a number"))
                })?;
                column.push(value);
            }
        }
        Ok(())
    }

    /// Names of the columns, `time_s` first.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// A column by its name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        Some(&self.columns[*self.places.get(name)?])
    }

    /// All columns, in the order of the names.
    #[must_use]
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }

    /// Times of the rows \[s\].
    #[must_use]
    pub fn times(&self) -> &[f64] {
        self.columns.first().map_or(&[], Vec::as_slice)
    }

    /// Time of the last row \[s\].
    #[must_use]
    pub fn last_time(&self) -> f64 {
        self.times().last().copied().unwrap_or_default()
    }
}

/// The number that a field holds: mostly the zero of a contact that nothing happened at.
fn number(field: &[u8]) -> Option<f64> {
    if field == b"0.0" {
        return Some(0.0);
    }
    std::str::from_utf8(field).ok()?.parse().ok()
}
