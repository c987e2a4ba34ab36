//! The paper's three solvers (Table 1), for comparison: Euler's method over the normal impulse.

use super::settings::{StrongeSettings, StrongeSolver};
use super::trajectory::coefficients::{Coefficients, Vec2, dot, length};
use super::trajectory::process::Process;
use super::{NAME, StrongeSolver as Solver};
use crate::impact::ImpactError;

/// What a numerical integration came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Integrated {
    pub normal: f64,
    pub tangential: Vec2,
    pub iterations: usize,
    /// Step of the normal impulse, where it is fixed.
    pub step: Option<f64>,
}

/// The weight ε and the lengths h₁ = h₂ of (36), as in the paper's Table 1.
const EPSILON: f64 = 0.5;
const LENGTH: f64 = 0.01;
/// Cap of the second term of (36), in units of the first: it is infinite on a straight hodograph.
const STRAIGHTEST: f64 = 10.0;
const MOST_ITERATIONS: usize = 10_000_000;

/// Integrates one contact with the solver that is set.
///
/// # Errors
/// The iteration limit is reached.
pub(super) fn solve(
    c: &Coefficients,
    settings: &StrongeSettings,
) -> Result<Integrated, ImpactError> {
    let step = settings.step.unwrap_or(-0.01 * c.vz / c.w);
    let mut solved = Integrated {
        normal: 0.0,
        tangential: [0.0; 2],
        iterations: 0,
        step: (settings.solver != StrongeSolver::VariableStep).then_some(step),
    };
    if c.vz >= 0.0 {
        return Ok(solved);
    }
    let closed_forms = settings.solver != Solver::NumericalIntegration;
    let (mut vz, mut gamma) = (c.vz, c.gamma);
    let mut stored = 0.0;
    let mut compression_energy = None;
    while solved.iterations < MOST_ITERATIONS {
        let r = length(gamma);
        let s = if r > 0.0 {
            [gamma[0] / r, gamma[1] / r]
        } else {
            [0.0; 2]
        };
        let turn = c.acceleration(s);
        if closed_forms {
            let still = c.mu > 0.0 && r <= settings.tolerance_s;
            let sine = (s[0] * turn[1] - s[1] * turn[0]).abs() / length(turn);
            // On a hodograph that does not move the sine is NaN, and the line is exact.
            if still || sine.is_nan() || sine < settings.tolerance_l {
                let mut rest = Process::resume(
                    c,
                    solved.normal,
                    solved.tangential,
                    stored,
                    compression_energy,
                );
                if c.mu == 0.0 {
                    rest.run()?;
                } else if still {
                    rest.run_from_origin()?;
                } else {
                    rest.run_along_line()?;
                }
                solved.normal = rest.normal;
                solved.tangential = rest.tangential;
                return Ok(solved);
            }
        }
        let h = if settings.solver == StrongeSolver::VariableStep {
            variable_step(c, s, r, turn)
        } else {
            step
        };
        solved.iterations += 1;
        solved.normal += h;
        solved.tangential[0] -= c.mu * s[0] * h;
        solved.tangential[1] -= c.mu * s[1] * h;
        gamma = [gamma[0] + turn[0] * h, gamma[1] + turn[1] * h];
        stored -= vz * h;
        vz = c.vz + c.w * solved.normal + dot(c.d, solved.tangential);
        if compression_energy.is_none() {
            if vz >= 0.0 {
                compression_energy = Some(stored);
                stored *= c.e * c.e;
            } else {
                continue;
            }
        }
        if stored <= 0.0 {
            return Ok(solved);
        }
    }
    Err(ImpactError::NotConverged {
        law: NAME,
        residual: stored,
        iterations: solved.iterations,
    })
}

/// (36) with the curvature κ = −μ (s × f)(f × B s^⊥)/(‖γ‖ ‖f‖³), f = γ' (the paper's (37) divides by ‖γ'‖ for ‖γ‖).
fn variable_step(c: &Coefficients, s: Vec2, r: f64, turn: Vec2) -> f64 {
    let speed = length(turn);
    let across = c.b_times([-s[1], s[0]]);
    let kappa =
        c.mu * (s[0] * turn[1] - s[1] * turn[0]) * (turn[0] * across[1] - turn[1] * across[0])
            / (r * speed.powi(3));
    let arc = LENGTH / speed;
    let bend = (arc / kappa.abs()).min(STRAIGHTEST * arc);
    EPSILON * arc + (1.0 - EPSILON) * bend
}
