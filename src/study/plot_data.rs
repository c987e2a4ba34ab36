//! What the pictures of a run show, read back from its tables.

use std::path::Path;

use super::Experiment;
use super::plots::PlotError;

/// More points than this a curve are thinned: a picture has fewer pixels.
const MOST_POINTS: usize = 2000;

/// The columns of `series.csv`.
pub(super) struct Series {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

fn damaged(path: &Path) -> impl Fn(String) -> PlotError {
    let path = path.to_path_buf();
    move |reason| PlotError::Table {
        path: path.clone(),
        reason,
    }
}

impl Series {
    /// Reads the table.
    pub fn read(path: &Path) -> Result<Self, PlotError> {
        let wrong = damaged(path);
        let mut reader = csv::Reader::from_path(path).map_err(|e| wrong(e.to_string()))?;
        let header = reader.headers().map_err(|e| wrong(e.to_string()))?;
        let names: Vec<String> = header.iter().map(str::to_string).collect();
        let mut columns = vec![Vec::new(); names.len()];
        let mut record = csv::StringRecord::new();
        while reader
            .read_record(&mut record)
            .map_err(|e| wrong(e.to_string()))?
        {
            for (column, field) in columns.iter_mut().zip(&record) {
                let value = field
                    .parse()
                    .map_err(|_| wrong(format!("\"{field}\" is not a number")))?;
                column.push(value);
            }
        }
        Ok(Self { names, columns })
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let place = self.names.iter().position(|n| n == name)?;
        Some(&self.columns[place])
    }

    /// Times of the rows \[s\].
    pub fn times(&self) -> &[f64] {
        self.columns.first().map_or(&[], Vec::as_slice)
    }

    /// Time of the last row \[s\].
    pub fn last_time(&self) -> f64 {
        self.times().last().copied().unwrap_or_default()
    }
}

/// The points of a curve; of many points, the lowest and the highest of each group, so that no peak
/// is lost.
pub(super) fn thinned(times: &[f64], values: &[f64], offset: f64) -> Vec<(f64, f64)> {
    let points = || {
        times
            .iter()
            .zip(values)
            .map(|(t, x)| (*t, x - offset))
            .filter(|(_, x)| x.is_finite())
    };
    let count = values.len();
    if count <= MOST_POINTS {
        return points().collect();
    }
    let all: Vec<(f64, f64)> = points().collect();
    let group = count.div_ceil(MOST_POINTS / 2);
    let mut kept = Vec::with_capacity(MOST_POINTS + 2);
    for chunk in all.chunks(group) {
        let by_value = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1);
        let (Some(low), Some(high)) =
            (chunk.iter().min_by(by_value), chunk.iter().max_by(by_value))
        else {
            continue;
        };
        let (first, second) = if low.0 <= high.0 {
            (low, high)
        } else {
            (high, low)
        };
        kept.push(*first);
        if second != first {
            kept.push(*second);
        }
    }
    kept
}

/// When contacts were held and struck.
pub(super) struct ContactPhases {
    /// Names of the contacts.
    pub names: Vec<String>,
    /// Contact, from, to \[s\].
    pub held: Vec<(usize, f64, f64)>,
    /// Contact, time \[s\], whether the impact was ambiguous.
    pub impacts: Vec<(usize, f64, bool)>,
}

impl ContactPhases {
    /// Reads `events.csv`; contacts that are held at the end are held until `end`.
    pub fn read(path: &Path, experiment: &Experiment, end: f64) -> Result<Self, PlotError> {
        let wrong = damaged(path);
        let contacts = &experiment.contacts;
        let names: Vec<String> = (0..contacts.len())
            .map(|i| contacts.name(i).to_string())
            .collect();
        let mut phases = Self {
            held: Vec::new(),
            impacts: Vec::new(),
            names,
        };
        let mut since = vec![None; contacts.len()];
        let mut reader = csv::Reader::from_path(path).map_err(|e| wrong(e.to_string()))?;
        let header = reader.headers().map_err(|e| wrong(e.to_string()))?.clone();
        let place = |name: &str| {
            header
                .iter()
                .position(|n| n == name)
                .ok_or_else(|| wrong(format!("it has no column \"{name}\"")))
        };
        let (time_at, kind_at, contacts_at, outcomes_at) = (
            place("time_s")?,
            place("kind")?,
            place("contacts")?,
            place("outcomes")?,
        );
        let mut impulse_at = Vec::new();
        for name in &phases.names {
            impulse_at.push(place(&format!("impulse_{name}_n_Ns"))?);
        }
        for record in reader.records() {
            let record = record.map_err(|e| wrong(e.to_string()))?;
            let field = |i: usize| record.get(i).unwrap_or_default();
            let time: f64 = field(time_at)
                .parse()
                .map_err(|_| wrong(format!("\"{}\" is not a time", field(time_at))))?;
            let which = field(contacts_at)
                .split(';')
                .filter_map(|name| phases.names.iter().position(|n| n == name));
            match field(kind_at) {
                "hold" => which.for_each(|i| since[i] = Some(time)),
                "release" => {
                    for i in which {
                        if let Some(from) = since[i].take() {
                            phases.held.push((i, from, time));
                        }
                    }
                }
                _ => {
                    let ambiguous = field(outcomes_at).trim_start_matches(">=") != "1";
                    for (i, &at) in impulse_at.iter().enumerate() {
                        if field(at).parse::<f64>().is_ok_and(|x| x > 0.0) {
                            phases.impacts.push((i, time, ambiguous));
                        }
                    }
                }
            }
        }
        for (i, from) in since.into_iter().enumerate() {
            if let Some(from) = from {
                phases.held.push((i, from, end));
            }
        }
        Ok(phases)
    }
}

#[cfg(test)]
mod tests {
    use super::thinned;

    #[test]
    fn thinning_keeps_every_peak() {
        let n = 50_000;
        let times: Vec<f64> = (0..n).map(f64::from).collect();
        let mut values = vec![0.0; n as usize];
        values[31_234] = 7.0;
        values[40_001] = -3.0;
        let points = thinned(&times, &values, 1.0);
        assert!(points.len() < 2100, "{}", points.len());
        assert!(points.contains(&(31_234.0, 6.0)));
        assert!(points.contains(&(40_001.0, -4.0)));
        assert!(points.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
