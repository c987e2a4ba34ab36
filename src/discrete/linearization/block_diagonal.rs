//! Linear maps that multiply every joint's number by one factor and mix the six of a floating body.

use nalgebra::{Matrix6, Vector6};

/// Such a map D of n numbers. Matrices it meets have their entries column after column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlockDiagonal {
    /// Factor of joints.
    pub joint: f64,
    /// First coordinate and block of the floating body, if there is one.
    pub floating: Option<(usize, Matrix6<f64>)>,
}

impl BlockDiagonal {
    /// M ← D M for a matrix of n rows.
    pub fn multiply_left(&self, n: usize, matrix: &mut [f64]) {
        self.map_columns(n, matrix, |block, x| block * x);
    }

    /// M ← Dᵀ M for a matrix of n rows.
    pub fn multiply_left_transposed(&self, n: usize, matrix: &mut [f64]) {
        self.map_columns(n, matrix, |block, x| block.tr_mul(&x));
    }

    /// M ← M D for a matrix of n columns of `rows` numbers.
    pub fn multiply_right(&self, rows: usize, matrix: &mut [f64]) {
        let base = self.columns_of_floating(rows, matrix.len());
        let (before, rest) = matrix.split_at_mut(base.start);
        let (base, after) = rest.split_at_mut(base.len());
        for part in [before, after] {
            self.scale(part);
        }
        let Some((_, block)) = &self.floating else {
            return;
        };
        for i in 0..rows {
            let row = Vector6::from_fn(|k, _| base[k * rows + i]);
            let image = block.tr_mul(&row);
            for k in 0..6 {
                base[k * rows + i] = image[k];
            }
        }
    }

    /// M ← M + D for a matrix of n rows.
    pub fn add_to(&self, n: usize, matrix: &mut [f64]) {
        let at = self.floating.map_or(n, |(at, _)| at);
        for (j, column) in matrix.chunks_exact_mut(n.max(1)).enumerate() {
            match &self.floating {
                Some((_, block)) if (at..at + 6).contains(&j) => {
                    for i in 0..6 {
                        column[at + i] += block[(i, j - at)];
                    }
                }
                _ => column[j] += self.joint,
            }
        }
    }

    fn map_columns(
        &self,
        n: usize,
        matrix: &mut [f64],
        map: impl Fn(&Matrix6<f64>, Vector6<f64>) -> Vector6<f64>,
    ) {
        for column in matrix.chunks_exact_mut(n.max(1)) {
            let image = self.floating.as_ref().map(|(at, block)| {
                let base = Vector6::from_column_slice(&column[*at..at + 6]);
                (*at, map(block, base))
            });
            self.scale(column);
            if let Some((at, image)) = image {
                column[at..at + 6].copy_from_slice(image.as_slice());
            }
        }
    }

    fn scale(&self, numbers: &mut [f64]) {
        if self.joint != 1.0 {
            for x in numbers {
                *x *= self.joint;
            }
        }
    }

    /// Range of the floating body's columns in a matrix of `len` numbers, empty at the end without one.
    fn columns_of_floating(&self, rows: usize, len: usize) -> std::ops::Range<usize> {
        self.floating
            .map_or(len..len, |(at, _)| at * rows..(at + 6) * rows)
    }
}
