//! Factors of small dense matrices in their place, and solutions with them.

use crate::numerics::{add_scaled, dot};

/// LU factors of a k × k matrix in its place, row after row, with row pivoting; false when it is singular.
pub(super) fn factorise(matrix: &mut [f64], k: usize, order: &mut Vec<usize>) -> bool {
    order.clear();
    order.extend(0..k);
    for column in 0..k {
        let mut pivot = column;
        for row in column + 1..k {
            if matrix[row * k + column].abs() > matrix[pivot * k + column].abs() {
                pivot = row;
            }
        }
        let size = matrix[pivot * k + column];
        if size == 0.0 || !size.is_finite() {
            return false;
        }
        if pivot != column {
            order.swap(pivot, column);
            for j in 0..k {
                matrix.swap(pivot * k + j, column * k + j);
            }
        }
        let (above, below) = matrix.split_at_mut((column + 1) * k);
        let line = &above[column * k + column..];
        let inverse = 1.0 / line[0];
        for other in below.chunks_exact_mut(k) {
            let factor = other[column] * inverse;
            other[column] = factor;
            if factor != 0.0 {
                for (x, y) in other[column + 1..].iter_mut().zip(&line[1..]) {
                    *x -= factor * y;
                }
            }
        }
    }
    true
}

/// Factors L D Lᵀ of a symmetric positive k × k matrix in the place of its upper triangle, row after row: what is
/// right of the diagonal becomes Lᵀ, with 1/D on it; false when it is not positive.
pub(super) fn factorise_symmetric(matrix: &mut [f64], k: usize) -> bool {
    for row in 0..k {
        let (own, below) = matrix[row * k..].split_at_mut(k);
        let [pivot, right @ ..] = &mut own[row..] else {
            return false;
        };
        if !(*pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let inverse = 1.0 / *pivot;
        *pivot = inverse;
        for (i, other) in below.chunks_exact_mut(k).enumerate() {
            let factor = right[i] * inverse;
            add_scaled(&mut other[row + 1 + i..], -factor, &right[i..]);
        }
        for entry in right {
            *entry *= inverse;
        }
    }
    true
}

/// Solves with the factors of a symmetric matrix; `x` holds the right-hand side on entry.
pub(super) fn substitute_symmetric(factors: &[f64], k: usize, x: &mut [f64]) {
    for column in 0..k {
        let (known, rest) = x[column..].split_at_mut(1);
        add_scaled(
            rest,
            -known[0],
            &factors[column * k + column + 1..(column + 1) * k],
        );
    }
    for column in (0..k).rev() {
        let (own, known) = x[column..].split_at_mut(1);
        let line = &factors[column * k + column..(column + 1) * k];
        own[0] = own[0] * line[0] - dot(&line[1..], known);
    }
}

/// Solves with the factors; `x` holds the right-hand side on entry.
pub(super) fn substitute(
    lu: &[f64],
    k: usize,
    order: &[usize],
    x: &mut [f64],
    scratch: &mut Vec<f64>,
) {
    scratch.clear();
    scratch.extend(order.iter().map(|&i| x[i]));
    for row in 0..k {
        let line = &lu[row * k..row * k + row];
        let known = dot(line, &scratch[..row]);
        scratch[row] -= known;
    }
    for row in (0..k).rev() {
        let line = &lu[row * k..(row + 1) * k];
        let known = dot(&line[row + 1..], &scratch[row + 1..]);
        scratch[row] = (scratch[row] - known) / line[row];
    }
    x.copy_from_slice(scratch);
}

#[cfg(test)]
mod tests {
    use super::{factorise, factorise_symmetric, substitute, substitute_symmetric};

    /// k × k numbers between −1 and 1.
    fn numbers(k: usize) -> Vec<f64> {
        (0..k * k).map(|i| (1.0 + 7.3 * i as f64).sin()).collect()
    }

    fn product(a: &[f64], x: &[f64]) -> Vec<f64> {
        let rows = a.chunks_exact(x.len());
        rows.map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum())
            .collect()
    }

    /// Roundings of k sums of numbers of order k, times a condition number that stays below 1e4.
    fn check(a: &[f64], b: &[f64], x: &[f64]) {
        for (found, wanted) in product(a, x).iter().zip(b) {
            assert!((found - wanted).abs() <= 1e-11, "{found} {wanted}");
        }
    }

    #[test]
    fn both_factors_solve_their_equations() {
        for k in 1..14 {
            let b: Vec<f64> = (0..k).map(|i| (i as f64).cos()).collect();
            let mut scratch = Vec::new();

            let mut general = numbers(k);
            for i in 0..k {
                general[i * k + i] += 3.0;
            }
            let (mut factors, mut order, mut x) = (general.clone(), Vec::new(), b.clone());
            assert!(factorise(&mut factors, k, &mut order));
            substitute(&factors, k, &order, &mut x, &mut scratch);
            check(&general, &b, &x);

            let root = numbers(k);
            let mut symmetric = vec![0.0; k * k];
            for i in 0..k {
                let row = product(&root, &root[i * k..(i + 1) * k]);
                symmetric[i * k..(i + 1) * k].copy_from_slice(&row);
                symmetric[i * k + i] += 0.1;
            }
            let (mut factors, mut x) = (symmetric.clone(), b.clone());
            assert!(factorise_symmetric(&mut factors, k));
            substitute_symmetric(&factors, k, &mut x);
            check(&symmetric, &b, &x);
        }
        assert!(!factorise_symmetric(&mut [1.0, 2.0, 2.0, 1.0], 2));
    }
}
