//! What changes places at the end of a stride.

use super::Stride;
use crate::scenario::{Experiment, OrbitEntry, ScenarioError};

/// Joints that change places.
pub(super) struct Swap {
    /// Pairs of entries of q and of v.
    of_q: Vec<[usize; 2]>,
    of_v: Vec<[usize; 2]>,
}

impl Swap {
    /// The pairs of an orbit; those of contacts move nothing.
    pub fn new(experiment: &Experiment, entry: &OrbitEntry) -> Result<Self, ScenarioError> {
        let model = &experiment.model;
        let contacts = &experiment.contacts;
        let contact = |name: &str| (0..contacts.len()).find(|&i| contacts.name(i) == name);
        let (mut of_q, mut of_v) = (Vec::new(), Vec::new());
        for pair in &entry.symmetry.swap {
            let refused = |reason: String| {
                ScenarioError::value(&experiment.file, "orbit.symmetry.swap", reason)
            };
            let [a, b] = pair;
            if a == b {
                let reason =
                    format!("\"{a}\" changes places with itself; name two, or remove the pair");
                return Err(refused(reason));
            }
            if pair.iter().all(|name| contact(name).is_some()) {
                continue;
            }
            let joint = |name: &str| {
                let found = model.joint(name);
                found.map_err(|error| {
                    refused(format!("{error}; a pair names two joints or two contacts"))
                })
            };
            let bodies = [joint(&pair[0])?, joint(&pair[1])?].map(|j| &model.bodies()[j.body]);
            if bodies[0].kind != bodies[1].kind {
                let reason = format!(
                    "\"{a}\" and \"{b}\" are joints of different kinds, which cannot change places; pair those that move alike"
                );
                return Err(refused(reason));
            }
            of_q.push(bodies.map(|body| body.q_index));
            of_v.push(bodies.map(|body| body.v_index));
        }
        Ok(Self { of_q, of_v })
    }

    /// Whether nothing changes places.
    pub fn is_empty(&self) -> bool {
        self.of_q.is_empty()
    }

    pub fn apply(&self, stride: &mut Stride) {
        for [a, b] in &self.of_q {
            stride.q.swap(*a, *b);
        }
        for [a, b] in &self.of_v {
            stride.v.swap(*a, *b);
        }
    }

    /// Entries of (δq, δv), of n each, that change places.
    pub fn rows(&self, n: usize) -> Vec<[usize; 2]> {
        let rates = self.of_v.iter().map(|pair| pair.map(|k| n + k));
        self.of_v.iter().copied().chain(rates).collect()
    }
}
