//! Two baselines side by side: what they were made of, the order of events, their times, metrics, series.

use serde::Serialize;

use super::ranking::{RankedDifference, ranked};
use crate::baseline::inputs::{InputChange, compare_inputs};
use crate::baseline::twins::ComparedPart;
use crate::baseline::values::largest_finite;
use crate::baseline::{BandComparison, Baseline, BaselineOptions};
use crate::record::NamedEvent;

/// What differs between what was recorded and what happens now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// Whether nothing differs by more than its tolerance.
    pub same: bool,
    /// What messages call the baseline.
    pub file: String,
    /// Hash of what was recorded and of what runs now; another hash alone is no difference.
    pub(crate) scenario_hash: Sides<String>,
    /// Keys of the scenario that were overridden for this run.
    pub overrides: Vec<String>,
    /// Version of the program that recorded and of this one.
    pub(crate) version: Sides<String>,
    /// What differs in what was run: files, and keys of the scenario. It alone is no difference.
    pub(crate) inputs: Vec<InputChange>,
    /// Whether the copy of the scenario in the baseline was run and not its file.
    pub frozen: bool,
    /// Whether bits were compared.
    pub exact: bool,
    /// The part of the run that was compared value by value, where that is not the whole.
    pub compared: Option<ComparedPart>,
    /// Metrics and columns that differ: those of the orbit, then the largest against its tolerance first.
    pub(crate) ranked: Vec<RankedDifference>,
    /// How the runs ended, if not alike.
    pub(crate) status: Option<Sides<String>>,
    /// The events.
    pub(crate) events: EventComparison,
    /// The metrics by name.
    pub(crate) metrics: Vec<MetricComparison>,
    /// The columns of the series by name.
    pub(crate) series: Vec<ColumnComparison>,
    /// The bands of robust runs.
    pub(crate) robust: Vec<BandComparison>,
}

/// One thing on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Sides<T> {
    /// What the baseline holds.
    pub recorded: T,
    /// What happens now.
    pub now: T,
}

/// How two lists of events differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct EventComparison {
    /// How many events there are.
    pub(crate) count: Sides<usize>,
    /// The first event that is another one: other contacts, sequence, law or verdict.
    pub(crate) order: Option<EventDifference>,
    /// The first impact that is another one, counted among impacts, where that is not the first event.
    pub(crate) impact: Option<EventDifference>,
    /// The first event at another time, among those before any other one.
    pub(crate) time: Option<EventDifference>,
    /// The first impact with another ξ, among the same events.
    pub(crate) indeterminacy: Option<EventDifference>,
    /// The first impact with other normal impulses, among the same events.
    pub(crate) impulses: Option<EventDifference>,
}

/// One event on both sides; a side without it has fewer events.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct EventDifference {
    /// Number of the event, from 1.
    pub event: usize,
    /// When it happens, on the side where it comes first \[s\].
    pub time_s: f64,
    /// The event as it was.
    pub recorded: Option<NamedEvent>,
    /// The event as it is.
    pub now: Option<NamedEvent>,
    /// Whether it is an ambiguous impact, on either side.
    pub ambiguous: bool,
    /// The last ambiguous impact before it, with its number.
    pub ambiguous_before: Option<(usize, NamedEvent)>,
}

/// A metric on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct MetricComparison {
    /// Its name.
    pub name: String,
    /// Its expression.
    pub expression: String,
    /// What it was.
    pub recorded: f64,
    /// What it is.
    pub now: f64,
    /// Largest difference that counts as none.
    pub tolerance: f64,
    /// Whether it is within the tolerance.
    pub same: bool,
}

/// A column of the series on both sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ColumnComparison {
    /// Its name.
    pub name: String,
    /// Largest difference that counts as none.
    pub tolerance: f64,
    /// Largest difference over all rows; none when the rows do not correspond.
    pub largest: Option<f64>,
    /// Largest magnitude of what was recorded.
    pub magnitude: f64,
    /// First row outside of the tolerance: time \[s\], what it was, what it is.
    pub first: Option<(f64, f64, f64)>,
    /// What is wrong when the rows do not correspond.
    pub reason: Option<String>,
    /// Whether every row is within the tolerance.
    pub same: bool,
}

