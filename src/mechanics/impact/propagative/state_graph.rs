//! The graph of momenta that admissible reflections reach.
//!
//! Words that lead to one momentum share everything after it, so momenta are nodes: symmetric problems with
//! exponentially many words have few of them. The graph is acyclic, because every reflection raises
//! ⟨p, c⟩ for a separating c (see [`Separation`](super::Separation)), and its leaves are the outcomes.

use std::time::{Duration, Instant};

use super::near_points::NearPoints;
use crate::impact::unit_contacts::UnitContacts;

/// What an enumeration may spend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnumerationBudget {
    /// Largest number of distinct momenta explored.
    pub states: usize,
    /// Largest number of sequences listed; ten times as many are examined for minimal ones.
    pub words: usize,
    /// Wall time; unlimited when absent. Runs that end by it are not reproducible.
    pub wall_time: Option<Duration>,
}

impl Default for EnumerationBudget {
    /// 500 000 momenta, 100 000 sequences, no limit of time.
    fn default() -> Self {
        Self {
            states: 500_000,
            words: 100_000,
            wall_time: None,
        }
    }
}

/// Nodes in order of discovery, hence by length of their shortest word, then lexicographically.
#[derive(Debug, Clone)]
pub(crate) struct StateGraph {
    contacts: usize,
    width: usize,
    speed: f64,
    points: Vec<f64>,
    unit_impulses: Vec<f64>,
    works: Vec<f64>,
    parents: Vec<(u32, u16)>,
    first_edge: Vec<usize>,
    edges: Vec<(u16, u32)>,
    /// Why the graph is incomplete, if it is.
    pub(crate) capped: Option<String>,
}

impl StateGraph {
    /// Explores from the pre-impact state. Momenta whose unit contact velocities agree to the contacts' `merge`, which
    /// is below what any reflection changes, are one. With `separate_work`, states that differ in the contacts'
    /// work of compression are kept apart (mixed restitution depends on it).
    pub(crate) fn explore(
        unit: &UnitContacts,
        separate_work: bool,
        budget: &EnumerationBudget,
    ) -> Self {
        let m = unit.len();
        let width = if separate_work { 2 * m } else { m };
        let speed = unit.approach.iter().fold(0.0, |s: f64, z| s.max(z.abs()));
        let mut graph = Self {
            contacts: m,
            width,
            speed,
            points: unit.approach.clone(),
            unit_impulses: vec![0.0; m],
            works: vec![0.0; m],
            parents: vec![(0, 0)],
            first_edge: vec![0],
            edges: Vec::new(),
            capped: None,
        };
        graph.points.resize(width, 0.0);
        let mut near = NearPoints::new(width, unit.widest_merge());
        near.insert(near.bucket(&graph.points));
        let start = Instant::now();
        let mut child = vec![0.0; width];
        let mut node = 0;
        while node < graph.len() {
            if graph.len() > budget.states {
                graph.capped = Some(format!(
                    "more than {} distinct momenta; raise max_states",
                    budget.states
                ));
                break;
            }
            if node % 64 == 0 && budget.wall_time.is_some_and(|t| start.elapsed() > t) {
                graph.capped = Some(format!(
                    "wall time used up after {} distinct momenta; raise max_seconds",
                    graph.len()
                ));
                break;
            }
            for k in 0..m {
                let z = graph.point(node)[k];
                if unit.is_violated(k, z) {
                    graph.child(unit, node, k, &mut child);
                    let target = graph.find_or_insert(&mut near, unit, &child, node, k, z);
                    graph.edges.push((k as u16, target));
                }
            }
            graph.first_edge.push(graph.edges.len());
            node += 1;
        }
        graph
    }

    fn child(&self, unit: &UnitContacts, node: usize, k: usize, child: &mut [f64]) {
        let m = self.contacts;
        child.copy_from_slice(self.point(node));
        let z = unit.reflect(child, k);
        if self.width > m {
            // In units of speed, to be compared with the same tolerance.
            child[m + k] += 0.5 * z * z / self.speed;
        }
    }

