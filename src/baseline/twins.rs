//! How much of a run another machine can repeat.
//!
//! Mathematical functions round differently from machine to machine, and a run with impacts may double such a
//! difference many times a second, or cross an ambiguous impact or a branch of held contacts where it decides which way
//! the run takes. A baseline is therefore recorded beside two twins: the same run from an initial velocity that differs
//! by up to ± the residual tolerance of a step, far more than rounding, in every coordinate by another share. A tolerance
//! is at least ten times what the twins differ by. Where they differ by more than ten tolerances the run is chaotic and compared up to
//! there only: to the ambiguous impact or the branch that they do not share, or else to the last row before they part.

use serde::{Deserialize, Serialize};

use super::differences::{parting, short, within};
use super::values::{column_tolerances, rounded_up};
use super::{Baseline, BaselineOptions, trace, trace_until};
use crate::hybrid::EventKind;
use crate::metric::Expression;
use crate::record::{NamedEvent, Trace};
use crate::scenario::{Experiment, ScenarioError};

/// Least difference of the twins: some thousand times that of one rounding of a number near 1.
const LEAST_DIFFERENCE: f64 = 1e-12;
/// Most, however loosely steps are solved.
const MOST_DIFFERENCE: f64 = 1e-9;
/// (√5 − 1)/2.
const GOLDEN: f64 = 0.618_033_988_749_895;
/// Tolerances by which twins have parted.
const PARTED: f64 = 10.0;
/// How many times the difference of the twins counts as none at least.
const SPREADS: f64 = 10.0;

/// The part of a run that is compared value by value, where that is not the whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedPart {
    /// Its end \[s\].
    pub until_s: f64,
    /// What is there.
    pub reason: String,
}

/// The twins of a run; none that cannot start.
pub(crate) struct Twins {
    runs: Vec<(Experiment, Trace)>,
}

impl Twins {
    /// Runs them.
    pub fn new(experiment: &Experiment, options: &BaselineOptions<'_>) -> Self {
        let both = [1.0, -1.0].map(|sign| twin(experiment, sign)).into_iter();
        let runs = both.filter_map(|twin| {
            let trace = trace(&twin, options).ok()?;
            Some((twin, trace))
        });
        Self {
            runs: runs.collect(),
        }
    }

    /// The part of a run that its twins share; none where that is the whole.
    pub fn compared_part(
        &self,
        nominal: &Trace,
        share: f64,
        time_tolerance: f64,
    ) -> Option<ComparedPart> {
        let tolerances = column_tolerances(&nominal.names, &nominal.columns, PARTED * share);
        let traces = self.runs.iter().map(|(_, trace)| trace);
        let parts =
            traces.filter_map(|twin| parted(nominal, twin, &tolerances, PARTED * time_tolerance));
        parts.min_by(|a, b| a.until_s.total_cmp(&b.until_s))
    }

    /// Goes back to the part that is compared.
    ///
    /// # Errors
    /// A start that is refused.
    pub fn cut(
        &mut self,
        part: &ComparedPart,
        options: &BaselineOptions<'_>,
    ) -> Result<(), ScenarioError> {
        for (twin, trace) in &mut self.runs {
            *trace = trace_until(twin, options, part.until_s)?;
        }
        Ok(())
    }

    /// Widens the tolerances of a recorded run to what its twins need.
    pub fn widen(&self, recorded: &mut Baseline, expressions: &[(String, Expression)]) {
        for (twin, trace) in &self.runs {
            for (name, expression) in expressions {
                let value = expression.evaluate(trace).unwrap_or(f64::NAN);
                if let Some(metric) = recorded.metrics.get_mut(name) {
                    widen(&mut metric.floor, metric.value, value);
                }
            }
            let rows = recorded.rows_of(trace, twin);
            for (name, column) in &mut recorded.series.columns {
                let values = rows.columns.get(name).map_or(&[][..], |of| &of.values);
                let apart: Vec<f64> = (column.values.iter().zip(values))
                    .map(|(a, b)| (a - b).abs())
                    .collect();
                for (row, own) in apart.iter().enumerate() {
                    // A row that falls on an event may lie before it in one run and after it in the other: it stands
                    // out from its neighbours.
                    let before = row.checked_sub(1).and_then(|i| apart.get(i));
                    let beside = apart
                        .get(row + 1)
                        .map(|next| before.map_or(*next, |b| b.max(*next)));
                    let needed = beside.filter(|x| *own > SPREADS * x).unwrap_or(*own);
                    widen(&mut column.tolerance, 0.0, needed);
                }
            }
            let events = &mut recorded.events;
            let pairs = events.list.iter().zip(&trace.events);
            for (a, b) in pairs.take_while(|(a, b)| a.same_kind_of(b)) {
                widen(&mut events.time_tolerance_s, a.time_s, b.time_s);
                let xi = [a.indeterminacy, b.indeterminacy];
                widen(&mut events.indeterminacy_tolerance, xi[0], xi[1]);
                for (a, b) in a.impulses_Ns.iter().zip(&b.impulses_Ns) {
                    widen(&mut events.impulse_tolerance_Ns, *a, *b);
                }
            }
        }
    }
}

