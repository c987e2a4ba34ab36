//! Minimal sequences.
//!
//! A sequence is minimal when it ends feasible and no proper subsequence (arbitrary deletions) does
//! [SM, Def. 1]. Read literally the definition admits, for three or more contacts, reflections at a
//! contact that separates, that is, pulling impulses; so only admissible sequences are compared: every
//! reflection at a contact violated at that moment.

use super::near_points::NearPoints;
use super::propagation::Propagation;
use super::state_graph::StateGraph;
use super::unit_contacts::UnitContacts;

/// True when `part` is obtained from `word` by deletions.
#[must_use]
pub fn is_subsequence<T: PartialEq>(part: &[T], word: &[T]) -> bool {
    let mut rest = word.iter();
    part.iter().all(|letter| rest.any(|w| w == letter))
}

/// Every minimal word with the leaf it leads to, by length, then lexicographically. Breadth first
/// by length: a word that contains a shorter minimal word is dropped with all its continuations; a
/// leaf reached by what is left is minimal. `None` when more than `budget` words had to be examined.
pub(crate) fn minimal_words(graph: &StateGraph, budget: usize) -> Option<Vec<(usize, Vec<u16>)>> {
    let mut minimal: Vec<(usize, Vec<u16>)> = Vec::new();
    let mut layer: Vec<(usize, Vec<u16>)> = vec![(0, Vec::new())];
    if graph.is_leaf(0) {
        return Some(layer);
    }
    let mut examined = 0;
    while !layer.is_empty() {
        let mut next = Vec::new();
        let mut found = Vec::new();
        for (node, word) in &layer {
            for &(letter, target) in graph.edges(*node) {
                examined += 1;
                if examined > budget {
                    return None;
                }
                let contains = minimal.iter().any(|(_, known)| {
                    known
                        .split_last()
                        .is_some_and(|(last, head)| *last == letter && is_subsequence(head, word))
                });
                if contains {
                    continue;
                }
                let mut longer = Vec::with_capacity(word.len() + 1);
                longer.extend_from_slice(word);
                longer.push(letter);
                let target = target as usize;
                if graph.is_leaf(target) {
                    found.push((target, longer));
                } else {
                    next.push((target, longer));
                }
            }
        }
        minimal.extend(found);
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
pub(crate) fn is_minimal(
    unit: &UnitContacts,
    word: &[usize],
    floor: f64,
    merge: f64,
    budget: usize,
) -> Option<bool> {
    let m = unit.len();
    let mut points = unit.approach.clone();
    let mut used = vec![0_usize];
    let mut near = NearPoints::new(m, merge);
    near.insert(&points, 0);
    let mut run = Propagation::default();
    for &k in word {
        for id in 0..used.len() {
            if points[id * m + k] >= -floor {
                continue;
            }
            run.reset(unit);
            run.approach.copy_from_slice(&points[id * m..(id + 1) * m]);
            run.reflect(unit, k);
            let count = used[id] + 1;
            if count < word.len() && run.approach.iter().all(|&z| z >= -floor) {
                return Some(false);
            }
            let same = |other: u32| {
                let at = other as usize * m;
                points[at..at + m]
                    .iter()
                    .zip(&run.approach)
                    .all(|(a, b)| (a - b).abs() <= merge)
            };
            match near.find(&run.approach, same) {
                Some(known) => used[known as usize] = used[known as usize].min(count),
                None => {
                    near.insert(&run.approach, used.len() as u32);
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
