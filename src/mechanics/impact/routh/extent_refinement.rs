//! Extents of a sampled set beyond its samples: what many more samples would reach, and how far a directed
//! search gets.
//!
//! The extent of a set is a rare event of its samples: the largest of M uniform samples lies where the
//! probability of exceeding it is about 1/M, and it grows for as long as one cares to sample. So two
//! different questions have answers, and both are given for each row and side.
//!
//! **What is exceeded with probability 1/N?** Multilevel splitting (Au & Beck 2001, *subset simulation*). The
//! [`SEEDS`] samples with the largest value start Markov chains whose states exceed the least of them; of k states
//! for each seed the [`SEEDS`] largest start the next level, whose probability is k times smaller, until it is 1/N.
//! The least of them then is the wanted quantile. It scatters less than the largest of N samples, of which it is
//! about the median; the states of a chain are correlated, so where the tail has many parts (the disk stack) it
//! still scatters by some 15 %. All states are trajectories of Algorithm 1 of \[HP\] like any other. A level whose
//! states agree to [`FLAT`] of their value ends the search: the tail is flat.
//!
//! **How far can it go?** A random local search from the best state found climbs to an end of the set, with no
//! regard to probability ([`ExtremeSample::reach`]). It gives a lower bound of the supremum. Where the end has
//! little probability, this is far beyond what samples reach.
//!
//! Both walk on the random words of a trajectory: the sizes of the increments and the choices among solutions.
//! Neither enters any fraction or mean, which are over the uniform samples alone.

use super::contact_set::PostImpactSet;
use super::sampler::{Increments, RouthSampler};
use crate::impact::sample_random::{RandomWords, SampleRandom};

/// Samples that start the chains of a level.
const SEEDS: usize = 64;
/// Factor between the probabilities of two levels.
const SPLIT: usize = 4;
/// Samples of a set below which there are too few to start from.
pub(crate) const FEWEST_REFINED: usize = SEEDS * SPLIT;
/// Proposals between two states: with fewer the chains hardly leave the part of the tail that they start in.
const MOVES: usize = 16;
/// Spread of the values of a level, as a share of the largest, at which the tail is flat.
const FLAT: f64 = 1e-4;
/// Proposals of the directed search.
const CLIMB: usize = 2000;
/// Where the random numbers of the chains begin, apart from those of samples.
const CHAINS: u64 = 1 << 63;

/// The sample with the least or the largest velocity of one row.
#[derive(Debug, Clone, PartialEq)]
pub struct ExtremeSample {
    /// The row.
    pub row: usize,
    /// Largest (or least) velocity.
    pub largest: bool,
    /// Number of the sample; `None` for one that refinement found.
    pub sample: Option<usize>,
    /// Contact velocities \[m/s\], r.
    pub velocity: Vec<f64>,
    /// Contact impulses \[N s\], r.
    pub impulse: Vec<f64>,
    /// The farthest velocity of the row that a directed search found \[m/s\], whatever its probability.
    pub reach: f64,
}

/// A run of random words: recorded ones first, then fresh ones that are recorded.
#[derive(Debug, Clone)]
struct Tape {
    words: Vec<u64>,
    next: usize,
    fresh: SampleRandom,
}

impl RandomWords for Tape {
    fn word(&mut self) -> u64 {
        if self.next == self.words.len() {
            self.words.push(self.fresh.word());
        }
        self.next += 1;
        self.words[self.next - 1]
    }
}

impl Tape {
    fn record(fresh: SampleRandom) -> Self {
        Self {
            words: Vec::new(),
            next: 0,
            fresh,
        }
    }

    /// A symmetric proposal: every word changes with probability 2^−a, a in 0…6 drawn at random. It is drawn
    /// anew (`reach` = 0) or moves by up to 2^−reach of the range, reflected at its ends.
    fn propose(&mut self, reach: u64, random: &mut SampleRandom) {
        let often = random.word() % 7;
        for word in &mut self.words {
            let draw = random.word();
            if draw & ((1 << often) - 1) != 0 {
                continue;
            }
            let fresh = random.word();
            if reach == 0 {
                *word = fresh;
                continue;
            }
            let offset = i128::from(fresh as i64) >> reach;
            let mut moved = i128::from(*word) + 2 * offset;
            let end = i128::from(u64::MAX);
            while !(0..=end).contains(&moved) {
                moved = if moved < 0 {
                    -1 - moved
                } else {
                    2 * end + 1 - moved
                };
            }
            *word = moved as u64;
        }
        self.next = 0;
    }
}

/// One trajectory and the value that is sought to be large.
#[derive(Debug, Clone)]
struct State {
    value: f64,
    tape: Tape,
}

/// The search for one end of one row.
struct Search<'a> {
    sampler: &'a mut RouthSampler,
    with: &'a Increments,
    row: usize,
    sign: f64,
    random: SampleRandom,
}

