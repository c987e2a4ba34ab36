//! Where inside a step a gap may close: the cubic that gaps and gap rates at both ends define.

/// A gap over one step: values and rates at both ends, time scaled to \[0, 1\].
#[derive(Debug, Clone, Copy)]
pub(super) struct GapCubic {
    start: f64,
    slope: f64,
    quadratic: f64,
    cubic: f64,
}

impl GapCubic {
    /// Hermite interpolation: gaps \[m\] and rates \[m/s\] at both ends of a step of `tau` \[s\].
    pub fn new(gaps: [f64; 2], rates: [f64; 2], tau: f64) -> Self {
        let [a, b] = gaps;
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

    /// Place of the local minimum inside (0, 1), if there is one.
    pub fn interior_minimum(&self) -> Option<f64> {
        self.stationary(|second| second > 0.0)
    }

    /// Place of the local maximum inside (0, 1), if there is one.
    pub fn interior_maximum(&self) -> Option<f64> {
        self.stationary(|second| second < 0.0)
    }

    fn stationary(&self, wanted: impl Fn(f64) -> bool) -> Option<f64> {
        let (a, b, c) = (3.0 * self.cubic, 2.0 * self.quadratic, self.slope);
        let discriminant = b * b - 4.0 * a * c;
        if discriminant < 0.0 {
            return None;
        }
        // The stable pair of roots: no cancellation when a is small.
        let q = -0.5 * (b + discriminant.sqrt().copysign(b));
        [q / a, c / q]
            .into_iter()
            .filter(|s| s.is_finite() && *s > 0.0 && *s < 1.0)
            .find(|s| wanted(b + 2.0 * a * s))
    }
}

#[cfg(test)]
mod tests {
    use super::GapCubic;

    #[test]
    fn a_parabola_that_dips_is_found_between_positive_ends() {
        // φ(t) = (t − 0.3)(t − 0.5) over one second.
        let phi = |t: f64| (t - 0.3) * (t - 0.5);
        let rate = |t: f64| 2.0 * t - 0.8;
        let cubic = GapCubic::new([phi(0.0), phi(1.0)], [rate(0.0), rate(1.0)], 1.0);
        let s = cubic.interior_minimum().unwrap();
        assert!((s - 0.4).abs() < 1e-14);
        assert!((cubic.value(s) + 0.01).abs() < 1e-14);
        assert_eq!(cubic.interior_maximum(), None);
    }

    #[test]
    fn a_thrown_ball_has_its_maximum_inside() {
        let cubic = GapCubic::new([0.0, -1.0], [2.0, -4.0], 1.0);
        let s = cubic.interior_maximum().unwrap();
        assert!((s - 1.0 / 3.0).abs() < 1e-14);
    }
}
