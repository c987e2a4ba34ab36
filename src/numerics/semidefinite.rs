//! Inverses of symmetric positive semidefinite matrices on their range, by Cholesky factorisation, which is pivoted where
//! they are not clearly regular.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | A, n | `matrix`, `n` | the matrix and its size |
//! | P | `order` | indices in the order in which their pivots were taken, ρ of them, largest first |
//! | L | `rows` | A_PP = L_P L_Pᵀ; the row of any other index i is L_P⁻¹ A_Pi |
//! | u = A_PP⁻¹ A_Pi − e_i | `null` | one null vector for each index that is not in P |
//!
//! A solution by P alone, less its part in the null space, is that of least norm.

use super::{SymmetricFactor, dot, make_room};

/// Pivots below this share of the first are rounding of a matrix of lower rank.
const RANK_TOLERANCE: f64 = 1e-11;
/// A matrix whose pivots are above this share of its largest entry in whatever order needs none: its rank is full.
const CLEARLY_REGULAR: f64 = 1e-6;

/// Factor of a matrix, in memory that grows to the largest one seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct SemidefiniteFactor {
    n: usize,
    /// Whether `regular` is its factor, and nothing else is known.
    is_regular: bool,
    regular: SymmetricFactor,
    /// n × n, row after row in the order of A, columns in the order of pivots.
    rows: Vec<f64>,
    order: Vec<usize>,
    /// 1/L_kk, ρ of them.
    inverse_pivots: Vec<f64>,
    /// What is left of the diagonal.
    diagonal: Vec<f64>,
    /// Orthonormal, one after the other.
    null: Vec<f64>,
    steps: Vec<f64>,
}

