use serde::{Deserialize, Serialize};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// One or more contacts struck at once.
    Impact,
    /// A contact stays closed from here on.
    Hold,
    /// A held contact opened.
    Release,
}

impl EventKind {
    /// The word that files use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Impact => "impact",
            Self::Hold => "hold",
            Self::Release => "release",
        }
    }
}

/// What the impact law did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImpactRecord {
    /// Law that resolved it (`plastic` when the Zeno rule took over).
    pub law: &'static str,
    /// Order in which contacts acted, as indices into the contacts; empty when the law has none.
    pub sequence: Vec<usize>,
    /// Impulse of each contact of the event: normal, then tangents \[N s\].
    pub impulses: Vec<[f64; 3]>,
    /// Kinetic energy before \[J\].
    pub energy_before: f64,
    /// Kinetic energy after \[J\].
    pub energy_after: f64,
    /// How many distinct outcomes the impact has under the law.
    pub outcomes: usize,
    /// True when the count ran out of its budget: there may be more.
    pub capped: bool,
    /// Seed of the draw that chose the outcome, for a law that draws at random.
    pub seed: Option<u64>,
    /// ξ: largest distance between outcomes over ‖p⁻‖.
    pub indeterminacy: f64,
    /// Velocity before, n.
    pub velocity_before: Vec<f64>,
    /// Velocity after, n.
    pub velocity_after: Vec<f64>,
}

/// A change of the contacts at one moment.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Time \[s\].
    pub time: f64,
    /// What happened.
    pub kind: EventKind,
    /// Contacts that took part, in ascending order: all closed ones for an impact.
    pub contacts: Vec<usize>,
    /// Configuration at that time, which no event changes.
    pub q: Vec<f64>,
    /// What the law did, for an impact.
    pub impact: Option<ImpactRecord>,
}
