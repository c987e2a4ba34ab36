//! What differs, the orbit first, then the largest against its tolerance, in words.

use serde::Serialize;

use super::compare::{ColumnComparison, Comparison, MetricComparison};
use super::comparison_text::short;
use crate::baseline::words::{ColumnWords, metric_words};
use crate::metric::Expression;
use crate::record::NamedEvent;

/// One metric or column that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct RankedDifference {
    /// The check that failed: `metrics.peak_effort_knee`, `series.q_knee`.
    pub check: String,
    /// What it is called: `knee torque peak`.
    pub name: String,
    /// Unit of its values.
    pub unit: &'static str,
    /// Change of a metric as a share of its value, signed; largest difference of a column as a share of its largest
    /// magnitude. None where that is 0 or no number.
    pub change: Option<f64>,
    /// The difference over its tolerance; none where one side is no number or the tolerance is 0.
    pub times_tolerance: Option<f64>,
    /// Values of a metric.
    pub values: Option<[f64; 2]>,
    /// First stored moment at which the column, or one that the metric is made of, differs \[s\].
    pub first_s: Option<f64>,
    /// Where that is among the impacts: `before the first impact`.
    pub when: Option<String>,
}

/// Everything that differs: of the periodic orbit first, then in the order of its size against its tolerance.
pub(crate) fn ranked(
    comparison: &Comparison,
    times: &[f64],
    events: &[NamedEvent],
    words: &ColumnWords,
) -> Vec<RankedDifference> {
    let place = Place { times, events };
    let columns = &comparison.series;
    let of_columns = columns.iter().filter(|c| !c.same && c.reason.is_none());
    let mut found: Vec<RankedDifference> = of_columns
        .map(|column| of_column(column, words, &place))
        .collect();
    let of_metrics = comparison.metrics.iter().filter(|metric| !metric.same);
    found.extend(of_metrics.map(|metric| of_metric(metric, columns, words, &place)));
    let size = |d: &RankedDifference| d.times_tolerance.unwrap_or(f64::INFINITY);
    // Of what is equally large the metrics, which are last, come first.
    found.reverse();
    // The orbit was asked for by name, and says more than the run that leaves it.
    let of_run = |d: &RankedDifference| !d.check.starts_with("metrics.orbit_");
    found.sort_by(|a, b| {
        let kinds = of_run(a).cmp(&of_run(b));
        kinds.then(size(b).total_cmp(&size(a)))
    });
    found
}

/// Where a moment is in the run as it was recorded.
struct Place<'a> {
    times: &'a [f64],
    events: &'a [NamedEvent],
}

impl Place<'_> {
    /// The moment among the impacts. The difference began after the stored row before it.
    fn when(&self, first: f64) -> Option<String> {
        let row = self.times.iter().position(|time| *time == first)?;
        let before = self.times[row.saturating_sub(1)];
        let impacts = || self.events.iter().filter(|event| event.kind.is_impact());
        let until = |time: f64| impacts().filter(|event| event.time_s < time).count();
        let name = |number: usize| {
            impacts().nth(number - 1).map_or(String::new(), |event| {
                format!(
                    "impact {number} ({} at {} s)",
                    event.contacts.join(", "),
                    short(event.time_s)
                )
            })
        };
        Some(match (impacts().count(), until(before), until(first)) {
            (0, ..) => "in a run without impacts".to_string(),
            (_, _, 0) => "before the first impact".to_string(),
            (_, earlier, later) if earlier == later => format!("after {}", name(later)),
            (_, earlier, _) => format!("about {}", name(earlier + 1)),
        })
    }
}

fn of_column(
    column: &ColumnComparison,
    words: &ColumnWords,
    place: &Place<'_>,
) -> RankedDifference {
    let (name, unit) = words
        .get(&column.name)
        .map_or((column.name.clone(), ""), |(words, unit)| {
            (words.clone(), *unit)
        });
    let largest = column.largest.filter(|x| x.is_finite());
    let first_s = column.first.map(|(time, ..)| time);
    RankedDifference {
        check: format!("series.{}", column.name),
        name,
        unit,
        change: share(largest.unwrap_or(f64::NAN), column.magnitude),
        times_tolerance: share(largest.unwrap_or(f64::NAN), column.tolerance),
        values: None,
        first_s,
        when: first_s.and_then(|first| place.when(first)),
    }
}

fn of_metric(
    metric: &MetricComparison,
    columns: &[ColumnComparison],
    words: &ColumnWords,
    place: &Place<'_>,
) -> RankedDifference {
    let (name, unit) = metric_words(&metric.name, words);
    let difference = metric.now - metric.recorded;
    let named = |column: &&ColumnComparison| {
        Expression::parse(&metric.expression).is_ok_and(|e| e.names(&column.name))
    };
    let starts = columns.iter().filter(|column| column.first.is_some());
    let first_s = starts
        .filter(named)
        .filter_map(|column| column.first.map(|(time, ..)| time))
        .reduce(f64::min);
    RankedDifference {
        check: format!("metrics.{}", metric.name),
        name,
        unit,
        change: share(difference, metric.recorded.abs()),
        times_tolerance: share(difference.abs(), metric.tolerance),
        values: Some([metric.recorded, metric.now]),
        first_s,
        when: first_s.and_then(|first| place.when(first)),
    }
}

fn share(part: f64, whole: f64) -> Option<f64> {
    let share = part / whole;
    (whole > 0.0 && share.is_finite()).then_some(share)
}

impl RankedDifference {
    /// The difference in a line.
    #[must_use]
    pub fn words(&self) -> String {
        let unit = if self.unit.is_empty() {
            String::new()
        } else {
            format!(" {}", self.unit)
        };
        let mut text = self.name.clone();
        match (self.values, self.change) {
            (Some([old, new]), change) => {
                if let Some(change) = change {
                    text.push_str(&format!(" {}", percent(change, "+")));
                }
                text.push_str(&format!(", was {}, is {}{unit}", short(old), short(new)));
            }
            (None, Some(change)) => {
                let change = percent(change, "");
                text.push_str(&format!(" differs by up to {change} of its largest"));
            }
            (None, None) => text.push_str(" differs"),
        }
        if let Some(first) = self.first_s {
            let when = self
                .when
                .as_ref()
                .map_or(String::new(), |when| format!(", {when}"));
            text.push_str(&format!(", first differs at {} s{when}", short(first)));
        }
        if let Some(times) = self.times_tolerance {
            text.push_str(&format!(" ({} times its tolerance)", two_digits(times)));
        }
        text
    }
}

fn two_digits(x: f64) -> String {
    short(format!("{x:.1e}").parse().unwrap_or(x))
}

/// A share as a percentage of two digits, with its sign.
fn percent(share: f64, plus: &str) -> String {
    let sign = if share >= 0.0 { plus } else { "-" };
    format!("{sign}{} %", two_digits(100.0 * share.abs()))
}
