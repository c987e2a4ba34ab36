//! Which violated contact is reflected next.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::Serialize;

/// The order in which a single propagative run reflects violated contacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ReflectionOrder {
    /// The contact with the least ⟨p, û⟩ (arg-min).
    #[default]
    MostViolated,
    /// The violated contact with the largest ⟨p, û⟩ (arg-max).
    LeastViolated,
    /// The first violated contact in input order.
    Index,
    /// Any violated contact with equal probability, from a seed.
    Random,
}

impl ReflectionOrder {
    /// All orders.
    pub const ALL: [Self; 4] = [
        Self::MostViolated,
        Self::LeastViolated,
        Self::Index,
        Self::Random,
    ];

    /// Their names on the command line and in scenarios.
    pub const NAMES: [&'static str; 4] = ["most-violated", "least-violated", "index", "random"];

    /// The name on the command line and in scenarios.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The order of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|order| order.name() == name)
    }
}

/// Applies an order. Contact k is violated below −floor_k. Speeds that differ by no more than the larger of their floors
/// are ties, and ties go to the first contact, so that rounding cannot decide.
#[derive(Debug, Clone)]
pub(crate) struct Selector {
    order: ReflectionOrder,
    generator: Xoshiro256PlusPlus,
}

impl Selector {
    pub(crate) fn new(order: ReflectionOrder, seed: u64) -> Self {
        Self {
            order,
            generator: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// The contact to reflect next, or `None` when no contact is violated.
    pub(crate) fn select(&mut self, approach: &[f64], floor: &[f64]) -> Option<usize> {
        let violated = |i: &usize| approach[*i] < -floor[*i];
        let mut candidates = (0..approach.len()).filter(violated);
        let apart = |i: usize, best: usize| floor[i].max(floor[best]);
        match self.order {
            ReflectionOrder::Index => candidates.next(),
            ReflectionOrder::MostViolated => candidates.reduce(|best, i| {
                let better = approach[i] < approach[best] - apart(i, best);
                if better { i } else { best }
            }),
            ReflectionOrder::LeastViolated => candidates.reduce(|best, i| {
                let better = approach[i] > approach[best] + apart(i, best);
                if better { i } else { best }
            }),
            ReflectionOrder::Random => {
                let count = (0..approach.len()).filter(violated).count();
                if count == 0 {
                    return None;
                }
                let draw = (u128::from(self.generator.next_u64()) * count as u128) >> 64;
                candidates.nth(draw as usize)
            }
        }
    }
}
