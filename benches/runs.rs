//! Times of whole runs with contacts, of one strike and of one row of output. Identifiers are stable: `run/tripod` (2 s),
//! `run/collapse` (1 s), `run/dry` (0.1 s), `run/humanoid` (1 s), `run/self`
//! (0.5 s), `run/bump` (0.5 s), `run/stairs` (1 s), `run/objects` (1 s), `event/locate`, `series/row`.
//!
//! A run is that of its scenario from the start, steps and events alone, without output.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use run_cases::{RowCase, RunCase, StrikeCase};

#[path = "support/run_cases.rs"]
mod run_cases;

fn runs(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("run");
    group.sample_size(10).warm_up_time(Duration::from_millis(1));
    for (name, case) in [
        ("tripod", RunCase::tripod(2.0)),
        ("collapse", RunCase::collapse(1.0)),
        ("dry", RunCase::dry(0.1)),
        ("humanoid", RunCase::humanoid(1.0)),
        ("self", RunCase::own_links(0.5)),
        ("bump", RunCase::bump(0.5)),
        ("stairs", RunCase::stairs(1.0)),
        ("objects", RunCase::objects(1.0)),
    ] {
        group.bench_function(name, |b| b.iter(|| black_box(&case).run()));
    }
    group.finish();
}

/// A step in which one contact strikes: the strike is located, resolved and held, and the rest of the step taken.
fn locate(criterion: &mut Criterion) {
    let case = StrikeCase::new();
    criterion.bench_function("event/locate", |b| {
        b.iter_batched_ref(
            || case.before(),
            |simulation| case.strike(simulation),
            BatchSize::SmallInput,
        );
    });
}

/// One row of `series.csv` with 60 columns.
fn row(criterion: &mut Criterion) {
    let mut case = RowCase::standing();
    criterion.bench_function("series/row", |b| b.iter(|| black_box(&mut case).write()));
}

criterion_group!(whole, runs, locate, row);
criterion_main!(whole);
