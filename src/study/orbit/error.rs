use thiserror::Error;

use crate::hybrid::SimulationError;
use crate::scenario::ScenarioError;

/// Why there is no orbit.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum OrbitError {
    /// The scenario does not fit.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A motion could not go on.
    #[error("the motion from the section cannot go on: {0}")]
    Simulation(#[from] SimulationError),
    /// A motion did not come back to the section.
    #[error(
        "after {time} s the motion has not come back to the section; start nearer to the orbit, or raise duration"
    )]
    NoReturn {
        /// How long was waited \[s\].
        time: f64,
    },
    /// A motion that comes back once and not again: something acts that depends on the time.
    #[error(
        "not found: the motion comes back after {period} s, and is off by {apart:.1e} after as long again, so that something depends on the time; give section = {{ period = ... }} of what the controller does"
    )]
    NotRepeated {
        /// The period that is none \[s\].
        period: f64,
        /// How far the second return is from the first [m, rad, m/s, rad/s], beside their sizes.
        apart: f64,
    },
    /// The guess cannot be brought to what holds on the section.
    #[error(
        "no state near the guess keeps the held contacts closed and at rest: {left:e} m or m/s are left"
    )]
    OffSection {
        /// Largest condition left \[m or m/s\].
        left: f64,
    },
    /// Other contacts are held on the section than at the start of a branch.
    #[error(
        "other contacts are held on the section, or slide there, than where the scan began; begin another scan there"
    )]
    OtherSection,
    /// No values of the free keys lead to what is wanted.
    #[error(
        "no values of orbit.free give {name} = {wanted}: it came to {reached} at {values}; begin nearer, or free other keys"
    )]
    NotAsWanted {
        /// What is wanted.
        name: String,
        /// Its wanted value.
        wanted: f64,
        /// Its nearest one.
        reached: f64,
        /// The keys there.
        values: String,
    },
}
