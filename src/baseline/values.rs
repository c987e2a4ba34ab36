//! What a baseline stores: metrics, events and series, each with the difference that counts as none.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::record::NamedEvent;

/// Share of the largest value of its kind that a value counts for at least: what is zero but for rounding is measured
/// by what is beside it.
const OF_ITS_KIND: f64 = 1e-2;

/// A number with the expression that gave it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MetricValue {
    /// The number; it may be NaN where the run has none.
    pub value: f64,
    /// Largest difference that counts as none, as a share of the value.
    pub relative: f64,
    /// The same in the metric's own unit; the larger of the two counts.
    pub floor: f64,
    /// The expression.
    pub expression: String,
}

impl MetricValue {
    /// Largest difference that counts as none, in the metric's own unit.
    #[must_use]
    pub fn tolerance(&self) -> f64 {
        if self.value.is_finite() {
            (self.relative * self.value.abs()).max(self.floor)
        } else {
            self.floor
        }
    }
}

/// A column of the stored series.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnValues {
    /// Largest difference that counts as none, in the column's unit.
    pub tolerance: f64,
    /// One value per stored row.
    pub values: Vec<f64>,
}

/// The stored series.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoredSeries {
    /// Steps between stored rows.
    pub every: u64,
    /// Times of the rows \[s\].
    pub time_s: Vec<f64>,
    /// The columns by name.
    pub columns: BTreeMap<String, ColumnValues>,
}

/// The events of a run.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(
    non_snake_case,
    reason = "the unit is part of the field's name in the file"
)]
pub struct StoredEvents {
    /// Largest difference of times that counts as none \[s\].
    pub time_tolerance_s: f64,
    /// Largest difference of ξ that counts as none.
    pub indeterminacy_tolerance: f64,
    /// Largest difference of normal impulses that counts as none \[N s\].
    pub impulse_tolerance_Ns: f64,
    /// The events in their order.
    pub list: Vec<NamedEvent>,
}

/// What columns of one kind have in common: the quantity before the name (`q_`, `v_`, `effort_`), or the unit after it.
fn kind(column: &str) -> &str {
    let mut quantities = ["q_", "v_", "effort_"].into_iter();
    quantities
        .find(|prefix| column.starts_with(prefix))
        .or_else(|| column.rsplit('_').next())
        .unwrap_or(column)
}

/// The largest magnitude among the finite values.
pub(crate) fn largest_finite(values: &[f64]) -> f64 {
    let finite = values.iter().filter(|x| x.is_finite());
    finite.fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// A column that stays below this (in SI units) is rounding: forces where nothing presses.
const LEAST: f64 = 1e-6;

/// Tolerances of columns: this share of the largest magnitude in the column, and at least of a hundredth of the
/// largest in any column of its kind, and of [`LEAST`].
pub(crate) fn column_tolerances(names: &[String], columns: &[Vec<f64>], share: f64) -> Vec<f64> {
    let own: Vec<f64> = columns
        .iter()
        .map(|column| largest_finite(column))
        .collect();
    let mut of_kind = BTreeMap::new();
    for (name, own) in names.iter().zip(&own) {
        let most: &mut f64 = of_kind.entry(kind(name)).or_insert(0.0);
        *most = most.max(*own);
    }
    let pairs = names.iter().zip(&own);
    pairs
        .map(|(name, own)| {
            let beside = OF_ITS_KIND * of_kind.get(&kind(name)).copied().unwrap_or_default();
            rounded_up(share * own.max(beside).max(LEAST))
        })
        .collect()
}

/// A positive number rounded up to two digits, so that the file is easy to read.
pub(crate) fn rounded_up(exact: f64) -> f64 {
    if exact <= 0.0 || !exact.is_finite() {
        return exact.max(0.0);
    }
    let unit = 10_f64.powf(exact.log10().floor() - 1.0);
    let text = format!("{:.1e}", (exact / unit).ceil() * unit);
    text.parse().unwrap_or(exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_measured_by_itself_and_what_is_zero_by_its_kind() {
        let names: Vec<String> = ["time_s", "q_a", "q_b", "v_a", "kinetic_J", "work_J"]
            .map(String::from)
            .to_vec();
        let columns = vec![
            vec![0.0, 2.0],
            vec![0.0, -3.0],
            vec![1e-17, 0.0],
            vec![0.5, f64::NAN],
            vec![40.0, 4.0],
            vec![0.0, 8.0],
        ];
        let tolerances = column_tolerances(&names, &columns, 1e-6);
        // A hundredth of 3 where the column itself holds rounding only.
        for (got, wanted) in tolerances.iter().zip([2e-6, 3e-6, 3e-8, 5e-7, 4e-5, 8e-6]) {
            // Rounded up at the second digit.
            assert!(*got >= wanted && *got <= 1.1 * wanted, "{got} {wanted}");
        }
    }

    #[test]
    fn a_metric_is_measured_by_the_larger_of_its_tolerances() {
        let metric = |value: f64| MetricValue {
            value,
            relative: 0.1,
            floor: 0.5,
            expression: String::new(),
        };
        assert_eq!(metric(20.0).tolerance(), 2.0);
        assert_eq!(metric(-1.0).tolerance(), 0.5);
        assert_eq!(metric(f64::NAN).tolerance(), 0.5);
    }
}
