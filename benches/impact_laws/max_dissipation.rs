//! Maximum dissipation at one contact.

use std::hint::black_box;

use carom::impact::dissipation::ContactBlock;
use carom::impact::{ImpactLaw, MaxDissipation};
use criterion::Criterion;
use nalgebra::DVector;

use crate::impact_cases::three_coulomb_solutions;

pub fn single(criterion: &mut Criterion) {
    let space = three_coulomb_solutions();
    let mut law = MaxDissipation::default();
    let mut impulse = DVector::zeros(3);
    law.impulse(&space, &mut impulse).expect("a valid problem");
    let zero = DVector::zeros(3);
    let (_, branch) = ContactBlock::from_space(&space, 0, &zero).maximum_dissipation();
    assert_eq!(branch.name(), "slide");
    criterion.bench_function("impact/max-dissipation", |bencher| {
        bencher.iter(|| law.impulse(black_box(&space), &mut impulse));
    });
}
