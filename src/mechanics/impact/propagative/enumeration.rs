//! All outcomes of an impact: every admissible order of reflections.

use nalgebra::DVector;

use super::analysis::{Analysis, FoundOutcome};
use super::diameter::diameter;
use super::minimality::{all_words, minimal_words};
use super::near_points::NearPoints;
use super::state_graph::{EnumerationBudget, StateGraph};
use crate::impact::order::ReflectionOrder;
use crate::impact::verdict::{DISTINCT, Doubt, Ground};
use crate::impact::{ImpactStatus, Uniqueness};

/// Reflections of a single run that samples a tree too large to be enumerated.
const SAMPLE_REFLECTIONS: u64 = 1_000_000;
/// Sequences examined in the search for minimal ones, for each that may be listed.
const EXAMINED_PER_WORD: usize = 10;
/// Random orders among those samples.
const SAMPLE_SEEDS: u64 = 16;

/// The outcomes found, and whether they are all.
#[derive(Debug, Clone)]
pub(crate) struct Enumeration {
    /// Distinct outcomes.
    pub(crate) outcomes: Vec<FoundOutcome>,
    /// Why outcomes may be missing, if they may.
    pub(crate) capped: Option<String>,
    /// Why sequences are not listed or not known to be minimal, although the outcomes are complete.
    pub(crate) unlisted: Option<String>,
    /// Distinct momenta explored.
    pub(crate) states: usize,
    /// Number of admissible sequences (saturating), when complete.
    pub(crate) words: u64,
    /// Length of the longest admissible sequence, when complete.
    pub(crate) longest: u64,
    /// Kinetic distance of p⁻ to the nearest change of the set of admissible sequences.
    pub(crate) switching_distance: Option<f64>,
}

impl Enumeration {
    /// Explores all orders. With `list` the sequences of each outcome are listed and the minimal ones found.
    pub(crate) fn run(analysis: &Analysis, budget: &EnumerationBudget, list: bool) -> Self {
        if analysis.is_feasible() || analysis.is_plastic() {
            return Self::complete(vec![analysis.without_sequence()]);
        }
        if let Some(plane) = analysis.long_plane() {
            let found = (0..2)
                .filter_map(|first| plane.sequence(first, analysis.unit.floor[first]))
                .map(|sequence| analysis.alternating(plane, &sequence));
            let mut distinct = Distinct::new(analysis);
            for outcome in found {
                distinct.add(outcome);
            }
            return Self::complete(distinct.outcomes);
        }
        let separate_work =
            !analysis.unit.uniform_restitution() && !analysis.unit.all_restitution(1.0);
        let mut graph = StateGraph::explore(&analysis.unit, separate_work, budget);
        let mut distinct = Distinct::new(analysis);
        let (words, longest) = graph.count_words().unwrap_or_else(|| {
            graph.capped = Some("momenta too close to be told apart".to_string());
            (vec![0; graph.len()], 0)
        });
        let mut outcome_of_leaf = Vec::new();
        for leaf in graph.leaves() {
            let found = reached_outcome(
                analysis,
                graph.unit_impulse(leaf),
                graph.work(leaf),
                graph.shortest_word(leaf),
                words[leaf],
            );
            outcome_of_leaf.push((leaf, distinct.add(found)));
        }
        if graph.capped.is_some() {
            sample(analysis, &mut distinct);
        }
        let mut enumeration = Self {
            outcomes: Vec::new(),
            states: graph.len(),
            words: graph
                .leaves()
                .fold(0, |sum: u64, leaf| sum.saturating_add(words[leaf])),
            longest: longest as u64,
            switching_distance: graph.capped.is_none().then(|| graph.switching_distance()),
            capped: graph.capped.clone(),
            unlisted: None,
        };
        if list {
            enumeration.list_all(&graph, &outcome_of_leaf, budget, &mut distinct);
            enumeration.list_minimal(budget, &mut distinct);
        }
        enumeration.outcomes = distinct.outcomes;
        enumeration
    }

    fn complete(outcomes: Vec<FoundOutcome>) -> Self {
        Self {
            states: outcomes.len(),
            words: outcomes.iter().map(|o| o.words).sum(),
            longest: outcomes.iter().map(|o| o.reflections).max().unwrap_or(0),
            outcomes,
            capped: None,
            unlisted: None,
            switching_distance: None,
        }
    }

    /// Lists the sequences of each outcome.
    fn list_all(
        &mut self,
        graph: &StateGraph,
        outcome_of_leaf: &[(usize, usize)],
        budget: &EnumerationBudget,
        distinct: &mut Distinct<'_>,
    ) {
        if graph.capped.is_some() {
            self.unlisted.clone_from(&self.capped);
        } else if self.words > budget.words as u64 {
            self.unlisted = Some(format!(
                "{} admissible sequences, more than {}; raise max_words to list them",
                self.words, budget.words
            ));
        } else {
            for (leaf, word) in all_words(graph) {
                if let Ok(at) = outcome_of_leaf.binary_search_by_key(&leaf, |&(node, _)| node) {
                    distinct.outcomes[outcome_of_leaf[at].1]
                        .sequences
                        .push(word);
                }
            }
        }
    }

