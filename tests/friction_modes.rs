//! Held contacts in a plane whose friction couples strongly to the normal direction.
#![allow(clippy::unwrap_used)]

use carom::discrete::{FrictionSolver, HeldMode, HeldRows};
use nalgebra::{DMatrix, DVector};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Uniform in [-1, 1).
fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// With independent rows there is always a solution; the solver must find one, whatever the guess.
#[test]
fn a_solution_is_found_for_every_planar_problem_with_independent_rows() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    let mut solver = FrictionSolver::default();
    for case in 0..3000 {
        let contacts = 1 + case % 4;
        let (r, n) = (2 * contacts, 2 * contacts + 2);
        let rows = DMatrix::from_fn(r, n, |_, _| uniform(&mut random));
        let v = DVector::from_fn(n, |_, _| uniform(&mut random));
        let delassus = &rows * rows.transpose();
        let free = &rows * v;
        let layout: Vec<HeldRows> = (0..contacts)
            .map(|i| HeldRows {
                row: 2 * i,
                tangents: 1,
                friction: 1.0 + uniform(&mut random),
            })
            .collect();
        let mut modes = vec![HeldMode::Stick; contacts];
        let mut impulse = vec![0.0; r];
        let violation = solver.solve(
            &delassus,
            free.as_slice(),
            &layout,
            &mut modes,
            &mut impulse,
        );
        assert!(violation <= 1e-9, "case {case}: {violation:e}");
        let after = &delassus * DVector::from_column_slice(&impulse) + &free;
        let speed = free.amax();
        let strength = impulse.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        // Rounding of the solve, amplified by the condition of these small systems.
        let (speed, strength) = (1e-8 * speed, 1e-8 * strength);
        for c in &layout {
            let (normal, tangential) = (impulse[c.row], impulse[c.row + 1]);
            let (opening, slip) = (after[c.row], after[c.row + 1]);
            assert!(normal >= -strength && opening >= -speed, "case {case}");
            assert!(normal <= strength || opening <= speed, "case {case}");
            assert!(
                tangential.abs() <= c.friction * normal + strength,
                "case {case}"
            );
            if slip.abs() > speed {
                let resisting = -c.friction * normal * slip.signum();
                assert!((tangential - resisting).abs() <= strength, "case {case}");
            }
        }
    }
}
