//! How redundant contacts of given modes share what they carry: by the impulses of least norm.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | P, T | `push`, `test` of the unknowns | A = Tᵀ G P + C, with C the resistances against turning |
//! | S = Tᵀ G T + C | `matrix` | symmetric and not negative |
//! | w | null vectors of S | wᵀ A = 0 as well: G T w vanishes, and nothing that C resists is in w |
//! | u ~ (A + ε)⁻¹ w | `directions` | A u = 0, but for a share ε of it; w itself where P is T on it |
//! | ‖P x‖ | | norm of impulses; the columns of P are orthogonal |
//!
//! Where a contact slides, P is not T: friction acts by the way in which a load is shared, and with it the motion. Shares that
//! are kept from problem to problem instead wander, further in the same time with shorter steps.

use crate::numerics::{SemidefiniteFactor, dot, make_room, subtract_scaled};

/// What is left of a direction beside those before it is rounding below this share.
const DEPENDENT: f64 = 1e-6;

/// Memory for the directions in which loads may be shared.
#[derive(Debug, Clone, Default)]
pub(super) struct LoadSharing {
    /// Whether the directions at hand belong to the factors at hand.
    pub is_found: bool,
    /// The unknowns without resistance against turning: the others are nothing to w.
    pub unresisted: Vec<usize>,
    /// ‖P‖ of each unknown.
    pub sizes: Vec<f64>,
    factor: SemidefiniteFactor,
    /// Orthonormal in the norm of impulses, one after the other.
    directions: Vec<f64>,
    own: Vec<f64>,
}

impl LoadSharing {
    /// Makes room for k unknowns.
    pub fn reserve(&mut self, k: usize) {
        self.factor.reserve(k);
        make_room(&mut self.unresisted, k);
        for (buffer, size) in [
            (&mut self.sizes, k),
            (&mut self.directions, k * k),
            (&mut self.own, k),
        ] {
            make_room(buffer, size);
        }
    }

    /// Finds the directions for S without what is resisted, of which the lower triangle counts, column after column, and the
    /// sizes at hand, with a `solve` that replaces w by u.
    pub fn find(&mut self, matrix: &[f64], mut solve: impl FnMut(&mut [f64])) {
        self.is_found = true;
        let k = self.sizes.len();
        self.directions.clear();
        for null in self.factor.null_vectors(matrix, self.unresisted.len()) {
            self.own.clear();
            self.own.resize(k, 0.0);
            for (&at, &x) in self.unresisted.iter().zip(null) {
                self.own[at] = x;
            }
            solve(&mut self.own);
            for (x, size) in self.own.iter_mut().zip(&self.sizes) {
                *x *= size;
            }
            let whole = dot(&self.own, &self.own).sqrt();
            // Twice: what the first time leaves of large parts is rounding.
            for other in [&self.directions, &self.directions]
                .into_iter()
                .flat_map(|all| all.chunks_exact(k))
            {
                let along = dot(other, &self.own);
                subtract_scaled(along, other, &mut self.own);
            }
            let left = dot(&self.own, &self.own).sqrt();
            if left.is_finite() && left > DEPENDENT * whole {
                self.directions.extend(self.own.iter().map(|x| x / left));
            }
        }
    }

    /// Whether loads may be shared at all.
    pub fn has_directions(&self) -> bool {
        !self.directions.is_empty()
    }

    /// Replaces unknowns x by what must be added to them, so that of all that differ by the directions they are the least.
    pub fn replace_by_change(&mut self, x: &mut [f64]) {
        let k = self.sizes.len();
        self.own.clear();
        self.own
            .extend(x.iter().zip(&self.sizes).map(|(x, size)| x * size));
        x.fill(0.0);
        for direction in self.directions.chunks_exact(k) {
            let along = dot(direction, &self.own);
            subtract_scaled(along, direction, x);
        }
        for (x, size) in x.iter_mut().zip(&self.sizes) {
            *x /= size;
        }
    }
}
