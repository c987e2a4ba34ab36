//! The global stage: the nearest root from several starting points, each reproducible on its own.
//!
//! Start 0 is the problem's own start; start k is drawn uniformly within the bounds (an infinite bound: two
//! scales from the start) by a generator seeded by the seed and k. Records of finished starts can be stored and
//! given back, so that a search stopped midway goes on where it was.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde::{Deserialize, Serialize};

use crate::design::progress::Watch;
use crate::design::{DesignError, DesignProblem, DesignSettings, DesignSolution, DesignStatus};

/// How one start ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartRecord {
    /// Number of the start.
    pub start: u64,
    /// Where the iteration began.
    pub from: Vec<f64>,
    /// Root or compromise; `None` when it failed.
    pub status: Option<DesignStatus>,
    /// Distance of the design to the problem's start, in scales; `None` when it failed.
    pub distance: Option<f64>,
    /// Why it failed.
    pub error: Option<String>,
}

impl DesignProblem {
    /// Where start number `start` begins.
    #[must_use]
    pub fn start_point(&self, seed: u64, start: u64) -> Vec<f64> {
        if start == 0 {
            return self.start();
        }
        // Odd multiplier: different starts get different streams for every seed.
        let mixed = seed ^ start.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(mixed);
        let draw = |v: &crate::design::Variable| {
            let (low, high) = v.search_range();
            let unit = (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
            low + (high - low) * unit
        };
        self.variables().iter().map(draw).collect()
    }
}

/// Runs start number `start`. A failure is a record, not an error.
pub fn solve_start(
    problem: &DesignProblem,
    settings: &DesignSettings,
    seed: u64,
    start: u64,
    watch: Watch<'_>,
) -> (StartRecord, Result<DesignSolution, DesignError>) {
    let from = problem.start_point(seed, start);
    solve_numbered(problem, settings, start, from, watch)
}

/// Runs a start from a point that was found otherwise, under a number of its own.
pub fn solve_numbered(
    problem: &DesignProblem,
    settings: &DesignSettings,
    start: u64,
    from: Vec<f64>,
    watch: Watch<'_>,
) -> (StartRecord, Result<DesignSolution, DesignError>) {
    let solved = problem.solve_from(&from, settings, watch);
    let record = StartRecord {
        start,
        from,
        status: solved.as_ref().ok().map(|s| s.status),
        distance: solved.as_ref().ok().map(|s| s.distance),
        error: solved.as_ref().err().map(ToString::to_string),
    };
    (record, solved)
}

/// The best of several starts: roots before compromises, then the nearest, then the first.
#[must_use]
pub fn best_start(records: &[StartRecord]) -> Option<&StartRecord> {
    let rank = |r: &StartRecord| match r.status {
        Some(DesignStatus::Converged) => 0,
        Some(DesignStatus::Compromise) => 1,
        None => 2,
    };
    let far = |r: &StartRecord| r.distance.unwrap_or(f64::INFINITY);
    records.iter().min_by(|a, b| {
        rank(a)
            .cmp(&rank(b))
            .then(far(a).total_cmp(&far(b)))
            .then(a.start.cmp(&b.start))
    })
}
