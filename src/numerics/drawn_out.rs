//! Derivatives of functions that are smooth, by central differences drawn out to zero.
//!
//! ```text
//! D₁(ε) = (f(ε) − f(−ε)) / 2ε,   D₂(ε) = (4 D₁(ε/2) − D₁(ε))/3,   D₃(ε) = (16 D₂(ε/2) − D₂(ε))/15
//! ```
//!
//! D₃ is wrong by O(ε⁶) and by some 10 roundings of f over ε; |D₃ − D₂| tells whether f is smooth.

use std::ops::{Div, Mul, Sub};

use nalgebra::DVector;

/// D₃ and D₂ of the central differences for ε, ε/2 and ε/4.
pub(crate) fn drawn_out<T>(differences: &[T; 3]) -> [T; 2]
where
    T: Sub<Output = T> + Div<f64, Output = T>,
    for<'a> &'a T: Mul<f64, Output = T> + Sub<&'a T, Output = T>,
{
    let [a, b, c] = differences;
    let refined = |fine: &T, coarse: &T, factor: f64| {
        let scaled = fine * factor;
        (&scaled - coarse) / (factor - 1.0)
    };
    let second = [refined(b, a, 4.0), refined(c, b, 4.0)];
    let third = refined(&second[1], &second[0], 16.0);
    let [_, second] = second;
    [third, second]
}

/// Derivative of f at 0, taken at up to `width` to both sides, and |D₃ − D₂|.
pub(crate) fn drawn_out_derivative<E>(
    width: f64,
    mut f: impl FnMut(f64) -> Result<DVector<f64>, E>,
) -> Result<(DVector<f64>, f64), E> {
    let mut slope = |share: f64| -> Result<DVector<f64>, E> {
        let e = width * share;
        Ok((f(e)? - f(-e)?) / (2.0 * e))
    };
    let [third, second] = drawn_out(&[slope(1.0)?, slope(0.5)?, slope(0.25)?]);
    let error = (&third - second).amax();
    Ok((third, error))
}

#[cfg(test)]
mod tests {
    use super::drawn_out_derivative;
    use nalgebra::DVector;
    use std::convert::Infallible;

    /// Exact for polynomials of degree six: their odd powers up to five are drawn out, even ones fall out.
    #[test]
    fn polynomials_of_degree_six_have_their_derivative() {
        let f = |x: f64| {
            let value = 2.0 - 3.0 * x + x.powi(2) - 0.7 * x.powi(3) + x.powi(5) - 4.0 * x.powi(6);
            Ok::<_, Infallible>(DVector::from_element(1, value))
        };
        let (slope, error) = drawn_out_derivative(0.5, f).unwrap();
        assert!((slope[0] + 3.0).abs() < 1e-13 && error > 1e-4);
    }
}
