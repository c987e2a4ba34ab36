//! The inner product of two slices.

/// Σ aᵢ bᵢ over the shorter of the two, in four interleaved partial sums: the order of additions is
/// fixed, and no addition waits for the one before it.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
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
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}
