//! The kernels of the propagative and the plastic law do not allocate once warm.

use carom::impact::{ImpactLaw, Plastic, Propagative};
use nalgebra::DVector;

use crate::counting::allocations;
use crate::random_impacts::{Parts, Random};

#[test]
fn kernels_do_not_allocate_after_the_first_call() {
    let mut random = Random::new(30);
    let mut problems = Vec::new();
    for m in [2, 4, 6, 8, 8, 8] {
        let n = 5.max(m - 2);
        let mut parts = Parts::random(&mut random, m, n);
        // Redundant contacts and restitution, so that every branch is taken.
        parts.normals[m - 1] = parts.normals[0].clone();
        parts.restitution = vec![0.5; m];
        problems.push(parts.problem());
    }
    let mut propagative = Propagative::default();
    let mut plastic = Plastic::default();
    let mut impulses: Vec<DVector<f64>> = problems
        .iter()
        .map(|p| DVector::zeros(p.contact_space().rows()))
        .collect();
    let mut counts = [0, 0];
    for count in &mut counts {
        let before = allocations();
        for (problem, impulse) in problems.iter().zip(&mut impulses) {
            let space = problem.contact_space();
            propagative.impulse(space, impulse).expect("solved");
            plastic.impulse(space, impulse).expect("solved");
        }
        *count = allocations() - before;
    }
    assert!(counts[0] > 0);
    assert_eq!(counts[1], 0);
}
