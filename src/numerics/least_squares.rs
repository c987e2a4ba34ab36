//! Minimum-norm least squares by complete orthogonal factorisation.
//!
//! B x ≈ w with B square and possibly rank deficient. B P = Q R with column pivoting; when the rank
//! ρ is smaller than n, the leading ρ rows of R are compressed from the right by reflectors,
//! \[R₁₁ R₁₂\] Z = \[T 0\], and x = P Z \[T⁻¹ (Qᵀw)_ρ; 0\] has the smallest norm of all x that minimise
//! ‖B x − w‖ (Golub & Van Loan, *Matrix Computations*, 5.5.2).

/// Pivots below this fraction of the largest one are zero: rounding in G = J M⁻¹ Jᵀ of redundant
/// contacts stays well below it, the stiffness spread of mechanisms stays above it.
const RANK_TOLERANCE: f64 = 1e-11;

/// A square system with its scratch memory. Grows to the largest system seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeastSquares {
    n: usize,
    /// B, then R and the reflectors; column-major, n × n.
    matrix: Vec<f64>,
    /// w, then Qᵀw; n.
    rhs: Vec<f64>,
    /// x in the order of the caller's columns; n.
    solution: Vec<f64>,
    permutation: Vec<usize>,
    reflector: Vec<f64>,
}

impl LeastSquares {
    /// Makes room for a system of size n and sets it to zero.
    pub(crate) fn reset(&mut self, n: usize) {
        self.n = n;
        for (buffer, size) in [
            (&mut self.matrix, n * n),
            (&mut self.rhs, n),
            (&mut self.solution, n),
            (&mut self.reflector, n),
        ] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        self.permutation.clear();
        self.permutation.extend(0..n);
    }

    /// Column j of B.
    pub(crate) fn column_mut(&mut self, j: usize) -> &mut [f64] {
        &mut self.matrix[j * self.n..(j + 1) * self.n]
    }

    /// w.
    pub(crate) fn rhs_mut(&mut self) -> &mut [f64] {
        &mut self.rhs
    }

    /// x of the last [`Self::solve`].
    pub(crate) fn solution(&self) -> &[f64] {
        &self.solution
    }

    /// Factorises B, destroying it, and solves for x. Returns the rank.
    pub(crate) fn solve(&mut self) -> usize {
        let rank = self.triangularise();
        if rank < self.n {
            self.compress_rows(rank);
        }
        self.back_substitute(rank);
        rank
    }

    /// B P = Q R and w ← Qᵀw; stops at the rank.
    fn triangularise(&mut self) -> usize {
        let n = self.n;
        let mut largest = 0.0;
        for k in 0..n {
            let (pivot, norm) = self.longest_column(k);
            if k == 0 {
                largest = norm;
            }
            if norm <= RANK_TOLERANCE * largest {
                return k;
            }
            if pivot != k {
                self.permutation.swap(k, pivot);
                let (left, right) = self.matrix.split_at_mut(pivot * n);
                left[k * n..(k + 1) * n].swap_with_slice(&mut right[..n]);
            }
            self.reflect_column(k, norm);
        }
        n
    }

    /// Index and norm of the longest remaining column, rows k and below.
    fn longest_column(&self, k: usize) -> (usize, f64) {
        let n = self.n;
        let mut best = (k, -1.0);
        for j in k..n {
            let squared: f64 = self.matrix[j * n + k..(j + 1) * n]
                .iter()
                .map(|x| x * x)
                .sum();
            if squared > best.1 {
                best = (j, squared);
            }
        }
        (best.0, best.1.max(0.0).sqrt())
    }

    /// Applies the reflector that maps column k to a multiple of e_k to the columns right of it and to w.
    fn reflect_column(&mut self, k: usize, norm: f64) {
        let n = self.n;
        let (head, tail) = self.matrix.split_at_mut((k + 1) * n);
        let column = &mut head[k * n + k..];
        let diagonal = if column[0] > 0.0 { -norm } else { norm };
        // H = I − v vᵀ / β with v = column − diagonal e₁ and β = vᵀv / 2.
        column[0] -= diagonal;
        let beta = -diagonal * column[0];
        if beta > 0.0 {
            let others = tail.chunks_exact_mut(n).map(|c| &mut c[k..]);
            for other in others.chain(std::iter::once(&mut self.rhs[k..])) {
                let product: f64 = column.iter().zip(other.iter()).map(|(v, x)| v * x).sum();
                let factor = product / beta;
                for (x, v) in other.iter_mut().zip(column.iter()) {
                    *x -= factor * v;
                }
            }
        }
        column[0] = diagonal;
    }

