use serde::{Deserialize, Serialize};

use crate::friction::HeldMode;

use crate::impact::Uniqueness;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EventKind {
    /// One or more contacts struck at once.
    Impact,
    /// An impact all of whose contacts are limits of joints.
    Limit,
    /// A contact stays closed from here on.
    Hold,
    /// A held contact opened.
    Release,
    /// The branch that held contacts were on ended, and several continue.
    Branch,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::Impact,
        Self::Limit,
        Self::Hold,
        Self::Release,
        Self::Branch,
    ];

    /// The word that files use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Impact => "impact",
            Self::Limit => "limit",
            Self::Hold => "hold",
            Self::Release => "release",
            Self::Branch => "branch",
        }
    }

    /// The kind of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether an impact law acted.
    #[must_use]
    pub fn is_impact(self) -> bool {
        matches!(self, Self::Impact | Self::Limit)
    }
}

/// What a held contact does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum HoldMode {
    /// It does not slide.
    Stick,
    /// It slides.
    Slide,
}

impl HoldMode {
    /// What a contact of this mode does; `None` when it takes no impulse.
    pub(super) fn of(mode: HeldMode) -> Option<Self> {
        match mode {
            HeldMode::Open => None,
            HeldMode::Stick => Some(Self::Stick),
            HeldMode::Slide(_) => Some(Self::Slide),
        }
    }

    /// The word that files use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stick => "stick",
            Self::Slide => "slide",
        }
    }
}

/// Why an event is not what the run's law alone would have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum EventNote {
    /// The limit of impacts that accumulate: the law acted with all restitutions zero.
    Zeno,
    /// The law did not come to an end: it ran out of its steps or repeats them; the outcome is where it stood.
    NotTerminated,
    /// One of several continuations was taken.
    Branch,
}

impl EventNote {
    /// The word that files use.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Zeno => "zeno",
            Self::NotTerminated => "not-terminated",
            Self::Branch => "branch",
        }
    }
}

/// What the impact law did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImpactRecord {
    /// Law that resolved it.
    pub law: &'static str,
    /// Whether that is another law than the run's; the event's reason says why.
    pub by_other_law: bool,
    /// Order in which contacts acted, as indices into the contacts; empty when the law has none.
    pub sequence: Vec<usize>,
    /// Impulse of each contact of the event: normal, then tangents \[N s\].
    pub impulses: Vec<[f64; 3]>,
    /// Kinetic energy before \[J\].
    pub energy_before: f64,
    /// Kinetic energy after \[J\].
    pub energy_after: f64,
    /// What the law knows about the number of outcomes.
    pub uniqueness: Uniqueness,
    /// Seed of the draw that chose the outcome, for a law that draws at random.
    pub seed: Option<u64>,
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
    /// Contacts that took part, in ascending order: for an impact all closed ones that its bodies have, directly or by others.
    pub contacts: Vec<usize>,
    /// Configuration at that time, which no event changes.
    pub q: Vec<f64>,
    /// What the law did, for an impact.
    pub impact: Option<ImpactRecord>,
    /// What the contact does from here on, for a hold.
    pub mode: Option<HoldMode>,
    /// How many continuations the step has, for a branch.
    pub continuations: Option<usize>,
    /// Whether there may be more of them than were found.
    pub at_least: bool,
    /// Set where the run's law alone would have done something else.
    pub note: Option<EventNote>,
    /// The note, or what made another law act, in words.
    pub reason: Option<String>,
}

impl Event {
    fn new(kind: EventKind, time: f64, contacts: Vec<usize>, q: &[f64]) -> Self {
        Self {
            time,
            kind,
            contacts,
            q: q.to_vec(),
            impact: None,
            mode: None,
            continuations: None,
            at_least: false,
            note: None,
            reason: None,
        }
    }

    /// An impact of closed contacts, or of joint limits alone.
    #[must_use]
    pub fn impact(
        kind: EventKind,
        time: f64,
        contacts: Vec<usize>,
        q: &[f64],
        record: ImpactRecord,
    ) -> Self {
        Self {
            impact: Some(record),
            ..Self::new(kind, time, contacts, q)
        }
    }

    /// A contact is held from now on; `mode` is what it does where that is known.
    #[must_use]
    pub fn hold(time: f64, contact: usize, q: &[f64], mode: Option<HoldMode>) -> Self {
        Self {
            mode,
            ..Self::new(EventKind::Hold, time, vec![contact], q)
        }
    }

    /// A held contact opened.
    #[must_use]
    pub fn release(time: f64, contact: usize, q: &[f64]) -> Self {
        Self::new(EventKind::Release, time, vec![contact], q)
    }

    /// The branch that held contacts were on has ended, these ones do something else now, and the conditions have
    /// several continuations.
    #[must_use]
    pub fn branch(time: f64, contacts: Vec<usize>, q: &[f64], continuations: usize) -> Self {
        Self {
            continuations: Some(continuations),
            ..Self::new(EventKind::Branch, time, contacts, q)
        }
        .noted(EventNote::Branch, "one of several continuations was taken")
    }

    /// The same branch with a count that is a lower bound.
    #[must_use]
    pub fn at_least(mut self) -> Self {
        self.at_least = true;
        self
    }

    /// The same event with more words to its reason.
    #[must_use]
    pub fn because(mut self, words: &str) -> Self {
        if let Some(reason) = self.reason.as_mut().filter(|_| !words.is_empty()) {
            reason.push_str(" (");
            reason.push_str(words);
            reason.push(')');
        }
        self
    }

    /// The same event with a note and its words.
    #[must_use]
    pub fn noted(mut self, note: EventNote, reason: impl Into<String>) -> Self {
        self.note = Some(note);
        self.reason = Some(reason.into());
        self
    }
}
