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
//! From the quickest method to the most patient: an active-set iteration over modes (open, stick,
//! slide) from those of the last step, whose impulses are of least norm; Newton's method on the
//! projection map; for a few planar contacts every combination of modes; proximal steps, which
//! redundant contacts that press against each other need; Newton's method with softer contacts; a round
//! of block Gauss-Seidel, from which Newton's method and proximal steps start again.

use super::Delassus;
use super::friction_modes::{ModeIteration, classify};
use super::friction_newton::ProjectionNewton;
use super::friction_problem::{HeldMode, HeldProblem, SETTLED, SLACK, Speeds};
use super::friction_proximal::ProximalNewton;
use super::friction_sweeps::sweep;

/// Softnesses that Newton's method is tried with after the proximal steps.
const SOFTNESSES: [f64; 2] = [1e3, 1e6];
/// [`FrictionSolver::slow`] unless a step says otherwise \[m/s\]: what moves by 10 nm/s rests.
pub(super) const SLOW: f64 = 10.0;

/// Solves for the impulses of held contacts. Owns its memory.
#[derive(Debug, Clone)]
pub struct FrictionSolver {
    /// Free velocities that are all below this \[m/s\] are judged as if one had it: what moves by 1e-9
    /// of it rests. 10 m/s unless set.
    pub slow: f64,
    modes: ModeIteration,
    newton: ProjectionNewton,
    proximal: ProximalNewton,
    velocity: Vec<f64>,
    last: Vec<f64>,
    best: Vec<f64>,
    swept: Vec<f64>,
}

impl Default for FrictionSolver {
    fn default() -> Self {
        Self {
            slow: SLOW,
            modes: ModeIteration::default(),
            newton: ProjectionNewton::default(),
            proximal: ProximalNewton::default(),
            velocity: Vec::new(),
            last: Vec::new(),
            best: Vec::new(),
            swept: Vec::new(),
        }
    }
}

impl FrictionSolver {
    /// Finds `impulse` (r) and `modes` (one a contact) for the velocities `free` (r) without impulses;
    /// both hold a starting guess on entry. Returns the largest violation left: 0 when an active set
    /// fits, which leaves at most 1e-9 of the largest free velocity or of [`slow`](Self::slow) if all are
    /// slower; else a share of the largest free velocity, or of that scale after proximal steps.
    /// Infinite, with no impulses, when a free velocity is not finite.
    pub fn solve(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> f64 {
        match self.begin(free, impulse) {
            Ok(speeds) => self.solve_from_modes(delassus, free, modes, impulse, speeds),
            Err(violation) => violation,
        }
    }

    fn solve_from_modes(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
        speeds: Speeds,
    ) -> f64 {
        let active = &mut self.modes;
        if active.active_set(delassus, free, modes, impulse, speeds) {
            std::mem::swap(&mut self.velocity, &mut active.velocity);
            return 0.0;
        }
        let violation = self.without_modes(delassus, free, modes, impulse, speeds);
        self.classify(delassus, free, modes, impulse, speeds);
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
        let speeds = match self.begin(free, impulse) {
            Ok(speeds) => speeds,
            Err(violation) => return violation,
        };
        let violation = self
            .proximal
            .solve(&problem(delassus, free, speeds), impulse);
        if violation <= SETTLED {
            self.classify(delassus, free, modes, impulse, speeds);
            return violation;
        }
        impulse.copy_from_slice(&self.last);
        self.solve_from_modes(delassus, free, modes, impulse, speeds)
    }

    /// Remembers the impulses to start from. Where nothing moves, or something is not finite, there is no
    /// problem: then the impulses are zero, and the error is the violation that is left.
    fn begin(&mut self, free: &[f64], impulse: &mut [f64]) -> Result<Speeds, f64> {
        let speeds = Speeds {
            free: free.iter().fold(0.0_f64, |m, x| m.max(x.abs())),
            slow: self.slow,
        };
        let finite = free.iter().all(|b| b.is_finite());
        if finite && speeds.free > 0.0 {
            self.last.clear();
            self.last.extend_from_slice(impulse);
            return Ok(speeds);
        }
        impulse.fill(0.0);
        let violation = if finite { 0.0 } else { f64::INFINITY };
        self.velocity.clear();
        self.velocity.resize(free.len(), violation);
        Err(violation)
    }

    /// Contact velocities with the impulses that were found last (r).
    #[must_use]
    pub fn velocity(&self) -> &[f64] {
        &self.velocity
    }

    /// The modes that `impulse` suggests.
    fn classify(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &[f64],
        speeds: Speeds,
    ) {
        self.velocity.resize(free.len(), 0.0);
        delassus.velocity(free, impulse, &mut self.velocity);
        classify(
            &self.velocity,
            delassus.contacts(),
            impulse,
            modes,
            speeds.free,
        );
    }

    /// The methods that do not guess modes, each from the last step's impulses and from none.
    fn without_modes(
        &mut self,
        delassus: &mut Delassus,
        free: &[f64],
        modes: &mut [HeldMode],
        impulse: &mut [f64],
        speeds: Speeds,
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
            let problem = problem(delassus, free, speeds);
            let violation = newton.solve(&problem, impulse, SLACK, 1.0);
            if keep(violation, impulse, &mut self.best) {
                return violation;
            }
        }
        if self
            .modes
            .every_combination(delassus, free, modes, impulse, speeds)
        {
            return 0.0;
        }
        let problem = problem(delassus, free, speeds);
        // Impulses of redundant contacts stay small from zero; the last step's may be nearer.
        for from_last in [false, true] {
            start(impulse, from_last, &self.last);
            let violation = self.proximal.solve(&problem, impulse);
            let share = violation * speeds.scale() / speeds.free;
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
        impulse.copy_from_slice(&self.last);
        sweep(&problem, impulse, &mut self.velocity);
        self.swept.clear();
        self.swept.extend_from_slice(impulse);
        let violation = newton.solve(&problem, impulse, SLACK, 1.0);
        if keep(violation, impulse, &mut self.best) {
            return violation;
        }
        impulse.copy_from_slice(&self.swept);
        let violation = self.proximal.solve(&problem, impulse);
        let share = violation * speeds.scale() / speeds.free;
        if keep(share, impulse, &mut self.best) || violation <= SETTLED {
            return violation;
        }
        impulse.copy_from_slice(&self.best);
        least
    }
}

fn problem<'a>(delassus: &'a mut Delassus, free: &'a [f64], speeds: Speeds) -> HeldProblem<'a> {
    let (delassus, contacts) = delassus.matrix();
    HeldProblem {
        delassus,
        free,
        contacts,
        speeds,
    }
}

fn start(impulse: &mut [f64], from_last: bool, last: &[f64]) {
    if from_last {
        impulse.copy_from_slice(last);
    } else {
        impulse.fill(0.0);
    }
}
