//! Which equations of modes factors at hand belong to, and for which others they serve.

use super::mode_unknown::Unknown;

/// Changes of directions, and of resistances beside themselves, with which factors still serve.
const TURNED: f64 = 0.1;

/// The equations that factors belong to: those of the same modes are near enough to be solved with them.
#[derive(Debug, Clone, Default)]
pub(super) struct Factored {
    /// Number of the matrix G, 0 for none.
    pub generation: u64,
    pub epsilon: f64,
    pub unknowns: Vec<Unknown>,
    /// Diagonal of the matrix.
    pub diagonal: Vec<f64>,
}

impl Factored {
    /// Whether the factors serve for other unknowns: the same rows with nearly the same directions.
    /// `stiffness` is an entry of G.
    pub fn serves(
        &self,
        generation: u64,
        epsilon: f64,
        stiffness: f64,
        unknowns: &[Unknown],
    ) -> bool {
        let alike = |a: &Unknown, b: &Unknown| {
            a.row == b.row
                && a.unit == b.unit
                && a.test_unit == b.test_unit
                && (a.unit.is_some() || (0..3).all(|k| (a.push[k] - b.push[k]).abs() <= TURNED))
                && (a.turning - b.turning).abs() <= TURNED * (stiffness + a.turning.min(b.turning))
        };
        generation != 0
            && self.generation == generation
            && self.epsilon == epsilon
            && self.unknowns.len() == unknowns.len()
            && self.unknowns.iter().zip(unknowns).all(|(a, b)| alike(a, b))
    }
}
