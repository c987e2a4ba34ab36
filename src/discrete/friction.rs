//! Impulses of held contacts: normal complementarity and dry friction on a Delassus matrix.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | G | `delassus` | contact-space inverse inertia, r × r, symmetric positive semidefinite |
//! | b | `free` | contact velocities without impulses, r |
//! | Λ = (λ, τ) | `impulse` | normal and tangential impulses, r |
//! | a = b + G Λ | (inside) | contact velocities |
//!
//! Each contact satisfies 0 ≤ λ ⊥ a_n ≥ 0; for its λ the friction impulse dissipates most on the
//! disc ‖τ‖ ≤ μ λ: a_t = 0 inside, otherwise τ = −μ λ a_t/‖a_t‖ (theory of held contacts; \[PER\] §2).
//!
//! Five methods, from the quickest to the most patient: an active-set iteration over modes (open,
//! stick, slide) from those of the last step, whose impulses are of least norm; Newton's method on
//! the projection equations; for a few planar contacts every combination of modes; proximal steps,
//! which redundant contacts that press against each other need; block Gauss-Seidel, polished by
//! these.

use nalgebra::DMatrix;

use super::friction_modes::{ModeIteration, SLACK, classify};
use super::friction_newton::{ProjectionNewton, contact_velocity};
use super::friction_proximal::{ProximalNewton, SETTLED, SLOW};
use super::friction_sweeps::sweep;

/// Rows and friction of one held contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldRows {
    /// Row of the normal; the tangents follow it.
    pub row: usize,
    /// Number of tangent rows, 0 to 2.
    pub tangents: usize,
    /// Coefficient of friction μ.
    pub friction: f64,
}

/// What a held contact does.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum HeldMode {
    /// No impulse.
    Open,
    /// Neither separates nor slips.
    Stick,
    /// Slips in this direction (unit, in the tangent rows).
    Slide([f64; 2]),
}

/// Softnesses that Newton's method is tried with.
const SOFTNESSES: [f64; 3] = [1.0, 1e3, 1e6];
/// Relaxations that Gauss-Seidel is tried with, and rounds of it and of Newton's method for each.
const RELAXATIONS: [f64; 2] = [1.0, 0.5];
const ATTEMPTS: usize = 6;

/// Solves for the impulses of held contacts. Owns its memory.
#[derive(Debug, Clone, Default)]
pub struct FrictionSolver {
    modes: ModeIteration,
    newton: ProjectionNewton,
    proximal: ProximalNewton,
    velocity: Vec<f64>,
    last: Vec<f64>,
    best: Vec<f64>,
    swept: Vec<f64>,
}

impl FrictionSolver {
    /// Finds `impulse` (r) and `modes` (one a contact); both hold a starting guess on entry. Returns
    /// the largest violation left, as a share of the largest free velocity; 0 when an active set fits
    /// exactly.
    pub fn solve(
        &mut self,
        delassus: &DMatrix<f64>,
        free: &[f64],
        contacts: &[HeldRows],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> f64 {
        let speed = free.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if speed == 0.0 {
            impulse.fill(0.0);
            return 0.0;
        }
        self.last.clear();
        self.last.extend_from_slice(impulse);
        let iteration = &mut self.modes;
        if iteration.active_set(delassus, free, contacts, modes, impulse, speed) {
            return 0.0;
        }
        self.velocity.resize(free.len(), 0.0);
        let violation = self.without_modes(delassus, free, contacts, modes, impulse, speed);
        contact_velocity(delassus, free, impulse, &mut self.velocity);
        classify(&self.velocity, contacts, impulse, modes, speed);
        violation
    }

    /// As [`FrictionSolver::solve`], but looks for a solution near the impulses on entry first. Light
    /// bodies that slide with much friction (Painlevé's rod) have several, and an outer iteration must
    /// not jump between them.
    pub fn solve_near(
        &mut self,
        delassus: &DMatrix<f64>,
        free: &[f64],
        contacts: &[HeldRows],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> f64 {
        let speed = free.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if speed > 0.0 {
            self.last.clear();
            self.last.extend_from_slice(impulse);
            let proximal = &mut self.proximal;
            let violation = proximal.solve(delassus, free, contacts, impulse, speed);
            if violation <= SETTLED {
                self.velocity.resize(free.len(), 0.0);
                contact_velocity(delassus, free, impulse, &mut self.velocity);
                classify(&self.velocity, contacts, impulse, modes, speed);
                return violation;
            }
            impulse.copy_from_slice(&self.last);
        }
        self.solve(delassus, free, contacts, modes, impulse)
    }

    /// The methods that do not guess modes, each from the last step's impulses and from none.
    fn without_modes(
        &mut self,
        g: &DMatrix<f64>,
        b: &[f64],
        contacts: &[HeldRows],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
        speed: f64,
    ) -> f64 {
        let mut least = f64::INFINITY;
        let mut keep = |violation: f64, impulse: &[f64], best: &mut Vec<f64>| {
            if violation < least {
                least = violation;
                best.clear();
                best.extend_from_slice(impulse);
            }
            least <= SLACK
        };
        for softness in SOFTNESSES {
            for from_last in [true, false] {
                if from_last {
                    impulse.copy_from_slice(&self.last);
                } else {
                    impulse.fill(0.0);
                }
                let newton = &mut self.newton;
                let violation = newton.solve(g, b, contacts, impulse, speed, SLACK, softness);
                if keep(violation, impulse, &mut self.best) {
                    return violation;
                }
            }
        }
        if self
            .modes
            .every_combination(g, b, contacts, modes, impulse, speed)
        {
            return 0.0;
        }
        // Impulses of redundant contacts stay small from zero; the last step's may be nearer.
        for from_last in [false, true] {
            if from_last {
                impulse.copy_from_slice(&self.last);
            } else {
                impulse.fill(0.0);
            }
            let violation = self.proximal.solve(g, b, contacts, impulse, speed);
            let share = violation * speed.max(SLOW) / speed;
            if keep(share, impulse, &mut self.best) || violation <= SETTLED {
                return violation;
            }
        }
        for relaxation in RELAXATIONS {
            impulse.copy_from_slice(&self.last);
            for _ in 0..ATTEMPTS {
                let velocity = &mut self.velocity;
                sweep(g, b, contacts, impulse, velocity, relaxation, SLACK, speed);
                self.swept.clear();
                self.swept.extend_from_slice(impulse);
                let violation = self
                    .newton
                    .solve(g, b, contacts, impulse, speed, SLACK, 1.0);
                if keep(violation, impulse, &mut self.best) {
                    return violation;
                }
                impulse.copy_from_slice(&self.swept);
                let violation = self.proximal.solve(g, b, contacts, impulse, speed);
                let share = violation * speed.max(SLOW) / speed;
                if keep(share, impulse, &mut self.best) || violation <= SETTLED {
                    return violation;
                }
                impulse.copy_from_slice(&self.swept);
            }
        }
        impulse.copy_from_slice(&self.best);
        least
    }
}
