//! What a simulation did, piece by piece, as far as its derivative needs it.

use crate::discrete::held::{HeldContact, HeldJoint};
use crate::hybrid::simulation::crossings::Watched;

/// The flow through one piece, or an impact.
#[derive(Debug, Clone)]
pub(in crate::hybrid::simulation) enum Passage {
    Flow(Box<FlowPassage>),
    Strike(Box<StrikePassage>),
    /// What has no derivative here, and why.
    Obstacle {
        /// \[s\].
        time: f64,
        reason: &'static str,
    },
}

impl Passage {
    /// When it begins \[s\].
    pub fn time(&self) -> f64 {
        match self {
            Self::Flow(piece) => piece.time,
            Self::Strike(strike) => strike.time,
            Self::Obstacle { time, .. } => *time,
        }
    }
}

/// One piece.
#[derive(Debug, Clone)]
pub(in crate::hybrid::simulation) struct FlowPassage {
    /// Start \[s\].
    pub time: f64,
    pub first_impact: Option<f64>,
    /// Configuration and momentum at the start.
    pub q: Vec<f64>,
    pub p: Vec<f64>,
    /// What was held and the joints with dry friction, as the piece found them and as it left them.
    pub held: [Vec<HeldContact>; 2],
    pub joints: [Vec<HeldJoint>; 2],
    /// Of each stage, n each.
    pub mean_velocity: Vec<f64>,
    pub composed: bool,
    /// Length \[s\].
    pub tau: f64,
    pub applied: Vec<f64>,
    pub end_momentum: Vec<f64>,
    pub ends: Ends,
}

/// What decides where a piece ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::hybrid::simulation) enum Ends {
    /// The clock.
    Clock,
    /// A share of what is left of the step: nothing there depends on where it is.
    Anywhere,
    /// A function of the state, of this contact or joint, that passes zero.
    Event(usize, Watched),
}

/// One impact.
#[derive(Debug, Clone)]
pub(in crate::hybrid::simulation) struct StrikePassage {
    /// \[s\].
    pub time: f64,
    /// Whether it is the first of the run.
    pub first: bool,
    pub q: Vec<f64>,
    /// Momentum before.
    pub p: Vec<f64>,
    /// All contacts of the problem.
    pub closed: Vec<usize>,
    /// Coordinates that latches held in it.
    pub locked: Vec<usize>,
    /// All that approach at the moment, also those of impacts beside this one: with several there is no derivative.
    pub striking: Vec<usize>,
    /// Those that were held, and whether they stick.
    pub held: Vec<(usize, bool)>,
    /// Whether the law acted with its restitutions set to zero.
    pub at_limit: bool,
}
