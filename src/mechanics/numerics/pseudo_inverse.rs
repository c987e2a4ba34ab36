//! Products U S⁺ and S⁺ w with the pseudo-inverse of a square matrix of any rank, by complete orthogonal
//! factorisation.
//!
//! S P = Q R with column pivoting, stopped at the rank ρ; reflectors from the right make [T 0] of
//! [R₁₁ R₁₂]. Then S⁺ = P Z [T⁻¹ 0; 0 0] Qᵀ (Golub & Van Loan, *Matrix Computations*, 5.5.2), and the
//! factors act on the columns of U one after another.

use super::{add_product, dot, subtract_scaled};

/// Columns shorter than this share of the longest are rounding, which in G = J M⁻¹ Jᵀ of redundant contacts stays well
/// below it; the stiffness spread of mechanisms stays above it.
const RANK_TOLERANCE: f64 = 1e-11;

/// A square matrix and its factors. Grows to the largest system seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct PseudoInverse {
    size: usize,
    rank: usize,
    /// S, column after column; then T above the diagonal, the reflectors of Q from it on, those of Z in
    /// the rows of the columns beyond the rank.
    matrix: Vec<f64>,
    /// Diagonal of R, then of T.
    diagonal: Vec<f64>,
    /// 2/vᵀv of the reflectors of Q, and that and the entry on the diagonal of the reflectors of Z.
    left: Vec<f64>,
    right: Vec<[f64; 2]>,
    permutation: Vec<usize>,
    /// Scratch of the products with a reflector.
    product: Vec<f64>,
}

impl PseudoInverse {
    /// Entries of S, of size `size`, column after column, to be filled before
    /// [`PseudoInverse::factor`].
    pub(crate) fn matrix_mut(&mut self, size: usize) -> &mut [f64] {
        self.size = size;
        self.matrix.resize(size * size, 0.0);
        &mut self.matrix
    }

    /// Rank of S.
    pub(crate) fn rank(&self) -> usize {
        self.rank
    }

    /// Factors S.
    pub(crate) fn factor(&mut self) {
        let n = self.size;
        self.permutation.clear();
        self.permutation.extend(0..n);
        self.diagonal.clear();
        self.left.clear();
        let mut largest = 0.0;
        for k in 0..n {
            let (pivot, norm) = self.longest_column(k);
            if k == 0 {
                largest = norm;
            }
            if norm.is_nan() || norm <= RANK_TOLERANCE * largest {
                break;
            }
            if pivot != k {
                self.permutation.swap(k, pivot);
                let (left, right) = self.matrix.split_at_mut(pivot * n);
                left[k * n..(k + 1) * n].swap_with_slice(&mut right[..n]);
            }
            self.reflect_columns(k, norm);
        }
        self.rank = self.diagonal.len();
        self.right.clear();
        self.right.resize(self.rank, [0.0; 2]);
        if self.rank < n {
            for k in (0..self.rank).rev() {
                self.reflect_rows(k);
            }
        }
    }

    /// Writes U S⁺ to `out`; U and `out` have `rows` rows and are given column after column.
    pub(crate) fn multiply_left(&mut self, rows: usize, u: &[f64], out: &mut [f64]) {
        if rows == 0 {
            return;
        }
        let (n, rank) = (self.size, self.rank);
        self.product.resize(rows, 0.0);
        for (column, from) in out.chunks_exact_mut(rows).zip(&self.permutation) {
            column.copy_from_slice(&u[from * rows..(from + 1) * rows]);
        }
        let matrix = &self.matrix;
        if rank < n {
            for k in (0..rank).rev() {
                let [scale, first] = self.right[k];
                let (kept, beyond) = out.split_at_mut(rank * rows);
                let kept = &mut kept[k * rows..(k + 1) * rows];
                let v = (rank..n).map(|j| matrix[j * n + k]);
                self.product.fill(0.0);
                subtract_scaled(-scale * first, kept, &mut self.product);
                for (column, x) in beyond.chunks_exact(rows).zip(v.clone()) {
                    subtract_scaled(-scale * x, column, &mut self.product);
                }
                subtract_scaled(first, &self.product, kept);
                for (column, x) in beyond.chunks_exact_mut(rows).zip(v) {
                    subtract_scaled(x, &self.product, column);
                }
            }
            out[rank * rows..].fill(0.0);
        }
        for k in 0..rank {
            let (known, rest) = out.split_at_mut(k * rows);
            let target = &mut rest[..rows];
            for (z, t) in known.chunks_exact(rows).zip(&matrix[k * n..]) {
                subtract_scaled(*t, z, target);
            }
            let inverse = 1.0 / self.diagonal[k];
            for x in target {
                *x *= inverse;
            }
        }
        for k in (0..rank).rev() {
            let v = &matrix[k * n + k..(k + 1) * n];
            let columns = &mut out[k * rows..];
            self.product.fill(0.0);
            add_product(rows, self.left[k], columns, v, &mut self.product);
            for (column, x) in columns.chunks_exact_mut(rows).zip(v) {
                subtract_scaled(*x, &self.product, column);
            }
        }
    }

