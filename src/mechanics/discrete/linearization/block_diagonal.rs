//! Linear maps that multiply every joint's number by one factor and mix the six of a floating body.

use nalgebra::{Matrix6, Vector6};

/// Such a map D of n numbers. Matrices it meets have their entries column after column.
#[derive(Debug, Clone)]
pub(crate) struct BlockDiagonal {
    /// Factor of joints.
    pub joint: f64,
    /// First coordinate and block of each floating body, ascending.
    pub floating: Vec<(usize, Matrix6<f64>)>,
}

impl BlockDiagonal {
    /// The identity.
    pub fn identity() -> Self {
        Self {
            joint: 1.0,
            floating: Vec::new(),
        }
    }

    /// Takes another factor and other blocks, in the memory at hand.
    pub fn set(&mut self, joint: f64, floating: impl Iterator<Item = (usize, Matrix6<f64>)>) {
        self.joint = joint;
        self.floating.clear();
        self.floating.extend(floating);
    }

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
        let mut done = 0;
        for (at, block) in &self.floating {
            self.scale(&mut matrix[done..at * rows]);
            done = (at + 6) * rows;
            let base = &mut matrix[at * rows..done];
            for i in 0..rows {
                let row = Vector6::from_fn(|k, _| base[k * rows + i]);
                let image = block.tr_mul(&row);
                for k in 0..6 {
                    base[k * rows + i] = image[k];
                }
            }
        }
        self.scale(&mut matrix[done..]);
    }

    /// M ← M + D for a matrix of n rows.
    pub fn add_to(&self, n: usize, matrix: &mut [f64]) {
        for (j, column) in matrix.chunks_exact_mut(n.max(1)).enumerate() {
            let own = self
                .floating
                .iter()
                .find(|(at, _)| (*at..at + 6).contains(&j));
            match own {
                Some((at, block)) => {
                    for i in 0..6 {
                        column[at + i] += block[(i, j - at)];
                    }
                }
                None => column[j] += self.joint,
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
            let mut done = 0;
            for (at, block) in &self.floating {
                self.scale(&mut column[done..*at]);
                done = at + 6;
                let base = &mut column[*at..done];
                let image = map(block, Vector6::from_column_slice(base));
                base.copy_from_slice(image.as_slice());
            }
            self.scale(&mut column[done..]);
        }
    }

    fn scale(&self, numbers: &mut [f64]) {
        if self.joint != 1.0 {
            for x in numbers {
                *x *= self.joint;
            }
        }
    }
}
