//! The tables of a run that goes on.

use std::path::{Path, PathBuf};

use super::growing_table::rows_from;
use crate::record::tables::{RunFileError, damaged};
use crate::record::{EventRow, RunSeries};

/// What a run in a folder has written so far, read on from where it was read last. The run knows nothing of it.
#[derive(Debug, Clone)]
pub struct GrowingRun {
    folder: PathBuf,
    series: Option<RunSeries>,
    series_bytes: u64,
    /// The header, which is read with every piece.
    events_header: Vec<u8>,
    events: Vec<EventRow>,
    events_bytes: u64,
}

impl GrowingRun {
    /// Of a folder; nothing is read yet.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_path_buf(),
            series: None,
            series_bytes: 0,
            events_header: Vec::new(),
            events: Vec::new(),
            events_bytes: 0,
        }
    }

    /// Reads what was written since. After an error the rows that were read stay.
    ///
    /// # Errors
    /// There is no table yet, or it is not one of a run.
    pub fn update(&mut self) -> Result<(), RunFileError> {
        let path = self.folder.join("series.csv");
        let rows = rows_from(&self.folder, "series.csv", self.series_bytes)
            .map_err(|e| damaged(&path)(e.to_string()))?;
        match &mut self.series {
            Some(series) => series.extend(&rows, &path)?,
            None if rows.is_empty() => {
                return Err(damaged(&path)("nothing is written yet".to_string()));
            }
            None => self.series = Some(RunSeries::begin(&rows, &path)?),
        }
        self.series_bytes += rows.len() as u64;

        let path = self.folder.join("events.csv");
        let rows = rows_from(&self.folder, "events.csv", self.events_bytes)
            .map_err(|e| damaged(&path)(e.to_string()))?;
        if self.events_header.is_empty() {
            let end = rows
                .iter()
                .position(|b| *b == b'\n')
                .map_or(0, |end| end + 1);
            self.events_header = rows[..end].to_vec();
            self.events.extend(EventRow::of_text(&rows, &path)?);
        } else if !rows.is_empty() {
            let text = [self.events_header.as_slice(), rows.as_slice()].concat();
            self.events.extend(EventRow::of_text(&text, &path)?);
        }
        self.events_bytes += rows.len() as u64;
        Ok(())
    }

    /// The series, once something was read.
    #[must_use]
    pub fn series(&self) -> Option<&RunSeries> {
        self.series.as_ref()
    }

    /// The events.
    #[must_use]
    pub fn events(&self) -> &[EventRow] {
        &self.events
    }
}

#[cfg(test)]
mod tests {
    use super::GrowingRun;
    use std::fs;

    #[test]
    fn rows_are_read_once_they_are_whole() {
        let folder = std::env::temp_dir().join(format!("carom-growing-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
        let mut run = GrowingRun::new(&folder);
        assert!(run.update().is_err());
        let header = "time_s,kind,contacts,law,sequence,outcomes,indeterminacy,energy_before_J,energy_after_J,capped,seed,\
            unique,mode,note,reason\n";
        write(".events.csv.partial", header);
        write(".series.csv.partial", "time_s,x\n0,1\n0.5,2");
        run.update().unwrap();
        assert_eq!(run.series().unwrap().times(), [0.0]);
        write(".series.csv.partial", "time_s,x\n0,1\n0.5,23\n1,");
        write(
            ".events.csv.partial",
            &format!("{header}0.5,hold,a,,,,,,,,,,stick,,\n1,rel"),
        );
        run.update().unwrap();
        assert_eq!(run.series().unwrap().column("x").unwrap(), [1.0, 23.0]);
        assert_eq!(run.events().len(), 1);
        // The tables have taken their places.
        for (table, more) in [("series", "4\n"), ("events", "ease,a,,,,,,,,,,,,\n")] {
            let partial = folder.join(format!(".{table}.csv.partial"));
            let text = fs::read_to_string(&partial).unwrap();
            write(&format!("{table}.csv"), &(text + more));
            fs::remove_file(&partial).unwrap();
        }
        run.update().unwrap();
        assert_eq!(run.series().unwrap().last_time(), 1.0);
        assert_eq!(run.events()[1].kind, "release");
        fs::remove_dir_all(&folder).unwrap();
    }
}
