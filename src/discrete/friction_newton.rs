//! Held-contact impulses as a root of the projection equations, by Newton's method.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | ρ_n, ρ_t | scales | inverse stiffness of a contact, along its normal and its tangents |
//! | x_n = λ − ρ_n a_n | | the normal impulse before it is made non-negative |
//! | x_t = τ − ρ_t a_t | | the friction impulse before it is drawn into the disc of radius μ max(0, x_n) |
//!
//! Complementarity and maximum dissipation hold exactly when λ = max(0, x_n) and τ is the projection
//! of x_t on the disc (Alart & Curnier 1991). The map is piecewise smooth; Newton's method on it with
//! steps of least norm needs a few iterations also where redundant contacts make impulses ambiguous
//! and the solution of least norm over all contacts would leave a friction cone.

use nalgebra::DMatrix;

use super::friction::HeldRows;
use crate::numerics::LeastSquares;

const MAX_ITERATIONS: usize = 40;
const MAX_HALVINGS: usize = 12;
/// A step may raise the merit above the last value as long as it stays below the largest of these
/// many: on a piecewise smooth map a strict descent stalls at the seams.
const MEMORY: usize = 4;

/// Memory of the iteration.
#[derive(Debug, Clone, Default)]
pub(super) struct ProjectionNewton {
    system: LeastSquares,
    velocity: Vec<f64>,
    residual: Vec<f64>,
    trial: Vec<f64>,
    best: Vec<f64>,
}

/// Which branch of the projection one contact is on.
enum Branch {
    Open,
    Stick,
    /// Unit direction of x_t and the ratio of the disc's radius to ‖x_t‖.
    Slide([f64; 2], f64),
}

impl ProjectionNewton {
    /// Improves `impulse` (r). Returns the largest error of the projection equations as a velocity, a
    /// share of `speed`; stops below `tolerance`.
    pub(super) fn solve(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        impulse: &mut [f64],
        speed: f64,
        tolerance: f64,
        softness: f64,
    ) -> f64 {
        let r = b.len();
        for buffer in [&mut self.velocity, &mut self.residual, &mut self.trial] {
            buffer.resize(r, 0.0);
        }
        let mut recent = [0.0_f64; MEMORY];
        let mut least = f64::INFINITY;
        contact_velocity(g, b, impulse, &mut self.velocity);
        for iteration in 0..MAX_ITERATIONS {
            // The error that counts is that without softness.
            projection_residual(
                g,
                contacts,
                impulse,
                &self.velocity,
                1.0,
                &mut self.residual,
            );
            let violation = largest(&self.residual);
            if violation < least {
                least = violation;
                self.best.clear();
                self.best.extend_from_slice(impulse);
            }
            if violation <= tolerance * speed || iteration + 1 == MAX_ITERATIONS {
                break;
            }
            let residual = &mut self.residual;
            projection_residual(g, contacts, impulse, &self.velocity, softness, residual);
            recent[iteration % MEMORY] = squared(residual);
            let merit = recent.iter().fold(0.0_f64, |m, x| m.max(*x));
            self.assemble(g, contacts, impulse, softness);
            self.system.solve();
            if !self.search(g, b, contacts, impulse, softness, merit) {
                break;
            }
            impulse.copy_from_slice(&self.trial);
        }
        impulse.copy_from_slice(&self.best);
        least / speed
    }

    /// Shortens the Newton step until the merit falls below the given one; `trial` and `velocity`
    /// hold the result.
    fn search(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        impulse: &[f64],
        softness: f64,
        merit: f64,
    ) -> bool {
        let mut step = 1.0;
        for _ in 0..MAX_HALVINGS {
            let direction = self.system.solution();
            for ((trial, x), d) in self.trial.iter_mut().zip(impulse).zip(direction) {
                *trial = x + step * d;
            }
            contact_velocity(g, b, &self.trial, &mut self.velocity);
            let residual = &mut self.residual;
            projection_residual(g, contacts, &self.trial, &self.velocity, softness, residual);
            if squared(residual) <= (1.0 - 1e-4 * step) * merit {
                return true;
            }
            step *= 0.5;
        }
        false
    }

