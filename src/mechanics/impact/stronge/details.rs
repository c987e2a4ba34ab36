//! What the law reports beside impulses: events, energies, invariant directions.

use serde::Serialize;

use super::trajectory::coefficients::{Coefficients, length};
use super::trajectory::invariant::{InvariantDirection, PrincipalFrame};

/// What the law reports about an outcome.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum StrongeDetails {
    /// The impact of a single contact.
    Single(StrongeImpact),
    /// The single impacts of several contacts, in their order.
    Several {
        /// One entry a single impact.
        impacts: Vec<StrongeImpact>,
    },
}

/// The impact of one contact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrongeImpact {
    /// The contact's name, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<String>,
    /// Its course, by the exact solver.
    #[serde(flatten)]
    pub course: Option<StrongeCourse>,
    /// What an Euler integration of the paper took.
    #[serde(flatten)]
    pub iterations: Option<StrongeIterations>,
}

/// The course of a single impact.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrongeCourse {
    /// Letters of the events in their order: c compression ends, r restitution ends, s the sliding velocity vanishes,
    /// l sliding starts on an invariant direction.
    pub events: String,
    /// The events with the normal impulse at which they happen.
    pub event_list: Vec<StrongeEvent>,
    /// The label that the paper's algorithm would give; absent for a contact that does not approach.
    #[serde(flatten)]
    pub label: Option<StrongeLabel>,
    /// E_c, stored when compression ends \[J\].
    pub compression_energy: f64,
    /// Work of friction, at most 0 \[J\].
    pub friction_work: f64,
    /// What holds for the contact at every velocity.
    #[serde(flatten)]
    pub contact: ContactReport,
}

/// An event of a single impact.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StrongeEvent {
    /// Its letter.
    pub name: char,
    /// I_z at which it happens \[N s\].
    pub normal_impulse: f64,
}

/// The paper's event label, which depends on tolerances.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StrongeLabel {
    /// The letters.
    pub events_with_tolerance: String,
    /// [`StrongeSettings::tolerance_l`](super::StrongeSettings::tolerance_l).
    pub tolerance_l: f64,
    /// [`StrongeSettings::tolerance_s`](super::StrongeSettings::tolerance_s) \[m/s\].
    pub tolerance_s: f64,
}

/// What holds for a contact at every velocity.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactReport {
    /// Condition (18) of \[JW\], without which the paper does not promise a solution.
    pub impact_solution_condition: bool,
    /// Whether every sliding direction is invariant; told for two tangents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub every_direction_invariant: Option<bool>,
    /// The invariant sliding directions, none where every one is; told for two tangents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub invariant_directions: Option<Vec<InvariantDirection>>,
    /// ‖B⁻¹d‖, what friction must be to stick; told where there is friction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticking_ratio: Option<f64>,
    /// Whether a contact that stops sliding sticks; told where there is friction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sticks: Option<bool>,
}

/// What an Euler integration took.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct StrongeIterations {
    /// Steps.
    pub iterations: usize,
    /// Normal impulse \[N s\].
    pub normal_impulse: f64,
}

/// What the law reports about a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StrongeReport {
    /// The solver, if it is not the exact one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<&'static str>,
}

impl ContactReport {
    pub(super) fn new(c: &Coefficients) -> Self {
        let directions = (c.tangents == 2).then(|| PrincipalFrame::new(c).all(c));
        let ratio = (c.tangents > 0 && c.mu > 0.0).then(|| length(c.sticking()));
        Self {
            impact_solution_condition: c.impact_solution_condition(),
            every_direction_invariant: directions.as_ref().map(Option::is_none),
            invariant_directions: directions.map(Option::unwrap_or_default),
            sticking_ratio: ratio,
            sticks: ratio.map(|ratio| ratio <= c.mu),
        }
    }
}
