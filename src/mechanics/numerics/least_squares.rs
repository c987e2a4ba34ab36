//! Minimum-norm least squares: the x of smallest norm among those that minimise ‖B x − w‖, B square and possibly rank
//! deficient.

use super::PseudoInverse;

/// A square system with its scratch memory. Grows to the largest system seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeastSquares {
    /// B, then its factors.
    inverse: PseudoInverse,
    /// w; n.
    rhs: Vec<f64>,
    /// x; n.
    solution: Vec<f64>,
}

impl LeastSquares {
    /// Makes room for a system of size n and sets it to zero.
    pub(crate) fn reset(&mut self, n: usize) {
        self.inverse.matrix_mut(n).fill(0.0);
        for vector in [&mut self.rhs, &mut self.solution] {
            vector.clear();
            vector.resize(n, 0.0);
        }
    }

    /// Column j of B.
    pub(crate) fn column_mut(&mut self, j: usize) -> &mut [f64] {
        let n = self.rhs.len();
        &mut self.inverse.matrix_mut(n)[j * n..(j + 1) * n]
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
        self.inverse.factor();
        self.inverse.solve(&mut self.rhs, &mut self.solution);
        self.inverse.rank()
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
