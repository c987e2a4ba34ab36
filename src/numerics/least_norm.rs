//! Least-norm solutions of symmetric positive semidefinite systems by pivoted Cholesky.
//!
//! P A Pᵀ = L Lᵀ with L of n rows and as many columns ρ as A has rank; then
//! A⁺ = Pᵀ L (LᵀL)⁻² Lᵀ P. One step of refinement takes out the squared condition of LᵀL.

/// Pivots below this share of the first are rounding of a matrix of lower rank.
const RANK_TOLERANCE: f64 = 1e-11;

use super::dot;

/// Memory that grows to the largest system seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeastNorm {
    /// A, column after column.
    matrix: Vec<f64>,
    /// L, column after column, n each, rows in the order of A.
    columns: Vec<f64>,
    diagonal: Vec<f64>,
    taken: Vec<bool>,
    /// Cholesky factor of LᵀL, row after row, ρ × ρ.
    gram: Vec<f64>,
    projected: Vec<f64>,
    residual: Vec<f64>,
    rank: usize,
}

impl LeastNorm {
    /// The columns of A, of size n, to be filled before a solve.
    pub(crate) fn matrix_mut(&mut self, n: usize) -> &mut [f64] {
        self.matrix.resize(n * n, 0.0);
        &mut self.matrix
    }

    /// Solves A x = w for the x of least norm. Returns the largest error of A x − w, infinite when
    /// the factorisation breaks down.
    pub(crate) fn solve(&mut self, w: &[f64], x: &mut [f64]) -> f64 {
        let n = w.len();
        self.factor(n);
        if !self.factor_gram(n) {
            return f64::INFINITY;
        }
        self.projected.resize(self.rank, 0.0);
        self.residual.clear();
        self.residual.extend_from_slice(w);
        x.fill(0.0);
        for _ in 0..2 {
            self.refine(x);
            self.residual.copy_from_slice(w);
            for (column, x) in self.matrix.chunks_exact(n.max(1)).zip(&*x) {
                for (r, a) in self.residual.iter_mut().zip(column) {
                    *r -= a * x;
                }
            }
        }
        self.residual.iter().fold(0.0_f64, |m, r| m.max(r.abs()))
    }

    fn factor(&mut self, n: usize) {
        self.columns.resize(n * n, 0.0);
        self.diagonal.clear();
        self.diagonal.extend((0..n).map(|i| self.matrix[i * n + i]));
        self.taken.clear();
        self.taken.resize(n, false);
        self.rank = 0;
        let mut first = 0.0;
        for k in 0..n {
            let mut pivot = n;
            for i in (0..n).filter(|&i| !self.taken[i]) {
                if pivot == n || self.diagonal[i] > self.diagonal[pivot] {
                    pivot = i;
                }
            }
            let value = self.diagonal[pivot];
            if k == 0 {
                first = value;
            }
            if value.is_nan() || value <= RANK_TOLERANCE * first {
                return;
            }
            let (known, rest) = self.columns.split_at_mut(k * n);
            let column = &mut rest[..n];
            column.copy_from_slice(&self.matrix[pivot * n..(pivot + 1) * n]);
            for earlier in known.chunks_exact(n) {
                let factor = earlier[pivot];
                for (c, e) in column.iter_mut().zip(earlier) {
                    *c -= factor * e;
                }
            }
            let scale = 1.0 / value.sqrt();
            for i in 0..n {
                if self.taken[i] {
                    column[i] = 0.0;
                } else {
                    column[i] *= scale;
                    self.diagonal[i] -= column[i] * column[i];
                }
            }
            self.taken[pivot] = true;
            self.rank = k + 1;
        }
    }

    fn factor_gram(&mut self, n: usize) -> bool {
        let rank = self.rank;
        self.gram.resize(rank * rank, 0.0);
        for i in 0..rank {
            for j in 0..=i {
                let product = dot(
                    &self.columns[i * n..(i + 1) * n],
                    &self.columns[j * n..(j + 1) * n],
                );
                let known = dot(
                    &self.gram[i * rank..i * rank + j],
                    &self.gram[j * rank..j * rank + j],
                );
                let value = product - known;
                self.gram[i * rank + j] = if i == j {
                    if value.is_nan() || value <= 0.0 {
                        return false;
                    }
                    value.sqrt()
                } else {
                    value / self.gram[j * rank + j]
                };
            }
        }
        true
    }

    /// x += A⁺ r.
    fn refine(&mut self, x: &mut [f64]) {
        let n = x.len();
        for (k, z) in self.projected.iter_mut().enumerate() {
            *z = dot(&self.columns[k * n..(k + 1) * n], &self.residual);
        }
        for _ in 0..2 {
            solve_lower_twice(&self.gram, &mut self.projected);
        }
        for (column, z) in self.columns.chunks_exact(n.max(1)).zip(&self.projected) {
            for (x, c) in x.iter_mut().zip(column) {
                *x += c * z;
            }
        }
    }
}

/// x ← (C Cᵀ)⁻¹ x with C lower triangular, row after row.
fn solve_lower_twice(lower: &[f64], x: &mut [f64]) {
    let n = x.len();
    for i in 0..n {
        x[i] = (x[i] - dot(&lower[i * n..i * n + i], &x[..i])) / lower[i * n + i];
    }
    for i in (0..n).rev() {
        let value = x[i] / lower[i * n + i];
        x[i] = value;
        for (x, c) in x.iter_mut().zip(&lower[i * n..i * n + i]) {
            *x -= c * value;
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::LeastNorm;

    /// A = B Bᵀ of rank 3, w = A x₀: the least-norm solution lies in the range of A.
    #[test]
    fn the_solution_of_a_singular_system_has_least_norm() {
        let b = DMatrix::from_fn(7, 3, |i, j| ((i * 3 + j * 5) as f64).sin());
        let a = &b * b.transpose();
        let w = &a * DVector::from_fn(7, |i, _| (i as f64).cos());
        let mut x = DVector::zeros(7);
        let mut solver = LeastNorm::default();
        solver.matrix_mut(7).copy_from_slice(a.as_slice());
        let error = solver.solve(w.as_slice(), x.as_mut_slice());
        // Rounding of sums of seven terms of order one; the condition of B is below 10.
        assert!(error <= 1e-14, "{error:e}");
        let gram = b.transpose() * &b;
        let inside = &b * gram.lu().solve(&(b.transpose() * &x)).expect("full rank");
        assert!((inside - x).amax() <= 1e-13);
    }
}
