//! Small linear programs over a polyhedron of slacks c + C s ≥ 0, solved as monotone LCPs.
//!
//! min fᵀx subject to A x ≥ b, x ≥ 0 is the LCP w = (f, −b) + [\[0, −Aᵀ\], \[A, 0\]] (x, y)
//! (Murty 1988, §1.2); free variables are differences of two non-negative ones.

use crate::numerics::{LcpStatus, Lemke};

/// Solver with its workspace. `k` free variables s, p slacks, C row-major p × k.
#[derive(Debug, Clone, Default)]
pub(crate) struct SlackProgram {
    lemke: Lemke,
    q: Vec<f64>,
    z: Vec<f64>,
    covering: Vec<f64>,
    shifted: Vec<f64>,
}

impl SlackProgram {
    /// Writes the s for which the least slack is largest and returns that slack (at most
    /// 1 + max |c|). Not a number when the method fails, which monotone LCPs exclude but for rounding.
    pub(crate) fn deepest(&mut self, k: usize, c: &[f64], slope: &[f64], s: &mut [f64]) -> f64 {
        let p = c.len();
        let least = c.iter().copied().fold(f64::INFINITY, f64::min);
        let bound = 1.0 + c.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.shifted.clear();
        self.shifted.extend(c.iter().map(|x| x - least));
        self.shifted.push(bound - least);
        // x = (s⁺, s⁻, t): slack_i − least ≥ t, t ≤ bound − least, maximise t.
        let a = |i: usize, j: usize| match j {
            _ if j == 2 * k => -1.0,
            _ if i == p => 0.0,
            _ if j < k => slope[i * k + j],
            _ => -slope[i * k + j - k],
        };
        let cost = |j: usize| if j == 2 * k { -1.0 } else { 0.0 };
        if !self.minimize(2 * k + 1, a, cost) {
            return f64::NAN;
        }
        for j in 0..k {
            s[j] = self.z[j] - self.z[k + j];
        }
        least + self.z[2 * k]
    }

    /// Writes an s that maximises gᵀs over c + C s ≥ 0, for c ≥ 0. False when there is none.
    pub(crate) fn extreme(
        &mut self,
        k: usize,
        c: &[f64],
        slope: &[f64],
        g: &[f64],
        s: &mut [f64],
    ) -> bool {
        self.shifted.clear();
        self.shifted.extend(c.iter().map(|x| x.max(0.0)));
        let a = |i: usize, j: usize| {
            if j < k {
                slope[i * k + j]
            } else {
                -slope[i * k + j - k]
            }
        };
        let cost = |j: usize| if j < k { -g[j] } else { g[j - k] };
        let found = self.minimize(2 * k, a, cost);
        if found {
            for j in 0..k {
                s[j] = self.z[j] - self.z[k + j];
            }
        }
        found
    }

    /// min costᵀx subject to A x + shifted ≥ 0, x ≥ 0; the minimiser is left in `z[..n]`.
    fn minimize(
        &mut self,
        n: usize,
        a: impl Fn(usize, usize) -> f64,
        cost: impl Fn(usize) -> f64,
    ) -> bool {
        let p = self.shifted.len();
        self.lemke.set_matrix(n + p, |i, j| match (i < n, j < n) {
            (true, false) => -a(j - n, i),
            (false, true) => a(i - n, j),
            _ => 0.0,
        });
        self.q.clear();
        self.q.extend((0..n).map(cost));
        self.q.extend(&self.shifted);
        self.z.clear();
        self.z.resize(n + p, 0.0);
        self.covering.clear();
        self.covering.resize(n + p, 1.0);
        let report = self.lemke.solve(&self.q, &self.covering, &mut self.z);
        report.status == LcpStatus::Solved && report.residual < 1e-9
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deepest_and_extreme_point_of_an_interval() {
        // 1 + s ≥ 0, 3 − s ≥ 0: −1 ≤ s ≤ 3, deepest at 1 with slack 2.
        let (c, slope) = ([1.0, 3.0], [1.0, -1.0]);
        let mut program = SlackProgram::default();
        let mut s = [0.0];
        let depth = program.deepest(1, &c, &slope, &mut s);
        assert!((depth - 2.0).abs() < 1e-14 && (s[0] - 1.0).abs() < 1e-14);
        assert!(program.extreme(1, &c, &slope, &[1.0], &mut s));
        assert!((s[0] - 3.0).abs() < 1e-14);
        assert!(program.extreme(1, &c, &slope, &[-1.0], &mut s));
        assert!((s[0] + 1.0).abs() < 1e-14);
    }

    #[test]
    fn an_empty_polyhedron_has_a_negative_depth() {
        // s ≥ 1 and s ≤ −1.
        let mut s = [0.0];
        let depth = SlackProgram::default().deepest(1, &[-1.0, -1.0], &[1.0, -1.0], &mut s);
        assert!((depth + 1.0).abs() < 1e-14, "{depth}");
    }

    #[test]
    fn an_unbounded_objective_is_refused() {
        let mut s = [0.0];
        assert!(!SlackProgram::default().extreme(1, &[1.0], &[1.0], &[1.0], &mut s));
    }
}