    /// \[R₁₁ R₁₂\] ← \[T 0\], reflectors kept in place of R₁₂ and in `reflector`.
    fn compress_rows(&mut self, rank: usize) {
        let n = self.n;
        for k in (0..rank).rev() {
            let diagonal = self.matrix[k * n + k];
            let tail: f64 = (rank..n).map(|j| self.matrix[j * n + k].powi(2)).sum();
            let norm = (diagonal * diagonal + tail).sqrt();
            let target = if diagonal > 0.0 { -norm } else { norm };
            let first = diagonal - target;
            self.reflector[k] = first;
            let beta = -target * first;
            if beta <= 0.0 {
                continue;
            }
            for i in 0..k {
                let mut product = self.matrix[k * n + i] * first;
                for j in rank..n {
                    product += self.matrix[j * n + i] * self.matrix[j * n + k];
                }
                let factor = product / beta;
                self.matrix[k * n + i] -= factor * first;
                for j in rank..n {
                    self.matrix[j * n + i] -= factor * self.matrix[j * n + k];
                }
            }
            self.matrix[k * n + k] = target;
        }
    }

    /// x = P Z \[T⁻¹ c; 0\].
    fn back_substitute(&mut self, rank: usize) {
        let n = self.n;
        let y = &mut self.rhs;
        y[rank..].fill(0.0);
        for k in (0..rank).rev() {
            y[k] /= self.matrix[k * n + k];
            let value = y[k];
            for i in 0..k {
                y[i] -= self.matrix[k * n + i] * value;
            }
        }
        if rank < n {
            for k in 0..rank {
                let first = self.reflector[k];
                let beta = -self.matrix[k * n + k] * first;
                if beta <= 0.0 {
                    continue;
                }
                let mut product = first * y[k];
                for j in rank..n {
                    product += self.matrix[j * n + k] * y[j];
                }
                let factor = product / beta;
                y[k] -= factor * first;
                for j in rank..n {
                    y[j] -= factor * self.matrix[j * n + k];
                }
            }
        }
        for (place, value) in self.permutation.iter().zip(y.iter()) {
            self.solution[*place] = *value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    fn solve(b: &DMatrix<f64>, w: &DVector<f64>) -> (DVector<f64>, usize) {
        let n = b.nrows();
        let mut system = LeastSquares::default();
        // A larger system first: what it leaves behind must not matter.
        system.reset(n + 2);
        system.column_mut(n + 1).fill(3.0);
        system.solve();
        system.reset(n);
        for j in 0..n {
            system.column_mut(j).copy_from_slice(b.column(j).as_slice());
        }
        system.rhs_mut().copy_from_slice(w.as_slice());
        let rank = system.solve();
        (DVector::from_column_slice(system.solution()), rank)
    }

    #[test]
    fn zero_matrix_has_the_zero_solution() {
        let (x, rank) = solve(&DMatrix::zeros(3, 3), &DVector::from_element(3, 1.0));
        assert_eq!(rank, 0);
        assert_eq!(x, DVector::zeros(3));
    }

    #[test]
    fn spreads_one_equation_over_equal_unknowns() {
        let (x, rank) = solve(
            &DMatrix::from_element(3, 3, 1.0),
            &DVector::from_element(3, 6.0),
        );
        assert_eq!(rank, 1);
        assert!((x - DVector::from_element(3, 2.0)).amax() < 1e-14);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Against the pseudo-inverse of a product of two factors of full rank, in closed form:
        /// (L R)⁺ = Rᵀ (R Rᵀ)⁻¹ (LᵀL)⁻¹ Lᵀ. (The decomposition that nalgebra offers is not accurate
        /// for some matrices of deficient rank.)
        #[test]
        fn equals_the_pseudo_inverse(
            n in 1usize..9,
            rank in 1usize..9,
            numbers in prop::collection::vec(-1.0f64..1.0, 2 * 81 + 9),
        ) {
            let rank = rank.min(n);
            let left = DMatrix::from_iterator(n, rank, numbers.iter().copied().take(n * rank));
            let right = DMatrix::from_iterator(rank, n, numbers.iter().copied().skip(81).take(n * rank));
            let b = &left * &right;
            let w = DVector::from_iterator(n, numbers.iter().copied().skip(162).take(n));
            let (inner, outer) = (left.tr_mul(&left), &right * right.transpose());
            let spread = |m: &DMatrix<f64>| {
                let values = m.clone().symmetric_eigenvalues();
                values.min() / values.max()
            };
            // A lower bound of the smallest singular value over the largest.
            let smallest = (spread(&inner) * spread(&outer)).max(0.0).sqrt();
            prop_assume!(smallest > 1e-3);
            let (x, found) = solve(&b, &w);
            let reduced = inner.cholesky().unwrap().solve(&left.tr_mul(&w));
            let expected = right.tr_mul(&outer.cholesky().unwrap().solve(&reduced));
            prop_assert_eq!(found, rank);
            // Forward error of a least-squares solution: condition squared times rounding, n ≤ 8.
            let bound = 1e-14 * (1.0 + expected.norm()) / smallest.powi(2);
            prop_assert!((&x - &expected).norm() < bound, "{} {}", (&x - &expected).norm(), bound);
        }
    }
}
