//! Settings of the sequential law.

use serde::Serialize;

use crate::impact::lcp::{DEFAULT_FACETS, facets_key};
use crate::impact::settings::{KeyRole, SettingKey};
use crate::impact::{LawSettings, ReflectionOrder};

/// The value of `sequence` that tries every order.
const ALL: &str = "all";

/// The order of visits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ImpactSequence {
    /// As the contacts are listed in the problem.
    #[default]
    Listed,
    /// Contacts by name or index; every contact at least once. Names that a problem does not have are passed over
    /// where its names are known, so that one sequence serves all impacts of a run.
    Given(Vec<String>),
    /// Every permutation of the contacts, each an outcome (up to 6 contacts).
    All,
    /// The next contact is chosen among those that close, by their normal velocities.
    Chosen(ReflectionOrder),
}

/// Settings of [`Sequential`](crate::impact::Sequential) (\[HP\] §2.2.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequentialSettings {
    /// The order of visits. Keys `sequence` and `order`; of the two the last one counts.
    pub sequence: ImpactSequence,
    /// Seed of a random choice. Key `seed`.
    pub seed: u64,
    /// Most visits, at least 1. Default 50. Key `max_steps`.
    pub max_steps: usize,
    /// Facets of the friction pyramid of spatial contacts, even, 4 … 64. Default 8. Key `facets`.
    pub facets: usize,
}

impl Default for SequentialSettings {
    fn default() -> Self {
        Self {
            sequence: ImpactSequence::default(),
            seed: 0,
            max_steps: 50,
            facets: DEFAULT_FACETS,
        }
    }
}

impl SequentialSettings {
    fn given(&self) -> Vec<String> {
        match &self.sequence {
            ImpactSequence::Given(words) => words.clone(),
            ImpactSequence::All => vec![ALL.to_string()],
            ImpactSequence::Listed | ImpactSequence::Chosen(_) => Vec::new(),
        }
    }
}

type Key = SettingKey<SequentialSettings>;

impl LawSettings for SequentialSettings {
    const LAW: &'static str = "sequential";
    const SUMMARY: &'static str =
        "inelastic impacts with friction one contact at a time, in a cyclic order";

    const KEYS: &'static [Key] = &[
        Key::contacts(
            "sequence",
            "cyclic order of the visits, or all for every order",
            Self::given,
            |s, words| {
                s.sequence = match words.as_slice() {
                    [word] if word == ALL => ImpactSequence::All,
                    _ => ImpactSequence::Given(words),
                }
            },
        )
        .listing_all_by(ALL),
        Key::word(
            "order",
            "which closing contact is visited next, in place of a sequence",
            &ReflectionOrder::NAMES,
            |s| match s.sequence {
                ImpactSequence::Chosen(order) => order.name(),
                _ => "",
            },
            |s, i| s.sequence = ImpactSequence::Chosen(ReflectionOrder::ALL[i]),
        )
        .with_role(KeyRole::Order),
        Key::seed("seed of a random order", |s| &mut s.seed),
        Key::count("max_steps", "most visits", [1, u64::MAX], |s| {
            &mut s.max_steps
        }),
        facets_key(|s| &mut s.facets),
    ];
}

/// What the law reports about a problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SequentialReport {
    /// What a reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}
