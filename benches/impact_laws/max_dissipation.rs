//! Maximum dissipation at one contact.

use std::hint::black_box;

use carom::impact::{ContactBlock, ContactRows, ContactSpace, ImpactLaw, MaxDissipation};
use criterion::Criterion;
use nalgebra::{DMatrix, DVector};

/// The academic problem of [PER] §4.1, orthonormal frame: a slide, one of three Coulomb solutions away.
pub fn single(criterion: &mut Criterion) {
    let (c, s): (f64, f64) = (0.25, 0.36);
    let scale = (c * c + s * s + 0.81).sqrt();
    let n = nalgebra::Vector3::new(c, s, -0.9) / scale;
    let t = n.cross(&nalgebra::Vector3::x()).normalize();
    let frame = nalgebra::Matrix3::from_columns(&[n, t, n.cross(&t)]);
    // Point masses 0.03, 65 and 50 kg on the axes at 10, 1 and 1 m.
    let inertia = nalgebra::Vector3::new(230.0, 106.0, 136.0);
    let arm = nalgebra::Vector3::new(10.0, 0.0, 0.0).cross_matrix();
    let turning = nalgebra::Matrix3::from_diagonal(&inertia.map(f64::recip));
    let world = nalgebra::Matrix3::identity() / 230.06 - arm * turning * arm;
    let block = frame.transpose() * world * frame;
    let velocity = -(frame.transpose() * nalgebra::Vector3::new(0.06, 0.7, 0.23));
    let space = ContactSpace {
        delassus: DMatrix::from_column_slice(3, 3, block.as_slice()),
        velocity: DVector::from_column_slice(velocity.as_slice()),
        contacts: vec![ContactRows {
            normal: 0,
            tangents: 2,
            friction: 3.7,
            restitution: 0.0,
        }],
    };
    let mut law = MaxDissipation::new();
    let mut impulse = DVector::zeros(3);
    law.impulse(&space, &mut impulse).expect("a valid problem");
    let zero = DVector::zeros(3);
    let (_, branch) = ContactBlock::from_space(&space, 0, &zero).maximum_dissipation();
    assert_eq!(branch.name(), "slide");
    criterion.bench_function("impact/max-dissipation", |bencher| {
        bencher.iter(|| law.impulse(black_box(&space), &mut impulse));
    });
}
