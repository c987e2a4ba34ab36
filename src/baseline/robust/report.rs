//! Distributions of metrics over robust runs, their bands, and where the runs part.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::distribution::{Distribution, largest_distance};
use super::run::{RobustRun, RobustRuns};
use crate::baseline::differences::short;
use crate::baseline::values::MetricValue;

/// What the runs of a robust baseline came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RobustReport {
    /// How many runs there are.
    pub runs: u64,
    /// Variants of order and seed under every draw of the perturbations.
    pub variants: u64,
    /// How many runs stopped early or could not start.
    pub stopped: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) first_stopped: Option<StoppedRun>,
    /// The earliest event that is another one in some run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spread: Option<Spread>,
    /// The same among unperturbed runs: what orders and seeds alone do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spread_by_order: Option<Spread>,
    /// The same among runs with the scenario's own order and seed: what perturbations alone do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spread_by_perturbation: Option<Spread>,
    /// The metrics by name.
    pub metrics: BTreeMap<String, Distribution>,
}

/// A run that stopped early.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StoppedRun {
    /// Number of the run.
    pub run: u64,
    /// Why.
    pub reason: String,
    /// What `--set` needs to run it alone.
    pub set: Vec<String>,
}

/// An event at which runs part from run 0.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Spread {
    /// Number of the event, from 1.
    pub event: usize,
    /// When it happens in run 0, or in the other run if run 0 has no more events \[s\].
    pub time_s: f64,
    /// Its contacts.
    pub contacts: Vec<String>,
    /// Whether it is an ambiguous impact.
    pub ambiguous: bool,
    /// Whether it is an impact of which the law cannot tell.
    #[serde(default)]
    pub undecided: bool,
    /// Its ξ.
    pub indeterminacy: f64,
    /// The event of run 0, in words.
    pub nominal: String,
    /// The event of the first run that parts here, in words.
    pub other: String,
    /// Number of that run.
    pub run: u64,
    /// How many runs part here.
    pub runs: u64,
    /// How many runs were compared with run 0.
    pub of: u64,
}

/// A band of robust runs and what the runs do now.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct BandComparison {
    /// Name of the metric, or `stopped`.
    pub name: String,
    /// The band.
    pub band: [f64; 2],
    /// Smallest and largest value of what was recorded.
    pub recorded: [f64; 2],
    /// Smallest and largest value now.
    pub now: [f64; 2],
    /// The runs that leave the band farthest at either end: value, number, what `--set` needs.
    pub outside: Vec<(f64, u64, Vec<String>)>,
    /// What is wrong, if it is not a value outside of the band.
    pub reason: Option<String>,
}

impl RobustReport {
    /// Summarizes runs. Bands are those of `previous`; without it they hold all runs with the
    /// tolerance of the metric, a share of its values.
    pub(crate) fn new(
        done: &RobustRuns,
        metrics: &BTreeMap<String, MetricValue>,
        previous: Option<&Self>,
    ) -> Self {
        let RobustRuns { runs, variants } = done;
        let stopped = || {
            runs.iter()
                .filter_map(|run| Some((run, run.stopped.as_ref()?)))
        };
        let distributions = metrics.iter().enumerate().map(|(i, (name, metric))| {
            let band = previous
                .and_then(|p| p.metrics.get(name))
                .map(|d| [d.lower, d.upper]);
            let of = Distribution::new(runs, i, band, metric.relative);
            (name.clone(), of)
        });
        Self {
            runs: runs.len() as u64,
            variants: *variants,
            stopped: stopped().count() as u64,
            first_stopped: stopped().next().map(|(run, reason)| StoppedRun {
                run: run.index,
                reason: reason.clone(),
                set: run.overrides.clone(),
            }),
            spread: Spread::of(runs.iter()),
            spread_by_order: Spread::of(runs.iter().filter(|r| r.index < *variants)),
            spread_by_perturbation: Spread::of(
                runs.iter().filter(|r| r.index.is_multiple_of(*variants)),
            ),
            metrics: distributions.collect(),
        }
    }

