//! Whether the return map is continuous and differentiable where several contacts strike at once.
//!
//! A neighbouring motion meets the contacts one after the other, in an order that depends on the direction in which it is
//! off. So the map is looked at from every side along every coordinate: P(z + s e) for five s of either sign, drawn out to
//! s = 0 by the polynomial through them. Limits that differ from z are a jump; one limit with two slopes is a kink. What
//! happens on the way is the simulation's own: strikes resolved one by one by the run's law.

use nalgebra::DVector;

use super::{Differentiability, Limit};
use crate::study::orbit::OrbitError;
use crate::study::orbit::search::{Search, scales};

/// Distances of the points from the orbit, in units of [`REACH`].
const POINTS: usize = 5;
/// \[rad, m, rad/s, m/s\] beside coordinates of order one.
const REACH: f64 = 2e-4;
/// A limit this far from the orbit is a jump.
const JUMP: f64 = 1e-6;
/// Slopes that differ by this share are two.
const KINK: f64 = 1e-4;

pub(super) struct Smoothness {
    pub verdict: Differentiability,
    pub limits: Vec<Limit>,
}

/// One-sided limits and slopes along every coordinate.
pub(super) fn smoothness(
    search: &Search<'_>,
    z: &DVector<f64>,
    names: &[String],
) -> Result<Smoothness, OrbitError> {
    let n = z.len();
    let scale = scales(z);
    let mut points = Vec::with_capacity(2 * n * POINTS);
    for k in 0..n {
        for side in [1.0, -1.0] {
            for j in 1..=POINTS {
                let mut moved = z.clone();
                moved[k] += side * REACH * j as f64 * scale[k];
                points.push(moved);
            }
        }
    }
    let images = search.at_all(&points).into_iter();
    let images: Vec<DVector<f64>> = images.collect::<Result<_, _>>()?;
    let (mut jump, mut kink, mut steepest) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut limits = Vec::new();
    for k in 0..n {
        let mut slopes = Vec::new();
        for (s, side) in [1.0, -1.0].into_iter().enumerate() {
            let from = (2 * k + s) * POINTS;
            let own = &images[from..from + POINTS];
            let (limit, slope) = drawn_out(own);
            let off = (&limit - z).component_div(&scale);
            jump = jump.max(off.amax());
            let slope = slope * (side / (REACH * scale[k]));
            steepest = steepest.max(slope.amax());
            limits.push(Limit {
                along: names[k].clone(),
                side: if side > 0.0 { "positive" } else { "negative" },
                limit: limit.as_slice().to_vec(),
                derivative: slope.as_slice().to_vec(),
            });
            slopes.push(slope);
        }
        kink = kink.max((&slopes[0] - &slopes[1]).amax());
    }
    let verdict = if jump > JUMP {
        Differentiability::Discontinuous
    } else if kink > KINK * steepest.max(1.0) {
        Differentiability::Piecewise
    } else {
        Differentiability::Differentiable
    };
    Ok(Smoothness { verdict, limits })
}

/// Value and slope at 0 of the polynomial through the points 1, 2, … 5: Lagrange's.
fn drawn_out(values: &[DVector<f64>]) -> (DVector<f64>, DVector<f64>) {
    const VALUE: [f64; POINTS] = [5.0, -10.0, 10.0, -5.0, 1.0];
    const SLOPE: [f64; POINTS] = [
        -77.0 / 12.0,
        107.0 / 6.0,
        -39.0 / 2.0,
        61.0 / 6.0,
        -25.0 / 12.0,
    ];
    let n = values[0].len();
    let sum = |weights: &[f64; POINTS]| {
        let terms = values.iter().zip(weights).map(|(x, w)| x * *w);
        terms.fold(DVector::zeros(n), |sum, x| sum + x)
    };
    (sum(&VALUE), sum(&SLOPE))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exact for every polynomial of degree four.
    #[test]
    fn what_is_drawn_out_is_exact_for_quartics() {
        let p = |x: f64| 3.0 - 2.0 * x + 0.5 * x * x - x.powi(3) / 7.0 + x.powi(4) / 11.0;
        let values: Vec<DVector<f64>> = (1..=POINTS)
            .map(|j| DVector::from_element(1, p(j as f64)))
            .collect();
        let (value, slope) = drawn_out(&values);
        assert!((value[0] - 3.0).abs() < 1e-12 && (slope[0] + 2.0).abs() < 1e-12);
    }
}
