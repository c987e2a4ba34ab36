//! What lands on surfaces that move.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::loose::experiment;

/// Boxes that tumble onto a belt, four corners at once in the end, go along with it: friction brings them to its velocity.
#[test]
fn boxes_that_tumble_onto_a_belt_go_along_with_it() {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut x = || (generator.next_u64() >> 11) as f64 * 0.5_f64.powi(52) - 1.0;
    for drop in 0..24 {
        let belt = [0.7 * x(), 0.7 * x(), 0.0];
        let tables = format!(
            "[[terrain]]\nkind = \"plane\"\nname = \"belt\"\nmotion = {{ velocity = {belt:?} }}\n\
             [[object]]\nname = \"box\"\nkind = \"box\"\nsize = [0.15, 0.13, 0.1]\nmass = 1.0\nposition = [0.0, 0.0, 0.13]\n\
             rpy = {:?}\nspin = {:?}\n",
            [3.0 * x(), 1.5 * x(), 3.0 * x()],
            [4.0 * x(), 4.0 * x(), 4.0 * x()]
        );
        let mut simulation = experiment(0.6, &tables).simulation().unwrap();
        for step in 0..2000 {
            simulation
                .advance()
                .unwrap_or_else(|error| panic!("{drop}, step {step}: {error}"));
        }
        let velocity = simulation.velocity().unwrap();
        // In the frame of the box, whichever face it lies on.
        let speed = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [along, turn] = [speed(&velocity[..3]), speed(&velocity[3..6])];
        assert!(
            (along - speed(&belt)).abs() < 1e-6,
            "{drop}: {velocity:?} {belt:?}"
        );
        assert!(turn < 1e-6, "{drop}: {velocity:?}");
    }
}
