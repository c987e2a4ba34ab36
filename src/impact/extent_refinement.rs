//! Extents of a sampled set beyond its samples, by multilevel splitting.
//!
//! The extent of a set is a rare event of its samples: the largest of M uniform samples lies where
//! the probability of exceeding it is about 1/M, and it grows for as long as one cares to sample.
//! Splitting (Au & Beck 2001, *subset simulation*) reaches the same tail with fewer samples: the 256
//! samples with the largest value start Markov chains whose states exceed the 256th; four states of
//! each chain stand for four times as many samples, and the 256 largest of them start the next level.
//! A chain walks on the random words of a sample (reflected steps of random size on a random part of
//! them), so its states are samples of Algorithm 1 of \[HP\] like any other, from the same
//! distribution restricted to the tail.
//!
//! Independent states would multiply the number of samples by 4 on every level. They are correlated,
//! and less is gained where the tail has many separate parts: with four levels the rarest extent of
//! the disk stack (tangential velocity of A) is −0.15 to −0.19 from 2^16 samples (six seeds), as
//! from 2^20 samples without refinement (two seeds: −0.165, −0.179), a factor of 16 rather than 256. Two-contact
//! extents come within 1 % of their suprema, found by maximising over the random numbers.

use super::contact_set::PostImpactSet;
use super::routh_sampler::{Increments, RouthSampler};
use super::sample_random::{RandomWords, SampleRandom};

/// Samples that start the chains of a level.
const SEEDS: usize = 256;
/// States that a chain adds: the factor of one level.
const SPLIT: usize = 4;
/// Proposals between two states.
const MOVES: usize = 4;
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

    /// A symmetric proposal: every word moves with probability 2^−a by up to 2^−b of the range,
    /// reflected at its ends, with a in 0…6 and b in 0…16 drawn at random.
    fn propose(&mut self, random: &mut SampleRandom) {
        let often = random.word() % 7;
        let reach = random.word() % 17;
        for word in &mut self.words {
            let draw = random.word();
            if draw & ((1 << often) - 1) != 0 {
                continue;
            }
            let offset = i128::from(random.word() as i64) >> reach;
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

/// One state of a chain.
#[derive(Debug, Clone)]
struct State {
    value: f64,
    tape: Tape,
}

/// Finds the least or largest velocity of `row`; `None` for an empty set.
pub(crate) fn refine_extent(
    sampler: &mut RouthSampler,
    with: &Increments,
    set: &PostImpactSet,
    row: usize,
    largest: bool,
    levels: usize,
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

    let mut random = SampleRandom::new(set.seed, CHAINS + 2 * row as u64 + u64::from(largest));
    let replay = |index: usize| Tape::record(SampleRandom::new(set.seed, index as u64));
    let mut best = State {
        value: first,
        tape: replay(sample),
    };
    let mut refined = false;
    // Many samples with one value: a mass point, which is the end of the set.
    if first - last > 1e-9 * set.row_unit(row) {
        let mut population: Vec<State> = Vec::new();
        for &(value, index) in &order {
            let mut tape = replay(index);
            sampler.draw(with, &mut tape);
            population.push(State { value, tape });
        }
        for _ in 0..levels {
            run_level(sampler, with, row, sign, &mut population, &mut random);
        }
        if population[0].value > best.value {
            best = population.swap_remove(0);
            refined = true;
        }
    }
    best.tape.next = 0;
    sampler.draw(with, &mut best.tape);
    let r = set.rows();
    let mut extreme = ExtremeSample {
        row,
        largest,
        sample: (!refined).then_some(sample),
        velocity: vec![0.0; r],
        impulse: vec![0.0; r],
    };
    sampler.write_velocity(&mut extreme.velocity);
    sampler.write_impulse(&mut extreme.impulse);
    Some(extreme)
}

/// Replaces the population by the best of the states that its chains visit above its least value.
fn run_level(
    sampler: &mut RouthSampler,
    with: &Increments,
    row: usize,
    sign: f64,
    population: &mut Vec<State>,
    random: &mut SampleRandom,
) {
    let seeds = population.len();
    let threshold = population.iter().fold(f64::INFINITY, |m, s| m.min(s.value));
    let mut states: Vec<State> = Vec::with_capacity(seeds * (SPLIT + 1));
    for seed in population.drain(..) {
        let mut state = seed.clone();
        states.push(seed);
        for _ in 0..SPLIT {
            for _ in 0..MOVES {
                let mut tape = state.tape.clone();
                tape.propose(random);
                let (status, _) = sampler.draw(with, &mut tape);
                let value = sign * sampler.row_velocity(row);
                if status.in_set() && value >= threshold {
                    state = State { value, tape };
                }
            }
            states.push(state.clone());
        }
    }
    states.sort_by(|a, b| b.value.total_cmp(&a.value));
    states.truncate(seeds);
    *population = states;
}
