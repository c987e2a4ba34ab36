//! Anderson acceleration of a fixed-point iteration z ← G(z).
//!
//! ```text
//! z⁺ = g_k − Σ γ_j (g_{j+1} − g_j),    γ = argmin ‖f_k − Σ γ_j (f_{j+1} − f_j)‖,    f = G(z) − z
//! ```
//!
//! It does for the slow, linear convergence of G what quasi-Newton steps do for a root (Walker and Ni 2011).

use std::collections::VecDeque;

use nalgebra::{DMatrix, DVector};

/// Iterates remembered.
const MEMORY: usize = 8;

/// Directions below this fraction of the strongest are round-off.
const RANK_TOLERANCE: f64 = 1e-10;

/// f and g of one iterate.
type Image = (DVector<f64>, DVector<f64>);

/// The images of the last iterates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Anderson {
    history: VecDeque<Image>,
}

impl Anderson {
    pub(crate) fn forget(&mut self) {
        self.history.clear();
    }

    /// Takes in G(z) and proposes the next point; `None` while there is nothing to compare with.
    pub(crate) fn next(&mut self, z: &DVector<f64>, g: &DVector<f64>) -> Option<DVector<f64>> {
        let f = g - z;
        self.history.push_back((f.clone(), g.clone()));
        if self.history.len() > MEMORY + 1 {
            self.history.pop_front();
        }
        let count = self.history.len() - 1;
        if count == 0 {
            return None;
        }
        let differences = |pick: fn(&Image) -> &DVector<f64>| {
            let columns: Vec<DVector<f64>> = (0..count)
                .map(|j| pick(&self.history[j + 1]) - pick(&self.history[j]))
                .collect();
            DMatrix::from_columns(&columns)
        };
        let (df, dg) = (differences(|h| &h.0), differences(|h| &h.1));
        let svd = df.svd(true, true);
        let cut = RANK_TOLERANCE * svd.singular_values.amax();
        let gamma = svd.solve(&f, cut.max(f64::MIN_POSITIVE)).ok()?;
        let next = g - dg * gamma;
        next.iter().all(|x| x.is_finite()).then_some(next)
    }
}
