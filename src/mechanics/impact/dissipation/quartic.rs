//! Real roots of polynomials up to degree four, and of one bracketed equation.
//!
//! The roots of a polynomial separate those of its derivative, so working up from the quadratic every root is
//! bracketed between neighbours before it is refined: no root is missed, and closeness of roots costs no
//! accuracy beyond their own sensitivity. A double root, where the graph only touches zero, is found as the
//! stationary point at which the value is zero to rounding.

/// Real roots in ascending order; a double root appears once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RealRoots {
    values: [f64; 4],
    count: usize,
}

impl RealRoots {
    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }

    fn push(&mut self, x: f64) {
        if self.count < 4 && (self.count == 0 || self.values[self.count - 1] < x) {
            self.values[self.count] = x;
            self.count += 1;
        }
    }
}

/// Value and slope of Σ cᵢ xⁱ.
#[inline]
pub(crate) fn value_and_slope(c: &[f64], x: f64) -> (f64, f64) {
    let (mut value, mut slope) = (0.0, 0.0);
    for &coefficient in c.iter().rev() {
        slope = slope * x + value;
        value = value * x + coefficient;
    }
    (value, slope)
}

/// Σ cᵢ xⁱ.
#[inline]
pub(crate) fn value(c: &[f64], x: f64) -> f64 {
    c.iter().rev().fold(0.0, |value, &ci| value * x + ci)
}

/// All real roots of Σ cᵢ xⁱ, i ≤ 4. The zero polynomial has none to report.
pub(crate) fn real_roots(c: &[f64]) -> RealRoots {
    let none = RealRoots {
        values: [0.0; 4],
        count: 0,
    };
    let Some(degree) = c.iter().rposition(|&ci| ci != 0.0) else {
        return none;
    };
    let c = &c[..=degree];
    match degree {
        0 => none,
        1 => {
            let mut roots = none;
            roots.push(-c[0] / c[1]);
            roots
        }
        2 => quadratic_roots(c[2], c[1], c[0]),
        _ => {
            let mut derivative = [0.0; 4];
            for (i, d) in derivative.iter_mut().enumerate().take(degree) {
                *d = (i as f64 + 1.0) * c[i + 1];
            }
            separated_roots(c, real_roots(&derivative[..degree]).as_slice())
        }
    }
}

/// Roots of a polynomial between, and at, its stationary points.
fn separated_roots(c: &[f64], stationary: &[f64]) -> RealRoots {
    let mut roots = RealRoots {
        values: [0.0; 4],
        count: 0,
    };
    let leading = c[c.len() - 1];
    // Cauchy: every root is smaller than 1 + max |cᵢ / c_n|.
    let bound = 1.0
        + c[..c.len() - 1]
            .iter()
            .fold(0.0, |m: f64, ci| m.max((ci / leading).abs()));
    let mut left = -bound;
    let mut left_value = value(c, left);
    for right in stationary
        .iter()
        .copied()
        .filter(|x| x.abs() < bound)
        .chain(std::iter::once(bound))
    {
        let mut right_value = value(c, right);
        if right < bound && right_value.abs() <= rounding(c, right) {
            // A touching root: counted here, so that the two flanks do not count it again.
            right_value = 0.0;
            roots.push(right);
        }
        if left_value * right_value < 0.0 {
            let rising = if right_value > 0.0 { 1.0 } else { -1.0 };
            let start = 0.5 * (left + right);
            roots.push(increasing_root(left, right, start, |x| {
                let (v, s) = value_and_slope(c, x);
                (rising * v, rising * s)
            }));
        }
        left = right;
        left_value = right_value;
    }
    roots
}

/// What rounding leaves of Σ cᵢ xⁱ at a root.
fn rounding(c: &[f64], x: f64) -> f64 {
    let size = c.iter().rev().fold(0.0, |v, ci| v * x.abs() + ci.abs());
    8.0 * f64::EPSILON * size
}

/// Roots of a x² + b x + c with a ≠ 0, without cancellation.
fn quadratic_roots(a: f64, b: f64, c: f64) -> RealRoots {
    let mut roots = RealRoots {
        values: [0.0; 4],
        count: 0,
    };
    let discriminant = b.mul_add(b, -4.0 * a * c);
    if discriminant < 0.0 {
        return roots;
    }
    let sum = -0.5 * (b + discriminant.sqrt().copysign(b));
    let first = sum / a;
    let second = if sum == 0.0 { first } else { c / sum };
    roots.push(first.min(second));
    roots.push(first.max(second));
    roots
}

