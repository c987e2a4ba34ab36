//! Starting values of the root finding: mean velocities extrapolated from the steps before.
//!
//! The polynomial of degree d through the last d + 1 values predicts Σ_{k ≤ d} ∇ᵏv with the backward
//! differences ∇ᵏ, and its error at the last step was ∇ᵈ⁺¹v. So the differences themselves say which
//! degree is best: a high one in smooth motion, a low one where forces jump.
//!
//! The velocity v at the end of the last step lies half a step nearer. After the first steps, which do not tell how well a line
//! through mean velocities does, it goes through the last one and v: 2v − ∇⁰v.

use crate::numerics::dot;

/// Largest degree: a further one saves next to no iteration at the usual steps.
const DEGREE: usize = 5;
/// Differences that are kept: those up to the degree and one more to judge it by.
const KEPT: usize = DEGREE + 2;
/// So few differences do not tell how well a line through mean velocities does.
const LINE: usize = 2;

/// The backward differences of the mean velocity over whole steps of one length.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(from = "Vec<Vec<f64>>", into = "Vec<Vec<f64>>")]
pub struct Predictor {
    /// ∇⁰v, ∇¹v, …; memory beyond the known ones.
    differences: Vec<Vec<f64>>,
    /// As many as there have been steps.
    known: usize,
}

impl Predictor {
    /// Forgets everything: the motion is not smooth here.
    pub fn clear(&mut self) {
        self.known = 0;
    }

    /// Begins anew with a piece of a step, which is this `share` of it, by its mean velocity and the velocity at its end: a
    /// whole step with the same acceleration is known then.
    pub fn begin(&mut self, mean_velocity: &[f64], velocity: &[f64], share: f64) {
        self.known = 0;
        self.record(mean_velocity);
        for (mean, end) in self.differences[0].iter_mut().zip(velocity) {
            *mean = end + (*mean - end) / share;
        }
    }

    /// Takes in the mean velocity of a step (of any number of stages, one block after the other).
    pub fn record(&mut self, mean_velocity: &[f64]) {
        let size = mean_velocity.len();
        if self.differences().first().is_none_or(|v| v.len() != size) {
            self.known = 0;
            self.differences.resize(KEPT, Vec::new());
            for difference in &mut self.differences {
                difference.resize(size, 0.0);
            }
        }
        if self.known < KEPT {
            self.differences[self.known].fill(0.0);
            self.known += 1;
        }
        let differences = &mut self.differences[..self.known];
        for (i, &v) in mean_velocity.iter().enumerate() {
            take_in(differences.iter_mut().map(|d| &mut d[i]), v);
        }
    }

    /// Writes the prediction for the next step, which begins with `velocity`, if that is known. False when there is none
    /// of this length.
    pub fn predict(&self, velocity: Option<&[f64]>, out: &mut [f64]) -> bool {
        let differences = self.differences();
        if differences.first().is_none_or(|v| v.len() != out.len()) {
            return false;
        }
        let degree = best_degree(differences.iter().map(Vec::as_slice));
        if let Some(velocity) = velocity.filter(|_| self.known <= LINE) {
            for ((x, v), mean) in out.iter_mut().zip(velocity).zip(&differences[0]) {
                *x = 2.0 * v - mean;
            }
            return true;
        }
        out.fill(0.0);
        for difference in &differences[..=degree] {
            for (x, d) in out.iter_mut().zip(difference) {
                *x += d;
            }
        }
        true
    }

    /// What is known, one slice a difference.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &[f64]> {
        self.differences().iter().map(Vec::as_slice)
    }

    fn differences(&self) -> &[Vec<f64>] {
        &self.differences[..self.known]
    }
}

/// Takes one more value into its backward differences: ∇⁰, ∇¹, …
pub(super) fn take_in<'a>(differences: impl Iterator<Item = &'a mut f64>, mut value: f64) {
    for difference in differences {
        let next = value - *difference;
        *difference = value;
        value = next;
    }
}

/// The degree that foretold the last value best: that before the least difference; 0 where these tell nothing.
pub(super) fn best_degree<'a>(differences: impl Iterator<Item = &'a [f64]>) -> usize {
    let mut degree = 0;
    let mut least = f64::INFINITY;
    for (k, next) in differences.skip(1).enumerate() {
        let error = dot(next, next);
        if error < least {
            least = error;
            degree = k;
        }
    }
    degree
}

impl Clone for Predictor {
    fn clone(&self) -> Self {
        Self {
            differences: self.differences.clone(),
            known: self.known,
        }
    }

    fn clone_from(&mut self, source: &Self) {
        self.differences.clone_from(&source.differences);
        self.known = source.known;
    }
}

impl PartialEq for Predictor {
    fn eq(&self, other: &Self) -> bool {
        self.differences() == other.differences()
    }
}

impl From<Vec<Vec<f64>>> for Predictor {
    /// Entries of different lengths predict nothing.
    fn from(mut differences: Vec<Vec<f64>>) -> Self {
        let size = differences.first().map_or(0, Vec::len);
        let regular = differences.iter().all(|d| d.len() == size);
        let known = if regular {
            differences.len().min(KEPT)
        } else {
            0
        };
        differences.resize(KEPT, Vec::new());
        for difference in &mut differences {
            difference.resize(size, 0.0);
        }
        Self { differences, known }
    }
}

impl From<Predictor> for Vec<Vec<f64>> {
    fn from(mut predictor: Predictor) -> Self {
        predictor.differences.truncate(predictor.known);
        predictor.differences
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
        assert!(predictor.predict(None, &mut next));
        // Integers and halves: the differences have no rounding.
        assert_eq!(next, value(8.0));
    }

    /// v(t) = 3t − 1: mean velocities are those of the middles, and a piece says the same as a whole step.
    #[test]
    fn the_first_prediction_goes_on_with_the_same_acceleration() {
        let velocity = |t: f64| [3.0 * t - 1.0];
        for (length, middle) in [(1.0, 0.5), (0.25, 0.875)] {
            let mut predictor = Predictor::default();
            predictor.begin(&velocity(middle), &velocity(1.0), length);
            let mut next = [0.0];
            assert!(predictor.predict(Some(&velocity(1.0)), &mut next));
            assert_eq!(next, velocity(1.5));
            predictor.record(&next);
            assert!(predictor.predict(Some(&velocity(2.0)), &mut next));
            assert_eq!(next, velocity(2.5));
        }
    }

    #[test]
    fn noise_is_not_extrapolated() {
        let mut predictor = Predictor::default();
        for step in 0..20 {
            predictor.record(&[if step % 2 == 0 { 1.0 } else { -1.0 }]);
        }
        let mut next = [0.0];
        assert!(predictor.predict(None, &mut next));
        // Every further difference of an alternating sequence is twice as large.
        assert_eq!(next, [-1.0]);
    }

    #[test]
    fn what_is_saved_predicts_the_same() {
        let mut predictor = Predictor::default();
        for step in 0..4 {
            predictor.record(&[f64::from(step).exp()]);
        }
        let saved: Vec<Vec<f64>> = predictor.clone().into();
        assert_eq!(saved.len(), 4);
        assert!(Predictor::from(saved) == predictor);
        let ragged = Predictor::from(vec![vec![1.0], vec![1.0, 2.0]]);
        assert!(!ragged.predict(None, &mut [0.0]));
    }

    #[test]
    fn nothing_is_predicted_from_nothing_or_for_another_length() {
        let mut predictor = Predictor::default();
        assert!(!predictor.predict(None, &mut [0.0]));
        predictor.record(&[1.0]);
        assert!(!predictor.predict(None, &mut [0.0, 0.0]));
    }
}
