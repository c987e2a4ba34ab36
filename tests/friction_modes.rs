//! Impulses of held contacts: planar ones that couple strongly, redundant ones in space.
#![allow(clippy::unwrap_used)]

use carom::discrete::{Delassus, FrictionSolver, HeldMode, HeldRows};
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
        let factor = rows.clone();
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
            &mut Delassus::from_factor(&factor, &layout),
            free.as_slice(),
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

/// Rows of feet on a plane under a rigid body: normal up, two tangents; v = (linear, angular).
fn feet_rows(feet: &[[f64; 2]], height: f64) -> DMatrix<f64> {
    let mut rows = DMatrix::zeros(3 * feet.len(), 6);
    for (i, [x, y]) in feet.iter().enumerate() {
        // Velocity of the foot: v + ω × (x, y, −height).
        let normal = [0.0, 0.0, 1.0, *y, -x, 0.0];
        let along = [1.0, 0.0, 0.0, 0.0, -height, -y];
        let across = [0.0, 1.0, 0.0, height, 0.0, *x];
        for (k, row) in [normal, along, across].iter().enumerate() {
            for (j, value) in row.iter().enumerate() {
                rows[(3 * i + k, j)] = *value;
            }
        }
    }
    rows
}

/// A body on up to eight feet has up to 24 rows of rank 6: impulses are ambiguous, and those of least
/// norm often leave a friction cone although others stay inside. A solution exists always (moving
/// upwards opens every contact), and velocities must satisfy Coulomb's law to the tolerance of a step.
/// The problem has no known method that never fails; the solver says so when it does, and it may fail
/// in at most one of a thousand of these.
#[test]
fn redundant_feet_of_a_rigid_body_are_solved() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(11);
    let mut solver = FrictionSolver::default();
    let (mut sliding, mut unsolved) = (0, 0);
    for case in 0..4000 {
        let count = 1 + case % 8;
        let feet: Vec<[f64; 2]> = (0..count)
            .map(|_| [uniform(&mut random), uniform(&mut random)])
            .collect();
        let rows = feet_rows(&feet, 0.2 + 0.3 * uniform(&mut random).abs());
        let inertia = DVector::from_fn(6, |_, _| 10.0_f64.powf(uniform(&mut random)));
        let factor = DMatrix::from_fn(3 * count, 6, |i, j| rows[(i, j)] / inertia[j].sqrt());
        let delassus = &factor * factor.transpose();
        let mut v = DVector::from_fn(6, |_, _| uniform(&mut random));
        v[2] -= 1.0;
        let free = &rows * v;
        let layout: Vec<HeldRows> = (0..count)
            .map(|i| HeldRows {
                row: 3 * i,
                tangents: 2,
                friction: 0.1 + uniform(&mut random).abs(),
            })
            .collect();
        let mut modes = vec![HeldMode::Stick; count];
        let mut impulse = vec![0.0; 3 * count];
        let violation = solver.solve(
            &mut Delassus::from_factor(&factor, &layout),
            free.as_slice(),
            &mut modes,
            &mut impulse,
        );
        if violation > 1e-9 {
            unsolved += 1;
            continue;
        }
        let after = &delassus * DVector::from_column_slice(&impulse) + &free;
        let (speed, strength) = (
            free.amax(),
            impulse.iter().fold(0.0_f64, |m, x| m.max(x.abs())),
        );
        // The stated tolerance, times the spread of stiffness of 1e2 between directions.
        let (speed, strength) = (1e-7 * speed, 1e-7 * strength);
        for c in &layout {
            let n = c.row;
            let friction = impulse[n + 1].hypot(impulse[n + 2]);
            let slip = after[n + 1].hypot(after[n + 2]);
            assert!(impulse[n] >= -strength && after[n] >= -speed, "case {case}");
            assert!(impulse[n] <= strength || after[n] <= speed, "case {case}");
            assert!(
                friction <= c.friction * impulse[n] + strength,
                "case {case}"
            );
            if slip > speed && impulse[n] > strength {
                sliding += 1;
                for t in 1..=2 {
                    let expected = -c.friction * impulse[n] * after[n + t] / slip;
                    // The direction of a slow slip is known to its relative error only.
                    let slack = strength + impulse[n] * speed / slip;
                    assert!((impulse[n + t] - expected).abs() <= slack, "case {case}");
                }
            }
        }
    }
    assert!(unsolved <= 4, "{unsolved} unsolved");
    assert!(sliding > 1000, "only {sliding} sliding contacts were seen");
}

