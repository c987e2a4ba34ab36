//! Stronge's law on the impact of an icosahedron and a tetrahedron.

use std::hint::black_box;

use carom::impact::{ImpactLaw, Stronge};
use criterion::Criterion;
use nalgebra::DVector;

use crate::impact_cases::two_polyhedra;

pub fn single(criterion: &mut Criterion) {
    let space = two_polyhedra();
    let mut law = Stronge::default();
    let mut impulse = DVector::zeros(3);
    criterion.bench_function("impact/stronge", |bencher| {
        bencher.iter(|| law.impulse(black_box(&space), &mut impulse));
    });
}
