use nalgebra::{DMatrix, DVector};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{ConeSharing, Sticking, WITHIN};
use crate::friction::FrictionRows;

/// Random numbers between two.
fn random(seed: u64) -> impl FnMut(f64, f64) -> f64 {
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    move |low, high| low + (high - low) * ((generator.next_u64() >> 11) as f64) * 0.5_f64.powi(53)
}

fn projected(sticking: &Sticking, x: &[f64]) -> [f64; 3] {
    sticking.project(x).0
}

/// Against differences of central quotients, for contacts in space and in a plane, smooth ones and dry joints.
#[test]
fn the_derivative_of_a_projection_is_that() {
    let mut random = random(3);
    for group in [
        FrictionRows::contact(0, 2, 0.6),
        FrictionRows::contact(0, 1, 0.6),
        FrictionRows::contact(0, 0, 0.0),
        FrictionRows::joint(0, 0.4),
    ] {
        let rows = group.stuck_rows();
        let sticking = Sticking {
            first: 0,
            rows,
            group,
        };
        for _ in 0..200 {
            let x: Vec<f64> = (0..rows).map(|_| random(-1.0, 1.0)).collect();
            let (_, slope) = sticking.project(&x);
            let step = 1e-6;
            for j in 0..rows {
                let at = |sign: f64| {
                    let mut x = x.clone();
                    x[j] += sign * step;
                    projected(&sticking, &x)
                };
                let (after, before) = (at(1.0), at(-1.0));
                for i in 0..rows {
                    let quotient = (after[i] - before[i]) / (2.0 * step);
                    // A kink within the step is unlikely at these numbers.
                    assert!((quotient - slope[i][j]).abs() < 1e-5, "{group:?} {x:?}");
                }
            }
        }
    }
}

/// Loads of five contacts and a dry joint on fewer coordinates than they have rows: what comes out moves what went in moved, is in the
/// cones, is the same from wherever one begins, and no other that is in them is shorter: x·(z − x) ≥ 0 for all z that are.
#[test]
fn loads_are_shared_by_the_least_impulses_in_the_cones() {
    let mut random = random(4);
    let mut groups: Vec<FrictionRows> = (0..5)
        .map(|k| FrictionRows::contact(3 * k, 2, 0.5))
        .collect();
    groups.push(FrictionRows::joint(15, 0.3));
    let stuck: Vec<usize> = groups.iter().map(FrictionRows::stuck_rows).collect();
    let mut on_edge = 0;
    for case in 0..60_u64 {
        let (r, n) = (16, 8 + case as usize % 4);
        let rows = DMatrix::from_fn(r, n, |_, _| random(-1.0, 1.0));
        let matrix = &rows * rows.transpose();
        // Inside of the cones.
        let mut inside = || {
            let mut x = DVector::zeros(r);
            for k in 0..5 {
                x[3 * k] = random(0.2, 1.0);
                for t in 1..3 {
                    x[3 * k + t] = 0.3 * x[3 * k] * random(-1.0, 1.0);
                }
            }
            x[15] = random(-0.3, 0.3);
            x
        };
        let known = inside();
        let mut sharing = ConeSharing::default();
        assert!(sharing.find((&matrix, &groups), &stuck, case));
        let settled = |sharing: &mut ConeSharing, start: &DVector<f64>| {
            let mut x = start.clone();
            sharing.settle(x.as_mut_slice());
            x
        };
        let x = settled(&mut sharing, &known);
        assert!((&matrix * (&x - &known)).amax() < 1e-12);
        let null = matrix.clone().svd(true, true);
        let away = DVector::from_fn(r, |_, _| random(-1.0, 1.0));
        let away = &away - null.solve(&(&matrix * &away), 1e-10).unwrap();
        let other = settled(&mut sharing, &(&known + &away));
        // Of what is left, ½ ε ‖δ‖² beside ½ ε ‖x‖², either is within the root of SETTLED: 1e-6; and ε moves both alike.
        assert!(
            (&x - &other).norm() < 3e-6 * x.norm(),
            "{case}: {x} {other}"
        );
        let mut is_on_edge = false;
        for group in &groups {
            let [pressing, s, t] = group.entries(x.as_slice());
            let radius = group.radius(pressing);
            // What ε leaves beyond a narrowed cone is far less than it is narrowed by.
            assert!(s.hypot(t) <= radius, "{case}");
            is_on_edge |= s.hypot(t) > radius * (1.0 - 2.0 * (1.0 - WITHIN));
        }
        on_edge += usize::from(is_on_edge);
        // To first order of the same.
        let least = x.dot(&(&known - &x));
        assert!(least > -1e-5, "{case}: {least}");
    }
    assert!(on_edge > 20, "{on_edge}");
}
