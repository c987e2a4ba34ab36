//! Cubic B-splines through equally spaced values.

/// Coefficients c₋₁ … c_n of the natural cubic spline through n ≥ 2 values: (c_{i−1} + 4 c_i + c_{i+1})/6 = y_i, and no
/// curvature at the first and the last value, where therefore c = y. Equal values have exactly these coefficients.
pub(super) fn natural_coefficients(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let level = values.first().copied().unwrap_or_default();
    let value = |i: usize| values[i] - level;
    let mut c = vec![0.0; n + 2];
    for i in 0..n {
        c[i + 1] = value(i);
    }
    // Thomas' algorithm on the inner rows c_{i−1} + 4 c_i + c_{i+1} = 6 y_i, whose matrix is diagonally dominant.
    let mut upper = vec![0.0; n];
    for i in 1..n.saturating_sub(1) {
        let pivot = 4.0 - upper[i - 1];
        upper[i] = 1.0 / pivot;
        c[i + 1] = (6.0 * value(i) - c[i]) / pivot;
        if i == n - 2 {
            c[i + 1] -= value(n - 1) / pivot;
        }
    }
    for i in (1..n.saturating_sub(2)).rev() {
        c[i + 1] -= upper[i] * c[i + 2];
    }
    c[0] = 2.0 * c[1] - c[2];
    c[n + 1] = 2.0 * c[n] - c[n - 1];
    for c in &mut c {
        *c += level;
    }
    c
}

/// Coefficients c₋₁ … c_n that are n ≥ 2 values themselves, and straight on beside the first and the last.
pub(super) fn own_coefficients(values: &[f64]) -> Vec<f64> {
    let n = values.len();
    let mut c = Vec::with_capacity(n + 2);
    c.push(2.0 * values[0] - values[1]);
    c.extend_from_slice(values);
    c.push(2.0 * values[n - 1] - values[n - 2]);
    c
}

/// Weights of four neighbouring coefficients at the share t ∈ \[0, 1\] of the cell between the middle two, and the first
/// and second derivatives of the weights by t.
#[inline]
pub(super) fn weights(t: f64) -> [[f64; 4]; 3] {
    const SIXTH: f64 = 1.0 / 6.0;
    let s = 1.0 - t;
    [
        [
            s * s * s * SIXTH,
            (4.0 + t * t * (3.0 * t - 6.0)) * SIXTH,
            (4.0 + s * s * (3.0 * s - 6.0)) * SIXTH,
            t * t * t * SIXTH,
        ],
        [
            -0.5 * s * s,
            t * (1.5 * t - 2.0),
            s * (2.0 - 1.5 * s),
            0.5 * t * t,
        ],
        [s, 3.0 * t - 2.0, 3.0 * s - 2.0, t],
    ]
}
