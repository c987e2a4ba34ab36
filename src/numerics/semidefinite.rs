//! Inverses of symmetric positive semidefinite matrices on their range, by Cholesky factorisation.
//!
//! A column whose pivot is rounding depends on those before it, P, and is left out: it gives the null
//! vector u = e_j − A_PP⁻¹ A_Pj. A solution by P alone, less its part in the null space, is that of
//! least norm.

use super::dot;

/// Pivots below this share of their diagonal entry are rounding of a matrix of lower rank.
const RANK_TOLERANCE: f64 = 1e-11;

/// Factor of a matrix, in memory that grows to the largest one seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct SemidefiniteFactor {
    n: usize,
    /// A, then L: the lower triangle, row after row; rows and columns that are left out are zero.
    lower: Vec<f64>,
    /// 1/Lᵢᵢ; 0 for a column that is left out.
    inverse_diagonal: Vec<f64>,
    left_out: Vec<usize>,
    /// Orthonormal null vectors, one after the other.
    null: Vec<f64>,
}

impl SemidefiniteFactor {
    /// A matrix of n × n zeros, row after row, whose lower triangle is to be filled.
    pub(crate) fn reset(&mut self, n: usize) -> &mut [f64] {
        self.n = n;
        self.lower.clear();
        self.lower.resize(n * n, 0.0);
        &mut self.lower
    }

    /// Factorises A.
    pub(crate) fn factor(&mut self) {
        let n = self.n;
        self.inverse_diagonal.clear();
        self.left_out.clear();
        self.null.clear();
        for i in 0..n {
            let (above, rest) = self.lower.split_at_mut(i * n);
            let row = &mut rest[..n];
            for (j, other) in above.chunks_exact(n).enumerate() {
                row[j] = (row[j] - dot(&row[..j], &other[..j])) * self.inverse_diagonal[j];
            }
            let entry = row[i];
            let pivot = entry - dot(&row[..i], &row[..i]);
            if pivot > RANK_TOLERANCE * entry {
                row[i] = pivot.sqrt();
                self.inverse_diagonal.push(1.0 / row[i]);
            } else {
                self.null.extend_from_slice(row);
                self.left_out.push(i);
                row.fill(0.0);
                self.inverse_diagonal.push(0.0);
            }
        }
        if !self.left_out.is_empty() {
            self.find_null_space();
        }
    }

    /// x ← A⁺ x for an x in the range of A, with the rounding of A's condition.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        let n = self.n;
        for (i, row) in self.lower.chunks_exact(n.max(1)).enumerate() {
            x[i] = (x[i] - dot(&row[..i], &x[..i])) * self.inverse_diagonal[i];
        }
        self.solve_transposed(x);
        for u in self.null.chunks_exact(n.max(1)) {
            remove(u, x);
        }
    }

    /// x ← L⁻ᵀ x.
    fn solve_transposed(&self, x: &mut [f64]) {
        let rows = self.lower.chunks_exact(self.n.max(1)).enumerate();
        for (i, row) in rows.rev() {
            let (known, rest) = x.split_at_mut(i);
            rest[0] *= self.inverse_diagonal[i];
            for (x, l) in known.iter_mut().zip(row) {
                *x -= l * rest[0];
            }
        }
    }

    /// `null` holds the rows of L that the left out columns had: L_P⁻¹ A_Pj.
    fn find_null_space(&mut self) {
        let n = self.n;
        let mut null = std::mem::take(&mut self.null);
        for (k, &j) in self.left_out.iter().enumerate() {
            let (before, rest) = null.split_at_mut(k * n);
            let u = &mut rest[..n];
            u[j..].fill(0.0);
            self.solve_transposed(u);
            u[j] = -1.0;
            for other in before.chunks_exact(n) {
                remove(other, u);
            }
            let shrink = 1.0 / dot(u, u).sqrt();
            for x in u.iter_mut() {
                *x *= shrink;
            }
        }
        self.null = null;
    }
}

/// x less its part along the unit vector u.
fn remove(u: &[f64], x: &mut [f64]) {
    let along = dot(u, x);
    for (x, u) in x.iter_mut().zip(u) {
        *x -= along * u;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};

    use super::SemidefiniteFactor;

    fn factor(matrix: &DMatrix<f64>) -> SemidefiniteFactor {
        let n = matrix.nrows();
        let mut factor = SemidefiniteFactor::default();
        // A larger matrix first: what it leaves behind must not matter.
        factor.reset(n + 2).fill(2.0);
        factor.factor();
        factor.reset(n).copy_from_slice(matrix.as_slice());
        factor.factor();
        factor
    }

    #[test]
    fn solves_a_system_of_full_rank() {
        let matrix = DMatrix::from_row_slice(2, 2, &[4.0, 2.0, 2.0, 3.0]);
        let mut x = [8.0, 8.0];
        factor(&matrix).solve(&mut x);
        // 4 + 2·2 = 8 and 2 + 3·2 = 8.
        assert!((x[0] - 1.0).abs() <= 1e-15 && (x[1] - 2.0).abs() <= 1e-15);
    }

    /// A = B Bᵀ of rank 3, w = A x₀: the least-norm solution lies in the range of A.
    #[test]
    fn the_solution_of_a_singular_system_has_least_norm() {
        let b = DMatrix::from_fn(7, 3, |i, j| ((i * 3 + j * 5) as f64).sin());
        let a = &b * b.transpose();
        let w = &a * DVector::from_fn(7, |i, _| (i as f64).cos());
        let mut x = DVector::zeros(7);
        let factor = factor(&a);
        for _ in 0..2 {
            let mut rest = &w - &a * &x;
            factor.solve(rest.as_mut_slice());
            x += rest;
        }
        let error = (&a * &x - &w).amax();
        // Rounding of sums of seven terms of order one; the condition of B is below 10.
        assert!(error <= 1e-14, "{error:e}");
        let gram = b.transpose() * &b;
        let inside = &b * gram.lu().solve(&(b.transpose() * &x)).expect("full rank");
        assert!((inside - x).amax() <= 1e-13);
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let mut x = [0.0; 2];
        factor(&DMatrix::zeros(2, 2)).solve(&mut x);
        assert_eq!(x, [0.0; 2]);
    }
}
