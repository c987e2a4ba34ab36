//! Inverses of small dense matrices by LU factorisation with row pivoting, in memory that is reused.

use nalgebra::DMatrix;

use super::dot;

/// Scratch of the factorisation, n × n.
#[derive(Debug, Clone)]
pub(crate) struct DenseLu {
    /// L (unit diagonal) and U, row after row.
    factors: Vec<f64>,
    permutation: Vec<usize>,
}

impl DenseLu {
    /// Memory for n × n matrices.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            factors: vec![0.0; n * n],
            permutation: (0..n).collect(),
        }
    }

    /// Writes the inverse of `matrix` to `out` (both n × n). False when it is singular.
    pub(crate) fn invert(&mut self, matrix: &DMatrix<f64>, out: &mut DMatrix<f64>) -> bool {
        let n = self.permutation.len();
        for (i, row) in self.factors.chunks_exact_mut(n.max(1)).enumerate() {
            for (j, x) in row.iter_mut().enumerate() {
                *x = matrix[(i, j)];
            }
            self.permutation[i] = i;
        }
        if !self.factor() {
            return false;
        }
        for (j, mut column) in out.column_iter_mut().enumerate() {
            self.solve_unit(j, column.as_mut_slice());
        }
        true
    }

    fn factor(&mut self) -> bool {
        let n = self.permutation.len();
        for k in 0..n {
            let mut pivot = k;
            for i in k + 1..n {
                if self.factors[i * n + k].abs() > self.factors[pivot * n + k].abs() {
                    pivot = i;
                }
            }
            let value = self.factors[pivot * n + k];
            if value == 0.0 || !value.is_finite() {
                return false;
            }
            if pivot != k {
                let (above, below) = self.factors.split_at_mut(pivot * n);
                above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
                self.permutation.swap(k, pivot);
            }
            let (above, below) = self.factors.split_at_mut((k + 1) * n);
            let upper = &above[k * n..];
            for row in below.chunks_exact_mut(n) {
                let factor = row[k] / value;
                row[k] = factor;
                for (x, u) in row[k + 1..].iter_mut().zip(&upper[k + 1..]) {
                    *x -= factor * u;
                }
            }
        }
        true
    }

    /// Column j of the inverse.
    fn solve_unit(&self, j: usize, x: &mut [f64]) {
        let n = x.len();
        for i in 0..n {
            let unit = if self.permutation[i] == j { 1.0 } else { 0.0 };
            x[i] = unit - dot(&self.factors[i * n..i * n + i], &x[..i]);
        }
        for i in (0..n).rev() {
            let known = dot(&self.factors[i * n + i + 1..(i + 1) * n], &x[i + 1..]);
            x[i] = (x[i] - known) / self.factors[i * n + i];
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::DenseLu;

    #[test]
    fn inverts_a_matrix_that_needs_pivoting() {
        let matrix = DMatrix::from_row_slice(3, 3, &[0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 4.0, 1.0, 3.0]);
        let mut inverse = DMatrix::zeros(3, 3);
        assert!(DenseLu::new(3).invert(&matrix, &mut inverse));
        // Entries of order one: rounding of a few operations.
        assert!((matrix * inverse - DMatrix::identity(3, 3)).amax() <= 1e-15);
    }

    #[test]
    fn refuses_a_singular_matrix() {
        let matrix = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 4.0]);
        assert!(!DenseLu::new(2).invert(&matrix, &mut DMatrix::zeros(2, 2)));
    }
}
