//! min ½xᵀHx + qᵀx over x ≥ 0, exactly, by an active set.
//!
//! Lawson & Hanson's algorithm (Solving Least Squares Problems, 1974, ch. 23) in the form that needs
//! the Gram matrix H only. The solution is x ≥ 0, Hx + q ≥ 0, xᵀ(Hx + q) = 0. When H is singular the
//! support of the answer is linearly independent: a column that depends on the support takes the place of another one,
//! as in the simplex method.

/// Scratch memory of the solver; grows with the largest problem seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct NonNegative {
    support: Vec<usize>,
    factor: Vec<f64>,
    candidate: Vec<f64>,
    right: Vec<f64>,
    blocked: Vec<bool>,
    /// Entries and support before an exchange.
    before: (Vec<f64>, Vec<usize>),
}

/// Pivot below which a column counts as dependent on the support, relative to its diagonal.
const DEPENDENT: f64 = 1e-13;

impl NonNegative {
    /// Solves for x (length m = q.len()), H m × m symmetric positive semidefinite with a positive diagonal.
    ///
    /// # Errors
    /// The residual −min(Hx + q) when the iteration did not reach 1e-9 of its scale.
    pub(crate) fn solve(&mut self, h: &[f64], q: &[f64], x: &mut Vec<f64>) -> Result<(), f64> {
        let m = q.len();
        x.clear();
        x.resize(m, 0.0);
        self.support.clear();
        self.blocked.clear();
        self.blocked.resize(m, false);
        for _ in 0..20 * m + 20 {
            let Some(entering) = self.entering(h, q, x) else {
                break;
            };
            self.support.push(entering);
            let independent = self.solve_support(h, q);
            if !independent || self.candidate[self.support.len() - 1] <= 0.0 {
                self.support.pop();
                if independent || !self.exchange(h, q, x, entering) {
                    self.blocked[entering] = true;
                    continue;
                }
            }
            while self.step_back(x) {
                if !self.solve_support(h, q) {
                    break;
                }
            }
            for (&i, &value) in self.support.iter().zip(&self.candidate) {
                x[i] = value;
            }
            self.blocked.fill(false);
        }
        let (worst, scale) = residual(h, q, x);
        if worst <= 1e-9 * scale {
            Ok(())
        } else {
            Err(worst)
        }
    }

    /// Indices with a positive entry, linearly independent columns of H.
    pub(crate) fn support(&self) -> &[usize] {
        &self.support
    }

    /// The steepest coordinate that would decrease the objective.
    fn entering(&self, h: &[f64], q: &[f64], x: &[f64]) -> Option<usize> {
        let m = q.len();
        let mut best: Option<(usize, f64)> = None;
        for i in 0..m {
            if self.blocked[i] || self.support.contains(&i) {
                continue;
            }
            let (gradient, scale) = gradient(h, q, x, i);
            let tolerance = 4.0 * f64::EPSILON * m as f64 * scale;
            if gradient < -tolerance && best.is_none_or(|(_, g)| gradient < g) {
                best = Some((i, gradient));
            }
        }
        best.map(|(i, _)| i)
    }

    /// Takes a column in that depends on the support, whose factor is at hand, in place of the one that is used up first
    /// when it takes over its share. False when there is none.
    fn exchange(&mut self, h: &[f64], q: &[f64], x: &mut [f64], entering: usize) -> bool {
        let (m, k) = (q.len(), self.support.len());
        // Its combination of the others, from the factor's rows of length k + 1.
        self.right.clear();
        (self.right).extend(self.support.iter().map(|&i| h[i * m + entering]));
        self.back_substitute(k, k + 1);
        let shares = self.support.iter().zip(&self.right);
        let used_up = shares.filter(|(_, share)| **share > 0.0);
        let first = used_up
            .map(|(&i, share)| (x[i] / share, i))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((step, leaving)) = first else {
            return false;
        };
        self.before.0.clear();
        self.before.0.extend_from_slice(x);
        self.before.1.clone_from(&self.support);
        for (&i, share) in self.support.iter().zip(&self.right) {
            x[i] = (x[i] - step * share).max(0.0);
        }
        x[leaving] = 0.0;
        x[entering] = step;
        self.support.retain(|&i| x[i] > 0.0);
        self.support.push(entering);
        if self.solve_support(h, q) {
            return true;
        }
        x.copy_from_slice(&self.before.0);
        self.support.clone_from(&self.before.1);
        false
    }

    /// `candidate` = the minimiser on the support, with one step of refinement. False when the last
    /// column depends on the others.
    fn solve_support(&mut self, h: &[f64], q: &[f64]) -> bool {
        let (m, k) = (q.len(), self.support.len());
        self.factor.clear();
        self.factor.resize(k * k, 0.0);
        for a in 0..k {
            for b in 0..=a {
                let mut sum = h[self.support[a] * m + self.support[b]];
                for c in 0..b {
                    sum -= self.factor[a * k + c] * self.factor[b * k + c];
                }
                if a == b {
                    if sum <= DEPENDENT * h[self.support[a] * m + self.support[a]] {
                        return false;
                    }
                    self.factor[a * k + a] = sum.sqrt();
                } else {
                    self.factor[a * k + b] = sum / self.factor[b * k + b];
                }
            }
        }
        self.candidate.clear();
        self.candidate.resize(k, 0.0);
        for _ in 0..2 {
            self.right.clear();
            for a in 0..k {
                let row = self.support[a] * m;
                let mut sum = -q[self.support[a]];
                for b in 0..k {
                    sum -= h[row + self.support[b]] * self.candidate[b];
                }
                self.right.push(sum);
            }
            self.back_substitute(k, k);
            for a in 0..k {
                self.candidate[a] += self.right[a];
            }
        }
        true
    }

