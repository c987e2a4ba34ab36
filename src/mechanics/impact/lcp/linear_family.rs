//! All solutions of a square linear system: a particular one and the null space.

/// x = x₀ + Σ s_j n_j solves A x = b, with the n_j orthonormal and x₀ orthogonal to them (so x₀ is
/// the solution of least norm). Buffers are reused from one solve to the next.
#[derive(Debug, Clone, Default)]
pub(crate) struct LinearFamily {
    /// A, row-major k × k; overwritten by [`LinearFamily::solve`].
    pub(crate) matrix: Vec<f64>,
    /// b, k; overwritten.
    pub(crate) rhs: Vec<f64>,
    /// x₀, k.
    pub(crate) particular: Vec<f64>,
    /// The n_j one after the other, k each.
    pub(crate) null: Vec<f64>,
    /// How many n_j there are.
    pub(crate) nullity: usize,
    columns: Vec<usize>,
}

/// Pivots below this fraction of the first one count as zero. Systems here have unit diagonal
/// scales; the rounding of k ≤ 30 elimination steps stays below 1e-13.
const RANK: f64 = 1e-11;
/// Largest remainder of b (relative to its largest entry) with which a singular system is consistent.
const CONSISTENT: f64 = 1e-9;

impl LinearFamily {
    /// Makes room for k unknowns and clears A and b.
    pub(crate) fn reset(&mut self, k: usize) {
        self.matrix.clear();
        self.matrix.resize(k * k, 0.0);
        self.rhs.clear();
        self.rhs.resize(k, 0.0);
    }

    /// Eliminates with complete pivoting. False when the system is inconsistent.
    pub(crate) fn solve(&mut self) -> bool {
        let k = self.rhs.len();
        let scale = self.rhs.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.columns.clear();
        self.columns.extend(0..k);
        let mut rank = k;
        let mut first = 0.0;
        for step in 0..k {
            let (mut at, mut largest) = ((step, step), 0.0);
            for i in step..k {
                for j in step..k {
                    let a = self.matrix[i * k + j].abs();
                    if a > largest {
                        (at, largest) = ((i, j), a);
                    }
                }
            }
            if step == 0 {
                first = largest;
            }
            if largest <= RANK * first {
                rank = step;
                break;
            }
            self.exchange(k, step, at);
            let inverse = 1.0 / self.matrix[step * k + step];
            for i in step + 1..k {
                let factor = self.matrix[i * k + step] * inverse;
                if factor == 0.0 {
                    continue;
                }
                for j in step + 1..k {
                    self.matrix[i * k + j] -= factor * self.matrix[step * k + j];
                }
                self.rhs[i] -= factor * self.rhs[step];
            }
        }
        if self.rhs[rank..]
            .iter()
            .any(|x| x.abs() > CONSISTENT * scale)
        {
            return false;
        }
        self.nullity = k - rank;
        self.back_substitute(k, rank);
        if self.nullity > 0 {
            self.orthonormalize(k);
        }
        true
    }

    fn exchange(&mut self, k: usize, step: usize, at: (usize, usize)) {
        if at.0 != step {
            for j in 0..k {
                self.matrix.swap(step * k + j, at.0 * k + j);
            }
            self.rhs.swap(step, at.0);
        }
        if at.1 != step {
            for i in 0..k {
                self.matrix.swap(i * k + step, i * k + at.1);
            }
            self.columns.swap(step, at.1);
        }
    }

    fn back_substitute(&mut self, k: usize, rank: usize) {
        self.particular.clear();
        self.particular.resize(k, 0.0);
        self.null.clear();
        self.null.resize(self.nullity * k, 0.0);
        for i in (0..rank).rev() {
            let inverse = 1.0 / self.matrix[i * k + i];
            let mut x = self.rhs[i];
            for j in i + 1..rank {
                x -= self.matrix[i * k + j] * self.particular[self.columns[j]];
            }
            self.particular[self.columns[i]] = x * inverse;
            for free in 0..self.nullity {
                let vector = &mut self.null[free * k..(free + 1) * k];
                let mut x = -self.matrix[i * k + rank + free];
                for j in i + 1..rank {
                    x -= self.matrix[i * k + j] * vector[self.columns[j]];
                }
                vector[self.columns[i]] = x * inverse;
            }
        }
        for free in 0..self.nullity {
            self.null[free * k + self.columns[rank + free]] = 1.0;
        }
    }

    fn orthonormalize(&mut self, k: usize) {
        for j in 0..self.nullity {
            let (done, rest) = self.null.split_at_mut(j * k);
            let vector = &mut rest[..k];
            for earlier in done.chunks_exact(k) {
                remove(vector, earlier);
            }
            let norm = vector.iter().map(|x| x * x).sum::<f64>().sqrt();
            vector.iter_mut().for_each(|x| *x /= norm);
            remove(&mut self.particular, vector);
        }
    }
}

/// vector −= (vector · unit) unit.
fn remove(vector: &mut [f64], unit: &[f64]) {
    let along: f64 = vector.iter().zip(unit).map(|(a, b)| a * b).sum();
    for (a, b) in vector.iter_mut().zip(unit) {
        *a -= along * b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn singular_system_gives_least_norm_solution_and_null_space() {
        let mut family = LinearFamily::default();
        family.reset(3);
        family
            .matrix
            .copy_from_slice(&[1., 1., 0., 1., 1., 0., 0., 0., 2.]);
        family.rhs.copy_from_slice(&[2., 2., 4.]);
        assert!(family.solve());
        assert_eq!(family.nullity, 1);
        for (x, want) in family.particular.iter().zip([1.0, 1.0, 2.0]) {
            assert!((x - want).abs() < 1e-14);
        }
        let n = &family.null;
        assert!((n[0] + n[1]).abs() < 1e-15 && n[2].abs() < 1e-15);
        family.reset(2);
        family.matrix.copy_from_slice(&[1., 1., 1., 1.]);
        family.rhs.copy_from_slice(&[1., 2.]);
        assert!(!family.solve(), "inconsistent");
    }
}