/// Feet that a robot's joints press against each other: any friction that its cones allow holds them.
#[test]
fn feet_under_internal_forces_stick_when_some_friction_inside_the_cones_holds_them() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(13);
    let mut solver = FrictionSolver::default();
    for case in 0..2000 {
        let count = 3 + case % 4;
        // A body with a free foot joint under each leg: six coordinates of the body and one a leg.
        let dof = 6 + count;
        let feet: Vec<[f64; 2]> = (0..count)
            .map(|_| [uniform(&mut random), uniform(&mut random)])
            .collect();
        let body = feet_rows(&feet, 0.3);
        let mut rows = DMatrix::zeros(3 * count, dof);
        rows.view_mut((0, 0), (3 * count, 6)).copy_from(&body);
        for i in 0..count {
            rows[(3 * i + 1, 6 + i)] = 0.3;
            rows[(3 * i, 6 + i)] = 0.1 * uniform(&mut random);
        }
        let factor = DMatrix::from_fn(3 * count, dof, |i, j| {
            let inverse_inertia: f64 = if j < 3 {
                0.2
            } else if j < 6 {
                2.0
            } else {
                40.0
            };
            rows[(i, j)] * inverse_inertia.sqrt()
        });
        let delassus = &factor * factor.transpose();
        let layout: Vec<HeldRows> = (0..count)
            .map(|i| HeldRows {
                row: 3 * i,
                tangents: 2,
                friction: 0.8,
            })
            .collect();
        let held = DVector::from_fn(3 * count, |i, _| match i % 3 {
            0 => 1.0 + 0.5 * uniform(&mut random),
            // At most 0.28 √2 < 0.4, the radius of the disc under the least normal impulse of 0.5.
            _ => 0.28 * uniform(&mut random),
        });
        let free = -(&delassus * &held);
        let mut modes = vec![HeldMode::Stick; count];
        let mut impulse = vec![0.0; 3 * count];
        let violation = solver.solve(
            &mut Delassus::from_factor(&factor, &layout),
            free.as_slice(),
            &mut modes,
            &mut impulse,
        );
        assert!(violation <= 1e-9, "case {case}: {violation:e}");
        let after = &delassus * DVector::from_column_slice(&impulse) + &free;
        // Impulses exist that hold every foot, and those that hold dissipate most.
        assert!(
            after.amax() <= 1e-8 * free.amax(),
            "case {case}: {:e}",
            after.amax()
        );
    }
}

/// What a diverging step may ask: there is no solution, and no panic.
#[test]
fn velocities_that_are_not_finite_have_no_solution() {
    let contacts = [HeldRows {
        row: 0,
        tangents: 2,
        friction: 0.5,
    }];
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut delassus = Delassus::from_factor(&DMatrix::identity(3, 3), &contacts);
        let mut solver = FrictionSolver::default();
        let mut modes = [HeldMode::Stick];
        let mut impulse = [1.0; 3];
        let left = solver.solve(&mut delassus, &[bad, 0.0, 0.0], &mut modes, &mut impulse);
        assert_eq!(left, f64::INFINITY);
        assert_eq!(impulse, [0.0; 3]);
        let left = solver.solve_near(&mut delassus, &[bad; 3], &mut modes, &mut impulse);
        assert_eq!(left, f64::INFINITY);
    }
}
