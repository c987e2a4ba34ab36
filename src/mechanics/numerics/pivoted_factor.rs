//! Factors L U of small dense matrices in their place with exchanges of rows, and solutions with them.

use super::dot::add_scaled;

/// A pivot of at least this share of the largest entry below it stays where it is: what that lets entries grow by is
/// refined away, and rows are exchanged across all columns.
const PIVOT_SHARE: f64 = 0.1;

/// LU factors of a k × k matrix in its place, column after column, with exchanges of rows; false when it is singular.
/// The diagonal holds 1/U.
pub(super) fn factorise(matrix: &mut [f64], k: usize, order: &mut Vec<usize>) -> bool {
    order.clear();
    order.extend(0..k);
    for column in 0..k {
        let (known, rest) = matrix.split_at_mut(column * k);
        let own = &mut rest[..k];
        forward(known, k, own);
        let mut pivot = column;
        for row in column + 1..k {
            if own[row].abs() > own[pivot].abs() {
                pivot = row;
            }
        }
        let size = own[pivot].abs();
        if size == 0.0 || !size.is_finite() {
            return false;
        }
        if own[column].abs() < PIVOT_SHARE * size {
            order.swap(pivot, column);
            for line in matrix.chunks_exact_mut(k) {
                line.swap(pivot, column);
            }
        }
        let own = &mut matrix[column * k + column..(column + 1) * k];
        let inverse = 1.0 / own[0];
        own[0] = inverse;
        for entry in &mut own[1..] {
            *entry *= inverse;
        }
    }
    true
}

/// x ← L⁻¹ x with the first columns of L, as many as are given, below their unit diagonals.
fn forward(columns: &[f64], k: usize, x: &mut [f64]) {
    let mut at = 0;
    let mut fours = columns.chunks_exact(4 * k);
    for four in fours.by_ref() {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| &four[i * k + at..(i + 1) * k]);
        let x = &mut x[at..k];
        x[1] -= a[1] * x[0];
        x[2] -= a[2] * x[0] + b[2] * x[1];
        x[3] -= (a[3] * x[0] + b[3] * x[1]) + c[3] * x[2];
        let (known, rest) = x.split_at_mut(4);
        subtract_four([a, b, c, d].map(|column| &column[4..]), known, rest);
        at += 4;
    }
    for column in fours.remainder().chunks_exact(k) {
        let (known, rest) = x[at..k].split_at_mut(1);
        add_scaled(rest, -known[0], &column[at + 1..]);
        at += 1;
    }
}

/// x ← U⁻¹ x.
fn backward(columns: &[f64], k: usize, x: &mut [f64]) {
    let mut end = k;
    while end >= 4 {
        let at = end - 4;
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| &columns[(at + i) * k..(at + i) * k + end]);
        let (rest, own) = x[..end].split_at_mut(at);
        own[3] *= d[at + 3];
        own[2] = (own[2] - d[at + 2] * own[3]) * c[at + 2];
        own[1] = (own[1] - (d[at + 1] * own[3] + c[at + 1] * own[2])) * b[at + 1];
        own[0] = (own[0] - ((d[at] * own[3] + c[at] * own[2]) + b[at] * own[1])) * a[at];
        subtract_four([a, b, c, d].map(|column| &column[..at]), own, rest);
        end = at;
    }
    for at in (0..end).rev() {
        let (rest, own) = x[..=at].split_at_mut(at);
        let column = &columns[at * k..=at * k + at];
        own[0] *= column[at];
        add_scaled(rest, -own[0], column);
    }
}

/// x −= the sum of four columns, as long as x, times these factors.
fn subtract_four(columns: [&[f64]; 4], factors: &[f64], x: &mut [f64]) {
    let n = x.len();
    let [a, b, c, d] = columns.map(|column| &column[..n]);
    let [p, q, r, s] = [factors[0], factors[1], factors[2], factors[3]];
    for (i, x) in x.iter_mut().enumerate() {
        *x -= (a[i] * p + b[i] * q) + (c[i] * r + d[i] * s);
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
    forward(lu, k, scratch);
    backward(lu, k, scratch);
    x.copy_from_slice(scratch);
}

#[cfg(test)]
mod tests {
    use super::{factorise, substitute};

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
    fn factors_solve_their_equations() {
        for k in 1..14 {
            let b: Vec<f64> = (0..k).map(|i| (i as f64).cos()).collect();
            let mut scratch = Vec::new();

            // What is large stands beside the diagonal: rows are exchanged.
            let mut general = numbers(k);
            for i in 0..k {
                general[i * k + (i + 1) % k] += 3.0;
            }
            // Column after column.
            let transposed = (0..k * k).map(|i| general[i % k * k + i / k]).collect();
            let (mut factors, mut order, mut x): (Vec<f64>, _, _) =
                (transposed, Vec::new(), b.clone());
            assert!(factorise(&mut factors, k, &mut order));
            substitute(&factors, k, &order, &mut x, &mut scratch);
            check(&general, &b, &x);
        }
    }
}