    /// Compares the bands of this baseline with the runs of another. Of a `chaotic` scenario single runs are no others
    /// on every machine: there a metric fails where its distribution is another one.
    #[must_use]
    pub(crate) fn compare(&self, now: &Self, chaotic: bool) -> Vec<BandComparison> {
        let apart = if chaotic {
            largest_distance(self.runs, now.runs)
        } else {
            0.0
        };
        let more_stop =
            now.stopped as f64 / now.runs as f64 - self.stopped as f64 / self.runs as f64 > apart;
        let stopped = BandComparison {
            name: "stopped".to_string(),
            band: [0.0, self.stopped as f64],
            recorded: [self.stopped as f64; 2],
            now: [now.stopped as f64; 2],
            outside: Vec::new(),
            reason: now
                .first_stopped
                .as_ref()
                .filter(|_| more_stop)
                .map(|first| {
                    format!(
                        "{} of {} runs stop early, {} did; the first is run {}: {}; --set {}",
                        now.stopped,
                        now.runs,
                        self.stopped,
                        first.run,
                        first.reason,
                        first.set.join(" --set ")
                    )
                }),
        };
        let pairs = self
            .metrics
            .iter()
            .filter_map(|(name, old)| Some((name, old, now.metrics.get(name)?)));
        let bands = pairs.map(|(name, old, new)| {
            let mut outside = Vec::new();
            let undefined = new.undefined as f64 / now.runs as f64
                - old.undefined as f64 / self.runs as f64
                > apart;
            let distance = old.distance(new);
            if chaotic {
                return BandComparison {
                    name: name.clone(),
                    band: [old.lower, old.upper],
                    recorded: [old.min, old.max],
                    now: [new.min, new.max],
                    outside,
                    reason: (distance > apart || undefined).then(|| {
                        format!(
                            "its distribution is another one: the median was {}, is {}; at some value the shares \
                             of runs below it differ by {}, {} is what chance does to {} runs",
                            short(old.median),
                            short(new.median),
                            short(distance),
                            short(apart),
                            now.runs
                        )
                    }),
                };
            }
            if new.min < old.lower {
                outside.push((new.min, new.lowest_run, new.lowest_set.clone()));
            }
            if new.max > old.upper {
                outside.push((new.max, new.highest_run, new.highest_set.clone()));
            }
            BandComparison {
                name: name.clone(),
                band: [old.lower, old.upper],
                recorded: [old.min, old.max],
                now: [new.min, new.max],
                outside,
                reason: undefined.then(|| {
                    format!(
                        "it is no number in {} runs, it was none in {}",
                        new.undefined, old.undefined
                    )
                }),
            }
        });
        std::iter::once(stopped).chain(bands).collect()
    }

    /// Widens the bands that do not hold to what the runs do.
    pub fn accept(&mut self) {
        for d in self.metrics.values_mut() {
            if d.min < d.lower {
                d.lower = d.min;
            }
            if d.max > d.upper {
                d.upper = d.max;
            }
        }
    }

    /// Where the spread of the runs starts, in a sentence a line.
    #[must_use]
    pub fn words(&self) -> String {
        let mut text = format!("{} runs, {} stopped early\n", self.runs, self.stopped);
        for (of, spread) in [
            ("all runs", &self.spread),
            ("orders and seeds alone", &self.spread_by_order),
            ("perturbations alone", &self.spread_by_perturbation),
        ] {
            text.push_str(&match spread {
                None => format!("{of}: the events are the same in every run\n"),
                Some(spread) => format!("{of}: {}\n", spread.words()),
            });
        }
        text
    }
}

impl BandComparison {
    /// What is wrong, in words.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        if let Some(reason) = &self.reason {
            return Some(reason.clone());
        }
        let runs: Vec<String> = self
            .outside
            .iter()
            .map(|(value, run, set)| {
                let set = if set.is_empty() {
                    "the scenario itself".to_string()
                } else {
                    format!("--set {}", set.join(" --set "))
                };
                format!("{} in run {run} ({set})", short(*value))
            })
            .collect();
        (!runs.is_empty()).then(|| {
            format!(
                "outside of the band from {} to {}: {}",
                short(self.band[0]),
                short(self.band[1]),
                runs.join("; ")
            )
        })
    }
}

impl Spread {
    /// The earliest parting of some runs, taken in the order of their numbers.
    fn of<'a>(runs: impl Iterator<Item = &'a RobustRun> + Clone) -> Option<Self> {
        let of = runs.clone().filter(|run| run.index > 0).count() as u64;
        let partings = runs.filter_map(|run| Some((run, run.parting.as_ref()?)));
        let earliest = partings.clone().map(|(_, p)| p.event).min()?;
        let mut here = partings.filter(|(_, p)| p.event == earliest);
        let count = here.clone().count() as u64;
        let (run, parting) = here.next()?;
        let sides = [&parting.nominal, &parting.here];
        let event = sides.into_iter().flatten().next()?;
        let words = |e: &Option<crate::record::NamedEvent>| {
            e.as_ref().map_or("nothing more".to_string(), |e| e.words())
        };
        Some(Self {
            event: parting.event,
            time_s: event.time_s,
            contacts: event.contacts.clone(),
            ambiguous: event.ambiguous(),
            undecided: event.undecided(),
            indeterminacy: event.indeterminacy,
            nominal: words(&parting.nominal),
            other: words(&parting.here),
            run: run.index,
            runs: count,
            of,
        })
    }

    fn words(&self) -> String {
        let verdict = if self.ambiguous {
            format!("an ambiguous impact, xi = {}", short(self.indeterminacy))
        } else if self.undecided {
            "an impact of which the law cannot tell whether it is ambiguous".to_string()
        } else {
            "not an ambiguous impact".to_string()
        };
        let sides = if self.nominal == self.other {
            format!("{}, with other impulses in run {}", self.nominal, self.run)
        } else {
            let (nominal, other, run) = (&self.nominal, &self.other, self.run);
            format!("{nominal} in run 0, {other} in run {run}")
        };
        format!(
            "the spread starts at event {} at {} s ({verdict}), where {} of {} runs part: {sides}",
            self.event,
            short(self.time_s),
            self.runs,
            self.of
        )
    }
}
