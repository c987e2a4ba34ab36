//! The distribution of a metric over robust runs, and whether two of them are one.

use serde::{Deserialize, Serialize};

use super::run::RobustRun;
use crate::baseline::values::rounded_up;

/// A metric over all runs that were completed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distribution {
    /// Lower end of the band in which every run must stay.
    pub lower: f64,
    /// Upper end of the band.
    pub upper: f64,
    /// Smallest value.
    pub min: f64,
    /// Quantiles, linear between the values.
    pub q05: f64,
    /// First quartile.
    pub q25: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q75: f64,
    /// 95 % quantile.
    pub q95: f64,
    /// Largest value.
    pub max: f64,
    /// Number of the run with the smallest value.
    pub lowest_run: u64,
    /// What `--set` needs to run it alone.
    pub lowest_set: Vec<String>,
    /// Number of the run with the largest value.
    pub highest_run: u64,
    /// What `--set` needs to run it alone.
    pub highest_set: Vec<String>,
    /// Completed runs in which the metric is no number.
    pub undefined: u64,
}

/// Distance of two empirical distributions of so many draws of one that chance exceeds once in a thousand times: the
/// asymptotic bound of Kolmogorov and Smirnov, √(−ln(α/2)/2) √(1/n + 1/m). It is more than 1 for fewer than 8 runs,
/// which tell nothing.
pub(crate) fn largest_distance(n: u64, m: u64) -> f64 {
    const CHANCE: f64 = 1e-3;
    let factor = (-0.5 * (0.5 * CHANCE).ln()).sqrt();
    factor * (1.0 / n as f64 + 1.0 / m as f64).sqrt()
}

impl Distribution {
    /// The quantiles that are kept, with their shares.
    fn quantiles(&self) -> [(f64, f64); 7] {
        [
            (0.0, self.min),
            (0.05, self.q05),
            (0.25, self.q25),
            (0.5, self.median),
            (0.75, self.q75),
            (0.95, self.q95),
            (1.0, self.max),
        ]
    }

    /// Shares of runs below and up to a value, linear between the kept quantiles.
    fn shares(&self, value: f64) -> [f64; 2] {
        let known = self.quantiles();
        if value.is_nan() || value < known[0].1 {
            return [0.0; 2];
        }
        if value > known[6].1 {
            return [1.0; 2];
        }
        let mut shares = [1.0, 0.0];
        for pair in known.windows(2) {
            let [(p, x), (q, y)] = [pair[0], pair[1]];
            if x <= value && value <= y {
                let inner = if y > x { (value - x) / (y - x) } else { 0.0 };
                let below = p + (q - p) * inner;
                let up_to = if y > x { below } else { q };
                shares = [f64::min(shares[0], below), f64::max(shares[1], up_to)];
            }
        }
        shares
    }

    /// Largest distance between the shares of runs below a value in two distributions, over the values that are kept
    /// of either: the distance of Kolmogorov and Smirnov, or less. Values within the margin of the band are one.
    pub(crate) fn distance(&self, other: &Self) -> f64 {
        let margin = (self.min - self.lower).max(self.upper - self.max).max(0.0);
        // The largest excess stands at a jump of either: up to it, or just below it.
        let excess = |a: &Self, b: &Self, x: f64| {
            let up_to = a.shares(x)[1] - b.shares(x + margin)[1];
            let below = a.shares(x - margin)[0] - b.shares(x)[0];
            up_to.max(below)
        };
        let ends = self.quantiles().into_iter().chain(other.quantiles());
        ends.map(|(_, x)| excess(self, other, x).max(excess(other, self, x)))
            .fold(0.0, f64::max)
    }

    pub(crate) fn new(
        runs: &[RobustRun],
        metric: usize,
        band: Option<[f64; 2]>,
        share: f64,
    ) -> Self {
        let completed = || runs.iter().filter(|run| run.stopped.is_none());
        let mut values: Vec<(f64, &RobustRun)> = completed()
            .filter_map(|run| Some((run.metrics.get(metric).copied()??, run)))
            .collect();
        let undefined = (completed().count() - values.len()) as u64;
        // Equal values stay in the order of their runs.
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        let quantile = |p: f64| -> f64 {
            let Some(last) = values.len().checked_sub(1) else {
                return f64::NAN;
            };
            let place = p * last as f64;
            let (below, above) = (place.floor() as usize, place.ceil() as usize);
            let (a, b) = (values[below].0, values[above].0);
            a + (b - a) * (place - below as f64)
        };
        let run = |entry: Option<&(f64, &RobustRun)>| {
            entry.map_or((0, Vec::new()), |(_, run)| {
                (run.index, run.overrides.clone())
            })
        };
        let (min, max) = (quantile(0.0), quantile(1.0));
        let (lowest_run, lowest_set) = run(values.first());
        let (highest_run, highest_set) = run(values.last());
        // At least that share of 1 in the metric's unit.
        let margin = rounded_up(share * min.abs().max(max.abs()).max(1.0));
        let [lower, upper] = band.unwrap_or([min - margin, max + margin]);
        Self {
            lower,
            upper,
            min,
            q05: quantile(0.05),
            q25: quantile(0.25),
            median: quantile(0.5),
            q75: quantile(0.75),
            q95: quantile(0.95),
            max,
            lowest_run,
            lowest_set,
            highest_run,
            highest_set,
            undefined,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(values: impl Iterator<Item = f64>) -> Distribution {
        let runs: Vec<RobustRun> = values
            .enumerate()
            .map(|(i, x)| RobustRun {
                index: i as u64,
                overrides: Vec::new(),
                stopped: None,
                metrics: vec![Some(x)],
                parting: None,
            })
            .collect();
        Distribution::new(&runs, 0, None, 1e-6)
    }

    #[test]
    fn distributions_are_apart_by_the_shares_below_a_value() {
        let even = |n: i32, from: f64| distribution((0..n).map(move |i| from + f64::from(i)));
        let base = even(101, 0.0);
        assert_eq!(base.distance(&base), 0.0);
        // Moved by a quarter of its width, a quarter of the runs is elsewhere, but for one in a hundred.
        let moved = base.distance(&even(101, 25.0));
        assert!((moved - 0.25).abs() < 0.02, "{moved}");
        assert_eq!(base.distance(&even(101, 200.0)), 1.0);
        // Twice as many draws of the same.
        assert!(base.distance(&distribution((0..202).map(|i| 0.5 * f64::from(i)))) < 0.02);
        // One value, but for rounding.
        let one = |x: f64| distribution(std::iter::repeat_n(x, 20));
        assert_eq!(one(1.0).distance(&one(1.0 + 1e-9)), 0.0);
        assert_eq!(one(1.0).distance(&one(1.1)), 1.0);
    }

    #[test]
    fn few_runs_tell_nothing() {
        assert!(largest_distance(7, 7) > 1.0 && largest_distance(8, 8) < 1.0);
        // 1.9495 is the quantile of Kolmogorov's distribution at 1 - 1e-3.
        assert!((largest_distance(200, 200) - 0.19495).abs() < 1e-4);
    }
}
