//! Derivatives of functions that are smooth and cheap, by differences drawn out to zero.
//!
//! ```text
//! D₁(ε) = (f(ε) − f(−ε)) / 2ε,   D₂(ε) = (4 D₁(ε/2) − D₁(ε))/3,   D₃(ε) = (16 D₂(ε/2) − D₂(ε))/15
//! ```
//!
//! D₃ is wrong by O(ε⁶) and by some 10 roundings of f over ε; |D₃ − D₂| tells whether f is smooth.

use nalgebra::DVector;

/// Derivative of f at 0 by its argument, taken at up to `width` to both sides, and |D₃ − D₂|.
pub(super) fn derivative<E>(
    width: f64,
    mut f: impl FnMut(f64) -> Result<DVector<f64>, E>,
) -> Result<(DVector<f64>, f64), E> {
    let mut slope = |share: f64| -> Result<DVector<f64>, E> {
        let e = width * share;
        Ok((f(e)? - f(-e)?) / (2.0 * e))
    };
    let (a, b, c) = (slope(1.0)?, slope(0.5)?, slope(0.25)?);
    let second = [(&b * 4.0 - &a) / 3.0, (&c * 4.0 - &b) / 3.0];
    let third = (&second[1] * 16.0 - &second[0]) / 15.0;
    let error = (&third - &second[1]).amax();
    Ok((third, error))
}
