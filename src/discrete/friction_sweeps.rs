//! Held-contact impulses by block Gauss-Seidel: each contact in turn, normal then friction. Slow to
//! settle, but it finds its way where Newton's method is caught between modes.

use nalgebra::DMatrix;

use super::friction_problem::{HeldProblem, SLACK};

const SWEEPS: usize = 300;
/// Rounds of normal and friction impulse within one contact.
const ROUNDS: usize = 3;

/// Improves `impulse` (r) until a sweep changes velocities by rounding only, or for a bounded number of
/// sweeps. `velocity` (r) is scratch.
pub(super) fn sweep(problem: &HeldProblem, impulse: &mut [f64], velocity: &mut [f64]) {
    let g = problem.delassus;
    problem.velocity(impulse, velocity);
    for _ in 0..SWEEPS {
        let mut change = 0.0_f64;
        for c in problem.contacts {
            let n = c.row;
            let stiffness = g[(n, n)];
            // A disc step with the sum of the stiffnesses never overshoots.
            let tangential: f64 = (1..=c.tangents).map(|t| g[(n + t, n + t)]).sum();
            if stiffness <= 0.0 {
                continue;
            }
            for _ in 0..ROUNDS {
                let next = (impulse[n] - velocity[n] / stiffness).max(0.0);
                let delta = next - impulse[n];
                change = change.max(delta.abs() * stiffness);
                apply(g, n, delta, impulse, velocity);
                if c.tangents == 0 || tangential <= 0.0 {
                    break;
                }
                let mut next = [0.0; 2];
                for t in 0..c.tangents {
                    next[t] = impulse[n + 1 + t] - velocity[n + 1 + t] / tangential;
                }
                let length = next[0].hypot(next[1]);
                let limit = c.friction * impulse[n];
                let shrink = if length > limit { limit / length } else { 1.0 };
                for t in 0..c.tangents {
                    let delta = next[t] * shrink - impulse[n + 1 + t];
                    change = change.max(delta.abs() * tangential);
                    apply(g, n + 1 + t, delta, impulse, velocity);
                }
            }
        }
        if change <= SLACK * problem.speeds.free {
            break;
        }
    }
}

fn apply(g: &DMatrix<f64>, row: usize, delta: f64, impulse: &mut [f64], velocity: &mut [f64]) {
    if delta != 0.0 {
        impulse[row] += delta;
        for (v, a) in velocity.iter_mut().zip(g.column(row).iter()) {
            *v += a * delta;
        }
    }
}
