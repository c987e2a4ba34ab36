//! To which orbit motions go that begin on a grid over two coordinates of the section.
//!
//! The other coordinates are those of the first orbit, and held contacts stay held: points are of its chart. A motion is
//! followed from return to return. It goes to an orbit when it is within 1e-4 of its section point, beside coordinates of
//! order one, and nearer than a period before; only orbits that are not unstable are gone to. It falls when it does not
//! come back to the section or cannot go on.

use nalgebra::DVector;
use rayon::prelude::*;
use serde::Serialize;

use super::motion::values;
use super::return_map::{Chart, ReturnMap};
use super::scan::ScanRange;
use super::search::{image, size};
use super::{Orbit, OrbitError, origin, with_search};
use crate::files::did_you_mean;
use crate::scenario::{Experiment, ScenarioError};

/// How near a motion comes to an orbit that it goes to.
const NEAR: f64 = 1e-4;

/// One side of the grid: a coordinate of the section and its values.
pub type BasinAxis = ScanRange;

/// How a motion ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BasinEnd {
    /// On an orbit, by its number.
    Orbit(usize),
    /// It does not come back to the section.
    Falls,
    /// It is still on its way after all periods.
    Undecided,
}

/// Where motions from a grid go.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Basin {
    /// Names of both coordinates.
    pub axes: [String; 2],
    /// Their values.
    pub values: [Vec<f64>; 2],
    /// Ends, the first coordinate running first.
    pub ends: Vec<BasinEnd>,
    /// Whole periods until each was known.
    pub periods: Vec<usize>,
    /// The first orbit's place in the plane.
    pub orbit: [f64; 2],
}

/// Follows motions from a grid over two coordinates around the first of `orbits`, over at most `periods` periods.
///
/// # Errors
/// A coordinate that the section has not, no orbit at all, and those of [`super::find_orbit`].
pub fn basin(
    experiment: &Experiment,
    orbits: &[&Orbit],
    axes: &[BasinAxis; 2],
    periods: usize,
) -> Result<Basin, OrbitError> {
    let file = experiment.file.clone();
    let wrong = |reason: String| OrbitError::from(ScenarioError::value(&file, "basin", reason));
    let Some(first) = orbits.first() else {
        return Err(wrong("there is no orbit to go to".to_string()));
    };
    let mut around = experiment.clone();
    around.q = values(around.model.configuration_names(), &first.state.q);
    around.v = values(around.model.coordinate_names(), &first.state.v);
    with_search(&around, 0, |search, _, z| {
        let names = search.chart().names();
        let from = origin(&around, &names, &search.reference.0);
        let place = |axis: &BasinAxis| {
            names.iter().position(|n| *n == axis.key).ok_or_else(|| {
                let near = did_you_mean(&axis.key, names.iter().map(String::as_str));
                let known = names.join(", ");
                wrong(format!(
                    "the section has no coordinate \"{}\"{near}; it has {known}",
                    axis.key
                ))
            })
        };
        let [a, b] = [place(&axes[0])?, place(&axes[1])?];
        if a == b {
            return Err(wrong("both coordinates are the same".to_string()));
        }
        let targets: Vec<Option<DVector<f64>>> = orbits
            .iter()
            .map(|orbit| {
                let chart = search.chart();
                let model = &around.model;
                let q = values(model.configuration_names(), &orbit.state.q);
                let v = values(model.coordinate_names(), &orbit.state.v);
                (orbit.stable != Some(false)).then(|| chart.coordinates(&q, &v))
            })
            .collect();
        let grid = axes.each_ref().map(|axis| {
            let all = (0..axis.count).map(|i| axis.at(i as f64 / (axis.count - 1) as f64));
            all.collect::<Vec<f64>>()
        });
        let starts = grid[1]
            .iter()
            .flat_map(|y| grid[0].iter().map(move |x| (*x, *y)));
        let starts: Vec<DVector<f64>> = starts
            .map(|(x, y)| {
                let mut start = z.clone();
                (start[a], start[b]) = (x - from[a], y - from[b]);
                start
            })
            .collect();
        let ends: Vec<Result<(BasinEnd, usize), OrbitError>> = starts
            .par_iter()
            .map_init(
                || {
                    (
                        ReturnMap::new(search.experiment, search.entry),
                        search.chart(),
                    )
                },
                |(map, chart), start| match map {
                    Ok(map) => Ok(followed(map, chart, start, &targets, periods)),
                    Err(error) => Err(error.clone()),
                },
            )
            .collect();
        let ends = ends.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(Basin {
            axes: axes.each_ref().map(|axis| axis.key.clone()),
            values: grid,
            ends: ends.iter().map(|(end, _)| *end).collect(),
            periods: ends.iter().map(|(_, periods)| *periods).collect(),
            orbit: [z[a] + from[a], z[b] + from[b]],
        })
    })
}

fn followed(
    map: &mut ReturnMap,
    chart: &mut Chart<'_>,
    start: &DVector<f64>,
    targets: &[Option<DVector<f64>>],
    periods: usize,
) -> (BasinEnd, usize) {
    let mut here = start.clone();
    let mut before = vec![f64::INFINITY; targets.len()];
    for period in 0..=periods {
        for (k, target) in targets.iter().enumerate() {
            let Some(target) = target else { continue };
            let away = size(&(&here - target), target);
            if away < NEAR && away <= before[k] && period > 0 {
                return (BasinEnd::Orbit(k), period);
            }
            before[k] = away;
        }
        if period == periods {
            break;
        }
        match image(map, chart, &here) {
            Ok((next, _)) => here = next,
            Err(_) => return (BasinEnd::Falls, period),
        }
    }
    (BasinEnd::Undecided, periods)
}
