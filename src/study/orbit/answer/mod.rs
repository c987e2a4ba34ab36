//! What is said of an orbit.

mod description;
mod orders;
mod simultaneous;
mod smoothness;
mod strikes;
mod unknown;

use std::collections::BTreeMap;

use nalgebra::DVector;
use serde::Serialize;

use crate::impact::Verdict;
pub(super) use description::{described, origin};
pub use orders::SeparateImpacts;
pub(crate) use strikes::strikes;
pub(crate) use unknown::unknown_orbit;

/// What the return map is at the orbit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Differentiability {
    /// It has a derivative.
    Differentiable,
    /// It is continuous and has a slope on each side.
    Piecewise,
    /// It jumps.
    Discontinuous,
}

impl Differentiability {
    /// The word that files use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Differentiable => "differentiable",
            Self::Piecewise => "piecewise",
            Self::Discontinuous => "discontinuous",
        }
    }
}

/// The return map as the orbit is approached from one side along one coordinate.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Limit {
    /// The coordinate.
    pub along: String,
    /// `positive` or `negative`.
    pub side: &'static str,
    /// Where it leads to, in the coordinates of the section.
    pub limit: Vec<f64>,
    /// Its slope.
    pub derivative: Vec<f64>,
}

/// Contacts that strike together on the orbit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SimultaneousStrike {
    /// Time from the section \[s\].
    pub time_s: f64,
    /// The contacts that strike; held ones not.
    pub contacts: Vec<String>,
    /// Whether the law's outcome for the orbit's momentum is unique.
    pub unique: Verdict,
    /// Separate impacts in every order; none for more than six contacts.
    pub orders: Vec<SeparateImpacts>,
    /// Largest difference between them, by coordinate of the velocity.
    pub jump: BTreeMap<String, f64>,
}

/// A multiplier that says nothing of stability.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrivialMultiplier {
    /// Real and imaginary part.
    pub value: [f64; 2],
    /// Where it comes from.
    pub reason: String,
}

/// Positions and velocities by name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedState {
    /// \[m, rad\].
    pub q: BTreeMap<String, f64>,
    /// \[m/s, rad/s\].
    pub v: BTreeMap<String, f64>,
}

/// An event on the orbit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OrbitEvent {
    /// Time from the section \[s\].
    pub time_s: f64,
    /// What happened.
    pub kind: &'static str,
    /// Contacts that took part.
    pub contacts: Vec<String>,
    /// The verdict on its outcome, of an impact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unique: Option<Verdict>,
}

/// The answer of `carom orbit`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[allow(non_snake_case)] // units are written as such
pub struct Orbit {
    /// `found`, or `not found`: then everything else is of where the search ended.
    pub status: &'static str,
    /// The same as a number.
    #[serde(skip)]
    pub found: bool,
    /// Largest difference between a state and its return, beside coordinates of order one.
    pub residual: f64,
    /// Newton iterations.
    pub iterations: usize,
    /// Shots that a period was cut into when the orbit was looked for: 1, or several where one did not find it.
    pub shooting_segments: usize,
    /// Length of the period \[s\].
    pub period_s: f64,
    /// Returns to the section in it.
    pub strides: usize,
    /// By how much coordinates that may drift advance in it.
    pub advance: BTreeMap<String, f64>,
    /// The state on the section.
    pub state: NamedState,
    /// Values of the scenario's keys that were free.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub free: BTreeMap<String, f64>,
    /// The coordinates that are free on the section.
    pub section_point: BTreeMap<String, f64>,
    /// Names of the coordinates of `derivative` and of limits.
    pub coordinates: Vec<String>,
    /// DP, rows; none where the map has no derivative.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub derivative: Vec<Vec<f64>>,
    /// How far entries of it may be off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub derivative_error: Option<f64>,
    /// Real and imaginary parts of its eigenvalues, the largest first.
    pub multipliers: Vec<[f64; 2]>,
    /// Multipliers that are not among them.
    pub trivial: Vec<TrivialMultiplier>,
    /// Whether all multipliers are inside of the unit circle; null without a derivative, and where one is on it.
    pub stable: Option<bool>,
    /// What the return map is there; null where no orbit was found.
    pub differentiability: Option<Differentiability>,
    /// One-sided limits and slopes, where contacts strike together.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Limit>,
    /// Contacts that strike together.
    pub simultaneous: Vec<SimultaneousStrike>,
    /// What impacts and captures take in a period \[J\].
    pub energy_lost_J: f64,
    /// What actuators put in while they drive \[J\].
    pub energy_supplied_J: f64,
    /// Work of actuators that drive, or of a passive walker what impacts take, over weight times way; null without a way.
    pub cost_of_transport: Option<f64>,
    /// How deep a foot that must not strike went below the ground \[m\], and which.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scuffing: Option<(String, f64)>,
    /// What happens in a period.
    pub events: Vec<OrbitEvent>,
}

impl Orbit {
    /// Length of the way of a period \[m\].
    #[must_use]
    pub fn way(&self) -> f64 {
        way(&self.advance)
    }

    /// Way over period \[m/s\]; none without a way.
    #[must_use]
    pub fn speed(&self) -> Option<f64> {
        let way = self.way();
        (way > 0.0).then(|| way / self.period_s)
    }

    /// Modulus of the largest multiplier; none where the orbit has no multipliers.
    #[must_use]
    pub fn largest_multiplier(&self) -> Option<f64> {
        let [re, im] = self.multipliers.first()?;
        Some(re.hypot(*im))
    }

    /// Values of [`Orbit::coordinates`] on the section.
    #[must_use]
    pub fn point(&self) -> DVector<f64> {
        let values = self.coordinates.iter().map(|name| self.section_point[name]);
        DVector::from_iterator(self.coordinates.len(), values)
    }
}

/// Length of a way along coordinates that drift; a heading is none.
fn way(advance: &BTreeMap<String, f64>) -> f64 {
    let ways = advance.iter().filter(|(name, _)| *name != "heading");
    ways.map(|(_, x)| x * x).sum::<f64>().sqrt()
}
