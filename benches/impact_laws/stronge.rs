//! Stronge's law on the impact of an icosahedron and a tetrahedron.

use std::hint::black_box;

use carom::impact::{ContactRows, ContactSpace, ImpactLaw, Stronge};
use criterion::Criterion;
use nalgebra::{DVector, dmatrix, dvector};

/// The icosahedron and the tetrahedron of [JW] §2: slides, ends compression, sticks.
pub fn single(criterion: &mut Criterion) {
    let space = ContactSpace {
        delassus: dmatrix![
            2.59042, 2.44236, 1.95747;
            2.44236, 11.5984, -0.910367;
            1.95747, -0.910367, 9.90134
        ],
        velocity: dvector![-0.0771747, -0.261976, 0.386329],
        contacts: vec![ContactRows {
            normal: 0,
            tangents: 2,
            friction: 0.8,
            restitution: 0.95,
        }],
    };
    let mut law = Stronge::new();
    let mut impulse = DVector::zeros(3);
    criterion.bench_function("impact/stronge", |bencher| {
        bencher.iter(|| law.impulse(black_box(&space), &mut impulse));
    });
}
