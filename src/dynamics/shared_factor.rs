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
