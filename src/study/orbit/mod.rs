//! Periodic orbits: found by Newton on the return map, with their multipliers, and whether they have any.
//!
//! # The return map
//!
//! A gait is a fixed point of P, from a state on a section to the next one there: just after a contact strikes, every
//! period of a force or a schedule, or where a coordinate passes a value. P is the simulation itself: the step, the
//! located events and the impact law of the scenario; the step in which the section is met is cut there. At the end of a
//! stride joints may change places (`swap`: the legs of a walker), and coordinates along which nothing changes may
//! advance (`drift`).
//!
//! States on the section are not free: held contacts stay closed, and at rest where they stick. A chart of what is left is
//! chosen by elimination, and Newton's method is damped on it:
//!
//! ```text
//! F(z) = P(z) − z = 0,      (DP − 1) Δz = −F                      z: positions (m, rad) and rates (m/s, rad/s)
//! ```
//!
//! Where one shot finds nothing the period is cut into 8 segments, and Newton's method has the states at all of them for
//! unknowns (`shooting = N` cuts it into N at once); what it ends at is confirmed by one shot. An error grows by e^{λT}
//! over a period and by e^{λT/N} over a segment:
//!
//! ```text
//! φ_k(y_k) − y_{k+1} = 0,   φ_{N−1}(y_{N−1}) − y_0 = 0
//! ```
//!
//! The time is not in the state. What a scenario prescribes in time (sines, gaits, turns, terrain that shakes) must have the
//! period of the section: a `period` that is no whole multiple of theirs is refused, and so are sections by events then. Under
//! a program of one's own (`external`), whose clock is not known, an orbit is followed for one more period with the clock
//! going on, and is none where that does not come back.
//!
//! # Multipliers
//!
//! They are the eigenvalues of DP at the fixed point. The one along the flow (1, of a section by events) and those along
//! the drift (1) are not in the chart; they are listed as trivial. DP is that of the run itself, through its strikes,
//! slides and lift-offs, by the implicit function theorem on the equations that located them
//! ([`Simulation::recorded_derivative`](crate::hybrid::Simulation::recorded_derivative)); `derivative_error` is how far
//! differences of the map along one direction are from it. Where it is not known (several strikes at once, sampled
//! controllers) DP is drawn out from central differences of three widths (error O(ε⁶), and the noise of located events over
//! ε), and `derivative_error` is what the last refinement changed.
//!
//! # Branches
//!
//! [`scan`] follows the orbit over a key of the scenario, by pseudo-arclength: the unknowns are z and the share s of the
//! parameter in its range, so that the branch goes on where the parameter turns. Every step predicts along the direction of
//! the branch and corrects in the plane across:
//!
//! ```text
//! P(z; s) − z = 0,   t · (z, s) = t · (z, s)_predicted          [DP − 1, P_s] t = 0,  |t| = 1
//! ```
//!
//! Folds, period doublings, Neimark-Sacker bifurcations and branch points are located to 1e-7 of the range, and so is where
//! the kind of the map or what strikes in a period changes. The branch ends where it leaves the range. Its orbits share one
//! chart: where other contacts are held on the section, or a strike passes it, a search a little further on begins another.
//!
//! [`find_orbits`] looks from many starts, [`basin`] follows motions from a grid to the orbits they go to.
//!
//! # Wanted speeds and steps
//!
//! With `free` keys of the scenario and as many `wanted` numbers (speed, period, step, cost of transport, largest
//! multiplier) the orbit is found that has them: Newton's method on the numbers of the orbits, each sought from the one
//! before, with a matrix by differences that Broyden's updates keep. A branch and many starts leave the keys as they are.
//!
//! # Three questions at a simultaneous strike
//!
//! The page [`three_questions`] derives them on a bar on two feet. In short: a neighbouring motion meets two contacts one after the other. Whether the law has one outcome for the momentum of the
//! orbit, whether P is continuous there, and whether it is differentiable, are three questions, and none follows from
//! another. So P is looked at from both sides along every coordinate: limits that differ are a jump (*discontinuous*), one
//! limit with two slopes is a kink (*piecewise*). Only a *differentiable* orbit has multipliers; the others have none, and
//! `stable` is null. Beside it stands what separate impacts in every order come to.
//!
//! An orbit may exist on the jump alone. Where Newton's method ends without one, strikes that are close are joined to one
//! impact (gaps of 1e-6 to 1e-4 m), which takes the jump out of the map and leaves the orbit where it is; what is found so is
//! kept if the map itself returns it.
//!
//! # Limits
//!
//! The answer is an orbit of the discrete motion: its distance to that of the continuous one is the order of the step
//! (`stepper.order`). A motion that grazes, or changes a mode exactly on the orbit, is not told from a smooth one unless
//! several contacts strike at once. An orbit that loses more than ten digits on its way is not confirmed by one shot, and so
//! not found; with several shots the contacts that are held where the period is cut are those of the guess. Where a strike passes the moment at which a period is cut,
//! the point on the section jumps, and a branch begins anew on the other side; a fold there is not passed, and another phase
//! of the force moves the cut. A branch sees what changes its sign between two of its points: two bifurcations of one kind
//! within a step stay unseen.
//!
//! # Example
//!
//! The long gait of a passive walker.
//!
//! ```
//! use carom::scenario::{Experiment, Scenario};
//! use carom::study::orbit::find_orbit;
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/compass/gait_long.toml");
//! let scenario = Scenario::read(&file, &[])?;
//! let orbit = find_orbit(&Experiment::new("walk", scenario)?, 0)?;
//! assert!(orbit.found && orbit.stable == Some(true));
//! // Down a slope of 0.03 rad: what impacts take is what gravity gives.
//! assert!((orbit.cost_of_transport.ok_or("no way")? - 0.03_f64.sin()).abs() < 1e-8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anchor;
mod answer;
mod basin;
mod branch;
mod drift;
mod error;
mod motion;
mod multipliers;
mod return_map;
mod scan;
mod search;
pub mod shipped_gaits;
mod starts;
pub mod three_questions;
mod wanted;

