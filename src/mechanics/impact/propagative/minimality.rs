//! Minimal sequences.
//!
//! A sequence is minimal when it ends feasible and no proper subsequence (arbitrary deletions) does
//! \[SM, Def. 1\]. Read literally the definition admits, for three or more contacts, reflections at a
//! contact that separates, that is, pulling impulses; so only admissible sequences are compared: every
//! reflection at a contact violated at that moment.

use super::near_points::NearPoints;
use super::propagation::Propagation;
use super::state_graph::StateGraph;
use crate::impact::unit_contacts::UnitContacts;

/// True when `part` is obtained from `word` by deletions.
#[must_use]
pub fn is_subsequence<T: PartialEq>(part: &[T], word: &[T]) -> bool {
    let mut rest = word.iter();
    part.iter().all(|letter| rest.any(|w| w == letter))
}

/// A word, the momentum it leads to and what it took.
#[derive(Debug, Clone)]
pub(crate) struct ReachedWord {
    pub(crate) word: Vec<u16>,
    /// Unit contact velocities at its end, m.
    approach: Vec<f64>,
    /// λ̂, m.
    pub(crate) unit_impulse: Vec<f64>,
    /// Work of compression, m.
    pub(crate) work: Vec<f64>,
}

impl ReachedWord {
    fn then(&self, unit: &UnitContacts, letter: usize) -> Self {
        let mut next = self.clone();
        let z = unit.reflect(&mut next.approach, letter);
        next.unit_impulse[letter] -= 2.0 * z;
        next.work[letter] += 0.5 * z * z;
        next.word.push(letter as u16);
        next
    }
}

/// Every minimal word by length, then lexicographically. Breadth first by length: a word that contains a
/// shorter minimal word is dropped with all its continuations; what is left and ends feasible is
/// minimal. This visits far fewer words than there are. `None` when more than `budget` had to be examined.
pub(crate) fn minimal_words(unit: &UnitContacts, budget: usize) -> Option<Vec<ReachedWord>> {
    let m = unit.len();
    let mut minimal: Vec<ReachedWord> = Vec::new();
    let mut layer = vec![ReachedWord {
        word: Vec::new(),
        approach: unit.approach.clone(),
        unit_impulse: vec![0.0; m],
        work: vec![0.0; m],
    }];
    let mut examined = 0;
    while !layer.is_empty() {
        let mut next = Vec::new();
        let shorter = minimal.len();
        for reached in layer {
            let mut feasible = true;
            for letter in (0..m).filter(|&k| unit.is_violated(k, reached.approach[k])) {
                feasible = false;
                examined += 1;
                if examined > budget {
                    return None;
                }
                let contains = minimal[..shorter].iter().any(|known| {
                    known.word.split_last().is_some_and(|(&last, head)| {
                        usize::from(last) == letter && is_subsequence(head, &reached.word)
                    })
                });
                if !contains {
                    next.push(reached.then(unit, letter));
                }
            }
            if feasible {
                minimal.push(reached);
            }
        }
        // Words found in this round are one letter shorter than those in `next`.
        let found = &minimal[shorter..];
        next.retain(|longer: &ReachedWord| {
            !found
                .iter()
                .any(|known| is_subsequence(&known.word, &longer.word))
        });
        layer = next;
    }
    Some(minimal)
}

/// Every word of the graph that ends in a leaf, lexicographically, with its leaf. The caller has
/// counted them.
pub(crate) fn all_words(graph: &StateGraph) -> Vec<(usize, Vec<usize>)> {
    let mut words = Vec::new();
    let mut word: Vec<usize> = Vec::new();
    let mut stack = vec![(0_usize, 0_usize)];
    while let Some((node, taken)) = stack.pop() {
        if graph.is_leaf(node) {
            words.push((node, word.clone()));
        }
        match graph.edges(node).get(taken) {
            Some(&(letter, target)) => {
                stack.push((node, taken + 1));
                stack.push((target as usize, 0));
                word.push(letter as usize);
            }
            None => {
                word.pop();
            }
        }
    }
    words
}

/// Whether one admissible `word` that ends feasible is minimal: runs all its admissible subsequences at once,
/// merging those that reach one momentum. `None` when they reach more than `budget` momenta.
pub(crate) fn is_minimal(unit: &UnitContacts, word: &[usize], budget: usize) -> Option<bool> {
    let m = unit.len();
    let mut points = unit.approach.clone();
    let mut used = vec![0_usize];
    let mut near = NearPoints::new(m, unit.widest_merge());
    near.insert(near.bucket(&points));
    let mut run = Propagation::default();
    for &k in word {
        for id in 0..used.len() {
            if !unit.is_violated(k, points[id * m + k]) {
                continue;
            }
            run.reset(unit);
            run.approach.copy_from_slice(&points[id * m..(id + 1) * m]);
            run.reflect(unit, k);
            let count = used[id] + 1;
            if count < word.len() && unit.is_feasible(&run.approach) {
                return Some(false);
            }
            let same = |other: u32| {
                let at = other as usize * m;
                unit.are_same(&points[at..at + m], &run.approach)
            };
            let bucket = near.bucket(&run.approach);
            match near.find(bucket, same) {
                Some(known) => used[known as usize] = used[known as usize].min(count),
                None => {
                    near.insert(bucket);
                    points.extend_from_slice(&run.approach);
                    used.push(count);
                }
            }
            if used.len() > budget {
                return None;
            }
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::is_subsequence;

    #[test]
    fn subsequences_allow_arbitrary_deletions() {
        assert!(is_subsequence(&[1, 3], &[1, 2, 3]));
        assert!(is_subsequence::<u8>(&[], &[]));
        assert!(!is_subsequence(&[3, 1], &[1, 2, 3]));
        assert!(!is_subsequence(&[1, 1], &[1, 2]));
    }
}