    /// Lists the minimal sequences and orders the outcomes by their first one.
    fn list_minimal(&mut self, budget: &EnumerationBudget, distinct: &mut Distinct<'_>) {
        let analysis = distinct.analysis;
        let examined = budget.words.saturating_mul(EXAMINED_PER_WORD);
        let Some(minimal) = minimal_words(&analysis.unit, examined) else {
            self.unlisted = Some(format!(
                "more than {examined} sequences to be examined for minimal ones; raise max_words"
            ));
            return;
        };
        let mut rank = vec![usize::MAX; distinct.outcomes.len()];
        for (position, reached) in minimal.into_iter().enumerate() {
            let word: Vec<usize> = reached.word.iter().copied().map(usize::from).collect();
            let found = reached_outcome(
                analysis,
                &reached.unit_impulse,
                &reached.work,
                word.clone(),
                0,
            );
            let at = distinct.add(found);
            rank.resize(distinct.outcomes.len(), usize::MAX);
            let outcome = &mut distinct.outcomes[at];
            if rank[at] == usize::MAX {
                rank[at] = position;
                outcome.reflections = word.len() as u64;
                outcome.sequence = Some(word.clone());
            }
            outcome.minimal_sequences.push(word);
        }
        for (outcome, &rank) in distinct.outcomes.iter_mut().zip(&rank) {
            outcome.minimal = Some(rank != usize::MAX);
        }
        let mut order: Vec<usize> = (0..rank.len()).collect();
        order.sort_by_key(|&at| rank[at]);
        distinct.outcomes = order
            .iter()
            .map(|&at| distinct.outcomes[at].clone())
            .collect();
    }

    /// ξ = largest distance of two outcomes over ‖p⁻‖.
    pub(crate) fn indeterminacy(&self, analysis: &Analysis) -> f64 {
        let changes: Vec<&DVector<f64>> = self.outcomes.iter().map(|o| &o.change).collect();
        relative_diameter(&changes, analysis.scale)
    }

    /// ξ over the outcomes that minimal sequences reach.
    pub(crate) fn minimal_indeterminacy(&self, analysis: &Analysis) -> f64 {
        let changes: Vec<&DVector<f64>> = self
            .outcomes
            .iter()
            .filter(|o| !o.minimal_sequences.is_empty())
            .map(|o| &o.change)
            .collect();
        relative_diameter(&changes, analysis.scale)
    }

    /// Whether the outcome is unique: by the certificate, by complete enumeration, or refuted by
    /// two outcomes.
    pub(crate) fn uniqueness(&self, analysis: &Analysis) -> Uniqueness {
        let complete = self.capped.is_none();
        let single = analysis.uniqueness_of_any_order().unwrap_or(if complete {
            Uniqueness::unique(Ground::EveryOrderAgrees)
        } else {
            Uniqueness::undecided(Doubt::BudgetSpent)
        });
        Uniqueness::counted(
            self.outcomes.len(),
            complete,
            self.indeterminacy(analysis),
            single,
        )
    }
}

/// The outcome of a sequence, with restitution.
fn reached_outcome(
    analysis: &Analysis,
    elastic: &[f64],
    work: &[f64],
    sequence: Vec<usize>,
    words: u64,
) -> FoundOutcome {
    let mut unit_impulse = elastic.to_vec();
    let blend = analysis
        .blend
        .apply(&analysis.unit, work, &mut unit_impulse);
    FoundOutcome {
        change: analysis.normals.momentum_change(&unit_impulse),
        unit_impulse,
        blend,
        reflections: sequence.len() as u64,
        sequence: Some(sequence),
        minimal: None,
        words,
        sequences: Vec::new(),
        minimal_sequences: Vec::new(),
        status: ImpactStatus::Resolved,
    }
}

/// Single runs in all orders: a few outcomes of a tree that is too large.
fn sample(analysis: &Analysis, distinct: &mut Distinct<'_>) {
    let orders = ReflectionOrder::ALL
        .into_iter()
        .filter(|&order| order != ReflectionOrder::Random)
        .map(|order| (order, 0))
        .chain((0..SAMPLE_SEEDS).map(|seed| (ReflectionOrder::Random, seed)));
    for (order, seed) in orders {
        let mut outcome = analysis.single(order, seed, SAMPLE_REFLECTIONS);
        if outcome.status == ImpactStatus::Resolved {
            outcome.words = 0;
            distinct.add(outcome);
        }
    }
}

impl Analysis {
    /// Whether two outcomes count as one.
    pub(crate) fn are_one(&self, a: &FoundOutcome, b: &FoundOutcome) -> bool {
        (&a.change - &b.change).norm() <= DISTINCT * self.reach
    }
}

/// Outcomes that differ by more than 1e-9 of the momentum that takes part.
struct Distinct<'a> {
    analysis: &'a Analysis,
    near: NearPoints,
    outcomes: Vec<FoundOutcome>,
}

impl<'a> Distinct<'a> {
    fn new(analysis: &'a Analysis) -> Self {
        let tolerance = DISTINCT * analysis.reach;
        Self {
            analysis,
            near: NearPoints::new(analysis.normals.vectors.nrows(), tolerance),
            outcomes: Vec::new(),
        }
    }

    /// Adds an outcome, or its words to the one it equals. Returns the index of the outcome.
    fn add(&mut self, outcome: FoundOutcome) -> usize {
        let same = |id: u32| self.analysis.are_one(&self.outcomes[id as usize], &outcome);
        let bucket = self.near.bucket(outcome.change.as_slice());
        if let Some(id) = self.near.find(bucket, same) {
            let known = &mut self.outcomes[id as usize];
            known.words = known.words.saturating_add(outcome.words);
            known.sequences.extend(outcome.sequences);
            known.minimal_sequences.extend(outcome.minimal_sequences);
            return id as usize;
        }
        let id = self.outcomes.len();
        self.near.insert(bucket);
        self.outcomes.push(outcome);
        id
    }
}

/// Largest distance of two points over `scale`, 0 for a scale of 0.
fn relative_diameter(points: &[&DVector<f64>], scale: f64) -> f64 {
    if scale == 0.0 {
        return 0.0;
    }
    diameter(points) / scale
}