use nalgebra::DVector;

use crate::scenario::Experiment;
pub(crate) use anchor::Anchor;
pub use answer::{
    Differentiability, Limit, NamedState, Orbit, OrbitEvent, SeparateImpacts, SimultaneousStrike,
    TrivialMultiplier,
};
use answer::{described, origin};
pub(crate) use answer::{strikes, unknown_orbit};
pub use basin::{Basin, BasinAxis, BasinEnd, basin};
use drift::drifting;
pub use error::OrbitError;
pub(crate) use motion::on_orbit_repeated;
pub use motion::{OrbitPiece, on_orbit, orbit_motion};
use return_map::ReturnMap;
pub use scan::{Bifurcation, BifurcationKind, Scan, ScanChange, ScanPoint, ScanRange, scan};
use search::Search;
pub(crate) use search::{CLOSED, Found};
pub use starts::{FoundOrbit, FoundOrbits, find_orbits};
pub use wanted::experiment_of;

/// Slip below which a held contact sticks on the section \[m/s\].
const STICKS: f64 = 1e-6;

/// Looks for the orbit of an experiment's `[orbit]` from its initial state, or from where that is after `settle` periods.
///
/// # Errors
/// No `[orbit]`, names that do not fit, a first motion that does not return; free keys that do not lead to what is wanted.
/// That Newton's method does not converge is no
/// error but an answer.
pub fn find_orbit(experiment: &Experiment, settle: usize) -> Result<Orbit, OrbitError> {
    match &experiment.scenario.orbit {
        Some(entry) if !entry.free.is_empty() => wanted::find(experiment, entry, settle),
        _ => found_as_given(experiment, settle),
    }
}

/// The orbit with the scenario's free keys as they are.
fn found_as_given(experiment: &Experiment, settle: usize) -> Result<Orbit, OrbitError> {
    with_search(experiment, settle, |search, drift, z| {
        Ok(described(search, drift, search.solve(z)?)?.0)
    })
}

/// Work on the return map of an experiment, on a chart at its initial state after `settle` periods, and on where that is.
fn with_search<T>(
    experiment: &Experiment,
    settle: usize,
    work: impl FnOnce(&Search<'_>, &[(String, usize)], DVector<f64>) -> Result<T, OrbitError>,
) -> Result<T, OrbitError> {
    let entry = anchor::entry(experiment)?;
    let drift = drifting(experiment, entry)?;
    let mut map = ReturnMap::new(experiment, entry)?;
    let (mut q, mut v) = (experiment.q.clone(), experiment.v.clone());
    for _ in 0..settle {
        let stride = map.apply(&q, &v)?;
        (q, v) = (stride.q, stride.v);
    }
    let search = Search {
        experiment,
        entry,
        held: sticking(&mut map, &q, &v)?,
        reference: (q.clone(), v.clone()),
        drift: drift.iter().map(|(_, at)| *at).collect(),
        bound: None,
    };
    let start = search.chart().coordinates(&q, &v);
    work(&search, &drift, start)
}

/// Contacts that are held at a state of the section, and whether they stick.
fn sticking(map: &mut ReturnMap, q: &[f64], v: &[f64]) -> Result<Vec<(usize, bool)>, OrbitError> {
    let held = map.held(q, v)?.into_iter();
    Ok(held.map(|(i, slip)| (i, slip < STICKS)).collect())
}