impl Search<'_> {
    /// Runs a changed copy of a trajectory; none when it does not end in the set.
    fn neighbour(&mut self, of: &State, reach: u64) -> Option<State> {
        let mut tape = of.tape.clone();
        tape.propose(reach, &mut self.random);
        let (status, _) = self.sampler.draw(self.with, &mut tape);
        let value = self.sign * self.sampler.row_velocity(self.row);
        status.in_set().then_some(State { value, tape })
    }

    /// Fills the population up to `factor` states for each of its members, all at least of its least value, and
    /// keeps as many as it had, the best ones.
    fn level(&mut self, population: &mut Vec<State>, factor: usize) {
        let seeds = population.len();
        let threshold = population.iter().fold(f64::INFINITY, |m, s| m.min(s.value));
        let mut states: Vec<State> = Vec::with_capacity(seeds * factor);
        for seed in population.drain(..) {
            let mut state = seed.clone();
            states.push(seed);
            for _ in 1..factor {
                for _ in 0..MOVES {
                    let reach = self.random.word() % 3;
                    if let Some(next) = self.neighbour(&state, reach)
                        && next.value >= threshold
                    {
                        state = next;
                    }
                }
                states.push(state.clone());
            }
        }
        states.sort_by(|a, b| b.value.total_cmp(&a.value));
        states.truncate(seeds);
        *population = states;
    }

    /// Climbs from a state as far as it gets.
    fn climb(&mut self, from: &State) -> f64 {
        let mut best = from.clone();
        for _ in 0..CLIMB {
            let reach = self.random.word() % 24;
            if let Some(next) = self.neighbour(&best, reach)
                && next.value >= best.value
            {
                best = next;
            }
        }
        best.value
    }
}

/// Finds the velocity of `row` beyond which one in `wanted` trajectories gets on one side, or the farthest sample
/// where that is farther; `None` for an empty set.
pub(crate) fn refine_extent(
    sampler: &mut RouthSampler,
    with: &Increments,
    set: &PostImpactSet,
    row: usize,
    largest: bool,
    wanted: usize,
) -> Option<ExtremeSample> {
    let sign = if largest { 1.0 } else { -1.0 };
    let mut order: Vec<(f64, usize)> = set.members().map(|(i, v)| (sign * v[row], i)).collect();
    let descending = |a: &(f64, usize), b: &(f64, usize)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    let seeds = SEEDS.min(order.len() / SPLIT).max(1);
    if order.len() > seeds {
        order.select_nth_unstable_by(seeds, descending);
        order.truncate(seeds);
    }
    order.sort_by(descending);
    let &(first, sample) = order.first()?;
    let (last, _) = *order.last()?;

    let replay = |index: usize| Tape::record(SampleRandom::new(set.seed, index as u64));
    let mut search = Search {
        sampler,
        with,
        row,
        sign,
        random: SampleRandom::new(set.seed, CHAINS + 2 * row as u64 + u64::from(largest)),
    };
    let mut best = State {
        value: first,
        tape: replay(sample),
    };
    search.sampler.draw(with, &mut best.tape);
    let mut refined = false;
    let mut reach = first;
    // Many samples with one value: a mass point, which is the end of the set.
    if wanted > set.len() && first - last > 1e-9 * set.row_unit(row) {
        let mut population: Vec<State> = Vec::new();
        for &(value, index) in &order {
            let mut tape = replay(index);
            search.sampler.draw(with, &mut tape);
            population.push(State { value, tape });
        }
        let mut furthest = population[0].clone();
        let mut share = seeds as f64 / set.len() as f64;
        while share * wanted as f64 >= 2.0 {
            let factor = SPLIT.min((share * wanted as f64) as usize);
            search.level(&mut population, factor);
            share /= factor as f64;
            if population[0].value > furthest.value {
                furthest = population[0].clone();
            }
            let spread = population[0].value - population[seeds - 1].value;
            if spread <= FLAT * population[0].value.abs() {
                break;
            }
        }
        // The least of the population has the wanted probability of being exceeded.
        if let Some(quantile) = population.pop()
            && quantile.value > best.value
        {
            best = quantile;
            refined = true;
        }
        reach = search.climb(&furthest);
    }
    best.tape.next = 0;
    search.sampler.draw(with, &mut best.tape);
    let r = set.rows();
    let mut extreme = ExtremeSample {
        row,
        largest,
        sample: (!refined).then_some(sample),
        velocity: vec![0.0; r],
        impulse: vec![0.0; r],
        reach: sign * reach,
    };
    search.sampler.write_velocity(&mut extreme.velocity);
    search.sampler.write_impulse(&mut extreme.impulse);
    Some(extreme)
}
