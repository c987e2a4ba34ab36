//! PLUS on one point of a brick.

use std::hint::black_box;

use carom::impact::{ImpactLaw, Plus};
use criterion::Criterion;
use nalgebra::DVector;

use crate::impact_cases::brick_vertex;

pub fn brick(criterion: &mut Criterion) {
    let space = brick_vertex();
    let mut law = Plus::default();
    let mut impulse = DVector::zeros(3);
    let report = law.impulse(&space, &mut impulse).expect("a valid problem");
    assert_eq!(report.steps, 116);
    criterion.bench_function("impact/plus", |bencher| {
        bencher.iter(|| law.impulse(black_box(&space), &mut impulse));
    });
}