/// The root of a function that is negative at `low` and positive at `high`: Newton's method from `start`,
/// with a bisection whenever a step would leave the bracket or shrinks it too slowly. `high` may be infinite.
#[inline]
pub(crate) fn increasing_root(
    mut low: f64,
    mut high: f64,
    start: f64,
    f: impl Fn(f64) -> (f64, f64),
) -> f64 {
    let mut x = start;
    let mut previous_step = f64::INFINITY;
    for _ in 0..200 {
        let (v, slope) = f(x);
        if v < 0.0 {
            low = x;
        } else if v > 0.0 {
            high = x;
        } else {
            return x;
        }
        let mut next = x - v / slope;
        let step = (next - x).abs();
        // A step that is not a number is refused too.
        if next >= low && next <= high && step <= 0.5 * previous_step {
            // The error is now of the order of the step squared.
            if step <= 1e-11 * next.abs() {
                return next;
            }
        } else {
            next = if high.is_finite() {
                middle(low, high)
            } else {
                2.0 * x.abs().max(low.abs()) + f64::MIN_POSITIVE
            };
        }
        previous_step = (next - x).abs();
        if previous_step <= f64::EPSILON * next.abs() {
            return next;
        }
        x = next;
    }
    x
}

/// The middle of a bracket, in the logarithm where it spans orders of magnitude.
#[inline]
fn middle(low: f64, high: f64) -> f64 {
    if low > 0.0 && high > 16.0 * low {
        (low * high).sqrt()
    } else if high < 0.0 && low < 16.0 * high {
        -(low * high).sqrt()
    } else {
        0.5 * (low + high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn from_roots(roots: &[f64]) -> Vec<f64> {
        let mut c = vec![1.0];
        for r in roots {
            let mut next = vec![0.0; c.len() + 1];
            for (i, ci) in c.iter().enumerate() {
                next[i + 1] += ci;
                next[i] -= r * ci;
            }
            c = next;
        }
        c
    }

    #[test]
    fn counts_simple_double_and_missing_roots() {
        assert_eq!(real_roots(&[0.0; 5]).as_slice(), &[] as &[f64]);
        assert_eq!(real_roots(&[1.0, 0.0, 1.0]).as_slice(), &[] as &[f64]);
        assert_eq!(real_roots(&[-8.0, 0.0, 0.0, 1.0]).as_slice(), &[2.0]);
        let touching = real_roots(&from_roots(&[1.0, 1.0, -2.0, 3.0]));
        for (x, r) in touching.as_slice().iter().zip([-2.0, 1.0, 3.0]) {
            assert!((x - r).abs() <= 4.0 * f64::EPSILON, "{x} for {r}");
        }
        assert_eq!(touching.as_slice().len(), 3);
        // x⁴ + 1 has none, x⁴ − 1 has two.
        assert!(real_roots(&[1.0, 0.0, 0.0, 0.0, 1.0]).as_slice().is_empty());
        assert_eq!(
            real_roots(&[-1.0, 0.0, 0.0, 0.0, 1.0]).as_slice(),
            &[-1.0, 1.0]
        );
    }

    proptest! {
        /// Roots in, roots out. A root moves by at most the rounding of the value over the slope.
        #[test]
        fn recovers_the_roots_it_was_built_from(mut roots in prop::collection::vec(-10.0f64..10.0, 1..5)) {
            roots.sort_by(f64::total_cmp);
            let separation = roots.windows(2).map(|w| w[1] - w[0]).fold(1.0, f64::min);
            prop_assume!(separation > 1e-2);
            let c = from_roots(&roots);
            let found = real_roots(&c);
            prop_assert_eq!(found.as_slice().len(), roots.len());
            for (x, r) in found.as_slice().iter().zip(&roots) {
                let (_, slope) = value_and_slope(&c, *r);
                let bound = 4.0 * rounding(&c, *r) / slope.abs() + 4.0 * f64::EPSILON * r.abs();
                prop_assert!((x - r).abs() <= bound, "{x} for {r}, bound {bound:e}");
            }
        }
    }
}
