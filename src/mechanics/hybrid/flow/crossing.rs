//! Where inside a step a function of time passes zero: the cubic that its values and rates at both ends define.

/// A function over one step: values and rates at both ends, time scaled to \[0, 1\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct StepCubic {
    start: f64,
    slope: f64,
    quadratic: f64,
    cubic: f64,
}

/// A descent through zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Descent {
    /// Place in (0, 1].
    pub at: f64,
    /// A place beyond it at which the function is negative, as far as the cubic knows: 1 or that of a minimum.
    pub below: f64,
    /// Derivative by the place there.
    pub slope: f64,
}

impl StepCubic {
    /// Hermite interpolation: values and rates at both ends of a step of `tau` \[s\].
    pub fn new(values: [f64; 2], rates: [f64; 2], tau: f64) -> Self {
        let [a, b] = values;
        let [u, w] = rates.map(|r| r * tau);
        Self {
            start: a,
            slope: u,
            quadratic: 3.0 * (b - a) - 2.0 * u - w,
            cubic: u + w - 2.0 * (b - a),
        }
    }

    pub fn value(&self, s: f64) -> f64 {
        self.start + s * (self.slope + s * (self.quadratic + s * self.cubic))
    }

    fn derivative(&self, s: f64) -> f64 {
        self.slope + s * (2.0 * self.quadratic + 3.0 * s * self.cubic)
    }

    /// Derivative at `place` of what has these values at both ends, this rate at the start, and there a `value`: that of the cubic
    /// with all of them.
    pub fn slope_through(values: [f64; 2], rate: f64, (place, value): (f64, f64)) -> f64 {
        let [start, end] = values;
        let whole = end - start - rate;
        let part = (value - start - rate * place) / (place * place);
        let cubic = (whole - part) / (1.0 - place);
        rate + place * (2.0 * (whole - cubic) + 3.0 * cubic * place)
    }

    /// Places in (0, 1) where the derivative vanishes, in ascending order.
    fn stationary(&self) -> [Option<f64>; 2] {
        let (a, b, c) = (3.0 * self.cubic, 2.0 * self.quadratic, self.slope);
        let discriminant = b * b - 4.0 * a * c;
        if discriminant < 0.0 {
            return [None; 2];
        }
        // The stable pair of roots: no cancellation when a is small.
        let q = -0.5 * (b + discriminant.sqrt().copysign(b));
        let mut roots = [q / a, c / q].map(|s| Some(s).filter(|s| *s > 0.0 && *s < 1.0));
        if roots[0] > roots[1] || roots[0].is_none() {
            roots.swap(0, 1);
        }
        roots
    }

    /// The first place at which the function comes down through zero to below −`depth`. At the start it counts as
    /// positive.
    pub fn first_descent(&self, depth: f64) -> Option<Descent> {
        let mut left = 0.0;
        let mut ends = [None, None, Some(1.0)];
        ends[..2].copy_from_slice(&self.stationary());
        for right in ends.into_iter().flatten() {
            if self.value(right) < -depth {
                let at = self.root(left, right);
                return Some(Descent {
                    at,
                    below: right,
                    slope: self.derivative(at),
                });
            }
            left = right;
        }
        None
    }

    /// The root between a place that counts as positive and one that is negative, between which the function
    /// falls: Newton's steps within a bracket.
    fn root(&self, mut positive: f64, mut negative: f64) -> f64 {
        if self.value(positive) <= 0.0 {
            return positive;
        }
        let mut s = 0.5 * (positive + negative);
        for _ in 0..60 {
            let value = self.value(s);
            if value > 0.0 {
                positive = s;
            } else {
                negative = s;
            }
            let newton = s - value / self.derivative(s);
            let next = if newton > positive && newton < negative {
                newton
            } else {
                0.5 * (positive + negative)
            };
            if (next - s).abs() <= 2.0 * f64::EPSILON {
                return next;
            }
            s = next;
        }
        s
    }
}

#[cfg(test)]
mod tests {
    use super::StepCubic;

    /// The slope that three values and a rate determine is that of the cubic that they were taken from; coefficients of order one
    /// round, divided by s² (1 − s).
    #[test]
    fn the_slope_through_a_place_is_that_of_the_cubic() {
        let cubic = StepCubic::new([0.3, -0.7], [0.4, -2.0], 1.0);
        for place in [0.01, 0.3, 0.7, 0.99] {
            let through = (place, cubic.value(place));
            let slope = StepCubic::slope_through([0.3, -0.7], 0.4, through);
            assert!((slope - cubic.derivative(place)).abs() < 1e-11, "{place}");
        }
    }

    #[test]
    fn a_parabola_that_dips_is_found_between_positive_ends() {
        // φ(t) = (t − 0.3)(t − 0.5) over one second.
        let phi = |t: f64| (t - 0.3) * (t - 0.5);
        let rate = |t: f64| 2.0 * t - 0.8;
        let cubic = StepCubic::new([phi(0.0), phi(1.0)], [rate(0.0), rate(1.0)], 1.0);
        let descent = cubic.first_descent(1e-12).unwrap();
        assert!((descent.at - 0.3).abs() < 1e-14);
        assert!((descent.below - 0.4).abs() < 1e-14);
        assert!((descent.slope + 0.2).abs() < 1e-14);
        assert_eq!(cubic.first_descent(0.0101), None);
    }

    #[test]
    fn a_ball_thrown_from_the_ground_is_found_when_it_comes_back() {
        // 2 t − 3 t²: back after 2/3 of the step.
        let cubic = StepCubic::new([0.0, -1.0], [2.0, -4.0], 1.0);
        let descent = cubic.first_descent(1e-12).unwrap();
        assert!((descent.at - 2.0 / 3.0).abs() < 1e-14);
    }

    #[test]
    fn the_first_of_several_descents_counts() {
        // (0.2 − t)(t − 0.5)(t − 0.9): down at 0.2, up at 0.5, down at 0.9.
        let phi = |t: f64| (0.2 - t) * (t - 0.5) * (t - 0.9);
        let rate = |t: f64| -(t - 0.5) * (t - 0.9) + (0.2 - t) * (t - 0.9) + (0.2 - t) * (t - 0.5);
        let cubic = StepCubic::new([phi(0.0), phi(1.0)], [rate(0.0), rate(1.0)], 1.0);
        assert!((cubic.first_descent(1e-12).unwrap().at - 0.2).abs() < 1e-13);
    }
}
