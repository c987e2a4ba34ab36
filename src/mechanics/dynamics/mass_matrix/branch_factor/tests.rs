use nalgebra::{DMatrix, DVector};

use super::BranchFactor;
use crate::dynamics::{ArticulatedFactor, Kinematics, Support, mass_matrix};
use crate::model::sample::{Uniform, chain, hexapod, mimicking_tree, random_tree};
use crate::model::{Base, JointKind, Model};

/// Joints that mimic others, and trees along branches and by articulated bodies.
fn factors(base: Base) -> Vec<(Model, ArticulatedFactor<f64>)> {
    let coupled = mimicking_tree(7, 8, base).expect("a valid model");
    let tree = random_tree(5, 9, base).expect("a valid model");
    let branches = BranchFactor::new(&tree);
    vec![
        (coupled.clone(), ArticulatedFactor::new(&coupled)),
        (tree.clone(), ArticulatedFactor::with(&tree, Some(branches))),
        (tree.clone(), ArticulatedFactor::with(&tree, None)),
    ]
}

/// Solutions, halves of them, pivots and locks against the dense matrix.
#[test]
fn the_factor_is_that_of_the_mass_matrix() {
    let mut random = Uniform::new(3);
    for base in [Base::Fixed, Base::Planar, Base::Floating] {
        for (way, (model, mut factor)) in factors(base).into_iter().enumerate() {
            let n = model.dof();
            let neutral = model.neutral_configuration();
            let turn: Vec<f64> = (0..n).map(|_| random.between(-1.0, 1.0)).collect();
            let mut q = neutral.clone();
            model.integrate(&neutral, &turn, 1.0, &mut q);
            let mut kinematics = Kinematics::<f64>::new(&model);
            kinematics.update_placements(&model, &q);
            let mut m = mass_matrix(&model, &kinematics);
            // A damper at the last coordinate, and a lock at the one before.
            let mut load = vec![0.0; n];
            let lock = n - 2;
            load[n - 1] = 0.7;
            m[(n - 1, n - 1)] += 0.7;
            load[lock] = f64::INFINITY;
            let loads = Some(&load[..]);
            factor
                .factor_loaded(&model, &kinematics, loads)
                .expect("positive definite");
            let x = DVector::from_fn(n, |_, _| random.between(-1.0, 1.0));
            let mut y = DVector::zeros(n);
            factor.solve(&model, &kinematics, x.as_slice(), y.as_mut_slice());
            // Rounding times the condition of M, which is below 1e4 for these trees.
            assert_eq!(y[lock], 0.0);
            let rest = &x - &m * &y;
            let body = |at: usize| {
                let leads = |b: &crate::model::Body| b.follows.is_none() && b.v_index == at;
                model.bodies().iter().position(leads).expect("a leader")
            };
            for i in 0..n {
                let taken = if i == lock {
                    factor.taken_by_lock(body(lock))
                } else {
                    0.0
                };
                assert!(
                    (rest[i] - taken).abs() < 1e-11,
                    "{base:?} {way} {i}: {rest} {taken}"
                );
            }
            // Half solutions along two branches, with the lock as a coordinate that is not there.
            let bodies = model.bodies().len();
            for pair in [[0, 0], [bodies - 1, bodies - 2], [bodies - 1, bodies / 2]] {
                let support = Support::new(&model, pair.map(Some));
                let own = support.coordinates();
                let mut columns = DMatrix::zeros(n, 2);
                for &at in own {
                    for k in 0..2 {
                        columns[(at, k)] = random.between(-1.0, 1.0);
                    }
                }
                let pairs = own
                    .iter()
                    .flat_map(|&at| [columns[(at, 0)], columns[(at, 1)]]);
                let rows: Vec<f64> = pairs.collect();
                let mut half = vec![0.0; rows.len()];
                factor.half_solve::<2>(&model, &kinematics, &support, &rows, &mut half);
                let half = DMatrix::from_row_slice(own.len(), 2, &half);
                let kept = m.clone().remove_row(lock).remove_column(lock);
                let columns = columns.remove_row(lock);
                let product = columns.transpose() * kept.lu().solve(&columns).expect("regular");
                let error = (half.transpose() * half - product).amax();
                assert!(error < 1e-11, "{base:?} {way} {pair:?}: {error:e}");
            }
            // D of the last coordinate, and what is left for the base.
            let last = factor.inverse_inertia(body(n - 1));
            assert!((last * m[(n - 1, n - 1)] - 1.0).abs() < 1e-14);
            if model.bodies()[0].kind == JointKind::Floating {
                factor
                    .factor(&model, &kinematics)
                    .expect("positive definite");
                let m = mass_matrix(&model, &kinematics);
                let (a, b) = (m.view((0, 0), (6, 6)), m.view((0, 6), (6, n - 6)));
                let inner = m.view((6, 6), (n - 6, n - 6)).into_owned();
                let left = a - b * inner.lu().solve(&b.transpose()).expect("regular");
                let found = factor.floating_inertia(0);
                let error = DMatrix::from_column_slice(6, 6, found.as_slice()) - &left;
                assert!(error.amax() < 1e-11);
                for (k, d) in factor.floating_diagonal(0).into_iter().enumerate() {
                    assert!((d - left[(k, k)]).abs() < 1e-11);
                }
            }
        }
    }
}

#[test]
fn branches_are_for_short_limbs_of_several_joints() {
    let takes = |model: &Model| BranchFactor::<f64>::for_shallow(model).is_some();
    assert!(takes(&chain(8).expect("a valid model")));
    assert!(!takes(&chain(64).expect("a valid model")));
    assert!(!takes(&hexapod().expect("a valid model")));
}
