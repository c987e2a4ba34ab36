//! Time of one 1 ms step at residual tolerance 1e-10. Identifiers are stable: `step/chain/<n>`, `step/hexapod/free`,
//! `step/hexapod/standing`, `step/trex`, `derivatives/chain/8`,
//! `derivatives/hexapod/standing`.
//!
//! Free steps are solved again and again from the state after 0.1 s, from the starting value that a run would have.

use std::hint::black_box;

use carom::discrete::linearization::{HeldDerivatives, StepDerivatives};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use step_cases::{FreeCase, StandingCase, falling_chain, falling_hexapod, falling_trex};

#[path = "support/step_cases.rs"]
mod step_cases;

fn free(criterion: &mut Criterion, id: &str, mut case: FreeCase) {
    criterion.bench_function(id, |b| b.iter(|| black_box(&mut case).step()));
}

fn chains(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("step/chain");
    for n in [1, 2, 4, 8, 16, 32, 64, 128] {
        let mut case = falling_chain(n);
        group.bench_function(BenchmarkId::from_parameter(n), |b| {
            b.iter(|| black_box(&mut case).step())
        });
    }
    group.finish();
}

fn hexapod_free(criterion: &mut Criterion) {
    free(criterion, "step/hexapod/free", falling_hexapod());
}

fn hexapod_standing(criterion: &mut Criterion) {
    let mut case = StandingCase::settled();
    criterion.bench_function("step/hexapod/standing", |b| {
        b.iter(|| black_box(&mut case).advance());
    });
}

fn trex(criterion: &mut Criterion) {
    free(criterion, "step/trex", falling_trex());
}

/// All first derivatives of a solved step, by state, forces and time.
fn derivatives(criterion: &mut Criterion) {
    let mut case = falling_chain(8);
    case.step();
    let mut derivatives = StepDerivatives::new(&case.model);
    criterion.bench_function("derivatives/chain/8", |b| {
        b.iter(|| black_box(&case).differentiate(&mut derivatives));
    });
    let case = StandingCase::settled();
    let mut derivatives = HeldDerivatives::new(&case.model);
    criterion.bench_function("derivatives/hexapod/standing", |b| {
        b.iter(|| black_box(&case).differentiate(&mut derivatives));
    });
}

criterion_group!(
    step,
    chains,
    hexapod_free,
    hexapod_standing,
    trex,
    derivatives
);
criterion_main!(step);