impl SemidefiniteFactor {
    /// Makes room for an n × n matrix.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.regular.reserve(n);
        make_room(&mut self.rows, n * n);
        make_room(&mut self.order, n);
        make_room(&mut self.inverse_pivots, n);
        make_room(&mut self.diagonal, n);
        make_room(&mut self.null, n * n);
        make_room(&mut self.steps, n);
    }

    /// Factorises the n × n matrix A whose lower triangle is given column after column.
    pub(crate) fn factor(&mut self, matrix: &[f64], n: usize) {
        self.n = n;
        let diagonal = matrix.iter().step_by(n + 1);
        let least = CLEARLY_REGULAR * diagonal.fold(0.0, |m: f64, x| m.max(*x));
        self.is_regular = self.regular.factor(matrix, n, least);
        if !self.is_regular {
            self.factor_by_pivots(matrix);
            self.find_null_space();
        }
    }

    /// Takes the largest pivot first, until only rounding is left.
    fn factor_by_pivots(&mut self, matrix: &[f64]) {
        let n = self.n;
        self.rows.resize(n * n, 0.0);
        self.order.clear();
        self.order.extend(0..n);
        self.diagonal.clear();
        self.diagonal.extend(matrix.iter().step_by(n + 1));
        self.inverse_pivots.clear();
        let mut least = 0.0;
        for k in 0..n {
            let mut largest = k;
            for at in k + 1..n {
                if self.diagonal[self.order[at]] > self.diagonal[self.order[largest]] {
                    largest = at;
                }
            }
            self.order.swap(k, largest);
            let p = self.order[k];
            let pivot = self.diagonal[p];
            if k == 0 {
                least = RANK_TOLERANCE * pivot;
            }
            if pivot.is_nan() || pivot <= least {
                break;
            }
            let root = pivot.sqrt();
            let inverse = 1.0 / root;
            self.inverse_pivots.push(inverse);
            for &i in &self.order[k + 1..] {
                let known = dot(&self.rows[i * n..i * n + k], &self.rows[p * n..p * n + k]);
                let entry = (matrix[i.min(p) * n + i.max(p)] - known) * inverse;
                self.rows[i * n + k] = entry;
                self.diagonal[i] -= entry * entry;
            }
        }
    }

    /// Orthonormal null vectors of A (n each).
    pub(crate) fn null_vectors(&self) -> impl Iterator<Item = &[f64]> {
        let null: &[f64] = if self.is_regular { &[] } else { &self.null };
        null.chunks_exact(self.n.max(1))
    }

    /// x ← A⁺ x for an x in the range of A, with the rounding of A's condition.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let n = self.n;
        if self.is_regular {
            return self.regular.solve(x);
        }
        self.steps.clear();
        for (k, (&p, inverse)) in self.order.iter().zip(&self.inverse_pivots).enumerate() {
            let known = dot(&self.rows[p * n..p * n + k], &self.steps);
            self.steps.push((x[p] - known) * inverse);
        }
        x.fill(0.0);
        self.solve_transposed(x);
        for u in self.null.chunks_exact(n.max(1)) {
            remove(u, x);
        }
    }

    /// The entries P of x ← L_P⁻ᵀ `steps`.
    fn solve_transposed(&mut self, x: &mut [f64]) {
        let n = self.n;
        let pivots = self.order.iter().zip(&self.inverse_pivots).enumerate();
        for (k, (&p, inverse)) in pivots.rev() {
            x[p] = self.steps[k] * inverse;
            for (y, l) in self.steps[..k].iter_mut().zip(&self.rows[p * n..]) {
                *y -= l * x[p];
            }
        }
    }

    fn find_null_space(&mut self) {
        let (n, rank) = (self.n, self.inverse_pivots.len());
        let mut null = std::mem::take(&mut self.null);
        null.clear();
        null.resize((n - rank) * n, 0.0);
        for at in rank..n {
            let i = self.order[at];
            let (before, rest) = null.split_at_mut((at - rank) * n);
            let u = &mut rest[..n];
            self.steps.clear();
            self.steps
                .extend_from_slice(&self.rows[i * n..i * n + rank]);
            self.solve_transposed(u);
            u[i] = -1.0;
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
        factor.factor(&vec![2.0; (n + 2) * (n + 2)], n + 2);
        factor.factor(matrix.as_slice(), n);
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
        let mut factor = factor(&a);
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

    /// Normal and two tangents at the corners of a small rigid foot: 12 rows of rank 6 that nearly are of
    /// rank 3. A solution outside of the range would be another way to share the load.
    #[test]
    fn a_small_foot_shares_its_load_by_least_norm() {
        let half = 0.015;
        let mut angle = 0.0_f64;
        for _ in 0..500 {
            let mut metric = || {
                angle += 1.0;
                10.0_f64.powf((angle * angle).sin())
            };
            let metric = DVector::from_fn(6, |_, _| metric());
            let y = DMatrix::from_fn(12, 6, |row, column| {
                let x = if row < 6 { half } else { -half };
                let z = if row / 3 % 2 == 0 { half } else { -half };
                let entries = match row % 3 {
                    0 => [0.0, 1.0, 0.0, -z, 0.0, x],
                    1 => [1.0, 0.0, 0.0, 0.0, z, 0.1],
                    _ => [0.0, 0.0, 1.0, -0.1, -x, 0.0],
                };
                entries[column] * metric[column]
            });
            let a = &y * y.transpose();
            let w = &y * DVector::from_fn(6, |i, _| (i as f64 + angle).cos());
            let mut x = DVector::zeros(12);
            let mut factor = factor(&a);
            for _ in 0..3 {
                let mut rest = &w - &a * &x;
                factor.solve(rest.as_mut_slice());
                x += rest;
            }
            let gram = y.transpose() * &y;
            let inside = &y * gram.lu().solve(&(y.transpose() * &x)).expect("full rank");
            // The condition of A is at most 1e4 for the foot times 1e4 for the metrics: its rounding is
            // 1e-8 of x, the normal equations' of the check the same.
            assert!((inside - &x).amax() <= 1e-7 * x.amax());
        }
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let mut x = [0.0; 2];
        factor(&DMatrix::zeros(2, 2)).solve(&mut x);
        assert_eq!(x, [0.0; 2]);
    }
}