    /// Writes S⁺ w, the shortest x that misses S x = w by least, to `x` (both n); overwrites w.
    pub(crate) fn solve(&self, w: &mut [f64], x: &mut [f64]) {
        let (n, rank) = (self.size, self.rank);
        let matrix = &self.matrix;
        for (k, scale) in self.left.iter().enumerate() {
            let v = &matrix[k * n + k..(k + 1) * n];
            let rest = &mut w[k..];
            subtract_scaled(scale * dot(v, rest), v, rest);
        }
        let (kept, beyond) = w.split_at_mut(rank);
        beyond.fill(0.0);
        for k in (0..rank).rev() {
            kept[k] /= self.diagonal[k];
            let value = kept[k];
            subtract_scaled(value, &matrix[k * n..k * n + k], &mut kept[..k]);
        }
        for (k, [scale, first]) in self.right.iter().enumerate() {
            let v = (rank..n).map(|j| matrix[j * n + k]);
            let along: f64 = v.clone().zip(&*beyond).map(|(v, x)| v * x).sum();
            let factor = scale * (first * kept[k] + along);
            kept[k] -= factor * first;
            for (x, v) in beyond.iter_mut().zip(v) {
                *x -= factor * v;
            }
        }
        for (place, value) in self.permutation.iter().zip(w) {
            x[*place] = *value;
        }
    }

    /// Index and norm of the longest remaining column, rows k and below.
    fn longest_column(&self, k: usize) -> (usize, f64) {
        let n = self.size;
        let mut best = (k, -1.0);
        for j in k..n {
            let rest = &self.matrix[j * n + k..(j + 1) * n];
            let squared = dot(rest, rest);
            if squared > best.1 {
                best = (j, squared);
            }
        }
        (best.0, best.1.sqrt())
    }

    /// The reflector that maps column k to a multiple of e_k, applied to the columns right of it.
    fn reflect_columns(&mut self, k: usize, norm: f64) {
        let n = self.size;
        let (head, tail) = self.matrix.split_at_mut((k + 1) * n);
        let column = &mut head[k * n + k..];
        let diagonal = if column[0] > 0.0 { -norm } else { norm };
        // v = column − diagonal e₁, vᵀv/2 = −diagonal v₁.
        column[0] -= diagonal;
        let scale = -1.0 / (diagonal * column[0]);
        self.diagonal.push(diagonal);
        self.left.push(scale);
        for other in tail.chunks_exact_mut(n) {
            let other = &mut other[k..];
            subtract_scaled(scale * dot(column, other), column, other);
        }
    }

    /// The reflector that maps row k to a multiple of e_k, applied to the rows above it.
    fn reflect_rows(&mut self, k: usize) {
        let (n, rank) = (self.size, self.rank);
        let matrix = &mut self.matrix;
        let tail: f64 = (rank..n).map(|j| matrix[j * n + k].powi(2)).sum();
        if tail == 0.0 {
            return;
        }
        let before = self.diagonal[k];
        let norm = before.hypot(tail.sqrt());
        let diagonal = if before > 0.0 { -norm } else { norm };
        let first = before - diagonal;
        let scale = -1.0 / (diagonal * first);
        self.diagonal[k] = diagonal;
        self.right[k] = [scale, first];
        for i in 0..k {
            let beyond: f64 = (rank..n)
                .map(|j| matrix[j * n + i] * matrix[j * n + k])
                .sum();
            let factor = scale * (matrix[k * n + i] * first + beyond);
            matrix[k * n + i] -= factor * first;
            for j in rank..n {
                matrix[j * n + i] -= factor * matrix[j * n + k];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::PseudoInverse;

    #[test]
    fn multiplies_with_the_pseudo_inverse_at_any_rank() {
        let entry = |i: usize, j: usize| (1.0 + (37 * i + 13 * j * j + 10 * i * j) as f64).sin();
        for (n, rank) in [(1, 1), (4, 4), (6, 3), (9, 8), (5, 0), (0, 0)] {
            let left = DMatrix::from_fn(n, rank, entry);
            let right = DMatrix::from_fn(rank, n, |i, j| entry(j + 3, i + 1));
            let s = &left * &right;
            let u = DMatrix::from_fn(3, n, |i, j| entry(i + 5, j));
            let mut inverse = PseudoInverse::default();
            inverse.matrix_mut(n).copy_from_slice(s.as_slice());
            inverse.factor();
            assert_eq!(inverse.rank, rank);
            let mut found = DMatrix::zeros(3, n);
            inverse.multiply_left(3, u.as_slice(), found.as_mut_slice());
            // S⁺ = Rᵀ (R Rᵀ)⁻¹ (Lᵀ L)⁻¹ Lᵀ for S = L R.
            let inner = (&right * right.transpose()).try_inverse();
            let outer = left.tr_mul(&left).try_inverse();
            let (inner, outer) = (inner.expect("rows"), outer.expect("columns"));
            let expected = u * right.transpose() * inner * outer * left.transpose();
            // The factors have condition numbers below 100, which the expected value squares.
            let bound = 1e-11 * (1.0 + expected.amax());
            assert!((&found - expected).amax() <= bound, "{n} {rank}");
        }
    }
}
