//! min ½xᵀHx + qᵀx over x ≥ 0, exactly, by an active set.
//!
//! Lawson & Hanson's algorithm (Solving Least Squares Problems, 1974, ch. 23) in the form that needs
//! the Gram matrix H only. The solution is x ≥ 0, Hx + q ≥ 0, xᵀ(Hx + q) = 0. When H is singular the
//! support of the answer is linearly independent: a column that depends on the support is not taken in.

/// Scratch memory of the solver; grows with the largest problem seen.
#[derive(Debug, Clone, Default)]
pub(crate) struct NonNegative {
    support: Vec<usize>,
    factor: Vec<f64>,
    candidate: Vec<f64>,
    right: Vec<f64>,
    blocked: Vec<bool>,
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
            if !self.solve_support(h, q) || self.candidate[self.support.len() - 1] <= 0.0 {
                self.support.pop();
                self.blocked[entering] = true;
                continue;
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
            self.back_substitute(k);
            for a in 0..k {
                self.candidate[a] += self.right[a];
            }
        }
        true
    }

    /// `right` ← (LLᵀ)⁻¹ `right`.
    fn back_substitute(&mut self, k: usize) {
        for a in 0..k {
            for b in 0..a {
                self.right[a] -= self.factor[a * k + b] * self.right[b];
            }
            self.right[a] /= self.factor[a * k + a];
        }
        for a in (0..k).rev() {
            for b in a + 1..k {
                self.right[a] -= self.factor[b * k + a] * self.right[b];
            }
            self.right[a] /= self.factor[a * k + a];
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
