//! Impulses of held contacts: normal complementarity and dry friction on a Delassus matrix.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | G | [`Delassus`] | contact-space inverse inertia, r × r, symmetric positive semidefinite |
//! | b | `free` | contact velocities without impulses, r |
//! | Λ = (λ, τ) | `impulse` | normal and tangential impulses, r |
//! | a = b + G Λ | (inside) | contact velocities |
//!
//! Each contact satisfies 0 ≤ λ ⊥ a_n ≥ 0; for its λ the friction impulse dissipates most on the
//! disc ‖τ‖ ≤ μ λ: a_t = 0 inside, otherwise τ = −μ λ a_t/‖a_t‖ (theory of held contacts; \[PER\] §2).
//!
//! Five methods, from the quickest to the most patient: an active-set iteration over modes (open,
//! stick, slide) from those of the last step, whose impulses are of least norm; Newton's method on
//! the projection map; for a few planar contacts every combination of modes; proximal steps, which
//! redundant contacts that press against each other need; Newton's method from elsewhere; block
//! Gauss-Seidel, polished by these.

use super::Delassus;
use super::friction_modes::{ModeIteration, classify};
use super::friction_newton::ProjectionNewton;
use super::friction_problem::{HeldMode, HeldProblem, SETTLED, SLACK, SLOW};
use super::friction_proximal::ProximalNewton;
use super::friction_sweeps::sweep;

/// Softnesses that Newton's method is tried with after the proximal steps.
const SOFTNESSES: [f64; 2] = [1e3, 1e6];
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
    /// Finds `impulse` (r) and `modes` (one a contact) for the velocities `free` (r) without impulses;
    /// both hold a starting guess on entry. Returns the largest violation left: 0 when an active set
    /// fits exactly, else a share of the largest free velocity, or of 10 m/s if all are slower and
    /// contacts are redundant.
    pub fn solve(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> f64 {
        let speed = largest(free);
        if speed == 0.0 {
            impulse.fill(0.0);
            return 0.0;
        }
        self.last.clear();
        self.last.extend_from_slice(impulse);
        let active = &mut self.modes;
        if active.active_set(delassus, free, modes, impulse, speed) {
            return 0.0;
        }
        let violation = self.without_modes(delassus, free, modes, impulse, speed);
        self.classify(delassus, free, modes, impulse, speed);
        violation
    }

    /// As [`FrictionSolver::solve`], but looks for a solution near the impulses on entry first. Light
    /// bodies that slide with much friction (Painlevé's rod) have several, and an outer iteration must
    /// not jump between them.
    pub fn solve_near(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> f64 {
        let speed = largest(free);
        if speed > 0.0 {
            self.last.clear();
            self.last.extend_from_slice(impulse);
            let violation = self
                .proximal
                .solve(&problem(delassus, free, speed), impulse);
            if violation <= SETTLED {
                self.classify(delassus, free, modes, impulse, speed);
                return violation;
            }
            impulse.copy_from_slice(&self.last);
        }
        self.solve(delassus, free, modes, impulse)
    }

    /// The modes that `impulse` suggests.
    fn classify(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &[f64],
        speed: f64,
    ) {
        self.velocity.resize(free.len(), 0.0);
        delassus.velocity(free, impulse, &mut self.velocity);
        classify(&self.velocity, delassus.contacts(), impulse, modes, speed);
    }

    /// The methods that do not guess modes, each from the last step's impulses and from none.
    fn without_modes(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
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
        let newton = &mut self.newton;
        for from_last in [true, false] {
            start(impulse, from_last, &self.last);
            let problem = problem(delassus, free, speed);
            let violation = newton.solve(&problem, impulse, SLACK, 1.0);
            if keep(violation, impulse, &mut self.best) {
                return violation;
            }
        }
        if self
            .modes
            .every_combination(delassus, free, modes, impulse, speed)
        {
            return 0.0;
        }
        let problem = problem(delassus, free, speed);
        // Impulses of redundant contacts stay small from zero; the last step's may be nearer.
        for from_last in [false, true] {
            start(impulse, from_last, &self.last);
            let violation = self.proximal.solve(&problem, impulse);
            let share = violation * speed.max(SLOW) / speed;
            if keep(share, impulse, &mut self.best) || violation <= SETTLED {
                return violation;
            }
        }
        for softness in SOFTNESSES {
            for from_last in [true, false] {
                start(impulse, from_last, &self.last);
                let violation = newton.solve(&problem, impulse, SLACK, softness);
                if keep(violation, impulse, &mut self.best) {
                    return violation;
                }
            }
        }
        self.velocity.resize(free.len(), 0.0);
        for relaxation in RELAXATIONS {
            impulse.copy_from_slice(&self.last);
            for _ in 0..ATTEMPTS {
                sweep(&problem, impulse, &mut self.velocity, relaxation);
                self.swept.clear();
                self.swept.extend_from_slice(impulse);
                let violation = newton.solve(&problem, impulse, SLACK, 1.0);
                if keep(violation, impulse, &mut self.best) {
                    return violation;
                }
                impulse.copy_from_slice(&self.swept);
                let violation = self.proximal.solve(&problem, impulse);
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

fn problem<'a>(delassus: &'a mut Delassus, free: &'a [f64], speed: f64) -> HeldProblem<'a> {
    let (delassus, contacts) = delassus.matrix();
    HeldProblem {
        delassus,
        free,
        contacts,
        speed,
    }
}

fn start(impulse: &mut [f64], from_last: bool, last: &[f64]) {
    if from_last {
        impulse.copy_from_slice(last);
    } else {
        impulse.fill(0.0);
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
}
