//! What impulses at the starts of steps had beyond those at the ends before, and what the next one will have.
//!
//! The same backward differences as of mean velocities, of which the next one tells how good a degree is.

use crate::discrete::predictor::{best_degree, take_in};

/// Differences that are kept: those up to the largest degree and one more to judge it by.
const KEPT: usize = 5;

/// Jumps of the impulse of one contact, in equal steps through which it went on in one mode: normal, then tangents \[N s\].
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Jumps {
    /// Backward differences of the jump.
    differences: [[f64; 3]; KEPT],
    /// Those that are known.
    known: usize,
}

impl Jumps {
    /// Takes in the jump of one more step.
    pub(crate) fn record(&mut self, jump: [f64; 3]) {
        if let Some(next) = self.differences.get_mut(self.known) {
            *next = [0.0; 3];
            self.known += 1;
        }
        for (k, jump) in jump.into_iter().enumerate() {
            let known = self.differences.iter_mut().take(self.known);
            take_in(known.map(|difference| &mut difference[k]), jump);
        }
    }

    /// The next one; none where nothing is known.
    pub(crate) fn expected(&self) -> [f64; 3] {
        let known = self.entries();
        let degree = best_degree(known.iter().map(<[f64; 3]>::as_slice));
        let mut sum = [0.0; 3];
        for difference in known.iter().take(degree + 1) {
            for (sum, x) in sum.iter_mut().zip(difference) {
                *sum += x;
            }
        }
        sum
    }

    /// The differences that are known.
    pub(crate) fn entries(&self) -> &[[f64; 3]] {
        &self.differences[..self.known.min(KEPT)]
    }
}

#[cfg(test)]
mod tests {
    use super::{Jumps, KEPT};

    /// Whole numbers have no rounding. Of degree 3 four differences are more than zero, and the fifth tells so.
    #[test]
    fn polynomials_are_continued_and_noise_is_not() {
        let mut jumps = Jumps::default();
        assert_eq!(jumps.expected(), [0.0; 3]);
        let jump = |t: f64| [t * t * t - 2.0 * t, 3.0 - t * t, 7.0];
        for step in 0..KEPT {
            jumps.record(jump(step as f64));
        }
        assert_eq!(jumps.expected(), jump(KEPT as f64));
        let mut noise = Jumps::default();
        for step in 0..3 * KEPT {
            noise.record([if step % 2 == 0 { 1.0 } else { -1.0 }, 0.0, 0.0]);
        }
        // Each difference of what alternates is twice as large as the one before.
        let last = if (3 * KEPT) % 2 == 1 { 1.0 } else { -1.0 };
        assert_eq!(noise.expected(), [last, 0.0, 0.0]);
    }
}
