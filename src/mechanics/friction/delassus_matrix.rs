//! The Delassus matrix by itself: a copy serves when other rows have taken its place.

use nalgebra::DMatrix;

use super::{Delassus, FrictionRows};

/// G, and the groups that its rows belong to.
#[derive(Debug, Clone, Default)]
pub(crate) struct DelassusMatrix {
    pub entries: DMatrix<f64>,
    pub groups: Vec<FrictionRows>,
    /// k_n and k_t of each group.
    pub stiffness: Vec<[f64; 2]>,
}

impl DelassusMatrix {
    /// A copy of what is at hand.
    pub fn of(delassus: &mut Delassus) -> Self {
        let mut matrix = Self::default();
        matrix.copy(delassus);
        matrix
    }

    /// Copies what is at hand, into the same memory if it is of the same size.
    pub fn copy(&mut self, delassus: &mut Delassus) {
        self.stiffness.clear();
        self.stiffness.extend_from_slice(delassus.stiffness());
        let (entries, groups) = delassus.matrix();
        self.groups.clear();
        self.groups.extend_from_slice(groups);
        let r = entries.nrows();
        if self.entries.nrows() != r {
            self.entries.resize_mut(r, r, 0.0);
        }
        self.entries.copy_from(entries);
    }
}
