//! Gauss-Legendre collocation on \[0, 1\]: nodes, weights and the matrix of running integrals.

use std::sync::LazyLock;

/// Number of nodes: integrals over a panel are exact for polynomials of degree 2 NODES − 1.
pub(in crate::impact::stronge) const NODES: usize = 12;

/// One value per node.
pub(in crate::impact::stronge) type Values = [f64; NODES];

/// The collocation rule.
pub(in crate::impact::stronge) struct Rule {
    pub nodes: Values,
    pub weights: Values,
    /// `running[j][i]` = ∫₀^{x_i} of the Lagrange polynomial of node j.
    pub running: [Values; NODES],
    /// Weights that give the two highest Legendre coefficients of what the nodes interpolate.
    pub highest: [Values; 2],
}

/// The rule, computed once.
pub(in crate::impact::stronge) static RULE: LazyLock<Rule> = LazyLock::new(Rule::new);

impl Rule {
    fn new() -> Self {
        let mut rule = Self {
            nodes: [0.0; NODES],
            weights: [0.0; NODES],
            running: [[0.0; NODES]; NODES],
            highest: [[0.0; NODES]; 2],
        };
        let n = NODES as f64;
        let mut on_minus_one = [0.0; NODES];
        for i in 0..NODES {
            let mut x = -(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5)).cos();
            for _ in 0..10 {
                let p = legendre(x);
                let slope = n * (x * p[NODES] - p[NODES - 1]) / (x * x - 1.0);
                x -= p[NODES] / slope;
            }
            let p = legendre(x);
            let slope = n * (x * p[NODES] - p[NODES - 1]) / (x * x - 1.0);
            on_minus_one[i] = x;
            rule.nodes[i] = 0.5 * (1.0 + x);
            rule.weights[i] = 1.0 / ((1.0 - x * x) * slope * slope);
        }
        for j in 0..NODES {
            let pj = legendre(on_minus_one[j]);
            for (row, k) in [NODES - 2, NODES - 1].into_iter().enumerate() {
                rule.highest[row][j] = (2.0 * k as f64 + 1.0) * rule.weights[j] * pj[k];
            }
            for i in 0..NODES {
                let pi = legendre(on_minus_one[i]);
                let mut sum = 0.5 * (1.0 + on_minus_one[i]);
                for k in 1..NODES {
                    sum += 0.5 * pj[k] * (pi[k + 1] - pi[k - 1]);
                }
                rule.running[j][i] = rule.weights[j] * sum;
            }
        }
        rule
    }

    /// ∫₀¹.
    pub fn integral(&self, values: &Values) -> f64 {
        let mut sum = 0.0;
        for j in 0..NODES {
            sum += self.weights[j] * values[j];
        }
        sum
    }

    /// ∫₀^{x_i} for every node.
    pub fn running(&self, values: &Values) -> Values {
        let mut sum = [0.0; NODES];
        for j in 0..NODES {
            for i in 0..NODES {
                sum[i] += self.running[j][i] * values[j];
            }
        }
        sum
    }

    /// The larger of the two highest Legendre coefficients: how well the nodes resolve the function.
    pub fn unresolved(&self, values: &Values) -> f64 {
        let mut c = [0.0; 2];
        for j in 0..NODES {
            c[0] += self.highest[0][j] * values[j];
            c[1] += self.highest[1][j] * values[j];
        }
        c[0].abs().max(c[1].abs())
    }
}

fn legendre(x: f64) -> [f64; NODES + 1] {
    let mut p = [1.0; NODES + 1];
    p[1] = x;
    for k in 1..NODES {
        let kf = k as f64;
        p[k + 1] = ((2.0 * kf + 1.0) * x * p[k] - kf * p[k - 1]) / (kf + 1.0);
    }
    p
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn running_integrals_of_powers_are_exact() {
        for power in 0..NODES {
            let values = RULE.nodes.map(|x| x.powi(power as i32));
            let running = RULE.running(&values);
            for i in 0..NODES {
                let exact = RULE.nodes[i].powi(power as i32 + 1) / (power as f64 + 1.0);
                // Sums of a dozen terms of size one.
                assert!(
                    (running[i] - exact).abs() < 4e-15,
                    "power {power}, node {i}"
                );
            }
        }
        for power in NODES..2 * NODES {
            let values = RULE.nodes.map(|x| x.powi(power as i32));
            assert!((RULE.integral(&values) - 1.0 / (power as f64 + 1.0)).abs() < 1e-15);
        }
    }

    #[test]
    fn the_highest_coefficients_see_what_is_not_resolved() {
        let resolved = RULE.nodes.map(|x| x.powi(NODES as i32 - 3));
        assert!(RULE.unresolved(&resolved) < 1e-14);
        let highest = RULE.nodes.map(|x| x.powi(NODES as i32 - 1));
        // On [0, 1], x^11 has the Legendre coefficients 21/705432 of degree 10 and 1/705432 of degree 11.
        assert!((RULE.unresolved(&highest) - 21.0 / 705_432.0).abs() < 1e-14);
    }
}
