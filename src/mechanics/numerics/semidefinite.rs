//! Inverses of symmetric positive semidefinite matrices on their range, by Cholesky factorisation, which is pivoted where
//! they are not clearly regular.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | A, n | `matrix`, `n` | the matrix and its size |
//! | P | `order` | indices in the order in which their pivots were taken, ρ of them, largest first; then the others |
//! | R | `columns` | n × ρ in that order, A = R Rᵀ; its first ρ rows are L, which is triangular |
//! | L | | A_PP = L Lᵀ; the row of any other index i is L⁻¹ A_Pi |
//! | u = A_PP⁻¹ A_Pi − e_i | `null` | one null vector for each index that is not in P |
//! | S = Rᵀ R | `range` | ρ × ρ, whose eigenvalues are those of A that are not zero |
//!
//! A solution by P alone, less its part in the null space, is that of least norm: A⁺ x = (1 − U Uᵀ) L⁻ᵀ L⁻¹ x_P, U the
//! orthonormal null vectors. Where these are at least half of n the same is found in the range, by R S⁻¹ L⁻¹ x_P.

use super::{SymmetricFactor, add_columns_apart, add_scaled, dot, make_room};

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
    /// n apart, from the diagonal on.
    columns: Vec<f64>,
    order: Vec<usize>,
    /// 1/L_kk, ρ of them.
    inverse_pivots: Vec<f64>,
    /// What is left of the diagonal, in the order of P.
    diagonal: Vec<f64>,
    /// Orthonormal, one after the other, where they have been found.
    null: Vec<f64>,
    /// Whether solutions are found in the range.
    is_small: bool,
    range: SymmetricFactor,
    gram: Vec<f64>,
    steps: Vec<f64>,
}

impl SemidefiniteFactor {
    /// Makes room for an n × n matrix.
    pub(crate) fn reserve(&mut self, n: usize) {
        self.regular.reserve(n);
        make_room(&mut self.columns, n * n);
        make_room(&mut self.order, n);
        make_room(&mut self.inverse_pivots, n);
        make_room(&mut self.diagonal, n);
        make_room(&mut self.null, n * n);
        self.range.reserve(n / 2);
        make_room(&mut self.gram, (n / 2) * (n / 2));
        make_room(&mut self.steps, n);
    }

    /// Factorises the n × n matrix A whose lower triangle is given column after column.
    pub(crate) fn factor(&mut self, matrix: &[f64], n: usize) {
        if self.factor_or_pivot(matrix, n) {
            return;
        }
        self.is_small = 2 * self.inverse_pivots.len() <= n && self.factor_range();
        if !self.is_small {
            self.find_null_space();
        }
    }

    /// Orthonormal null vectors of such a matrix (n each).
    pub(crate) fn null_vectors(
        &mut self,
        matrix: &[f64],
        n: usize,
    ) -> impl Iterator<Item = &[f64]> {
        self.null.clear();
        if !self.factor_or_pivot(matrix, n) {
            self.find_null_space();
        }
        self.null.chunks_exact(n.max(1))
    }

    /// By the factor of a clearly regular matrix, which it says, or by pivots.
    fn factor_or_pivot(&mut self, matrix: &[f64], n: usize) -> bool {
        self.n = n;
        self.is_small = false;
        let diagonal = matrix.iter().step_by(n + 1);
        let least = CLEARLY_REGULAR * diagonal.fold(0.0, |m: f64, x| m.max(*x));
        self.is_regular = self.regular.factor(matrix, n, least);
        if !self.is_regular {
            self.factor_by_pivots(matrix);
        }
        self.is_regular
    }

    /// Takes the largest pivot first, until only rounding is left.
    fn factor_by_pivots(&mut self, matrix: &[f64]) {
        let n = self.n;
        self.columns.resize(n * n, 0.0);
        self.order.clear();
        self.order.extend(0..n);
        self.diagonal.clear();
        self.diagonal.extend(matrix.iter().step_by(n + 1));
        self.inverse_pivots.clear();
        let mut least = 0.0;
        for k in 0..n {
            let mut largest = k;
            for at in k + 1..n {
                if self.diagonal[at] > self.diagonal[largest] {
                    largest = at;
                }
            }
            self.order.swap(k, largest);
            self.diagonal.swap(k, largest);
            for column in self.columns.chunks_exact_mut(n).take(k) {
                column.swap(k, largest);
            }
            let pivot = self.diagonal[k];
            if k == 0 {
                least = RANK_TOLERANCE * pivot;
            }
            if pivot.is_nan() || pivot <= least {
                break;
            }
            self.add_column(matrix, k, pivot.sqrt());
        }
    }

    /// Column k of R, of the pivot that comes next, whose root is known.
    fn add_column(&mut self, matrix: &[f64], k: usize, root: f64) {
        let (n, p) = (self.n, self.order[k]);
        let (known, rest) = self.columns.split_at_mut(k * n);
        rest[k] = root;
        let column = &mut rest[k + 1..n];
        for (entry, &i) in column.iter_mut().zip(&self.order[k + 1..]) {
            *entry = matrix[i.min(p) * n + i.max(p)];
        }
        self.steps.clear();
        let row = known.iter().skip(k).step_by(n);
        self.steps.extend(row.map(|x| -x));
        if let Some(below) = known.get(k + 1..) {
            add_columns_apart(column, below, n, &self.steps);
        }
        let inverse = 1.0 / root;
        self.inverse_pivots.push(inverse);
        for (entry, left) in column.iter_mut().zip(&mut self.diagonal[k + 1..]) {
            *entry *= inverse;
            *left -= *entry * *entry;
        }
    }

