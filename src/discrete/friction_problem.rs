//! The contact problem of a step: normal complementarity and dry friction on a Delassus matrix.

use nalgebra::DMatrix;

/// Relative slack of the sign conditions: far above the rounding of the least-squares solve (1e-13)
/// and far below anything a step of 1e-9 m could show.
pub(super) const SLACK: f64 = 1e-11;
/// A violation below this share of the velocities that no longer falls is taken: redundant contacts
/// cannot all be closed to the last digit of b.
pub(super) const SETTLED: f64 = 1e-9;

/// Velocities that violations are measured by \[m/s\].
#[derive(Debug, Clone, Copy)]
pub(super) struct Speeds {
    /// Largest |b|.
    pub free: f64,
    /// Slower ones are judged as if they had this.
    pub slow: f64,
}

impl Speeds {
    /// What violations are shares of.
    pub(super) fn scale(self) -> f64 {
        self.free.max(self.slow)
    }
}

/// Rows and friction of one held contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldRows {
    /// Row of the normal; the tangents follow it.
    pub row: usize,
    /// Number of tangent rows, 0 to 2.
    pub tangents: usize,
    /// Coefficient of friction μ.
    pub friction: f64,
}

impl HeldRows {
    /// Whether it can resist slip.
    pub(super) fn rubs(&self) -> bool {
        self.tangents > 0 && self.friction > 0.0
    }

    /// The tangential entries of `x` (r).
    pub(super) fn tangential(&self, x: &[f64]) -> [f64; 2] {
        let mut out = [0.0; 2];
        out[..self.tangents].copy_from_slice(&x[self.row + 1..=self.row + self.tangents]);
        out
    }
}

/// What a held contact does.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum HeldMode {
    /// No impulse.
    Open,
    /// Neither separates nor slips.
    Stick,
    /// Slips in this direction (unit, in the tangent rows).
    Slide([f64; 2]),
}

/// G, b and what the methods share.
#[derive(Debug, Clone, Copy)]
pub(super) struct HeldProblem<'a> {
    /// G, r × r.
    pub delassus: &'a DMatrix<f64>,
    /// b, r.
    pub free: &'a [f64],
    pub contacts: &'a [HeldRows],
    pub speeds: Speeds,
}

impl HeldProblem<'_> {
    /// out ← a = b + G Λ.
    pub(super) fn velocity(&self, impulse: &[f64], out: &mut [f64]) {
        out.copy_from_slice(self.free);
        for (column, &x) in self.delassus.column_iter().zip(impulse) {
            if x != 0.0 {
                for (o, a) in out.iter_mut().zip(column.iter()) {
                    *o += a * x;
                }
            }
        }
    }
}
