//! Distribution of one metric over all runs, exactly.

use serde::{Deserialize, Serialize};

/// The value below which a share of the runs lies: one of the values, x₍⌈p n⌉₎.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// The share p.
    pub share: f64,
    /// The value.
    pub value: f64,
    /// The first run that has it.
    pub run: u64,
}

/// What a metric is over all runs that have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricStatistics {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub expression: String,
    /// Runs that have it.
    pub runs: u64,
    /// Mean; null without runs.
    pub mean: Option<f64>,
    /// Standard deviation of the population that the runs are drawn from (n − 1); null for fewer than two runs.
    pub deviation: Option<f64>,
    /// Least value and the first run that has it.
    pub least: Option<RunValue>,
    /// Largest value and the first run that has it.
    pub largest: Option<RunValue>,
    /// Exact quantiles.
    pub quantiles: Vec<Quantile>,
    /// The worst runs, the worst first.
    pub worst: Vec<RunValue>,
}

/// A value and the run that has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunValue {
    /// The run.
    pub run: u64,
    /// Its value.
    pub value: f64,
    /// What `--set` needs to repeat the run.
    #[serde(default)]
    pub set: Vec<String>,
}

/// What is asked of a metric.
pub(super) struct Asked<'a> {
    pub quantiles: &'a [f64],
    pub worst: u64,
    pub smallest_is_worst: bool,
}

/// Of the values of all runs in their order; what is not a number is no value.
pub(in crate::sweep) fn statistics(
    name: &str,
    expression: &str,
    values: &[f64],
    asked: &Asked<'_>,
) -> MetricStatistics {
    let mut sorted: Vec<(f64, u64)> = (0..)
        .zip(values)
        .map(|(run, x)| (*x, run))
        .filter(|(x, _)| !x.is_nan())
        .collect();
    let n = sorted.len();
    let mean = sorted.iter().map(|(x, _)| x).sum::<f64>() / n as f64;
    let squares: f64 = sorted.iter().map(|(x, _)| (x - mean) * (x - mean)).sum();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let of = |(value, run): (f64, u64)| RunValue {
        run,
        value,
        set: Vec::new(),
    };
    // The first run of those that share a value.
    let first_with = |x: f64| {
        let place = sorted.partition_point(|(y, _)| y.total_cmp(&x).is_lt());
        sorted.get(place).copied()
    };
    let quantile = |share: &f64| {
        // A share as 0.07 of 100 rounds to more than 7.
        let place = ((share * n as f64 - 1e-9).ceil() as usize).clamp(1, n.max(1)) - 1;
        let (value, run) = first_with(sorted.get(place)?.0)?;
        Some(Quantile {
            share: *share,
            value,
            run,
        })
    };
    let count = usize::try_from(asked.worst).unwrap_or(usize::MAX).min(n);
    let worst: Vec<RunValue> = if asked.smallest_is_worst {
        sorted.iter().take(count).copied().map(of).collect()
    } else {
        let mut from_above = sorted.clone();
        from_above.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        from_above.into_iter().take(count).map(of).collect()
    };
    MetricStatistics {
        name: name.to_string(),
        expression: expression.to_string(),
        runs: n as u64,
        mean: (n > 0).then_some(mean),
        deviation: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()),
        least: sorted.first().copied().map(of),
        largest: sorted.last().and_then(|(x, _)| first_with(*x)).map(of),
        quantiles: asked.quantiles.iter().filter_map(quantile).collect(),
        worst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_values_of_runs() {
        // 99, 98, … 0 and one run without the metric: run i has 99 − i.
        let mut values: Vec<f64> = (0..100).rev().map(f64::from).collect();
        values.push(f64::NAN);
        let asked = Asked {
            quantiles: &[0.0, 0.01, 0.5, 0.505, 1.0],
            worst: 2,
            smallest_is_worst: false,
        };
        let told = statistics("x", "x", &values, &asked);
        assert_eq!((told.runs, told.mean), (100, Some(49.5)));
        // n (n + 1)/12 is the variance of 0 … n − 1.
        let variance = told.deviation.unwrap().powi(2);
        assert!((variance - 100.0 * 101.0 / 12.0).abs() < 1e-9);
        let found: Vec<(f64, u64)> = told.quantiles.iter().map(|q| (q.value, q.run)).collect();
        assert_eq!(
            found,
            [(0.0, 99), (0.0, 99), (49.0, 50), (50.0, 49), (99.0, 0)]
        );
        assert_eq!((told.worst[0].run, told.worst[1].run), (0, 1));
        let least = Asked {
            smallest_is_worst: true,
            ..asked
        };
        assert_eq!(statistics("x", "x", &values, &least).worst[0].run, 99);
        let none = statistics("x", "x", &[f64::NAN], &asked);
        assert_eq!((none.runs, none.mean, none.quantiles.len()), (0, None, 0));
    }
}
