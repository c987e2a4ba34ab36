//! Held-contact impulses by proximal steps, each solved by Newton's method on the projection equations.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | G, b | `delassus`, `free` | contact-space inverse inertia and velocities without impulses |
//! | Λ = (λ, τ) | `impulse` | normal and tangential impulses |
//! | ε, Λ* | `epsilon`, `anchor` | weight and centre of the proximal term |
//! | a = b + GΛ + ε(Λ − Λ*) | `velocity` | contact velocities of the regularised problem |
//! | k | `stiffness` | largest diagonal entry of G of normal and tangents |
//!
//! Normal complementarity and dry friction are one equation F(Λ) = 0 with z = kΛ − a,
//!
//! ```text
//! F_n = k λ − max(0, z_n),      F_t = k τ − P(z_t, μ (k_t/k_n) max(0, z_n))
//! ```
//!
//! where P(·, ρ) projects onto the disc of radius ρ (Alart and Curnier, 1991). Redundant contacts
//! make G singular: the impulses are not unique, the equation has no regular root and an active set
//! of least norm can go in circles, because least-norm impulses may leave the friction cones that
//! other impulses with the same motion respect. Each proximal step has a regular equation, its roots
//! converge to a solution near the start, and what counts at the end is F with ε = 0.

use nalgebra::DMatrix;

use super::friction::HeldRows;
use crate::numerics::LeastSquares;

/// Proximal steps.
const STAGES: usize = 60;
/// Newton iterations in one of them.
const ITERATIONS: usize = 30;
/// Halvings of one Newton step.
const HALVINGS: usize = 6;
/// First ε beside the mean diagonal entry of G; it falls when a stage succeeds and grows when one
/// fails.
const FIRST_EPSILON: f64 = 1e-4;
const LEAST_EPSILON: f64 = 1e-8;
const LARGEST_EPSILON: f64 = 1e3;
/// A residual below this share of the largest free velocity is a root.
const ROOT: f64 = 1e-13;
/// A violation below this share of the velocities that no longer falls is taken: redundant contacts
/// cannot all be closed to the last digit of b.
pub(super) const SETTLED: f64 = 1e-9;
/// Velocities below this \[m/s\] are judged as if they had it: contacts that move by 10 nm/s rest.
pub(super) const SLOW: f64 = 10.0;

/// Memory of the method.
#[derive(Debug, Clone, Default)]
pub(super) struct ProximalNewton {
    system: LeastSquares,
    anchor: Vec<f64>,
    start: Vec<f64>,
    velocity: Vec<f64>,
    residual: Vec<f64>,
    best: Vec<f64>,
}

impl ProximalNewton {
    /// Improves `impulse` (r; a starting value on entry) to a solution. Returns the largest
    /// violation of the conditions as a share of `speed`, or of [`SLOW`] when everything is slower;
    /// what is above [`SETTLED`] is no solution.
    pub fn solve(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        impulse: &mut [f64],
        speed: f64,
    ) -> f64 {
        let r = b.len();
        for buffer in [
            &mut self.anchor,
            &mut self.start,
            &mut self.velocity,
            &mut self.residual,
            &mut self.best,
        ] {
            buffer.clear();
            buffer.resize(r, 0.0);
        }
        let mean = (0..r).map(|i| g[(i, i)]).sum::<f64>() / r as f64;
        let mut epsilon = FIRST_EPSILON * mean;
        let tolerance = SETTLED * speed.max(SLOW);
        let mut best = f64::INFINITY;
        self.best.copy_from_slice(impulse);
        for _ in 0..STAGES {
            self.anchor.copy_from_slice(impulse);
            if !self.stage(g, b, contacts, impulse, epsilon, speed) {
                impulse.copy_from_slice(&self.anchor);
                epsilon *= 30.0;
                if epsilon > LARGEST_EPSILON * mean {
                    break;
                }
                continue;
            }
            let violation = self.evaluate(g, b, contacts, impulse, 0.0);
            let falls = violation < 0.5 * best;
            if violation < best {
                best = violation;
                self.best.copy_from_slice(impulse);
            }
            if best <= ROOT * speed || (best <= tolerance && !falls) {
                break;
            }
            epsilon = (0.1 * epsilon).max(LEAST_EPSILON * mean);
        }
        impulse.copy_from_slice(&self.best);
        best / speed.max(SLOW)
    }

    /// One proximal step by Newton's method; false when it does not converge.
    fn stage(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        impulse: &mut [f64],
        epsilon: f64,
        speed: f64,
    ) -> bool {
        self.evaluate(g, b, contacts, impulse, epsilon);
        let mut size = self.size();
        for _ in 0..ITERATIONS {
            if size <= ROOT * speed {
                return true;
            }
            self.linearise(g, contacts, impulse, epsilon);
            self.system.solve();
            self.start.copy_from_slice(impulse);
            let before = size;
            let mut share = 1.0;
            for _ in 0..=HALVINGS {
                for ((x, s), d) in impulse
                    .iter_mut()
                    .zip(&self.start)
                    .zip(self.system.solution())
                {
                    *x = s + share * d;
                }
                self.evaluate(g, b, contacts, impulse, epsilon);
                size = self.size();
                if size <= (1.0 - 1e-4 * share) * before {
                    break;
                }
                share *= 0.5;
            }
            // At rounding a step improves nothing more.
            if size >= before && before <= 100.0 * ROOT * speed {
                impulse.copy_from_slice(&self.start);
                return true;
            }
            if !size.is_finite() {
                return false;
            }
        }
        size <= 100.0 * ROOT * speed
    }

