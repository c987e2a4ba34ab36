//! The factor of M where joints share coordinates: dense, from the last coordinate to the first.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | M = U D Uᵀ | `matrix`, `inverse` | U unit upper triangular; column k above the diagonal keeps U D, not U |
//!
//! Eliminating from the leaves to the root, as articulated bodies do, makes D_k what it is there: the inertia of
//! coordinate k with all later ones following as easily as they can. A lock, an infinite load, has 1/D = 0: nothing is
//! eliminated, and the coordinate does not move. O(n³) to factor, O(n²) to solve.

use super::Kinematics;
use super::mass_matrix::MassMatrix;
use crate::model::{Coupling, Model};
use crate::spatial::{Scalar, lift};

/// The dense factor, with memory for one model.
#[derive(Debug, Clone)]
pub(super) struct SharedFactor<T: Scalar> {
    n: usize,
    mass: MassMatrix<T>,
    /// n × n, column after column; the upper triangle counts.
    matrix: Vec<T>,
    /// 1/D, n.
    pub(super) inverse: Vec<T>,
    /// What the last solve met along each coordinate, n.
    pub(super) met: Vec<T>,
    /// What is left of the matrix of the first six coordinates when all others are eliminated.
    pub(super) root: [[T; 6]; 6],
}

impl<T: Scalar> SharedFactor<T> {
    /// Memory for a model with this coupling.
    pub(super) fn new(model: &Model, coupling: &Coupling) -> Self {
        let n = model.dof();
        Self {
            n,
            mass: MassMatrix::new(coupling.tree()),
            matrix: vec![T::zero(); n * n],
            inverse: vec![T::zero(); n],
            met: vec![T::zero(); n],
            root: [[T::zero(); 6]; 6],
        }
    }

    /// Factors M plus the diagonal `load`, ignored where it is negative and below `free`, the number of coordinates of a
    /// floating base. The error is the coordinate that moves without inertia, and its D.
    pub(super) fn factor(
        &mut self,
        coupling: &Coupling,
        kinematics: &Kinematics<T>,
        load: Option<&[T]>,
        free: usize,
    ) -> Result<(), (usize, T)> {
        let n = self.n;
        let tree = self.mass.update(coupling.tree(), kinematics);
        coupling.gather_matrix(n, tree.as_slice(), &mut self.matrix);
        for k in (0..n).rev() {
            if k + 1 == free {
                for (i, row) in self.root.iter_mut().enumerate() {
                    for (j, x) in row.iter_mut().enumerate() {
                        *x = self.matrix[i.max(j) * n + i.min(j)];
                    }
                }
            }
            let (before, column) = self.matrix.split_at_mut(k * n);
            let column = &column[..n];
            let load = load.map_or(T::zero(), |load| load[k]);
            let load = if k < free { T::zero() } else { load };
            let locked = load == lift(f64::INFINITY);
            let d = column[k];
            let d = if load > T::zero() { d + load } else { d };
            let inverse = if locked { T::zero() } else { T::one() / d };
            if d <= T::zero() || !(d.is_finite() || locked) || !inverse.is_finite() {
                return Err((k, d));
            }
            self.inverse[k] = inverse;
            for (j, above) in before.chunks_exact_mut(n).enumerate() {
                let factor = column[j] * inverse;
                for (x, u) in above[..=j].iter_mut().zip(column) {
                    *x -= *u * factor;
                }
            }
        }
        Ok(())
    }

    /// Writes M⁻¹ x to `out` (both n).
    pub(super) fn solve(&mut self, x: &[T], out: &mut [T]) {
        out.copy_from_slice(x);
        self.eliminate(out);
        for k in 0..self.n {
            let column = &self.matrix[k * self.n..(k + 1) * self.n];
            let above = column[..k].iter().zip(&*out);
            let met = above.fold(out[k], |sum, (u, a)| sum - *u * *a);
            self.met[k] = met;
            out[k] = met * self.inverse[k];
        }
    }

    /// U⁻¹ x in place, n.
    fn eliminate(&self, x: &mut [T]) {
        for k in (1..self.n).rev() {
            let factor = x[k] * self.inverse[k];
            let column = &self.matrix[k * self.n..(k + 1) * self.n];
            for (x, u) in x[..k].iter_mut().zip(column) {
                *x -= *u * factor;
            }
        }
    }

    /// Y = D^(−1/2) U⁻¹ X for R columns, rows one after the other.
    pub(super) fn half_solve<const R: usize>(&self, x: &[[T; R]], out: &mut [[T; R]]) {
        out[..self.n].copy_from_slice(&x[..self.n]);
        for k in (0..self.n).rev() {
            let own = out[k];
            let column = &self.matrix[k * self.n..(k + 1) * self.n];
            for (row, u) in out[..k].iter_mut().zip(column) {
                for (x, own) in row.iter_mut().zip(&own) {
                    *x -= *u * self.inverse[k] * *own;
                }
            }
            let root = self.inverse[k].sqrt();
            out[k] = own.map(|x| x * root);
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use crate::dynamics::{ArticulatedFactor, Kinematics, Support, mass_matrix};
    use crate::model::sample::{Uniform, mimicking_tree};
    use crate::model::{Base, JointKind};

    /// Solutions, halves of them, pivots and locks against the dense matrix.
    #[test]
    fn the_factor_is_that_of_the_mass_matrix() {
        let mut random = Uniform::new(3);
        for base in [Base::Fixed, Base::Planar, Base::Floating] {
            let model = mimicking_tree(7, 8, base).expect("a valid model");
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
            let mut factor = ArticulatedFactor::new(&model);
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
                    "{base:?} {i}: {rest} {taken}"
                );
            }
            // Half solutions, with the lock as a coordinate that is not there.
            let support = Support::new(&model, [Some(0), None]);
            let columns = DMatrix::from_fn(n, 2, |_, _| random.between(-1.0, 1.0));
            let rows: Vec<f64> = columns.row_iter().flat_map(|r| [r[0], r[1]]).collect();
            let mut half = vec![0.0; 2 * n];
            factor.half_solve::<2>(&model, &kinematics, &support, &rows, &mut half);
            let half = DMatrix::from_row_slice(n, 2, &half);
            let kept = m.clone().remove_row(lock).remove_column(lock);
            let columns = columns.remove_row(lock);
            let product = columns.transpose() * kept.lu().solve(&columns).expect("regular");
            assert!((half.transpose() * half - product).amax() < 1e-11);
            // D of the last coordinate, and what is left for the base.
            let last = factor.inverse_inertia(body(n - 1));
            assert!((last * m[(n - 1, n - 1)] - 1.0).abs() < 1e-14);
            if model.bodies()[0].kind == JointKind::Floating {
                load.fill(0.0);
                factor
                    .factor(&model, &kinematics)
                    .expect("positive definite");
                let m = mass_matrix(&model, &kinematics);
                let (a, b) = (m.view((0, 0), (6, 6)), m.view((0, 6), (6, n - 6)));
                let inner = m.view((6, 6), (n - 6, n - 6)).into_owned();
                let left = a - b * inner.lu().solve(&b.transpose()).expect("regular");
                let found = factor.articulated_inertia(0).to_matrix();
                assert!((left - DMatrix::from_column_slice(6, 6, found.as_slice())).amax() < 1e-11);
            }
        }
    }
}
