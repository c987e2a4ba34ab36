//! Whether sweeps go round in a circle: they return to an impulse that they have left (Brent's method).
//!
//! The block of one contact jumps where the contact begins to separate by itself while friction alone could press it
//! (\[PER\] Fig. 5, hyperbola). Problems with such a contact need not have a fixed point, and sweeps then repeat
//! themselves for ever, mostly within a dozen.

use crate::impact::ContactSpace;

/// A return this close, beside the change by a sweep, is to the same impulse: a sequence that converges comes as close only
/// where a sweep leaves all but a millionth of its distance.
const SAME: f64 = 1e-6;

/// The last marked impulse, in memory that every impact uses again.
#[derive(Debug, Clone, Default)]
pub(crate) struct SweepCycle {
    /// G_ii of each row.
    weights: Vec<f64>,
    marked: Vec<f64>,
    /// Impulse before the sweep.
    last: Vec<f64>,
    since: usize,
    until: usize,
    /// Whether a contact has changed its branch since the mark.
    turned: bool,
}

impl SweepCycle {
    pub(crate) fn begin(&mut self, space: &ContactSpace, impulse: &[f64]) {
        self.weights.clear();
        let rows = 0..space.rows();
        self.weights
            .extend(rows.map(|i| space.delassus[(i, i)].max(0.0)));
        self.restart(impulse);
    }

    /// Forgets what was, at this impulse Λ (r).
    pub(crate) fn restart(&mut self, impulse: &[f64]) {
        self.mark(impulse);
        self.until = 1;
        self.last.clear();
        self.last.extend_from_slice(impulse);
    }

    fn mark(&mut self, impulse: &[f64]) {
        self.marked.clear();
        self.marked.extend_from_slice(impulse);
        self.since = 0;
        self.turned = false;
    }

    /// Takes in the impulse Λ (r) after a sweep; `settled` says whether every contact kept its branch. Whether it was
    /// here before.
    pub(crate) fn after_sweep(&mut self, impulse: &[f64], settled: bool) -> bool {
        self.since += 1;
        self.turned |= !settled;
        let change = self.distance(impulse, &self.last);
        let returned = self.turned && self.distance(impulse, &self.marked) <= SAME * SAME * change;
        if self.since == self.until {
            self.mark(impulse);
            self.until *= 2;
        }
        self.last.copy_from_slice(impulse);
        returned
    }

    /// Σ G_ii (xᵢ − yᵢ)².
    fn distance(&self, x: &[f64], y: &[f64]) -> f64 {
        let pairs = x.iter().zip(y).map(|(x, y)| x - y);
        pairs.zip(&self.weights).map(|(d, w)| w * d * d).sum()
    }
}
