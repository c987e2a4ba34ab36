//! PLUS on one point of a brick.

use std::hint::black_box;

use carom::impact::{ContactRows, ContactSpace, ImpactLaw, Plus};
use criterion::Criterion;
use nalgebra::{DMatrix, DVector};

/// One vertex of a brick, 116 intervals ([USD] Example 1, friction 0.325).
pub fn brick(criterion: &mut Criterion) {
    #[rustfmt::skip]
    let delassus = DMatrix::from_row_slice(3, 3, &[
         0.576077165, -0.052761358, 0.447676440,
        -0.052761358,  3.901011314, 0.560301519,
         0.447676440,  0.560301519, 3.359727547,
    ]);
    let space = ContactSpace {
        delassus,
        velocity: DVector::from_column_slice(&[-5.74, -5.0, 0.0]),
        contacts: vec![ContactRows {
            normal: 0,
            tangents: 2,
            friction: 0.325,
            restitution: 0.373,
        }],
    };
    let mut law = Plus::default();
    let mut impulse = DVector::zeros(3);
    let report = law.impulse(&space, &mut impulse).expect("a valid problem");
    assert_eq!(report.steps, 116);
    criterion.bench_function("impact/plus", |bencher| {
        bencher.iter(|| law.impulse(black_box(&space), &mut impulse));
    });
}
