//! The inner product of two slices, their largest entries, and sums of multiples of slices.

/// Σ aᵢ bᵢ over the shorter of the two, in four interleaved partial sums: the order of additions is
/// fixed, and no addition waits for the one before it.
#[inline]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len().min(b.len());
    let (a, b) = (&a[..n], &b[..n]);
    let mut sums = [0.0; 4];
    let (mut left, mut right) = (a.chunks_exact(4), b.chunks_exact(4));
    for (x, y) in left.by_ref().zip(right.by_ref()) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    let tail: f64 = left
        .remainder()
        .iter()
        .zip(right.remainder())
        .map(|(x, y)| x * y)
        .sum();
    (sums[0] + sums[2]) + (sums[1] + sums[3]) + tail
}

/// Σ aᵢ bᵢ over the shorter of the two, added one after the other: where bits are those of a plain loop.
#[inline]
pub fn dot_in_order(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// y −= factor · x, over the shorter of the two.
#[inline]
pub(crate) fn subtract_scaled(factor: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= factor * x;
    }
}

/// max |xᵢ|, zero for none; infinite when one is not a number.
#[inline]
pub fn largest(x: &[f64]) -> f64 {
    // Numbers without a sign are in the order of their bits, and what is no number comes after infinity.
    let bits = x.iter().fold(0, |m: u64, x| m.max(x.abs().to_bits()));
    f64::from_bits(bits).min(f64::INFINITY)
}

/// The larger of two numbers, the first one where the second is none: what `f64::max` finds, which looks at both.
#[inline]
pub fn larger(a: f64, b: f64) -> f64 {
    if b > a { b } else { a }
}

/// out += a x, over the shorter of the two.
#[inline]
pub(crate) fn add_scaled(out: &mut [f64], a: f64, x: &[f64]) {
    for (out, x) in out.iter_mut().zip(x) {
        *out += a * x;
    }
}

/// out += A x, A column after column as long as `out`.
#[inline]
pub(crate) fn add_columns(out: &mut [f64], matrix: &[f64], x: &[f64]) {
    let n = out.len();
    add_columns_apart(out, matrix, n, x);
}

/// The same with columns that begin `stride` apart, four of those with a factor that is not zero at a time: `out` is read and
/// written once for all of them.
#[inline]
pub(crate) fn add_columns_apart(out: &mut [f64], matrix: &[f64], stride: usize, x: &[f64]) {
    let n = out.len();
    // Factors beside their columns: next to each other they would be read as vectors before they are written.
    let mut waiting: [(&[f64], f64); 4] = [(&[], 0.0); 4];
    let mut count = 0;
    for (j, &factor) in x.iter().enumerate() {
        if factor == 0.0 {
            continue;
        }
        waiting[count] = (&matrix[j * stride..j * stride + n], factor);
        count += 1;
        if count < 4 {
            continue;
        }
        count = 0;
        let [(w, a), (x, b), (y, c), (z, d)] = waiting;
        // As long as `out`, which is not known of what has waited.
        let (w, x, y, z) = (&w[..n], &x[..n], &y[..n], &z[..n]);
        for (i, out) in out.iter_mut().enumerate() {
            *out += (a * w[i] + b * x[i]) + (c * y[i] + d * z[i]);
        }
    }
    for &(column, factor) in &waiting[..count] {
        add_scaled(out, factor, column);
    }
}

#[cfg(test)]
mod tests {
    use super::{add_columns, dot};

    fn row(n: usize, k: usize) -> Vec<f64> {
        let entry = |i: usize| ((i * 7 + k * 5) % 11) as f64 - 5.0;
        (0..n).map(entry).collect()
    }

    /// Sums of small whole numbers are exact in any order.
    #[test]
    fn columns_are_added_as_one_by_one() {
        for n in 0..12 {
            let columns: Vec<Vec<f64>> = (0..n).map(|k| row(7, k)).collect();
            let factors = row(n, 3);
            let mut found = vec![1.0; 7];
            add_columns(&mut found, &columns.concat(), &factors);
            for (i, found) in found.into_iter().enumerate() {
                let across: Vec<f64> = columns.iter().map(|c| c[i]).collect();
                assert_eq!(found, 1.0 + dot(&across, &factors), "{n} columns");
            }
        }
    }
}
