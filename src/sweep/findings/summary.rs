//! `summary.json`: what all runs of a sweep came to.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sensitivity::{KeyIndex, by_design, by_ranks};
use super::statistics::{Asked, MetricStatistics, RunValue, statistics};
use crate::files::write_whole;
use crate::scenario::ExportFormat;
use crate::sweep::error::SweepError;
use crate::sweep::file::SensitivityKind;
use crate::sweep::manifest::Manifest;
use crate::sweep::outcome::SweepStatus;
use crate::sweep::table::{Progress, TABLE, write_table};

/// Name of the file.
pub(crate) const SUMMARY: &str = "summary.json";
/// Numbers that are in memory at the same time: metrics are looked at in groups.
const MOST_NUMBERS: u64 = 40_000_000;
/// Runs without metrics that are told.
const MOST_FAILED: usize = 20;
/// Columns before the keys.
const BEFORE_KEYS: usize = 3;

/// What all runs came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SweepSummary {
    /// What the sweep is for.
    pub description: String,
    /// The subject's file as the sweep file names it.
    pub subject: String,
    /// Names what rows are made from.
    pub fingerprint: String,
    /// SHA-256 of the table.
    pub table_sha256: String,
    /// Number of runs.
    pub runs: u64,
    /// How many ended how.
    pub statuses: BTreeMap<String, u64>,
    /// Keys that are set in every run.
    pub set: Vec<String>,
    /// The first runs without metrics.
    pub failed: Vec<FailedRun>,
    /// The metrics.
    pub metrics: Vec<MetricStatistics>,
    /// Of every metric the indices of the keys, where they are asked for and there are some.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sensitivity: BTreeMap<String, Vec<KeyIndex>>,
}

/// A run without metrics.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FailedRun {
    /// Its number.
    pub run: u64,
    /// How it ended.
    pub status: String,
    /// Why.
    pub message: String,
    /// What `--set` needs to repeat it.
    pub set: Vec<String>,
}

impl SweepSummary {
    /// How many runs have their metrics.
    #[must_use]
    pub fn completed(&self) -> u64 {
        let word = SweepStatus::Completed.word();
        self.statuses.get(word).copied().unwrap_or(0)
    }
}

/// Makes the table of a folder whose parts are all there, and its summary; with `parquet` also `runs.parquet`.
///
/// # Errors
/// Runs are missing, parts contradict each other or are damaged, a file cannot be written, this build has no Parquet.
pub fn merge(folder: &Path, parquet: bool) -> Result<SweepSummary, SweepError> {
    if parquet {
        ExportFormat::Parquet.available()?;
    }
    let progress = Progress::read(folder)?;
    let table_sha256 = write_table(folder, &progress)?;
    let table = folder.join(TABLE);
    let manifest = &progress.manifest;
    let mut summary = SweepSummary {
        description: manifest.description.clone(),
        subject: manifest.subject.clone(),
        fingerprint: manifest.fingerprint.clone(),
        table_sha256,
        runs: manifest.runs,
        statuses: BTreeMap::new(),
        set: manifest.set.clone(),
        failed: Vec::new(),
        metrics: Vec::new(),
        sensitivity: BTreeMap::new(),
    };
    let by_rank = manifest.analysis.sensitivity == SensitivityKind::Ranks;
    // Ranks need the columns of numbers among the keys beside those of the metrics.
    let ranked: Vec<usize> = (0..manifest.keys.len())
        .filter(|i| by_rank && manifest.keys[*i].number)
        .collect();
    let places = ranked
        .iter()
        .map(|i| BEFORE_KEYS + i)
        .collect::<Vec<usize>>();
    let places = read_columns(&table, manifest, &places, &mut |_| {})?;
    let group = (MOST_NUMBERS / manifest.runs).max(1) as usize;
    let first = BEFORE_KEYS + manifest.keys.len();
    let all: Vec<usize> = (0..manifest.metrics.len()).collect();
    for (g, members) in all.chunks(group).enumerate() {
        let columns: Vec<usize> = members.iter().map(|m| first + m).collect();
        let columns = read_columns(&table, manifest, &columns, &mut |record| {
            if g == 0 {
                summary.count(record, manifest);
            }
        })?;
        for (m, values) in members.iter().zip(&columns) {
            summary.add(manifest, *m, values, &ranked, &places);
        }
    }
    summary.find_sets(&table, manifest)?;
    #[cfg(feature = "parquet")]
    if parquet {
        crate::sweep::table::write_parquet(folder, manifest)?;
    }
    let text = serde_json::to_string_pretty(&summary).unwrap_or_default();
    write_whole(&folder.join(SUMMARY), |out| writeln!(out, "{text}"))?;
    Ok(summary)
}

