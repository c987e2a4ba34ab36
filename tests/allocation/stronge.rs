//! The fast path of Stronge's law does not allocate.

use carom::impact::stronge::StrongeSettings;
use carom::impact::{ContactRows, ContactSpace, ImpactLaw, Stronge};
use nalgebra::{DVector, dmatrix, dvector};

use crate::counting::allocations;

#[test]
fn an_impulse_costs_no_allocation_after_the_first() {
    let rows = |normal, tangents| ContactRows {
        normal,
        tangents,
        friction: 0.4,
        restitution: 0.5,
    };
    let single = ContactSpace::new(
        dmatrix![2.59042, 2.44236, 1.95747; 2.44236, 11.5984, -0.910367; 1.95747, -0.910367, 9.90134],
        dvector![-0.8, -0.26, 0.39],
        vec![rows(0, 2)],
    );
    let pair = ContactSpace::new(
        dmatrix![2.0, 0.3, 0.5, 0.1; 0.3, 3.0, 0.1, 0.2; 0.5, 0.1, 2.0, -0.3; 0.1, 0.2, -0.3, 3.0],
        dvector![-1.0, 0.3, -0.9, 0.2],
        vec![rows(0, 1), rows(2, 1)],
    );
    let visiting = |contacts: &[&str]| {
        let sequence = contacts.iter().map(ToString::to_string).collect();
        Stronge::new(StrongeSettings {
            sequence,
            ..StrongeSettings::default()
        })
        .unwrap()
    };
    let mut law = visiting(&["0"]);
    let mut impulse = DVector::zeros(3);
    law.impulse(&single, &mut impulse).unwrap();
    let before = allocations();
    for _ in 0..10 {
        law.impulse(&single, &mut impulse).unwrap();
    }
    assert_eq!(allocations(), before);

    law = visiting(&["1", "0"]);
    let mut impulse = DVector::zeros(4);
    law.impulse(&pair, &mut impulse).unwrap();
    let before = allocations();
    for _ in 0..10 {
        law.impulse(&pair, &mut impulse).unwrap();
    }
    assert_eq!(allocations(), before);
}
