//! An orbit followed over a parameter, through folds, with where its stability or its kind changes.
//!
//! The branch begins with the orbit at the first value and is followed by pseudo-arclength to where it leaves the range, at
//! the one end or, having turned, at the other. Orbits at the values that were asked for are met exactly, once on every
//! side of a fold. See `curve` and `branch` for what is solved.

use serde::Serialize;

use super::branch::{
    Along, ExperimentWith, OrbitFamily, Special, Start, Stuck, Track, experiment_at, follow,
};
use super::motion::values;
use super::{NamedState, Orbit, OrbitError, anchor, found_as_given, return_map};
use crate::scenario::{Experiment, ScenarioError};

/// Charts that one branch goes over at most.
const MOST_CHARTS: usize = 32;
/// Steps over a change of the chart, in distances of two values.
const OVER: [f64; 4] = [1e-3, 1e-2, 0.1, 0.5];

/// A parameter and its range.
#[derive(Debug, Clone, PartialEq)]
pub struct ScanRange {
    /// Key of the scenario, as `--set` names it.
    pub key: String,
    /// First value.
    pub from: f64,
    /// Last value.
    pub to: f64,
    /// Number of values, at least 2.
    pub count: usize,
}

impl ScanRange {
    /// Reads `key=from:to:n`.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let form = "write it as KEY=FROM:TO:N, for example contact.friction=0.4:1.0:13";
        let (key, range) = text.split_once('=').ok_or(form)?;
        let parts: Vec<&str> = range.split(':').collect();
        let [from, to, count] = parts.as_slice() else {
            return Err(form.to_string());
        };
        let number = |text: &str| {
            let value: f64 = text
                .trim()
                .parse()
                .map_err(|_| format!("\"{text}\" is not a number; {form}"))?;
            if value.is_finite() {
                Ok(value)
            } else {
                Err(format!("{text} is not finite; {form}"))
            }
        };
        let count = count
            .trim()
            .parse()
            .ok()
            .filter(|n| (2..=100_000).contains(n));
        Ok(Self {
            key: key.trim().to_string(),
            from: number(from)?,
            to: number(to)?,
            count: count.ok_or_else(|| {
                format!("the number of values must be between 2 and 100000; {form}")
            })?,
        })
    }

    /// The value at a share of the range.
    pub(super) fn at(&self, share: f64) -> f64 {
        if share == 1.0 {
            return self.to;
        }
        self.from + (self.to - self.from) * share
    }
}

/// An orbit of the branch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScanPoint {
    /// The parameter.
    pub parameter: f64,
    /// How often the branch has turned before it.
    pub branch: usize,
    /// Length of the branch from its first orbit, the parameter in shares of the range, coordinates of the section in
    /// their own units.
    pub arc_length: f64,
    /// The orbit.
    pub orbit: Orbit,
}

/// What happens to a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BifurcationKind {
    /// A multiplier passes −1.
    PeriodDoubling,
    /// The parameter turns, and a multiplier passes 1.
    Fold,
    /// A multiplier passes 1 and the parameter goes on: another branch crosses.
    BranchPoint,
    /// A pair of multipliers passes the unit circle.
    NeimarkSacker,
}

/// Where the stability of the branch changes, or it turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bifurcation {
    /// The parameter.
    pub parameter: f64,
    /// It is known to this.
    pub within: f64,
    /// How.
    pub kind: BifurcationKind,
    /// The multiplier there.
    pub multiplier: [f64; 2],
    /// Period there \[s\].
    pub period_s: f64,
    /// As [`ScanPoint::branch`]; of a fold that before it.
    pub branch: usize,
    /// As [`ScanPoint::arc_length`].
    pub arc_length: f64,
    /// The state on the section there.
    pub state: NamedState,
}

/// Where the branch is another in kind: whether the map has a derivative, or what strikes in a period.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ScanChange {
    /// The parameter.
    pub parameter: f64,
    /// It is known to this; 0 where one value alone is different.
    pub within: f64,
    /// As [`ScanPoint::branch`].
    pub branch: usize,
    /// As [`ScanPoint::arc_length`].
    pub arc_length: f64,
    /// What it was.
    pub before: String,
    /// What it is.
    pub after: String,
}

/// A branch of orbits.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scan {
    /// Key of the parameter.
    pub key: String,
    /// Orbits at the values that were asked for, in the order of the branch.
    pub points: Vec<ScanPoint>,
    /// Folds, and where multipliers pass the unit circle.
    pub bifurcations: Vec<Bifurcation>,
    /// Where the kind of the orbit changes.
    pub changes: Vec<ScanChange>,
    /// The last parameter that was reached, and why it went no further; none where the branch left the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<(f64, String)>,
    /// All orbits that were met on the way, those of `points` not among them.
    #[serde(skip)]
    pub path: Vec<ScanPoint>,
}