impl SweepSummary {
    fn count(&mut self, record: &csv::StringRecord, manifest: &Manifest) {
        let cell = |i: usize| record.get(i).unwrap_or_default();
        *self.statuses.entry(cell(1).to_string()).or_default() += 1;
        if cell(1) != SweepStatus::Completed.word() && self.failed.len() < MOST_FAILED {
            self.failed.push(FailedRun {
                run: cell(0).parse().unwrap_or_default(),
                status: cell(1).to_string(),
                message: cell(2).to_string(),
                set: set_of(record, manifest),
            });
        }
    }

    fn add(
        &mut self,
        manifest: &Manifest,
        m: usize,
        values: &[f64],
        ranked: &[usize],
        places: &[Vec<f64>],
    ) {
        let metric = &manifest.metrics[m];
        let analysis = &manifest.analysis;
        let asked = Asked {
            quantiles: &analysis.quantiles,
            worst: analysis.worst,
            smallest_is_worst: analysis.smallest_is_worst.contains(&metric.name),
        };
        let told = statistics(&metric.name, &metric.expression, values, &asked);
        self.metrics.push(told);
        let indices = match analysis.sensitivity {
            SensitivityKind::None => None,
            SensitivityKind::Saltelli => {
                let keys: Vec<String> = manifest.keys.iter().map(|k| k.name.clone()).collect();
                by_design(&keys, values)
            }
            SensitivityKind::Ranks => {
                let keys = ranked.iter().zip(places);
                let of = keys.map(|(i, p)| by_ranks(&manifest.keys[*i].name, p, values));
                of.collect()
            }
        };
        if let Some(indices) = indices.filter(|list| !list.is_empty()) {
            self.sensitivity.insert(metric.name.clone(), indices);
        }
    }

    /// What repeats the runs that are told of.
    fn find_sets(&mut self, table: &Path, manifest: &Manifest) -> Result<(), SweepError> {
        let mut told: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        for run in self.metrics.iter_mut().flat_map(MetricStatistics::told) {
            told.insert(run.run, Vec::new());
        }
        read_columns(table, manifest, &[], &mut |record| {
            let run = record.get(0).and_then(|cell| cell.parse().ok());
            if let Some(set) = run.and_then(|run: u64| told.get_mut(&run)) {
                *set = set_of(record, manifest);
            }
        })?;
        for run in self.metrics.iter_mut().flat_map(MetricStatistics::told) {
            run.set = told.get(&run.run).cloned().unwrap_or_default();
        }
        Ok(())
    }
}

impl MetricStatistics {
    /// The runs that it names with what repeats them.
    fn told(&mut self) -> impl Iterator<Item = &mut RunValue> {
        let ends = self.least.iter_mut().chain(&mut self.largest);
        ends.chain(&mut self.worst)
    }
}

/// What `--set` needs for the run of a record: an empty cell is a key that the run leaves alone.
fn set_of(record: &csv::StringRecord, manifest: &Manifest) -> Vec<String> {
    let keys = manifest.keys.iter().zip(record.iter().skip(BEFORE_KEYS));
    let keys = keys.filter(|(_, cell)| !cell.is_empty());
    keys.map(|(key, cell)| format!("{}={cell}", key.name))
        .collect()
}

/// Some columns of the table as numbers, not a number where there is none; `watch` sees every record.
pub(super) fn read_columns(
    table: &Path,
    manifest: &Manifest,
    columns: &[usize],
    watch: &mut dyn FnMut(&csv::StringRecord),
) -> Result<Vec<Vec<f64>>, SweepError> {
    let damaged = |error: csv::Error| SweepError::folder(table, error.to_string());
    let mut reader = csv::Reader::from_path(table).map_err(damaged)?;
    let mut values = vec![Vec::with_capacity(manifest.runs as usize); columns.len()];
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(damaged)? {
        for (column, values) in columns.iter().zip(&mut values) {
            let cell = record.get(*column).unwrap_or_default();
            values.push(cell.parse().unwrap_or(f64::NAN));
        }
        watch(&record);
    }
    Ok(values)
}
