//! The maximum dissipation law does not allocate once it has seen a problem of the size.

use carom::impact::{ContactRows, ContactSpace, ImpactLaw, MaxDissipation};
use nalgebra::{DMatrix, DVector};

use crate::counting::allocations;

fn space(contacts: usize, friction: f64) -> ContactSpace {
    let r = 3 * contacts;
    let l = DMatrix::from_fn(r, r, |i, j| {
        ((7 * i + 3 * j + i * j) % 11) as f64 / 11.0 - 0.4
    });
    ContactSpace::new(
        &l * l.transpose() + DMatrix::identity(r, r),
        DVector::from_fn(r, |i, _| {
            if i % 3 == 0 {
                -1.0
            } else {
                0.7 - 0.2 * i as f64
            }
        }),
        (0..contacts)
            .map(|i| ContactRows {
                normal: 3 * i,
                tangents: 2,
                friction,
                restitution: 0.0,
            })
            .collect(),
    )
}

#[test]
fn resolving_again_does_not_allocate() {
    for (contacts, friction) in [(1, 0.2), (1, 4.0), (4, 0.3)] {
        let space = space(contacts, friction);
        let mut law = MaxDissipation::default();
        let mut impulse = DVector::zeros(space.rows());
        law.impulse(&space, &mut impulse).unwrap();
        let before = allocations();
        law.impulse(&space, &mut impulse).unwrap();
        assert_eq!(allocations(), before);
    }
}