    fn find_or_insert(
        &mut self,
        near: &mut NearPoints,
        unit: &UnitContacts,
        point: &[f64],
        node: usize,
        k: usize,
        z: f64,
    ) -> u32 {
        let same = |id: u32| unit.are_same(self.point(id as usize), point);
        let bucket = near.bucket(point);
        if let Some(id) = near.find(bucket, same) {
            return id;
        }
        let id = self.len() as u32;
        near.insert(bucket);
        self.points.extend_from_slice(point);
        let m = self.contacts;
        self.unit_impulses
            .extend_from_within(node * m..(node + 1) * m);
        self.works.extend_from_within(node * m..(node + 1) * m);
        self.unit_impulses[id as usize * m + k] -= 2.0 * z;
        self.works[id as usize * m + k] += 0.5 * z * z;
        self.parents.push((node as u32, k as u16));
        id
    }

    /// Number of nodes found.
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    fn point(&self, node: usize) -> &[f64] {
        &self.points[node * self.width..(node + 1) * self.width]
    }

    /// Unit contact velocities of a node, m.
    pub(crate) fn approach(&self, node: usize) -> &[f64] {
        &self.point(node)[..self.contacts]
    }

    /// λ̂ along the shortest word of a node, m.
    pub(crate) fn unit_impulse(&self, node: usize) -> &[f64] {
        &self.unit_impulses[node * self.contacts..(node + 1) * self.contacts]
    }

    /// Work of compression along the shortest word of a node, m.
    pub(crate) fn work(&self, node: usize) -> &[f64] {
        &self.works[node * self.contacts..(node + 1) * self.contacts]
    }

    /// Reflections that leave a node, as (contact, node reached); empty when it was not expanded.
    pub(crate) fn edges(&self, node: usize) -> &[(u16, u32)] {
        match self.first_edge.get(node + 1) {
            Some(&end) => &self.edges[self.first_edge[node]..end],
            None => &[],
        }
    }

    /// True for a node that was expanded and has no violated contact.
    pub(crate) fn is_leaf(&self, node: usize) -> bool {
        node + 1 < self.first_edge.len() && self.edges(node).is_empty()
    }

    /// The leaves in order of discovery.
    pub(crate) fn leaves(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&node| self.is_leaf(node))
    }

    /// The shortest word of a node, lexicographically first among those.
    pub(crate) fn shortest_word(&self, mut node: usize) -> Vec<usize> {
        let mut word = Vec::new();
        while node != 0 {
            let (parent, letter) = self.parents[node];
            word.push(letter as usize);
            node = parent as usize;
        }
        word.reverse();
        word
    }

    /// Number of words that lead to each node (saturating), and the length of the longest word; `None` when momenta
    /// are so close that merging them closed a circle.
    pub(crate) fn count_words(&self) -> Option<(Vec<u64>, usize)> {
        let mut incoming = vec![0_u32; self.len()];
        for (_, target) in &self.edges {
            incoming[*target as usize] += 1;
        }
        let mut words = vec![0_u64; self.len()];
        let mut longest = vec![0_usize; self.len()];
        words[0] = 1;
        let mut ready = vec![0_usize];
        let mut counted = 0;
        while let Some(node) = ready.pop() {
            counted += 1;
            for &(_, target) in self.edges(node) {
                let target = target as usize;
                words[target] = words[target].saturating_add(words[node]);
                longest[target] = longest[target].max(longest[node] + 1);
                incoming[target] -= 1;
                if incoming[target] == 0 {
                    ready.push(target);
                }
            }
        }
        let longest = longest.into_iter().max().unwrap_or(0);
        (counted == self.len()).then_some((words, longest))
    }

    /// Distance of the explored momenta to the nearest switching hyperplane: within it, in the
    /// kinetic metric, no perturbation of p⁻ changes which contacts are violated at any node.
    pub(crate) fn switching_distance(&self) -> f64 {
        (0..self.len())
            .flat_map(|node| self.approach(node))
            .fold(f64::INFINITY, |least, z| least.min(z.abs()))
    }
}
