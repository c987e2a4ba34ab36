//! Starting values of the root finding: mean velocities extrapolated from the steps before.
//!
//! The polynomial of degree d through the last d + 1 values predicts Σ_{k ≤ d} ∇ᵏv with the backward
//! differences ∇ᵏ, and its error at the last step was ∇ᵈ⁺¹v. So the differences themselves say which
//! degree is best: a high one in smooth motion, a low one where forces jump.

use crate::numerics::dot;

/// Largest degree, and one difference more to judge it by.
const DEGREE: usize = 6;

/// The backward differences of the mean velocity over whole steps of one length.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Predictor {
    /// ∇⁰v, ∇¹v, …, as many as there have been steps.
    differences: Vec<Vec<f64>>,
}

impl Predictor {
    /// Forgets everything: the motion is not smooth here.
    pub fn clear(&mut self) {
        self.differences.clear();
    }

    /// Takes in the mean velocity of a step (of any number of stages, one block after the other).
    pub fn record(&mut self, mean_velocity: &[f64]) {
        if self.differences.len() < DEGREE + 2 {
            self.differences.push(vec![0.0; mean_velocity.len()]);
        }
        for (i, &v) in mean_velocity.iter().enumerate() {
            let mut value = v;
            for difference in &mut self.differences {
                let Some(entry) = difference.get_mut(i) else {
                    break;
                };
                let next = value - *entry;
                *entry = value;
                value = next;
            }
        }
    }

    /// Writes the prediction for the next step. False when there is none of this length.
    pub fn predict(&self, out: &mut [f64]) -> bool {
        if self
            .differences
            .first()
            .is_none_or(|v| v.len() != out.len())
        {
            return false;
        }
        let last = self.differences.len() - 1;
        let mut terms = 1;
        let mut least = f64::INFINITY;
        for degree in 0..last {
            let difference = &self.differences[degree + 1];
            let error = dot(difference, difference);
            if error < least {
                least = error;
                terms = degree + 1;
            }
        }
        out.fill(0.0);
        for difference in &self.differences[..terms] {
            for (x, d) in out.iter_mut().zip(difference) {
                *x += d;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Predictor;

    #[test]
    fn polynomials_are_continued_exactly() {
        let mut predictor = Predictor::default();
        let value = |t: f64| [1.0 + t * (2.0 - t * (0.5 + t)), -3.0 * t * t];
        for step in 0..8 {
            predictor.record(&value(f64::from(step)));
        }
        let mut next = [0.0; 2];
        assert!(predictor.predict(&mut next));
        // Integers and halves: the differences have no rounding.
        assert_eq!(next, value(8.0));
    }

    #[test]
    fn noise_is_not_extrapolated() {
        let mut predictor = Predictor::default();
        for step in 0..20 {
            predictor.record(&[if step % 2 == 0 { 1.0 } else { -1.0 }]);
        }
        let mut next = [0.0];
        assert!(predictor.predict(&mut next));
        // Every further difference of an alternating sequence is twice as large.
        assert_eq!(next, [-1.0]);
    }

    #[test]
    fn nothing_is_predicted_from_nothing_or_for_another_length() {
        let mut predictor = Predictor::default();
        assert!(!predictor.predict(&mut [0.0]));
        predictor.record(&[1.0]);
        assert!(!predictor.predict(&mut [0.0, 0.0]));
    }
}
