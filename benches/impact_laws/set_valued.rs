//! The LCP laws on the planar examples of [HP].

use std::hint::black_box;

use carom::impact::examples::{
    ImpactExample, box_and_wall, compass_gait, disk_stack, ramone, rocking_block,
};
use carom::impact::routh::{RouthSettings, sample_set};
use carom::impact::{AnitescuPotra, ImpactLaw, Routh};
use criterion::{BenchmarkId, Criterion, Throughput};
use nalgebra::DVector;

fn examples() -> Vec<ImpactExample> {
    let all = [
        rocking_block(),
        compass_gait(),
        box_and_wall(),
        ramone(),
        disk_stack(1.0),
    ];
    all.into_iter().map(|e| e.expect("fixed numbers")).collect()
}

fn settings(example: &ImpactExample) -> RouthSettings {
    RouthSettings {
        step: Some(example.step),
        max_steps: example.max_steps,
        ..RouthSettings::default()
    }
}

/// One sample by the kernel that the simulation calls, the setting up of the LCP included.
pub fn routh(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("impact/routh");
    for example in examples() {
        let mut law = Routh::new(settings(&example)).expect("in range");
        let space = example.problem.contact_space();
        let mut impulse = DVector::zeros(space.rows());
        group.bench_function(BenchmarkId::from_parameter(example.name), |b| {
            b.iter(|| law.impulse(black_box(space), &mut impulse));
        });
    }
    group.finish();
}

/// Increments as a set draws them, on one thread: time per LCP.
pub fn routh_increment(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("impact/routh-increment");
    group.sample_size(20);
    for example in examples() {
        let settings = RouthSettings {
            samples: 1 << 12,
            jobs: 1,
            extent_samples: 0,
            ..settings(&example)
        };
        let set = sample_set(&example.problem, &settings).expect("a thread");
        let increments = set.lcps_per_sample() * set.len() as f64;
        group.throughput(Throughput::Elements(increments as u64));
        group.bench_function(BenchmarkId::from_parameter(example.name), |b| {
            b.iter(|| sample_set(black_box(&example.problem), &settings));
        });
    }
    group.finish();
}

/// One solution of the simultaneous LCP, and all of them.
pub fn anitescu_potra(criterion: &mut Criterion) {
    for (name, all) in [
        ("impact/anitescu-potra", false),
        ("impact/anitescu-potra-all", true),
    ] {
        let mut group = criterion.benchmark_group(name);
        for example in examples() {
            let mut law = match all {
                true => AnitescuPotra::all_solutions(),
                false => AnitescuPotra::default(),
            };
            let space = example.problem.contact_space();
            let mut impulse = DVector::zeros(space.rows());
            group.bench_function(BenchmarkId::from_parameter(example.name), |b| {
                if all {
                    b.iter(|| law.resolve(black_box(&example.problem)));
                } else {
                    b.iter(|| law.impulse(black_box(space), &mut impulse));
                }
            });
        }
        group.finish();
    }
}
