//! Statements about an impact that hold for every momentum.

use serde::Serialize;

/// The kinetic angle between two contact normals.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContactAngle {
    /// Indices of the two contacts.
    pub contacts: (usize, usize),
    /// ⟨û_i, û_j⟩.
    pub cosine: f64,
    /// m when the cosine is −cos(π/m) within the tolerance.
    pub order: Option<u32>,
}

/// A certificate of uniqueness: a property of the contact normals alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Certificate {
    /// Whether the outcome is unique whatever the momentum.
    pub unique_for_every_momentum: bool,
    /// Why: `orthogonal`, `dihedral`, `reflection-group`, …
    pub reason: String,
    /// The pairwise angles the statement rests on.
    pub angles: Vec<ContactAngle>,
    /// Largest distance of a cosine from the exact value it was taken for.
    pub deviation: f64,
    /// Bound on ξ that follows from the deviation.
    pub indeterminacy_bound: f64,
}
