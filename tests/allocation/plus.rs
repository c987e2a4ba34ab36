//! The kernel of the law `plus` allocates nothing once it has seen a problem of the size.

use carom::impact::{Contact, ImpactLaw, ImpactProblem, Plus, PreImpact};
use nalgebra::{DMatrix, DVector};

use crate::counting::allocations;

#[test]
fn a_second_impulse_allocates_nothing() {
    // Two feet of a planar body, one of them in impending slip, struck from every side.
    let foot = |name: &str, x: f64| {
        Contact::new(name, DVector::from_column_slice(&[0.0, 1.0, x]))
            .with_friction(vec![DVector::from_column_slice(&[1.0, 0.0, 0.6])], 0.3)
            .with_restitution(0.4)
    };
    let contacts = [foot("left", -0.5), foot("right", 0.5)];
    let mut law = Plus::default();
    let mut impulse = DVector::zeros(4);
    let mut counted = Vec::new();
    for direction in 0..16 {
        let (s, c) = (0.4 * f64::from(direction)).sin_cos();
        let problem = ImpactProblem::new(
            DMatrix::from_diagonal(&DVector::from_column_slice(&[1.0, 1.0, 0.1])),
            PreImpact::Velocity(DVector::from_column_slice(&[c, -1.0, 3.0 * s])),
            &contacts,
        )
        .unwrap();
        let before = allocations();
        law.impulse(problem.contact_space(), &mut impulse).unwrap();
        counted.push(allocations() - before);
    }
    assert!(counted[0] > 0, "the counter counts");
    assert!(counted[1..].iter().all(|&n| n == 0), "{counted:?}");
}

/// Rolling would take 4.6 N s of friction and there are 3.4: the contact is about to slip.
#[test]
fn nor_does_a_slow_slip_that_takes_more_friction_to_roll() {
    let root = [[1.1, 0.0, 0.0], [1.2, 2.6, 0.0], [-2.2, -2.5, 0.5]];
    let row = |k: usize| DVector::from_column_slice(&root[k]);
    let contact = Contact::new("toe", row(0)).with_friction(vec![row(1), row(2)], 0.8);
    let problem = ImpactProblem::new(
        DMatrix::identity(3, 3),
        PreImpact::Velocity(DVector::from_column_slice(&[-0.91, 0.46, -1.71])),
        &[contact],
    )
    .unwrap();
    let mut law = Plus::default();
    let mut impulse = DVector::zeros(3);
    let mut counted = [0; 2];
    for counted in &mut counted {
        let before = allocations();
        law.impulse(problem.contact_space(), &mut impulse).unwrap();
        *counted = allocations() - before;
    }
    assert!(counted[0] > 0 && counted[1] == 0, "{counted:?}");
}
