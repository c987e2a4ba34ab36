//! The explicit Runge-Kutta method of Dormand & Prince, order 5 with an error estimate of order 4.
//!
//! J. R. Dormand, P. J. Prince, *A family of embedded Runge-Kutta formulae*, J. Comp. Appl. Math. 6 (1980) 19-26.

use super::{Method, System, Tolerances};

const C: [f64; 7] = [0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0];
/// Rows of the tableau; the last one is also the weights of order 5.
const A: [[f64; 6]; 7] = [
    [0.0; 6],
    [0.2, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
        0.0,
        0.0,
    ],
    [
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
        0.0,
    ],
    [
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];
/// Weights of order 5 minus weights of order 4.
const E: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

/// Explicit method of order 5, for problems that are not stiff.
#[derive(Debug, Clone, Default)]
pub struct DormandPrince {
    stages: [Vec<f64>; 7],
    error: Vec<f64>,
}

impl Method for DormandPrince {
    const ERROR_ORDER: f64 = 5.0;

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
        for stage in &mut self.stages {
            stage.resize(n, 0.0);
        }
        self.error.resize(n, 0.0);
        for s in 0..7 {
            let (done, rest) = self.stages.split_at_mut(s);
            for i in 0..n {
                let slope: f64 = done.iter().zip(&A[s]).map(|(k, a)| a * k[i]).sum();
                next[i] = state[i] + h * slope;
            }
            system.derivative(time + C[s] * h, next, &mut rest[0]);
        }
        for i in 0..n {
            let slope: f64 = self.stages.iter().zip(&E).map(|(k, e)| e * k[i]).sum();
            self.error[i] = h * slope;
        }
        tolerances.norm(&self.error, state, next)
    }
}
