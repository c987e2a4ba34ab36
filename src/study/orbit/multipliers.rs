//! Eigenvalues of the derivative of a return map.

use nalgebra::DMatrix;

/// Real and imaginary parts by falling modulus; of a pair the one above the real axis first.
pub(super) fn eigenvalues(slope: &DMatrix<f64>) -> Vec<[f64; 2]> {
    let values = slope.complex_eigenvalues();
    let mut values: Vec<[f64; 2]> = values.iter().map(|x| [x.re, x.im]).collect();
    let size = |x: &[f64; 2]| x[0].hypot(x[1]);
    values.sort_by(|a, b| size(b).total_cmp(&size(a)).then(b[1].total_cmp(&a[1])));
    values
}

/// The one that is nearest to a point of the plane.
pub(super) fn nearest(values: &[[f64; 2]], to: [f64; 2]) -> Option<[f64; 2]> {
    let off = |x: &[f64; 2]| (x[0] - to[0]).hypot(x[1] - to[1]);
    values
        .iter()
        .copied()
        .min_by(|a, b| off(a).total_cmp(&off(b)))
}

/// ∏ (1 + μ_i): real, since complex ones come in pairs.
pub(super) fn doubling(multipliers: &[[f64; 2]]) -> f64 {
    let mut product = [1.0, 0.0];
    for [re, im] in multipliers {
        product = times(product, [1.0 + re, *im]);
    }
    product[0]
}

/// ∏_{i<j} (1 − μ_i μ_j).
pub(super) fn pairs(multipliers: &[[f64; 2]]) -> f64 {
    let mut product = [1.0, 0.0];
    for (i, a) in multipliers.iter().enumerate() {
        for b in &multipliers[i + 1..] {
            let both = times(*a, *b);
            product = times(product, [1.0 - both[0], -both[1]]);
        }
    }
    product[0]
}

fn times(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}