    /// `right` ← (LLᵀ)⁻¹ `right` with the first k rows of a factor whose rows have this length.
    fn back_substitute(&mut self, k: usize, length: usize) {
        for a in 0..k {
            for b in 0..a {
                self.right[a] -= self.factor[a * length + b] * self.right[b];
            }
            self.right[a] /= self.factor[a * length + a];
        }
        for a in (0..k).rev() {
            for b in a + 1..k {
                self.right[a] -= self.factor[b * length + a] * self.right[b];
            }
            self.right[a] /= self.factor[a * length + a];
        }
    }

    /// Moves x towards the candidate up to the first bound it meets and drops what reached it. False
    /// when the candidate is feasible.
    fn step_back(&mut self, x: &mut [f64]) -> bool {
        let mut step = 1.0;
        let mut leaving = None;
        for (a, &i) in self.support.iter().enumerate() {
            if self.candidate[a] <= 0.0 {
                let share = x[i] / (x[i] - self.candidate[a]);
                if leaving.is_none() || share < step {
                    step = share;
                    leaving = Some(i);
                }
            }
        }
        let Some(leaving) = leaving else {
            return false;
        };
        for (a, &i) in self.support.iter().enumerate() {
            x[i] = (x[i] + step * (self.candidate[a] - x[i])).max(0.0);
        }
        x[leaving] = 0.0;
        self.support.retain(|&i| x[i] > 0.0);
        true
    }
}

/// Row i of Hx + q and the size of the terms it is a sum of.
fn gradient(h: &[f64], q: &[f64], x: &[f64], i: usize) -> (f64, f64) {
    let m = q.len();
    let mut sum = q[i];
    let mut scale = q[i].abs();
    for j in 0..m {
        let term = h[i * m + j] * x[j];
        sum += term;
        scale += term.abs();
    }
    (sum, scale)
}

/// Largest −(Hx + q)_i and the scale to compare it with.
fn residual(h: &[f64], q: &[f64], x: &[f64]) -> (f64, f64) {
    let mut worst: f64 = 0.0;
    let mut largest: f64 = 0.0;
    for i in 0..q.len() {
        let (value, scale) = gradient(h, q, x, i);
        worst = worst.max(-value);
        largest = largest.max(scale);
    }
    (worst, largest)
}

#[cfg(test)]
mod tests {
    use super::NonNegative;
    use crate::impact::sample_random::{RandomWords, SampleRandom};

    /// Normals that lie in a plane but for 1e-7: what one of them lacks of being a combination of others is less than pivots
    /// show, and more than the residual may be.
    #[test]
    fn columns_that_nearly_depend_on_each_other_are_exchanged() {
        let mut solver = NonNegative::default();
        let mut x = Vec::new();
        for sample in 0..2000 {
            let mut random = SampleRandom::new(7, sample);
            let mut number = || 2.0 * random.uniform() - 1.0;
            let m = 4 + sample as usize % 8;
            let normals: Vec<[f64; 4]> = (0..m)
                .map(|_| [number(), number(), 1e-7 * number(), 1.0])
                .collect();
            let product =
                |a: &[f64; 4], b: &[f64; 4]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
            let h: Vec<f64> = (normals.iter())
                .flat_map(|a| normals.iter().map(move |b| product(a, b)))
                .collect();
            let way = [number(), number(), number(), -1.0];
            let q: Vec<f64> = normals.iter().map(|n| product(n, &way)).collect();
            assert_eq!(solver.solve(&h, &q, &mut x), Ok(()), "{normals:?} {way:?}");
        }
    }

    #[test]
    fn two_variables_with_one_at_its_bound() {
        // Unconstrained minimiser (−1, 1)·…: H = [[2,1],[1,2]], q = (1, −2) gives (−4/3, 5/3);
        // with x ≥ 0 the answer is (0, 1), gradient (2, 0).
        let mut x = Vec::new();
        NonNegative::default()
            .solve(&[2.0, 1.0, 1.0, 2.0], &[1.0, -2.0], &mut x)
            .expect("solved");
        assert_eq!(x, vec![0.0, 1.0]);
    }

    #[test]
    fn duplicated_column_is_left_out() {
        let mut x = Vec::new();
        let mut solver = NonNegative::default();
        solver
            .solve(&[1.0; 4], &[-3.0, -3.0], &mut x)
            .expect("solved");
        assert_eq!(x.iter().sum::<f64>(), 3.0);
        assert_eq!(solver.support().len(), 1);
    }
}
