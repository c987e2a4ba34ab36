//! What a page shows of a sweep: how often values are, and some runs as points.

use std::path::Path;

use serde::Serialize;

use super::summary::{SweepSummary, read_columns};
use crate::sweep::error::SweepError;
use crate::sweep::manifest::Manifest;
use crate::sweep::table::TABLE;

/// Runs that are drawn as points.
const MOST_POINTS: u64 = 2000;
/// Bars of a histogram.
const BARS: usize = 40;

/// A sweep as a page shows it.
#[derive(Debug, Clone, Serialize)]
pub struct SweepPicture {
    /// What all runs came to.
    pub summary: SweepSummary,
    /// Keys whose values are numbers.
    pub keys: Vec<String>,
    /// How many runs of each metric lie in each of as many equal pieces from the least to the largest value.
    pub histograms: Vec<Vec<u64>>,
    /// Numbers of the runs that are drawn as points: evenly chosen.
    pub runs: Vec<u64>,
    /// Of each key the values in these runs.
    pub places: Vec<Vec<Option<f64>>>,
    /// Of each metric the values in these runs.
    pub values: Vec<Vec<Option<f64>>>,
}

impl SweepPicture {
    /// Looks at the table of a merged sweep.
    ///
    /// # Errors
    /// The table cannot be read.
    pub fn new(
        folder: &Path,
        manifest: &Manifest,
        summary: SweepSummary,
    ) -> Result<Self, SweepError> {
        let numbers: Vec<usize> = (0..manifest.keys.len())
            .filter(|i| manifest.keys[*i].number)
            .collect();
        let metrics = manifest.metrics.len();
        let mut picture = Self {
            keys: numbers
                .iter()
                .map(|i| manifest.keys[*i].name.clone())
                .collect(),
            histograms: vec![vec![0; BARS]; metrics],
            runs: Vec::new(),
            places: vec![Vec::new(); numbers.len()],
            values: vec![Vec::new(); metrics],
            summary,
        };
        let step = manifest.runs.div_ceil(MOST_POINTS).max(1);
        let first = 3 + manifest.keys.len();
        let mut index = 0;
        read_columns(&folder.join(TABLE), manifest, &[], &mut |record| {
            let number = |i: usize| record.get(i).and_then(|cell| cell.parse::<f64>().ok());
            for m in 0..metrics {
                picture.count(m, number(first + m));
            }
            if index % step == 0 {
                picture.runs.push(index);
                for (place, key) in picture.places.iter_mut().zip(&numbers) {
                    place.push(number(3 + key));
                }
                for (m, values) in picture.values.iter_mut().enumerate() {
                    values.push(number(first + m));
                }
            }
            index += 1;
        })?;
        Ok(picture)
    }

    fn count(&mut self, m: usize, value: Option<f64>) {
        let metric = &self.summary.metrics[m];
        let (Some(value), Some(least), Some(largest)) = (value, &metric.least, &metric.largest)
        else {
            return;
        };
        let share = (value - least.value) / (largest.value - least.value);
        // Of a single value there is no share.
        let bar = if share.is_finite() {
            (share * BARS as f64) as usize
        } else {
            0
        };
        self.histograms[m][bar.min(BARS - 1)] += 1;
    }
}
