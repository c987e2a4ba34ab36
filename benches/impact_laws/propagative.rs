//! The propagative law: one order, and all of them.

use std::hint::black_box;

use carom::impact::propagative::EnumerationBudget;
use carom::impact::{ImpactLaw, Propagative, verdict};
use criterion::{BenchmarkId, Criterion};
use nalgebra::DVector;

use crate::impact_cases::{cradle, seven_contacts};

/// One order, by the kernel that the simulation calls.
pub fn single(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("impact/propagative");
    for m in [1, 2, 3, 4, 5, 6, 7, 8, 12] {
        let problem = cradle(m, |_| 1.0);
        let mut law = Propagative::default();
        let mut impulse = DVector::zeros(m);
        group.bench_function(BenchmarkId::from_parameter(m), |b| {
            b.iter(|| law.impulse(black_box(problem.contact_space()), &mut impulse));
        });
    }
    group.finish();
}

/// All orders of a chain of unequal balls, where no certificate shortens the work, and of seven contacts
/// with thousands of outcomes.
pub fn enumerate(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("impact/enumerate");
    group.sample_size(20);
    for m in 1..=6 {
        let problem = cradle(m, |i| 1.0 + 0.1 * i as f64);
        let norm = problem.kinetic_norm(problem.momentum());
        let budget = EnumerationBudget::default();
        group.bench_function(BenchmarkId::from_parameter(m), |b| {
            b.iter(|| verdict(black_box(problem.contact_space()), norm, &budget));
        });
    }
    let problem = seven_contacts();
    let norm = problem.kinetic_norm(problem.momentum());
    let budget = EnumerationBudget::default();
    group.bench_function("seven", |b| {
        b.iter(|| verdict(black_box(problem.contact_space()), norm, &budget));
    });
    group.finish();
}
