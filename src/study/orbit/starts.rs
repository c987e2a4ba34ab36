//! Orbits from many starts, drawn around the state of a scenario.
//!
//! A coordinate x of the section point is drawn evenly from x ± r, with r of `[orbit.spread]` or 0.3 max(|x|, 0.1). Start 0
//! is the state itself, and start i has a stream of its own from the seed, so that neither the number of starts nor that of
//! threads changes it. Orbits whose section points differ by less than 1e-6, beside coordinates of order one, are one.

use rayon::prelude::*;
use serde::Serialize;

use nalgebra::DVector;

use super::search::{CLOSED, Found, Search, size};
use super::{Orbit, OrbitError, described, origin, with_search};
use crate::files::did_you_mean;
use crate::model::sample::Uniform;
use crate::scenario::{Experiment, ScenarioError};

/// Half width of the draws as a share of a coordinate, and the least that the coordinate counts for [m, rad, m/s, rad/s].
const SPREAD: (f64, f64) = (0.3, 0.1);
/// Section points nearer than this, beside coordinates of order one, are one.
const SAME: f64 = 1e-6;
/// Starts of one search at most.
pub(crate) const MOST_STARTS: usize = 100_000;

/// An orbit that starts led to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundOrbit {
    /// The number of the first start that led to it; 0 is the scenario's own state.
    pub first_start: usize,
    /// How many did.
    pub starts: usize,
    /// The orbit.
    pub orbit: Orbit,
}

/// What many starts led to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FoundOrbits {
    /// The seed of the draws.
    pub seed: u64,
    /// Starts.
    pub starts: usize,
    /// Distinct orbits, in the order of the first starts that led to them.
    pub orbits: Vec<FoundOrbit>,
    /// Starts from which Newton's method came to no orbit.
    pub not_converged: usize,
    /// Starts from which the motion did not come back to the section, or could not go on.
    pub not_returned: usize,
}

/// Looks for orbits from `starts` starts, the first the scenario's state after `settle` periods.
///
/// # Errors
/// As [`super::find_orbit`]; no start or very many, a spread of a coordinate that the section has not.
pub fn find_orbits(
    experiment: &Experiment,
    settle: usize,
    starts: usize,
    seed: u64,
) -> Result<FoundOrbits, OrbitError> {
    if !(1..=MOST_STARTS).contains(&starts) {
        let reason = format!("there are {starts} of them, between 1 and {MOST_STARTS} are taken");
        return Err(ScenarioError::value(&experiment.file, "starts", reason).into());
    }
    with_search(experiment, settle, |search, drift, z| {
        let widths = widths(search, &z)?;
        let ends: Vec<Result<Found, OrbitError>> = (0..starts)
            .into_par_iter()
            .map(|i| {
                let from = drawn(&z, &widths, seed, i);
                match search.entry.shooting {
                    Some(_) => search.solve(from),
                    // Most starts lead nowhere: one shot of each.
                    None => search.solve_at_once(from),
                }
            })
            .collect();
        let mut answer = FoundOrbits {
            seed,
            starts,
            orbits: Vec::new(),
            not_converged: 0,
            not_returned: 0,
        };
        let mut distinct: Vec<(usize, usize, Found)> = Vec::new();
        for (i, end) in ends.into_iter().enumerate() {
            let Ok(found) = end else {
                answer.not_returned += 1;
                continue;
            };
            if found.residual > CLOSED {
                answer.not_converged += 1;
                continue;
            }
            let same = |other: &Found| size(&(&other.z - &found.z), &found.z) < SAME;
            match distinct.iter_mut().find(|(.., other)| same(other)) {
                Some((_, count, _)) => *count += 1,
                None => distinct.push((i, 1, found)),
            }
        }
        for (first_start, starts, found) in distinct {
            answer.orbits.push(FoundOrbit {
                first_start,
                starts,
                orbit: described(search, drift, found)?.0,
            });
        }
        Ok(answer)
    })
}

/// Half widths of the draws, by coordinate.
fn widths(search: &Search<'_>, z: &DVector<f64>) -> Result<DVector<f64>, OrbitError> {
    let names = search.chart().names();
    let spread = &search.entry.spread;
    for name in spread.keys() {
        if !names.contains(name) {
            let near = did_you_mean(name, names.iter().map(String::as_str));
            let known = names.join(", ");
            let reason = format!("the section has no coordinate \"{name}\"{near}; it has {known}");
            let file = &search.experiment.file;
            return Err(ScenarioError::value(file, "orbit.spread", reason).into());
        }
    }
    let from = origin(search.experiment, &names, &search.reference.0);
    let width = |(k, name): (usize, &String)| {
        let own = (z[k] + from[k]).abs().max(SPREAD.1);
        spread.get(name).copied().unwrap_or(SPREAD.0 * own)
    };
    let all = names.iter().enumerate().map(width);
    Ok(DVector::from_iterator(z.len(), all))
}

fn drawn(z: &DVector<f64>, widths: &DVector<f64>, seed: u64, start: usize) -> DVector<f64> {
    if start == 0 {
        return z.clone();
    }
    // Odd multiplier: different starts get different streams for every seed.
    let mixed = seed ^ (start as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut random = Uniform::new(mixed);
    z.zip_map(widths, |x, r| x + r * random.between(-1.0, 1.0))
}