impl Comparison {
    /// Compares what was recorded with a rerun of it.
    #[must_use]
    pub fn new(recorded: &Baseline, now: &Baseline) -> Self {
        Self::with(recorded, now, Measure::Tolerances)
    }

    /// The same, with `options.exact` bit by bit.
    #[must_use]
    pub fn with_options(
        recorded: &Baseline,
        now: &Baseline,
        options: &BaselineOptions<'_>,
    ) -> Self {
        let measure = if options.exact {
            Measure::Bits
        } else {
            Measure::Tolerances
        };
        Self::with(recorded, now, measure)
    }

    fn with(recorded: &Baseline, now: &Baseline, measure: Measure) -> Self {
        let ends = Sides {
            recorded: ending(recorded),
            now: ending(now),
        };
        let mut comparison = Self {
            same: true,
            file: recorded.file.display().to_string(),
            scenario_hash: Sides {
                recorded: recorded.scenario_hash.clone(),
                now: now.scenario_hash.clone(),
            },
            overrides: recorded.overrides.clone(),
            version: Sides {
                recorded: recorded.version.clone(),
                now: now.version.clone(),
            },
            inputs: compare_inputs(recorded, now),
            frozen: recorded.live.is_none(),
            exact: measure == Measure::Bits,
            compared: recorded.compared.clone(),
            ranked: Vec::new(),
            status: (ends.recorded != ends.now).then_some(ends),
            events: compare_events(recorded, now, measure),
            metrics: compare_metrics(recorded, now, measure),
            series: compare_series(recorded, now, measure),
            robust: match (&recorded.robust, &now.robust) {
                (Some(old), Some(new)) => old.compare(new, recorded.compared.is_some()),
                _ => Vec::new(),
            },
        };
        let (times, events) = (&recorded.series.time_s, &recorded.events.list);
        comparison.ranked = ranked(&comparison, times, events, &now.words);
        comparison.same = comparison
            .checks()
            .iter()
            .all(|(_, failure)| failure.is_none());
        comparison
    }
}

fn ending(baseline: &Baseline) -> String {
    match &baseline.reason {
        None => baseline.status.word().to_string(),
        Some(reason) => format!("{}: {reason}", baseline.status.word()),
    }
}

/// What counts as no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Tolerances,
    Bits,
}

impl Measure {
    fn same(self, a: f64, b: f64, tolerance: f64) -> bool {
        match self {
            Self::Tolerances => within(a, b, tolerance),
            Self::Bits => a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
        }
    }

    /// The tolerance, as it is told.
    fn tolerance(self, tolerance: f64) -> f64 {
        match self {
            Self::Tolerances => tolerance,
            Self::Bits => 0.0,
        }
    }
}

/// Equal to a tolerance; what is no number is equal to itself.
pub(crate) fn within(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance || (a.is_nan() && b.is_nan())
}

fn compare_events(recorded: &Baseline, now: &Baseline, measure: Measure) -> EventComparison {
    let (old, new) = (&recorded.events.list, &now.events.list);
    let order = parting(old, new, &NamedEvent::same_kind_of).map(|i| difference(old, new, i));
    let same = order.as_ref().map_or(old.len(), |d| d.event - 1);
    let first = |apart: &dyn Fn(&NamedEvent, &NamedEvent) -> bool| {
        let mut pairs = old[..same].iter().zip(&new[..same]);
        let place = pairs.position(|(a, b)| apart(a, b))?;
        Some(difference(old, new, place))
    };
    let impacts = |list: &[NamedEvent]| -> Vec<NamedEvent> {
        let impact = |e: &&NamedEvent| e.kind.is_impact();
        list.iter().filter(impact).cloned().collect()
    };
    let is_impact = |d: &EventDifference| {
        let both = [&d.recorded, &d.now];
        both.into_iter().flatten().all(|e| e.kind.is_impact())
    };
    let impact = match &order {
        Some(d) if !is_impact(d) => {
            let (old, new) = (impacts(old), impacts(new));
            parting(&old, &new, &NamedEvent::same_kind_of).map(|i| difference(&old, &new, i))
        }
        _ => None,
    };
    EventComparison {
        count: Sides {
            recorded: old.len(),
            now: new.len(),
        },
        time: first(&|a, b| {
            let tolerance = recorded.events.time_tolerance_s;
            !measure.same(a.time_s, b.time_s, tolerance)
        }),
        indeterminacy: first(&|a, b| {
            let tolerance = recorded.events.indeterminacy_tolerance;
            !measure.same(a.indeterminacy, b.indeterminacy, tolerance)
        }),
        impulses: first(&|a, b| {
            let mut pairs = a.impulses_Ns.iter().zip(&b.impulses_Ns);
            !pairs.all(|(a, b)| measure.same(*a, *b, recorded.events.impulse_tolerance_Ns))
        }),
        order,
        impact,
    }
}

