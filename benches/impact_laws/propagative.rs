//! The propagative law: one order, and all of them.

use std::hint::black_box;

use carom::impact::{
    Contact, EnumerationBudget, ImpactLaw, ImpactProblem, PreImpact, Propagative, verdict,
};
use criterion::{BenchmarkId, Criterion};
use nalgebra::{DMatrix, DVector};

/// m + 1 balls on a line in full collision; equal balls are certified, others are not.
fn cradle(m: usize, mass: impl Fn(usize) -> f64) -> ImpactProblem {
    let contacts: Vec<Contact> = (0..m)
        .map(|i| {
            let mut u = DVector::zeros(m + 1);
            u[i] = -1.0;
            u[i + 1] = 1.0;
            Contact::new(&format!("c{i}"), u)
        })
        .collect();
    ImpactProblem::new(
        DMatrix::from_diagonal(&DVector::from_fn(m + 1, |i, _| mass(i))),
        PreImpact::Velocity(DVector::from_fn(m + 1, |i, _| -(i as f64))),
        &contacts,
    )
    .expect("a valid problem")
}

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

/// All orders of a chain of unequal balls, where no certificate shortens the work.
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
    group.finish();
}
