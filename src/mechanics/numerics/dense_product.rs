//! Products of dense matrices, column after column, added to memory that is given.
//!
//! Small ones are made here, because those of nalgebra pack their factors into fresh memory. From
//! [`LARGE`] on the wide instructions that nalgebra finds at run time are worth that.

use nalgebra::{DMatrixView, DMatrixViewMut};

/// Multiplications from which on a product goes to nalgebra.
const LARGE: usize = 8000;

/// out += factor · A B; `rows` is the number of rows of A and out.
pub(crate) fn add_product(rows: usize, factor: f64, a: &[f64], b: &[f64], out: &mut [f64]) {
    if rows == 0 || a.is_empty() {
        return;
    }
    let inner = a.len() / rows;
    let columns = out.len() / rows;
    if rows * inner * columns >= LARGE {
        return add_large_product(rows, factor, a, b, [1, inner], out);
    }
    for (out, b) in out.chunks_exact_mut(rows).zip(b.chunks_exact(inner)) {
        add_combination(a, |k| factor * b[k], out);
    }
}

/// out += factor · A Bᵀ with B given as it is; `rows` is the number of rows of A and out.
pub(crate) fn add_product_transposed(
    rows: usize,
    factor: f64,
    a: &[f64],
    b: &[f64],
    out: &mut [f64],
) {
    if rows == 0 || a.is_empty() {
        return;
    }
    let inner = a.len() / rows;
    let columns = out.len() / rows;
    if rows * inner * columns >= LARGE {
        return add_large_product(rows, factor, a, b, [columns, 1], out);
    }
    for (j, out) in out.chunks_exact_mut(rows).enumerate() {
        add_combination(a, |k| factor * b[k * columns + j], out);
    }
}

/// out += factor · A B with the entries of B at these distances from row to row and column to column.
fn add_large_product(
    rows: usize,
    factor: f64,
    a: &[f64],
    b: &[f64],
    [by_row, by_column]: [usize; 2],
    out: &mut [f64],
) {
    let (inner, columns) = (a.len() / rows, out.len() / rows);
    let a = DMatrixView::from_slice(a, rows, inner);
    let b = DMatrixView::from_slice_with_strides(b, inner, columns, by_row, by_column);
    DMatrixViewMut::from_slice(out, rows, columns).gemm(factor, &a, &b, 1.0);
}

/// out += Σ coefficient(k) · column k of A, four columns at a time.
fn add_combination(a: &[f64], coefficient: impl Fn(usize) -> f64, out: &mut [f64]) {
    let rows = out.len();
    let mut fours = a.chunks_exact(4 * rows);
    let mut k = 0;
    for four in fours.by_ref() {
        let (left, right) = four.split_at(2 * rows);
        let ((a, b), (c, d)) = (left.split_at(rows), right.split_at(rows));
        let x = [0, 1, 2, 3].map(|i| coefficient(k + i));
        let columns = a.iter().zip(b).zip(c.iter().zip(d));
        for (out, ((a, b), (c, d))) in out.iter_mut().zip(columns) {
            *out += (x[0] * a + x[1] * b) + (x[2] * c + x[3] * d);
        }
        k += 4;
    }
    for column in fours.remainder().chunks_exact(rows) {
        let x = coefficient(k);
        for (out, a) in out.iter_mut().zip(column) {
            *out += x * a;
        }
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::DMatrix;

    use super::{add_product, add_product_transposed};

    #[test]
    fn products_are_those_of_nalgebra() {
        for (rows, inner, columns) in [
            (1, 1, 1),
            (3, 4, 2),
            (5, 7, 6),
            (8, 9, 0),
            (2, 0, 3),
            (23, 21, 22),
        ] {
            let a = DMatrix::from_fn(rows, inner, |i, j| ((3 * i + 5 * j) % 7) as f64 - 3.0);
            let b = DMatrix::from_fn(inner, columns, |i, j| ((2 * i + j) % 5) as f64 - 2.0);
            let start = DMatrix::from_fn(rows, columns, |i, j| (i + j) as f64);
            let expected = &start - &a * &b * 0.5;
            let (mut plain, mut transposed) = (start.clone(), start);
            add_product(rows, -0.5, a.as_slice(), b.as_slice(), plain.as_mut_slice());
            let b = b.transpose();
            add_product_transposed(
                rows,
                -0.5,
                a.as_slice(),
                b.as_slice(),
                transposed.as_mut_slice(),
            );
            // Halves of small integers: every operation is exact.
            assert_eq!(plain, expected);
            assert_eq!(transposed, expected);
        }
    }
}