    /// ‖F‖.
    fn size(&self) -> f64 {
        self.residual.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    /// Velocity and F; returns the largest |F|.
    fn evaluate(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        impulse: &[f64],
        epsilon: f64,
    ) -> f64 {
        for (i, a) in self.velocity.iter_mut().enumerate() {
            let pull = epsilon * (impulse[i] - self.anchor[i]);
            *a = (0..b.len()).fold(b[i] + pull, |sum, j| sum + g[(i, j)] * impulse[j]);
        }
        for c in contacts {
            let at = Point::of(g, c, impulse, &self.velocity, epsilon);
            self.residual[c.row] = at.normal_stiffness * impulse[c.row] - at.pressing();
            let wanted = at.projection();
            for t in 0..c.tangents {
                self.residual[c.row + 1 + t] =
                    at.tangent_stiffness * impulse[c.row + 1 + t] - wanted[t];
            }
        }
        self.residual.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
    }

    /// Sets up DF δ = −F at the evaluated point.
    fn linearise(
        &mut self,
        g: &DMatrix<f64>,
        contacts: &[HeldRows],
        impulse: &[f64],
        epsilon: f64,
    ) {
        let r = impulse.len();
        self.system.reset(r);
        let entry = |i: usize, j: usize| g[(i, j)] + if i == j { epsilon } else { 0.0 };
        for c in contacts {
            let n = c.row;
            let at = Point::of(g, c, impulse, &self.velocity, epsilon);
            let closed = at.z[0] > 0.0;
            let slip = at.slip();
            for j in 0..r {
                let own = |row: usize| if row == j { 1.0 } else { 0.0 };
                let column = self.system.column_mut(j);
                // Derivatives of z, and of kΛ.
                let pressed = at.normal_stiffness * own(n);
                column[n] = if closed { entry(n, j) } else { pressed };
                let dz_n = pressed - entry(n, j);
                let mut held = [0.0; 2];
                let mut dz = [0.0; 2];
                for t in 0..c.tangents {
                    held[t] = at.tangent_stiffness * own(n + 1 + t);
                    dz[t] = held[t] - entry(n + 1 + t, j);
                }
                match slip {
                    _ if !closed => {
                        for t in 0..c.tangents {
                            column[n + 1 + t] = held[t];
                        }
                    }
                    None => {
                        for t in 0..c.tangents {
                            column[n + 1 + t] = entry(n + 1 + t, j);
                        }
                    }
                    Some((d, shrink)) => {
                        let along = d[0] * dz[0] + d[1] * dz[1];
                        for t in 0..c.tangents {
                            column[n + 1 + t] =
                                held[t] - d[t] * at.ratio * dz_n - shrink * (dz[t] - along * d[t]);
                        }
                    }
                }
            }
        }
        for (w, f) in self.system.rhs_mut().iter_mut().zip(&self.residual) {
            *w = -f;
        }
    }
}

/// One contact at one Λ.
struct Point {
    /// z: normal, then tangents.
    z: [f64; 3],
    normal_stiffness: f64,
    tangent_stiffness: f64,
    /// μ k_t/k_n: radius of the disc per z_n.
    ratio: f64,
}

impl Point {
    fn of(g: &DMatrix<f64>, c: &HeldRows, impulse: &[f64], velocity: &[f64], epsilon: f64) -> Self {
        let positive = |x: f64| if x > 0.0 { x } else { 1.0 };
        let normal_stiffness = positive(g[(c.row, c.row)] + epsilon);
        let tangent_stiffness = positive(
            (0..c.tangents)
                .map(|t| g[(c.row + 1 + t, c.row + 1 + t)] + epsilon)
                .fold(0.0, f64::max),
        );
        let mut z = [
            normal_stiffness * impulse[c.row] - velocity[c.row],
            0.0,
            0.0,
        ];
        for t in 0..c.tangents {
            let row = c.row + 1 + t;
            z[1 + t] = tangent_stiffness * impulse[row] - velocity[row];
        }
        Self {
            z,
            normal_stiffness,
            tangent_stiffness,
            ratio: c.friction * tangent_stiffness / normal_stiffness,
        }
    }

    fn pressing(&self) -> f64 {
        self.z[0].max(0.0)
    }

    fn radius(&self) -> f64 {
        self.ratio * self.pressing()
    }

    /// Direction of z_t and radius over its length when it lies outside of the disc.
    fn slip(&self) -> Option<([f64; 2], f64)> {
        let length = self.z[1].hypot(self.z[2]);
        let radius = self.radius();
        (length > radius).then(|| ([self.z[1] / length, self.z[2] / length], radius / length))
    }

    fn projection(&self) -> [f64; 2] {
        match self.slip() {
            Some((_, shrink)) => [self.z[1] * shrink, self.z[2] * shrink],
            None => [self.z[1], self.z[2]],
        }
    }
}
