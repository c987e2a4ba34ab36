//! Derivatives of functions that are smooth, by central differences drawn out to zero.
//!
//! ```text
//! D₁(ε) = (f(ε) − f(−ε)) / 2ε,   D₂(ε) = (4 D₁(ε/2) − D₁(ε))/3,   D₃(ε) = (16 D₂(ε/2) − D₂(ε))/15
//! ```
//!
//! D₃ is wrong by O(ε⁶) and by some 10 roundings of f over ε; |D₃ − D₂| tells whether f is smooth, but for a kink at 0: the
//! second differences over ε tell that.

use std::ops::{Div, Mul, Sub};

use nalgebra::DVector;

/// D₃ and D₂ of the central differences for ε, ε/2 and ε/4.
pub fn drawn_out<T>(differences: &[T; 3]) -> [T; 2]
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

/// Derivative of f at 0, taken at up to `width` to both sides, and how far f is from smooth: the larger of |D₃ − D₂| and half
/// the jump of the slope at 0, drawn out likewise.
pub fn drawn_out_derivative<E>(
    width: f64,
    mut f: impl FnMut(f64) -> Result<DVector<f64>, E>,
) -> Result<(DVector<f64>, f64), E> {
    let middle = f(0.0)?;
    let mut pair = |share: f64| -> Result<[DVector<f64>; 2], E> {
        let e = width * share;
        Ok([f(-e)?, f(e)?])
    };
    let sides = [pair(1.0)?, pair(0.5)?, pair(0.25)?];
    Ok(slope_and_error(width, &middle, &sides))
}

/// As [`drawn_out_derivative`], of f(0) and of f at ∓`width`, ∓½ and ∓¼ of it.
pub(crate) fn slope_and_error(
    width: f64,
    middle: &DVector<f64>,
    sides: &[[DVector<f64>; 2]; 3],
) -> (DVector<f64>, f64) {
    let quotient = |k: usize, of: DVector<f64>| of / (2.0 * width * 0.5_f64.powi(k as i32));
    let slopes = [0, 1, 2].map(|k| quotient(k, &sides[k][1] - &sides[k][0]));
    let [third, second] = drawn_out(&slopes);
    // Odd in ε where f is smooth.
    let [a, b, c] = [0, 1, 2].map(|k| quotient(k, &sides[k][1] + &sides[k][0] - middle * 2.0));
    let kinks = [&b * 2.0 - a, c * 2.0 - b];
    let kink = (&kinks[1] * 8.0 - &kinks[0]) / 7.0;
    let error = (&third - second).amax().max(kink.amax());
    (third, error)
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

    /// Central differences alone do not see a kink.
    #[test]
    fn half_the_jump_of_a_slope_is_told() {
        let f = |jump: f64| {
            move |x: f64| {
                let value = x.exp() + 0.5 * jump * x.abs();
                Ok::<_, Infallible>(DVector::from_element(1, value))
            }
        };
        let (_, smooth) = drawn_out_derivative(1e-3, f(0.0)).unwrap();
        let (slope, kinked) = drawn_out_derivative(1e-3, f(0.2)).unwrap();
        assert!(smooth < 1e-11 && (kinked - 0.1).abs() < 1e-11 && (slope[0] - 1.0).abs() < 1e-11);
    }
}