fn widen(tolerance: &mut f64, a: f64, b: f64) {
    let needed = rounded_up(SPREADS * (a - b).abs());
    if needed.is_finite() {
        *tolerance = tolerance.max(needed);
    }
}

/// The same experiment from another initial velocity.
fn twin(experiment: &Experiment, sign: f64) -> Experiment {
    let size = (experiment.scenario.stepper.tolerance).clamp(LEAST_DIFFERENCE, MOST_DIFFERENCE);
    let mut twin = experiment.clone();
    // What touches at the start and is at rest stays at rest: there another velocity would be another touch.
    let touches = |gaps: &[f64]| {
        gaps.iter()
            .any(|gap| *gap <= experiment.scenario.impact.simultaneity)
    };
    let touching = experiment
        .simulation()
        .is_ok_and(|mut start| touches(start.gaps()));
    let least = if touching { 0.0 } else { 1.0 };
    for (i, v) in twin.v.iter_mut().enumerate() {
        // Multiples of the golden ratio: no two coordinates alike, so that no symmetry of the robot is kept.
        let share = 2.0 * ((i + 1) as f64 * GOLDEN).fract() - 1.0;
        *v += sign * share * size * (least + v.abs());
    }
    twin
}

/// What comes before the first difference of two runs; none where there is no difference.
fn parted(
    nominal: &Trace,
    twin: &Trace,
    tolerances: &[f64],
    time_tolerance: f64,
) -> Option<ComparedPart> {
    // Of what touches without an impact, such as at the start, the rows tell whether it mattered.
    let decisive = |events: &[NamedEvent]| -> Vec<NamedEvent> {
        let decides = |e: &&NamedEvent| e.kind.is_impact() || e.kind == EventKind::Branch;
        events.iter().filter(decides).cloned().collect()
    };
    let (old, new) = (&decisive(&nominal.events), &decisive(&twin.events));
    let time_apart = |e: &NamedEvent, other: &NamedEvent| {
        !within(e.time_s, other.time_s, time_tolerance) || !e.same_kind_of(other)
    };
    let event = parting(old, new, &|a, b| !time_apart(a, b));
    let rows = nominal.columns[0].len().min(twin.columns[0].len());
    let differs = |row: usize| {
        let mut columns = nominal.columns.iter().zip(&twin.columns).zip(tolerances);
        columns.any(|((a, b), tolerance)| !within(a[row], b[row], *tolerance))
    };
    // One row alone may fall on an event, before it in one run and after it in the other.
    let same_rows = (0..rows).find(|&row| differs(row) && (row + 1 == rows || differs(row + 1)));
    let times = &nominal.columns[0];
    let before = |row: usize| times[row.saturating_sub(1)];
    let by_row = same_rows.map(before);
    let decided = event.and_then(|i| {
        let sides = [old.get(i), new.get(i)];
        let open = |e: &&NamedEvent| e.ambiguous() || e.kind == EventKind::Branch;
        sides.into_iter().flatten().find(open)
    });
    if let Some(event) = decided
        && by_row.is_none_or(|time| event.time_s <= time + times.get(1).copied().unwrap_or(0.0))
    {
        return Some(ComparedPart {
            until_s: event.time_s,
            reason: format!(
                "rounding decides what follows {} at {} s",
                event.words(),
                short(event.time_s)
            ),
        });
    }
    let by_event = event.and_then(|i| {
        let sides = [old.get(i), new.get(i)].into_iter().flatten();
        let first = sides.map(|e| e.time_s).fold(f64::INFINITY, f64::min);
        let row = times.iter().position(|time| *time >= first)?;
        Some(before(row))
    });
    let until_s = [by_row, by_event].into_iter().flatten().reduce(f64::min)?;
    Some(ComparedPart {
        until_s,
        reason: format!(
            "the run is chaotic: from {} s on a difference within the residual of a step has grown beyond the tolerances",
            short(until_s)
        ),
    })
}
