//! Times of steps as the other engines are timed: from rest, 100 steps of 1 ms, then the next 100 by the clock.
//! Pieces are short, so that most are not interrupted on a busy machine.

use std::hint::black_box;
use std::time::{Duration, Instant};

use carom::discrete::linearization::{HeldDerivatives, StepDerivatives};

use crate::step_cases::{STEP, StandingCase, chain_at_rest, falling_chain, hexapod_at_rest};

const MOTIONS: usize = 25;

/// Steps before the timed ones.
const STEPS: usize = 100;

/// Timed pieces of every motion, and their steps.
const PIECES: usize = 4;
const PIECE: usize = 25;

/// Work before the first clock: an idle processor takes a while to run at its full rate.
const WARM_UP: Duration = Duration::from_secs(1);

pub fn steps() {
    let start = Instant::now();
    let mut case = chain_at_rest(64, STEP, 2);
    while start.elapsed() < WARM_UP {
        black_box(case.advance());
    }
    for n in [1, 4, 8, 16, 32, 64, 128] {
        let rest = chain_at_rest(n, STEP, 2);
        report(&format!("step/chain/{n}"), || {
            let mut case = rest.clone();
            move || case.advance().residual
        });
    }
    let rest = hexapod_at_rest();
    report("step/hexapod/free", || {
        let mut case = rest.clone();
        move || case.advance().residual
    });
    report("step/hexapod/standing", || {
        let mut case = StandingCase::new();
        move || case.advance().residual
    });
    report("derivatives/chain/8", || {
        let mut case = falling_chain(8);
        let residual = case.step().residual;
        let mut derivatives = StepDerivatives::new(&case.model);
        move || {
            black_box(&case).differentiate(&mut derivatives);
            residual
        }
    });
    report("derivatives/hexapod/standing", || {
        let mut case = StandingCase::settled();
        let residual = case.advance().residual;
        let mut derivatives = HeldDerivatives::new(&case.model);
        move || {
            black_box(&case).differentiate(&mut derivatives);
            residual
        }
    });
}

/// Prints the median time of a step and the largest residual.
fn report<Step: FnMut() -> f64>(id: &str, start: impl Fn() -> Step) {
    let mut largest = 0.0_f64;
    let mut times = Vec::new();
    for _ in 0..MOTIONS {
        let mut step = start();
        for _ in 0..STEPS {
            step();
        }
        for _ in 0..PIECES {
            let clock = Instant::now();
            for _ in 0..PIECE {
                largest = largest.max(step());
            }
            times.push(clock.elapsed().as_secs_f64() / PIECE as f64 * 1e6);
        }
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    println!(r#"{{"id": "{id}", "median_us": {median:.4}, "largest_residual": {largest:e}}}"#);
}