/// Follows the orbit of a scenario over a parameter. `made` makes its experiment with overrides (`key=value`).
///
/// # Errors
/// The first orbit cannot be looked for, or the key or an end of its range does not fit.
pub fn scan(
    made: &dyn Fn(&[String]) -> Result<Experiment, ScenarioError>,
    range: &ScanRange,
    settle: usize,
) -> Result<Scan, OrbitError> {
    let last = experiment_at(made, range, range.to)?;
    return_map::check_prescribed(&last, anchor::entry(&last)?)?;
    let first = found_as_given(&experiment_at(made, range, range.from)?, settle)?;
    let mut answer = Scan {
        key: range.key.clone(),
        points: Vec::new(),
        bifurcations: Vec::new(),
        changes: Vec::new(),
        ended: None,
        path: Vec::new(),
    };
    if !first.found {
        let residual = first.residual;
        let reason = format!("no orbit is found at the start, the residual is {residual:.1e}");
        answer.ended = Some((range.from, reason));
        return Ok(answer);
    }
    let mut here = Crossing {
        orbit: first,
        before: 0.0,
        share: 0.0,
        heading: 1.0,
        along: Along { sheet: 0, arc: 0.0 },
    };
    for _ in 0..MOST_CHARTS {
        let (family, z) = OrbitFamily::new(made, range, &here.orbit, here.share)?;
        let Crossing {
            share,
            heading,
            along,
            ..
        } = here;
        let start = Start {
            z,
            share,
            heading,
            along,
        };
        let track = follow(&family, start, range.count)?;
        let over = beyond(made, range, &track)?;
        answer.told(track, range);
        let Some(over) = over else {
            break;
        };
        answer.ended = None;
        // The branch ends after the last orbit of one chart and before the first one of the next.
        let [before, after] = [over.before, over.share].map(|share| range.at(share));
        answer.changes.push(ScanChange {
            parameter: 0.5 * (before + after),
            within: 0.5 * (after - before).abs(),
            branch: over.along.sheet,
            arc_length: over.along.arc,
            before: "one chart of the section".to_string(),
            after: "another: a strike passes the section, or other contacts are held there"
                .to_string(),
        });
        here = over;
    }
    Ok(answer)
}

/// An orbit on another chart than the last one.
struct Crossing {
    orbit: Orbit,
    /// Where the last one is.
    before: f64,
    share: f64,
    heading: f64,
    along: Along,
}

/// The orbit a little further on, where a branch ended since other contacts are held there, or a strike passes the section.
fn beyond(
    made: ExperimentWith<'_>,
    range: &ScanRange,
    track: &Track<Orbit>,
) -> Result<Option<Crossing>, OrbitError> {
    let (Some((_, Stuck::OffChart(_))), Some((last, along))) = (&track.ended, track.nodes.last())
    else {
        return Ok(None);
    };
    let spacing = 1.0 / (range.count - 1) as f64;
    for part in OVER {
        let share = last.place.share + track.heading * part * spacing;
        if !(0.0..=1.0).contains(&share) {
            break;
        }
        let mut experiment = experiment_at(made, range, range.at(share))?;
        let state = &last.seen.state;
        experiment.q = values(experiment.model.configuration_names(), &state.q);
        experiment.v = values(experiment.model.coordinate_names(), &state.v);
        // A period later what is held beyond is held.
        for settle in [1, 0] {
            if let Ok(orbit) = found_as_given(&experiment, settle)
                && orbit.found
            {
                return Ok(Some(Crossing {
                    orbit,
                    before: last.place.share,
                    share,
                    heading: track.heading,
                    along: *along,
                }));
            }
        }
    }
    Ok(None)
}

impl Scan {
    fn told(&mut self, track: Track<Orbit>, range: &ScanRange) {
        let point = |(node, along): (super::branch::Node<Orbit>, Along)| ScanPoint {
            parameter: range.at(node.place.share),
            branch: along.sheet,
            arc_length: along.arc,
            orbit: node.seen,
        };
        self.points.extend(track.rows.into_iter().map(point));
        self.path.extend(track.nodes.into_iter().map(point));
        let width = (range.to - range.from).abs();
        let located = track.located.into_iter().map(|found| Bifurcation {
            parameter: range.at(found.node.place.share),
            within: found.within * width,
            kind: match found.what {
                Special::Fold => BifurcationKind::Fold,
                Special::PeriodDoubling => BifurcationKind::PeriodDoubling,
                Special::NeimarkSacker => BifurcationKind::NeimarkSacker,
                Special::BranchPoint => BifurcationKind::BranchPoint,
            },
            multiplier: found.multiplier.unwrap_or([1.0, 0.0]),
            period_s: found.node.seen.period_s,
            branch: found.along.sheet,
            arc_length: found.along.arc,
            state: found.node.seen.state,
        });
        self.bifurcations.extend(located);
        let changes = track.changes.into_iter().map(|change| {
            let [before, after] = change.marks;
            ScanChange {
                parameter: range.at(change.share),
                within: change.within * width,
                branch: change.along.sheet,
                arc_length: change.along.arc,
                before,
                after,
            }
        });
        self.changes.extend(changes);
        self.ended = track.ended.map(|(share, stuck)| {
            let (Stuck::OffChart(reason) | Stuck::Because(reason)) = stuck;
            (range.at(share), reason)
        });
    }
}