    /// The columns of R, each from its diagonal on.
    fn columns(&self) -> impl Iterator<Item = (usize, &[f64])> + Clone {
        let all = self.columns.chunks_exact(self.n.max(1)).enumerate();
        let all = all.take(self.inverse_pivots.len());
        all.map(|(j, column)| (j, &column[j..]))
    }

    /// Factorises S; false where that is not clearly positive.
    fn factor_range(&mut self) -> bool {
        let rank = self.inverse_pivots.len();
        let mut gram = std::mem::take(&mut self.gram);
        gram.resize(rank * rank, 0.0);
        for (j, column) in self.columns() {
            for (i, other) in self.columns().skip(j) {
                gram[j * rank + i] = dot(&column[i - j..], other);
            }
        }
        let largest = gram.iter().step_by(rank + 1);
        let least = RANK_TOLERANCE * largest.fold(0.0, |m: f64, x| m.max(*x));
        let is_positive = self.range.factor(&gram, rank, least);
        self.gram = gram;
        is_positive
    }

    /// x ← A⁺ x for an x in the range of A, with the rounding of A's condition.
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        let n = self.n;
        if self.is_regular {
            return self.regular.solve(x);
        }
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        let rank = self.inverse_pivots.len();
        steps.extend(self.order[..rank].iter().map(|p| x[*p]));
        for ((k, column), inverse) in self.columns().zip(&self.inverse_pivots) {
            steps[k] *= inverse;
            let (own, below) = steps[k..].split_at_mut(1);
            add_scaled(below, -own[0], &column[1..]);
        }
        if self.is_small {
            self.range.solve(&mut steps);
            // In the order of P.
            let whole = &mut self.diagonal;
            whole.fill(0.0);
            let columns = self.columns.chunks_exact(n.max(1)).enumerate();
            for ((j, column), step) in columns.zip(&steps) {
                add_scaled(&mut whole[j..], *step, &column[j..]);
            }
            for (&p, value) in self.order.iter().zip(whole) {
                x[p] = *value;
            }
        } else {
            x.fill(0.0);
            self.solve_transposed(&mut steps, x);
            for u in self.null.chunks_exact(n.max(1)) {
                remove(u, x);
            }
        }
        self.steps = steps;
    }

    /// The entries P of x ← L⁻ᵀ `steps`, which become the same in the order of P.
    fn solve_transposed(&self, steps: &mut [f64], x: &mut [f64]) {
        for k in (0..steps.len()).rev() {
            let column = &self.columns[k * self.n..][k + 1..steps.len()];
            let known = dot(column, &steps[k + 1..]);
            steps[k] = (steps[k] - known) * self.inverse_pivots[k];
            x[self.order[k]] = steps[k];
        }
    }

    fn find_null_space(&mut self) {
        let (n, rank) = (self.n, self.inverse_pivots.len());
        let mut null = std::mem::take(&mut self.null);
        let mut steps = std::mem::take(&mut self.steps);
        null.clear();
        null.resize((n - rank) * n, 0.0);
        for at in rank..n {
            let (before, rest) = null.split_at_mut((at - rank) * n);
            let u = &mut rest[..n];
            steps.clear();
            let row = self.columns.iter().skip(at).step_by(n);
            steps.extend(row.take(rank));
            self.solve_transposed(&mut steps, u);
            u[self.order[at]] = -1.0;
            for other in before.chunks_exact(n) {
                remove(other, u);
            }
            let shrink = 1.0 / dot(u, u).sqrt();
            for x in u.iter_mut() {
                *x *= shrink;
            }
        }
        self.null = null;
        self.steps = steps;
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

    /// In the range and by null vectors: of all ranks, with eigenvalues over four orders.
    #[test]
    fn both_ways_find_the_same_solution() {
        for rank in 1..=12 {
            let entry = |i: usize, j: usize| ((12 * i + j) as f64).powi(2).sin();
            let b = DMatrix::from_fn(12, rank, |i, j| {
                entry(i, j) * 10.0_f64.powi(-(j as i32 % 3))
            });
            let a = &b * b.transpose();
            let w = &a * DVector::from_fn(12, |i, _| (i as f64).cos());
            let mut factor = factor(&a);
            let mut x = w.clone();
            factor.solve(x.as_mut_slice());
            assert_eq!(factor.is_small, 2 * rank <= 12);
            let null = factor.null_vectors(a.as_slice(), 12).count();
            assert_eq!((null, factor.is_small), (12 - rank, false));
            let mut y = w.clone();
            factor.solve(y.as_mut_slice());
            // Eigenvalues within 2e5 of each other, and some hundred roundings: 4e-9.
            assert!(
                (&x - &y).amax() <= 4e-9 * y.amax(),
                "{rank} {}",
                (&x - &y).amax()
            );
            assert!((&a * &x - &w).amax() <= 4e-9 * w.amax(), "{rank}");
        }
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let mut x = [0.0; 2];
        factor(&DMatrix::zeros(2, 2)).solve(&mut x);
        assert_eq!(x, [0.0; 2]);
    }
}