/// Place of the first event that is another one.
pub(crate) fn parting(
    old: &[NamedEvent],
    new: &[NamedEvent],
    same: &dyn Fn(&NamedEvent, &NamedEvent) -> bool,
) -> Option<usize> {
    let pairs = old.iter().zip(new);
    let shared = pairs.take_while(|(a, b)| same(a, b)).count();
    (shared < old.len().max(new.len())).then_some(shared)
}

fn difference(old: &[NamedEvent], new: &[NamedEvent], place: usize) -> EventDifference {
    let sides = [old.get(place), new.get(place)];
    let both = || sides.into_iter().flatten();
    let before = old[..place.min(old.len())].iter().enumerate();
    EventDifference {
        event: place + 1,
        time_s: both().map(|e| e.time_s).fold(f64::INFINITY, f64::min),
        recorded: sides[0].cloned(),
        now: sides[1].cloned(),
        ambiguous: both().any(NamedEvent::ambiguous),
        ambiguous_before: before
            .rev()
            .find(|(_, e)| e.ambiguous())
            .map(|(i, e)| (i + 1, e.clone())),
    }
}

fn compare_metrics(recorded: &Baseline, now: &Baseline, measure: Measure) -> Vec<MetricComparison> {
    let pairs = recorded.metrics.iter().zip(now.metrics.values());
    pairs
        .map(|((name, old), new)| MetricComparison {
            name: name.clone(),
            expression: old.expression.clone(),
            recorded: old.value,
            now: new.value,
            tolerance: measure.tolerance(old.tolerance()),
            same: measure.same(old.value, new.value, old.tolerance()),
        })
        .collect()
}

fn compare_series(recorded: &Baseline, now: &Baseline, measure: Measure) -> Vec<ColumnComparison> {
    let (old, new) = (&recorded.series, &now.series);
    let tolerance = recorded.events.time_tolerance_s;
    let times = old.time_s.iter().zip(&new.time_s);
    let rows = old.time_s.len() == new.time_s.len()
        && times.clone().all(|(a, b)| within(*a, *b, tolerance));
    let refused = |name: &str, tolerance: f64, reason: String| ColumnComparison {
        name: name.to_string(),
        tolerance,
        largest: None,
        magnitude: 0.0,
        first: None,
        reason: Some(reason),
        same: false,
    };
    if !rows {
        let end = |times: &[f64]| times.last().copied().unwrap_or(0.0);
        let reason = format!(
            "it had {} rows until {} s, it has {} until {} s",
            old.time_s.len(),
            end(&old.time_s),
            new.time_s.len(),
            end(&new.time_s)
        );
        return vec![refused("time_s", tolerance, reason)];
    }
    let mut columns: Vec<ColumnComparison> = old
        .columns
        .iter()
        .map(|(name, column)| {
            let Some(present) = new.columns.get(name) else {
                let reason = "the run has no such column any more".to_string();
                return refused(name, column.tolerance, reason);
            };
            let pairs = column.values.iter().zip(&present.values);
            let first = old
                .time_s
                .iter()
                .zip(pairs.clone())
                .find(|(_, (a, b))| !measure.same(**a, **b, column.tolerance));
            let largest = pairs
                .filter(|(a, b)| a != b)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max);
            ColumnComparison {
                name: name.clone(),
                tolerance: measure.tolerance(column.tolerance),
                largest: Some(largest),
                magnitude: largest_finite(&column.values),
                same: first.is_none(),
                first: first.map(|(t, (a, b))| (*t, *a, *b)),
                reason: None,
            }
        })
        .collect();
    let added = new
        .columns
        .iter()
        .filter(|(name, _)| !old.columns.contains_key(*name));
    columns.extend(added.map(|(name, column)| {
        let reason = "the baseline does not hold this column".to_string();
        refused(name, column.tolerance, reason)
    }));
    columns
}
