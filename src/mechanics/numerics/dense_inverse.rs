//! Inverses of small dense matrices by LU factorisation with row pivoting, in memory that is reused.
//! Every sweep runs along columns, which are contiguous.

use nalgebra::DMatrix;

use super::subtract_scaled;

/// Scratch of the factorisation, n × n.
#[derive(Debug, Clone)]
pub(crate) struct DenseInverse {
    /// L below a unit diagonal, U on and above it, column after column.
    factors: Vec<f64>,
    /// Row i of the factors is row `rows[i]` of the matrix.
    rows: Vec<usize>,
}

impl DenseInverse {
    /// Memory for n × n matrices.
    pub(crate) fn new(n: usize) -> Self {
        Self {
            factors: vec![0.0; n * n],
            rows: (0..n).collect(),
        }
    }

    /// Writes the inverse of `matrix` to `out` (both n × n). False when it is singular.
    pub(crate) fn invert(&mut self, matrix: &DMatrix<f64>, out: &mut DMatrix<f64>) -> bool {
        let n = self.rows.len();
        self.factors.copy_from_slice(matrix.as_slice());
        for (i, row) in self.rows.iter_mut().enumerate() {
            *row = i;
        }
        if !self.factor() {
            return false;
        }
        let out = out.as_mut_slice();
        out.fill(0.0);
        for (i, &row) in self.rows.iter().enumerate() {
            let x = &mut out[row * n..(row + 1) * n];
            x[i] = 1.0;
            self.solve_unit(i, x);
        }
        true
    }

    fn factor(&mut self) -> bool {
        let n = self.rows.len();
        for k in 0..n {
            let column = &self.factors[k * n..(k + 1) * n];
            let mut pivot = k;
            for (i, x) in column.iter().enumerate().skip(k + 1) {
                if x.abs() > column[pivot].abs() {
                    pivot = i;
                }
            }
            let value = column[pivot];
            if value == 0.0 || !value.is_finite() {
                return false;
            }
            if pivot != k {
                for column in self.factors.chunks_exact_mut(n) {
                    column.swap(k, pivot);
                }
                self.rows.swap(k, pivot);
            }
            let (done, rest) = self.factors.split_at_mut((k + 1) * n);
            let lower = &mut done[k * n + k + 1..];
            for x in &mut *lower {
                *x /= value;
            }
            for column in rest.chunks_exact_mut(n) {
                let (upper, below) = column.split_at_mut(k + 1);
                subtract_scaled(upper[k], lower, below);
            }
        }
        true
    }

    /// Solves for the unit vector of row `first` in `x`, which is zero above it.
    fn solve_unit(&self, first: usize, x: &mut [f64]) {
        let n = x.len();
        let columns = self.factors.chunks_exact(n).enumerate();
        for (k, column) in columns.clone().skip(first) {
            let (known, rest) = x.split_at_mut(k + 1);
            subtract_scaled(known[k], &column[k + 1..], rest);
        }
        for (k, column) in columns.rev() {
            let (rest, known) = x.split_at_mut(k);
            known[0] /= column[k];
            subtract_scaled(known[0], &column[..k], rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::DenseInverse;

    #[test]
    fn inverts_a_matrix_that_needs_pivoting() {
        let matrix = DMatrix::from_row_slice(3, 3, &[0.0, 2.0, 1.0, 1.0, 0.0, 0.0, 4.0, 1.0, 3.0]);
        let mut inverse = DMatrix::zeros(3, 3);
        assert!(DenseInverse::new(3).invert(&matrix, &mut inverse));
        // Entries of order one: rounding of a few operations.
        assert!((matrix * inverse - DMatrix::identity(3, 3)).amax() <= 1e-15);
    }

    #[test]
    fn refuses_a_singular_matrix() {
        let matrix = DMatrix::from_row_slice(2, 2, &[1.0, 2.0, 2.0, 4.0]);
        assert!(!DenseInverse::new(2).invert(&matrix, &mut DMatrix::zeros(2, 2)));
    }
}
