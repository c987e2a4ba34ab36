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
