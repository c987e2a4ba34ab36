//! Impulses of least norm when contacts are redundant.
//!
//! Four feet of a block on a floor have unique velocities but not unique impulses: Λ may be changed by
//! any y with Jᵀy = 0. Of all Λ ≥ 0 with the same effect this module returns the one of least
//! Euclidean norm \[N s\]. Only contacts that keep no separating velocity may carry an impulse, so the
//! choice is made among those.
//!
//! With P the projector on the null space of their Delassus block and Λ₀ = (1 − P)Λ, the answer is
//! Λ₀ + d with d = argmin ‖d‖ subject to Pd = d, d ≥ −Λ₀: a least-distance problem, solved by
//! non-negative least squares (Lawson & Hanson 1974, ch. 23.4).

use super::nonnegative::NonNegative;
use crate::impact::unit_contacts::UnitContacts;

/// Scratch memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct LeastNorm {
    carriers: Vec<usize>,
    block: Vec<f64>,
    vectors: Vec<f64>,
    projector: Vec<f64>,
    base: Vec<f64>,
    linear: Vec<f64>,
    dual: Vec<f64>,
    solver: NonNegative,
}

impl LeastNorm {
    /// Replaces `unit_impulse` (λ̂, m) by the impulse of least norm with the same effect.
    /// `velocity` holds the unit velocities after the impact; those up to the contacts' floors count as zero.
    /// Returns whether the impulse was unique to begin with.
    pub(crate) fn apply(
        &mut self,
        unit: &UnitContacts,
        velocity: &[f64],
        unit_impulse: &mut [f64],
    ) -> bool {
        self.carriers.clear();
        self.carriers
            .extend((0..unit.len()).filter(|&i| velocity[i] <= unit.floor[i]));
        let k = self.carriers.len();
        if k < 2 || unit_impulse.iter().all(|&s| s == 0.0) {
            return true;
        }
        self.fill_block(unit);
        eigen(&mut self.block, &mut self.vectors, k);
        let largest = (0..k).map(|i| self.block[i * k + i]).fold(0.0, f64::max);
        self.projector.clear();
        self.projector.resize(k * k, 0.0);
        let mut nullity = 0;
        for e in (0..k).filter(|&e| self.block[e * k + e] <= 1e-12 * largest) {
            nullity += 1;
            for i in 0..k {
                for j in 0..k {
                    self.projector[i * k + j] += self.vectors[i * k + e] * self.vectors[j * k + e];
                }
            }
        }
        if nullity == 0 {
            return true;
        }
        self.choose(unit, unit_impulse);
        false
    }

    /// The Delassus block of the carriers, in physical units.
    fn fill_block(&mut self, unit: &UnitContacts) {
        self.block.clear();
        for &i in &self.carriers {
            for &j in &self.carriers {
                self.block
                    .push(unit.cosine(i, j) * unit.length[i] * unit.length[j]);
            }
        }
    }

    fn choose(&mut self, unit: &UnitContacts, unit_impulse: &mut [f64]) {
        let k = self.carriers.len();
        self.base.clear();
        for a in 0..k {
            let own = unit_impulse[self.carriers[a]] / unit.length[self.carriers[a]];
            let moved: f64 = (0..k)
                .map(|b| {
                    let i = self.carriers[b];
                    self.projector[a * k + b] * unit_impulse[i] / unit.length[i]
                })
                .sum();
            self.base.push(own - moved);
        }
        let scale = self.base.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
        if self.base.iter().any(|&x| x < -1e-14 * scale) && !self.shift(scale) {
            return;
        }
        for (a, &i) in self.carriers.iter().enumerate() {
            unit_impulse[i] = self.base[a].max(0.0) * unit.length[i];
        }
    }

    /// Adds d to the base. False when the least-distance problem was not solved: then the impulse
    /// that was given, which is feasible, stays.
    fn shift(&mut self, scale: f64) -> bool {
        let k = self.base.len();
        self.block.clear();
        self.linear.clear();
        for a in 0..k {
            for b in 0..k {
                let product = self.base[a] * self.base[b] / (scale * scale);
                self.block.push(self.projector[a * k + b] + product);
            }
            self.linear.push(self.base[a] / scale);
        }
        let solved = self
            .solver
            .solve(&self.block, &self.linear, &mut self.dual)
            .is_ok();
        let residual = 1.0
            + self
                .dual
                .iter()
                .zip(&self.linear)
                .map(|(u, l)| u * l)
                .sum::<f64>();
        if !solved || residual <= 0.0 {
            return false;
        }
        for a in 0..k {
            let d: f64 = (0..k)
                .map(|b| self.projector[a * k + b] * self.dual[b])
                .sum();
            self.base[a] += scale * d / residual;
        }
        true
    }
}

/// Cyclic Jacobi: leaves the eigenvalues on the diagonal of `a` (k × k) and the eigenvectors in the
/// columns of `v`.
fn eigen(a: &mut [f64], v: &mut Vec<f64>, k: usize) {
    v.clear();
    v.resize(k * k, 0.0);
    for i in 0..k {
        v[i * k + i] = 1.0;
    }
    for _ in 0..30 {
        let off: f64 = (0..k)
            .flat_map(|i| (0..i).map(move |j| i * k + j))
            .map(|at| a[at] * a[at])
            .sum();
        let diagonal: f64 = (0..k).map(|i| a[i * k + i] * a[i * k + i]).sum();
        if off <= 1e-32 * diagonal {
            break;
        }
        for p in 0..k {
            for q in p + 1..k {
                rotate(a, v, k, p, q);
            }
        }
    }
}

fn rotate(a: &mut [f64], v: &mut [f64], k: usize, p: usize, q: usize) {
    let apq = a[p * k + q];
    if apq == 0.0 {
        return;
    }
    let tau = (a[q * k + q] - a[p * k + p]) / (2.0 * apq);
    let t = if tau >= 0.0 { 1.0 } else { -1.0 } / (tau.abs() + tau.hypot(1.0));
    let c = 1.0 / t.hypot(1.0);
    let s = t * c;
    for i in 0..k {
        let (x, y) = (a[i * k + p], a[i * k + q]);
        a[i * k + p] = c * x - s * y;
        a[i * k + q] = s * x + c * y;
    }
    for i in 0..k {
        let (x, y) = (a[p * k + i], a[q * k + i]);
        a[p * k + i] = c * x - s * y;
        a[q * k + i] = s * x + c * y;
        let (x, y) = (v[i * k + p], v[i * k + q]);
        v[i * k + p] = c * x - s * y;
        v[i * k + q] = s * x + c * y;
    }
}

#[cfg(test)]
mod tests {
    use super::eigen;

    #[test]
    fn jacobi_diagonalises() {
        let m = [4.0, 1.0, -2.0, 1.0, 2.0, 0.5, -2.0, 0.5, 3.0];
        let (mut a, mut v) = (m.to_vec(), Vec::new());
        eigen(&mut a, &mut v, 3);
        for i in 0..3 {
            for j in 0..3 {
                let back: f64 = (0..3).map(|e| v[i * 3 + e] * a[e * 4] * v[j * 3 + e]).sum();
                // A backward stable method: a few roundings of the norm, 6.
                assert!((back - m[i * 3 + j]).abs() < 2e-14);
            }
        }
    }
}
