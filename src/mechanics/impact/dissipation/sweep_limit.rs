//! Where a slow sequence of sweeps is going, found ahead of it: reduced rank extrapolation.
//!
//! While no contact changes its branch a sweep is a smooth map, nearly affine close to its fixed point. Of the weighted
//! means of the last impulses, with weights that add up to one, the one is taken whose change by a sweep would be the
//! shortest if the map were affine. Means of changes stay in the range of the map less the identity: where fixed points
//! form a continuum, as with redundant contacts, this tends to the one that the sweeps would reach themselves.

use crate::impact::ContactSpace;
use crate::numerics::dot;

/// Sweeps that one extrapolation looks at.
const DEPTH: usize = 8;
/// Sweeps before the first: most impacts need no more.
const PATIENCE: usize = 32;
/// A change whose part outside of those before it is smaller than this share of it tells nothing new.
const DEPENDENT: f64 = 1e-14;

/// Extrapolation of the sweeps over one impact, in memory that every impact uses again.
#[derive(Debug, Clone, Default)]
pub(crate) struct SweepLimit {
    /// √G_ii of each row.
    units: Vec<f64>,
    /// Impulses after successive sweeps, one after another.
    kept: Vec<f64>,
    count: usize,
    /// Residual of the sweep before them.
    first_residual: f64,
    changes: Vec<f64>,
    /// Where the last extrapolation began, and the residual there.
    start: Vec<f64>,
    residual: f64,
    /// Whether the next sweep tells if the last extrapolation is any good.
    on_trial: bool,
    /// Sweeps until impulses are kept again, and after the next failure.
    pause: usize,
    patience: usize,
    /// Share of its distance that a sweep leaves, as seen before the last extrapolation.
    pub(crate) rate: f64,
}

impl SweepLimit {
    pub(crate) fn begin(&mut self, space: &ContactSpace) {
        let r = space.rows();
        self.units.clear();
        self.units
            .extend((0..r).map(|i| space.delassus[(i, i)].max(0.0).sqrt()));
        self.kept.clear();
        self.kept.resize((DEPTH + 1) * r, 0.0);
        self.changes.clear();
        self.changes.resize(DEPTH * r, 0.0);
        self.start.clear();
        self.start.resize(r, 0.0);
        self.count = 0;
        self.on_trial = false;
        self.pause = PATIENCE;
        self.patience = PATIENCE;
        self.rate = 0.0;
    }

    /// Takes in the impulse Λ (r) after a sweep with its residual; `settled` says whether every contact kept its
    /// branch. May replace the impulse by the limit of the sweeps, and says whether it did anything to it.
    pub(crate) fn after_sweep(
        &mut self,
        impulse: &mut [f64],
        residual: f64,
        settled: bool,
    ) -> bool {
        if self.on_trial {
            self.on_trial = false;
            if !settled || residual >= self.residual || !residual.is_finite() {
                impulse.copy_from_slice(&self.start);
                self.pause = self.patience;
                self.patience *= 2;
                return true;
            }
        }
        if !settled {
            self.count = 0;
            self.rate = 0.0;
        }
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        let r = impulse.len();
        if self.count == 0 {
            self.first_residual = residual;
        }
        self.kept[self.count * r..(self.count + 1) * r].copy_from_slice(impulse);
        self.count += 1;
        if self.count <= DEPTH {
            return false;
        }
        self.count = 0;
        self.rate = (residual / self.first_residual)
            .powf(1.0 / DEPTH as f64)
            .min(1.0);
        self.residual = residual;
        self.start.copy_from_slice(impulse);
        self.on_trial = self.extrapolate(impulse);
        true
    }

    /// Writes the weighted mean of the impulses; `false` where there is none.
    fn extrapolate(&mut self, impulse: &mut [f64]) -> bool {
        let r = impulse.len();
        let mut triangle = [[0.0; DEPTH]; DEPTH];
        let mut used = 0;
        while used < DEPTH {
            let (before, rest) = self.changes.split_at_mut(used * r);
            let change = &mut rest[..r];
            let (from, to) = self.kept[used * r..(used + 2) * r].split_at(r);
            for (i, x) in change.iter_mut().enumerate() {
                *x = self.units[i] * (to[i] - from[i]);
            }
            let whole = dot(change, change).sqrt();
            // Twice: once leaves rounding of what it takes away.
            for _ in 0..2 {
                for (j, direction) in before.chunks_exact(r).enumerate() {
                    let along = dot(direction, change);
                    triangle[j][used] += along;
                    for (x, d) in change.iter_mut().zip(direction) {
                        *x -= along * d;
                    }
                }
            }
            let length = dot(change, change).sqrt();
            let dependent = length <= DEPENDENT * whole;
            triangle[used][used] = length.max(DEPENDENT * whole);
            if triangle[used][used] == 0.0 {
                return false;
            }
            for x in change.iter_mut() {
                *x /= triangle[used][used];
            }
            used += 1;
            if dependent {
                break;
            }
        }
        // The weights γ that make Σ γᵢ changeᵢ shortest solve RᵀR γ ∝ 1.
        let mut weights = [0.0; DEPTH];
        for i in 0..used {
            let known: f64 = (0..i).map(|k| triangle[k][i] * weights[k]).sum();
            weights[i] = (1.0 - known) / triangle[i][i];
        }
        for i in (0..used).rev() {
            let known: f64 = (i + 1..used).map(|k| triangle[i][k] * weights[k]).sum();
            weights[i] = (weights[i] - known) / triangle[i][i];
        }
        let total: f64 = weights[..used].iter().sum();
        if !(total.is_finite() && total != 0.0) {
            return false;
        }
        impulse.fill(0.0);
        for (weight, kept) in weights[..used]
            .iter()
            .zip(self.kept.chunks_exact(r).skip(1))
        {
            for (x, kept) in impulse.iter_mut().zip(kept) {
                *x += weight / total * kept;
            }
        }
        impulse.iter().all(|x| x.is_finite())
    }
}