    /// Rows of the derivative, in velocity units, and the negative residual.
    fn assemble(
        &mut self,
        g: &DMatrix<f64>,
        contacts: &[HeldRows],
        impulse: &[f64],
        softness: f64,
    ) {
        let r = impulse.len();
        self.system.reset(r);
        for (target, f) in self.system.rhs_mut().iter_mut().zip(&self.residual) {
            *target = -f;
        }
        for c in contacts {
            let stiffness = stiffness(g, c, softness);
            let n = c.row;
            match branch(c, stiffness, &self.velocity, impulse) {
                Branch::Open => {
                    for row in n..=n + c.tangents {
                        let scale = if row == n { stiffness[0] } else { stiffness[1] };
                        self.system.column_mut(row)[row] = scale;
                    }
                }
                Branch::Stick => {
                    for row in n..=n + c.tangents {
                        for j in 0..r {
                            self.system.column_mut(j)[row] = g[(row, j)];
                        }
                    }
                }
                Branch::Slide(e, ratio) => {
                    let shrink = ratio.min(1.0);
                    for j in 0..r {
                        let column = self.system.column_mut(j);
                        let normal = g[(n, j)];
                        column[n] = normal;
                        let mut push = -normal / stiffness[0];
                        if j == n {
                            push += 1.0;
                        }
                        // Derivative of x_t, then of the projection R x_t/‖x_t‖.
                        let mut dx = [0.0; 2];
                        for t in 0..c.tangents {
                            dx[t] = -g[(n + 1 + t, j)] / stiffness[1];
                            if j == n + 1 + t {
                                dx[t] += 1.0;
                            }
                        }
                        let along = dx[0] * e[0] + dx[1] * e[1];
                        for t in 0..c.tangents {
                            let turned = shrink * (dx[t] - along * e[t]);
                            let own = if j == n + 1 + t { 1.0 } else { 0.0 };
                            column[n + 1 + t] =
                                stiffness[1] * (own - c.friction * push * e[t] - turned);
                        }
                    }
                }
            }
        }
    }
}

/// Stiffness 1/ρ along the normal and along the tangents.
fn stiffness(g: &DMatrix<f64>, c: &HeldRows, softness: f64) -> [f64; 2] {
    let n = c.row;
    let normal = g[(n, n)];
    let tangential = (1..=c.tangents).fold(0.0_f64, |m, t| m.max(g[(n + t, n + t)]));
    // A row that moves nothing has no scale of its own.
    [
        if normal > 0.0 { normal / softness } else { 1.0 },
        if tangential > 0.0 {
            tangential / softness
        } else {
            1.0
        },
    ]
}

fn branch(c: &HeldRows, stiffness: [f64; 2], velocity: &[f64], impulse: &[f64]) -> Branch {
    let n = c.row;
    let push = impulse[n] - velocity[n] / stiffness[0];
    if push <= 0.0 {
        return Branch::Open;
    }
    let mut x = [0.0; 2];
    for t in 0..c.tangents {
        x[t] = impulse[n + 1 + t] - velocity[n + 1 + t] / stiffness[1];
    }
    let length = x[0].hypot(x[1]);
    let radius = c.friction * push;
    if c.tangents == 0 || length <= radius {
        return Branch::Stick;
    }
    Branch::Slide([x[0] / length, x[1] / length], radius / length)
}

/// Error of the projection equations, in velocity units (r), at the contact velocities `velocity`.
fn projection_residual(
    g: &DMatrix<f64>,
    contacts: &[HeldRows],
    impulse: &[f64],
    velocity: &[f64],
    softness: f64,
    out: &mut [f64],
) {
    for c in contacts {
        let stiffness = stiffness(g, c, softness);
        let n = c.row;
        match branch(c, stiffness, velocity, impulse) {
            Branch::Open => {
                out[n] = stiffness[0] * impulse[n];
                for row in n + 1..=n + c.tangents {
                    out[row] = stiffness[1] * impulse[row];
                }
            }
            Branch::Stick => out[n..=n + c.tangents].copy_from_slice(&velocity[n..=n + c.tangents]),
            Branch::Slide(e, _) => {
                out[n] = velocity[n];
                let radius = c.friction * (impulse[n] - velocity[n] / stiffness[0]);
                for t in 0..c.tangents {
                    out[n + 1 + t] = stiffness[1] * (impulse[n + 1 + t] - radius * e[t]);
                }
            }
        }
    }
}

/// a = b + G Λ.
pub(super) fn contact_velocity(g: &DMatrix<f64>, b: &[f64], impulse: &[f64], out: &mut [f64]) {
    out.copy_from_slice(b);
    for (column, &x) in g.column_iter().zip(impulse) {
        if x != 0.0 {
            for (o, a) in out.iter_mut().zip(column.iter()) {
                *o += a * x;
            }
        }
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
}

fn squared(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}
