use serde::{Deserialize, Serialize};

use crate::discrete::{HeldContact, Predictor};

/// Work done since the start of a run \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct WorkLedger {
    /// By actuators, on the system.
    pub actuators: f64,
    /// The positive part of it: what each coordinate's effort put in while it drove, without what it
    /// took back while it braked.
    pub actuators_positive: f64,
    /// By dampers, joint friction and contact friction; ≤ 0.
    pub dissipative: f64,
    /// Change of kinetic energy in impacts; ≤ 0 for laws that do not add energy.
    pub impacts: f64,
    /// Change of energy where contacts were captured: brought to rest and held without a strike; ≤ 0.
    #[serde(default)]
    pub captured: f64,
}

impl WorkLedger {
    /// All work together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.actuators + self.dissipative + self.impacts + self.captured
    }
}

/// Everything that the future of a run depends on. Saved and restored, it continues to the same bits.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Number of whole time steps done.
    pub step: u64,
    /// Time \[s\].
    pub time: f64,
    /// Configuration.
    pub q: Vec<f64>,
    /// Momentum, n.
    pub p: Vec<f64>,
    /// Contacts that are held closed, in ascending order.
    pub held: Vec<HeldContact>,
    /// Time of the last impact of each contact \[s\].
    pub last_impact: Vec<Option<f64>>,
    /// Time of the first impact of the run \[s\].
    pub first_impact: Option<f64>,
    /// Number of impacts so far.
    pub impacts: u64,
    /// Number of contacts captured so far.
    #[serde(default)]
    pub captures: u64,
    /// Work done so far.
    pub work: WorkLedger,
    /// Mean velocities of the last whole steps, one block of n a stage: starting values of the next.
    pub predictor: Predictor,
}

impl State {
    /// Takes over the momentum after an impact that changed the kinetic energy by `energy` \[J\].
    pub(super) fn take_impact(&mut self, momentum: &[f64], energy: f64) {
        self.p.copy_from_slice(momentum);
        self.impacts += 1;
        self.work.impacts += energy;
        self.predictor.clear();
        for held in &mut self.held {
            held.slip = None;
        }
    }
}
