//! The implicit Runge-Kutta method Radau IIA with three stages, order 5, stiffly accurate.
//!
//! E. Hairer, G. Wanner, *Solving Ordinary Differential Equations II*, IV.8: the stages are solved by simplified Newton
//! iterations on z_i = h Σ a_ij f(y₀ + z_j), the error estimate (8.20) is of order 3 and filtered through
//! (γ/h − J)⁻¹ so that it does not overrate fast components.

use nalgebra::{DMatrix, DVector};

use super::{Method, System, Tolerances};

const NEWTON_ITERATIONS: usize = 12;

/// Implicit method of order 5, for stiff problems.
#[derive(Debug, Clone, Default)]
pub struct Radau {
    stages: Vec<f64>,
    rates: Vec<f64>,
    at: Vec<f64>,
    error: Vec<f64>,
}

/// c and a_ij of the method.
fn tableau() -> ([f64; 3], [[f64; 3]; 3]) {
    let s = 6f64.sqrt();
    (
        [(4.0 - s) / 10.0, (4.0 + s) / 10.0, 1.0],
        [
            [
                (88.0 - 7.0 * s) / 360.0,
                (296.0 - 169.0 * s) / 1800.0,
                (-2.0 + 3.0 * s) / 225.0,
            ],
            [
                (296.0 + 169.0 * s) / 1800.0,
                (88.0 + 7.0 * s) / 360.0,
                (-2.0 - 3.0 * s) / 225.0,
            ],
            [(16.0 - s) / 36.0, (16.0 + s) / 36.0, 1.0 / 9.0],
        ],
    )
}

impl Method for Radau {
    const ERROR_ORDER: f64 = 4.0;

    fn step(
        &mut self,
        system: &impl System,
        tolerances: &Tolerances,
        time: f64,
        state: &[f64],
        h: f64,
        next: &mut [f64],
    ) -> f64 {
        let n = state.len();
        let (c, a) = tableau();
        for (buffer, size) in [
            (&mut self.stages, 3 * n),
            (&mut self.rates, 3 * n),
            (&mut self.at, n),
            (&mut self.error, n),
        ] {
            buffer.clear();
            buffer.resize(size, 0.0);
        }
        let mut jacobian = DMatrix::zeros(n, n);
        system.jacobian(time, state, &mut jacobian);
        let mut matrix = DMatrix::identity(3 * n, 3 * n);
        for s in 0..3 {
            for t in 0..3 {
                let mut block = matrix.view_mut((s * n, t * n), (n, n));
                block -= &jacobian * (h * a[s][t]);
            }
        }
        let factor = matrix.lu();

        let mut previous = f64::INFINITY;
        let mut converged = false;
        for _ in 0..NEWTON_ITERATIONS {
            self.evaluate_stages(system, time, state, h, &c);
            let mut residual = DVector::zeros(3 * n);
            for s in 0..3 {
                for i in 0..n {
                    let slope: f64 = (0..3).map(|t| a[s][t] * self.rates[t * n + i]).sum();
                    residual[s * n + i] = h * slope - self.stages[s * n + i];
                }
            }
            if !factor.solve_mut(&mut residual) {
                return f64::INFINITY;
            }
            for (z, d) in self.stages.iter_mut().zip(residual.iter()) {
                *z += d;
            }
            let size = (0..3)
                .map(|s| tolerances.norm(&residual.as_slice()[s * n..(s + 1) * n], state, state))
                .fold(0.0, f64::max);
            if size.is_nan() || size > 10.0 * previous {
                return f64::INFINITY;
            }
            // The iteration error shall be small against the tolerance; below rounding it cannot fall.
            if size <= 1e-3 {
                converged = true;
                break;
            }
            previous = size;
        }
        if !converged {
            return f64::INFINITY;
        }
        for i in 0..n {
            next[i] = state[i] + self.stages[2 * n + i];
        }
        self.estimate(system, tolerances, &jacobian, time, state, h, next)
    }
}

impl Radau {
    fn evaluate_stages(
        &mut self,
        system: &impl System,
        time: f64,
        state: &[f64],
        h: f64,
        c: &[f64; 3],
    ) {
        let n = state.len();
        for s in 0..3 {
            for i in 0..n {
                self.at[i] = state[i] + self.stages[s * n + i];
            }
            let rates = &mut self.rates[s * n..(s + 1) * n];
            system.derivative(time + c[s] * h, &self.at, rates);
        }
    }

    /// Norm of (γ/h − J)⁻¹ (f(y₀) + Σ e_i z_i / h), with f once more at the estimate when it is too large.
    fn estimate(
        &mut self,
        system: &impl System,
        tolerances: &Tolerances,
        jacobian: &DMatrix<f64>,
        time: f64,
        state: &[f64],
        h: f64,
        next: &[f64],
    ) -> f64 {
        let n = state.len();
        let s = 6f64.sqrt();
        let e = [-(13.0 + 7.0 * s) / 3.0, (-13.0 + 7.0 * s) / 3.0, -1.0 / 3.0];
        // Inverse of the real eigenvalue of the tableau.
        let gamma = 30.0 / (6.0 + 81f64.cbrt() - 9f64.cbrt());
        let factor = (DMatrix::identity(n, n) * (gamma / h) - jacobian).lu();
        let mut norm = f64::INFINITY;
        for repetition in 0..2 {
            for i in 0..n {
                self.at[i] = state[i] + if repetition == 0 { 0.0 } else { self.error[i] };
            }
            system.derivative(time, &self.at, &mut self.rates[..n]);
            let mut error = DVector::from_fn(n, |i, _| {
                let sum: f64 = (0..3).map(|t| e[t] * self.stages[t * n + i]).sum();
                self.rates[i] + sum / h
            });
            if !factor.solve_mut(&mut error) {
                return f64::INFINITY;
            }
            self.error.copy_from_slice(error.as_slice());
            norm = tolerances.norm(&self.error, state, next);
            if norm <= 1.0 {
                break;
            }
        }
        norm
    }
}
