//! Normal complementarity and dry friction of all contacts as the root of one piecewise smooth map.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | G, b, Λ = (λ, τ) | `HeldProblem`, `impulse` | as in `friction` |
//! | ε, Λ* | `Proximal` | weight and centre of a proximal term |
//! | a = b + GΛ + ε(Λ − Λ*) | `velocity` | contact velocities, of the regularised problem when ε > 0 |
//! | k | `stiffness` | largest diagonal entry of G + ε of normal and tangents, over the softness |
//!
//! With z = kΛ − a the conditions are F(Λ) = 0 (Alart and Curnier, 1991),
//!
//! ```text
//! F_n = k λ − max(0, z_n),      F_t = k τ − P(z_t, μ (k_t/k_n) max(0, z_n))
//! ```
//!
//! where P(·, ρ) projects onto the disc of radius ρ. F is in units of velocity, and its root does not
//! depend on k.

use super::HeldRows;
use super::friction_problem::HeldProblem;
use crate::numerics::LeastSquares;

/// What changes F without moving its roots (softness) or turns it into that of a proximal step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape<'a> {
    /// Divides the stiffness of every contact.
    pub softness: f64,
    pub proximal: Option<Proximal<'a>>,
}

impl Shape<'_> {
    /// The conditions as they count.
    pub(super) const PLAIN: Self = Self {
        softness: 1.0,
        proximal: None,
    };

    fn epsilon(&self) -> f64 {
        self.proximal.map_or(0.0, |p| p.epsilon)
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Proximal<'a> {
    pub epsilon: f64,
    pub anchor: &'a [f64],
}

/// The map at one Λ, and memory for its Newton steps.
#[derive(Debug, Clone, Default)]
pub(super) struct ProjectionMap {
    velocity: Vec<f64>,
    residual: Vec<f64>,
    system: LeastSquares,
}

impl ProjectionMap {
    /// a and F at `impulse`; returns the largest |F|.
    pub(super) fn evaluate(&mut self, problem: &HeldProblem, impulse: &[f64], shape: Shape) -> f64 {
        self.velocity.resize(impulse.len(), 0.0);
        problem.velocity(impulse, &mut self.velocity);
        if let Some(Proximal { epsilon, anchor }) = shape.proximal {
            for ((a, x), centre) in self.velocity.iter_mut().zip(impulse).zip(anchor) {
                *a += epsilon * (x - centre);
            }
        }
        self.reshape(problem, impulse, shape)
    }

    /// As [`Self::evaluate`] where only the softness has changed.
    pub(super) fn reshape(&mut self, problem: &HeldProblem, impulse: &[f64], shape: Shape) -> f64 {
        self.residual.resize(impulse.len(), 0.0);
        for c in problem.contacts {
            let at = Point::of(problem, c, impulse, &self.velocity, shape);
            self.residual[c.row] = at.stiffness[0] * impulse[c.row] - at.pressing();
            let wanted = at.projection();
            for t in 0..c.tangents {
                let row = c.row + 1 + t;
                self.residual[row] = at.stiffness[1] * impulse[row] - wanted[t];
            }
        }
        self.residual.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
    }

    /// ‖F‖².
    pub(super) fn squared(&self) -> f64 {
        self.residual.iter().map(|x| x * x).sum()
    }

    /// The Newton step of least norm from the evaluated point.
    pub(super) fn newton_step(
        &mut self,
        problem: &HeldProblem,
        impulse: &[f64],
        shape: Shape,
    ) -> &[f64] {
        let (g, epsilon) = (problem.delassus, shape.epsilon());
        let r = impulse.len();
        self.system.reset(r);
        let entry = |i: usize, j: usize| g[(i, j)] + if i == j { epsilon } else { 0.0 };
        for c in problem.contacts {
            let n = c.row;
            let at = Point::of(problem, c, impulse, &self.velocity, shape);
            let closed = at.z[0] > 0.0;
            let slip = at.slip();
            for j in 0..r {
                let own = |row: usize| if row == j { 1.0 } else { 0.0 };
                let column = self.system.column_mut(j);
                // Derivatives of z, and of kΛ.
                let pressed = at.stiffness[0] * own(n);
                column[n] = if closed { entry(n, j) } else { pressed };
                let dz_n = pressed - entry(n, j);
                let mut held = [0.0; 2];
                let mut dz = [0.0; 2];
                for t in 0..c.tangents {
                    held[t] = at.stiffness[1] * own(n + 1 + t);
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
        self.system.solve();
        self.system.solution()
    }
}

/// One contact at one Λ.
struct Point {
    /// z: normal, then tangents.
    z: [f64; 3],
    /// k along the normal and along the tangents.
    stiffness: [f64; 2],
    /// μ k_t/k_n: radius of the disc per z_n.
    ratio: f64,
}

impl Point {
    fn of(
        problem: &HeldProblem,
        c: &HeldRows,
        impulse: &[f64],
        velocity: &[f64],
        shape: Shape,
    ) -> Self {
        let diagonal = |row: usize| problem.delassus[(row, row)] + shape.epsilon();
        let tangents = c.row + 1..=c.row + c.tangents;
        // A row that moves nothing has no scale of its own.
        let scale = |x: f64| if x > 0.0 { x / shape.softness } else { 1.0 };
        let stiffness = [
            scale(diagonal(c.row)),
            scale(tangents.map(diagonal).fold(0.0, f64::max)),
        ];
        let mut z = [stiffness[0] * impulse[c.row] - velocity[c.row], 0.0, 0.0];
        for t in 1..=c.tangents {
            z[t] = stiffness[1] * impulse[c.row + t] - velocity[c.row + t];
        }
        Self {
            z,
            stiffness,
            ratio: c.friction * stiffness[1] / stiffness[0],
        }
    }

    fn pressing(&self) -> f64 {
        self.z[0].max(0.0)
    }

    /// Direction of z_t and radius over its length when it lies outside of the disc.
    fn slip(&self) -> Option<([f64; 2], f64)> {
        let length = self.z[1].hypot(self.z[2]);
        let radius = self.ratio * self.pressing();
        (length > radius).then(|| ([self.z[1] / length, self.z[2] / length], radius / length))
    }

    fn projection(&self) -> [f64; 2] {
        match self.slip() {
            Some((_, shrink)) => [self.z[1] * shrink, self.z[2] * shrink],
            None => [self.z[1], self.z[2]],
        }
    }
}
