//! Held-contact impulses as a root of the projection map, by Newton's method.
//!
//! Newton's method on the piecewise smooth map with steps of least norm needs a few iterations also
//! where redundant contacts make impulses ambiguous and the solution of least norm over all contacts
//! would leave a friction cone. A greater softness moves the seams between the pieces.

use super::friction_problem::HeldProblem;
use super::friction_projection::{ProjectionMap, Shape};

const MAX_ITERATIONS: usize = 40;
const MAX_HALVINGS: usize = 12;
/// A step may raise the merit above the last value as long as it stays below the largest of these
/// many: on a piecewise smooth map a strict descent stalls at the seams.
const MEMORY: usize = 4;

/// Memory of the iteration.
#[derive(Debug, Clone, Default)]
pub(super) struct ProjectionNewton {
    map: ProjectionMap,
    trial: Vec<f64>,
    step: Vec<f64>,
    best: Vec<f64>,
}

impl ProjectionNewton {
    /// Improves `impulse` (r). Returns the largest |F| as a share of the largest |b|; stops below
    /// `tolerance`.
    pub(super) fn solve(
        &mut self,
        problem: &HeldProblem,
        impulse: &mut [f64],
        tolerance: f64,
        softness: f64,
    ) -> f64 {
        let shape = Shape {
            softness,
            ..Shape::PLAIN
        };
        let mut recent = [0.0_f64; MEMORY];
        let mut least = f64::INFINITY;
        self.map.evaluate(problem, impulse, Shape::PLAIN);
        for iteration in 0..MAX_ITERATIONS {
            // The error that counts is that without softness.
            let violation = self.map.reshape(problem, impulse, Shape::PLAIN);
            if violation < least {
                least = violation;
                self.best.clear();
                self.best.extend_from_slice(impulse);
            }
            if violation <= tolerance * problem.speeds.free || iteration + 1 == MAX_ITERATIONS {
                break;
            }
            self.map.reshape(problem, impulse, shape);
            recent[iteration % MEMORY] = self.map.squared();
            let merit = recent.iter().fold(0.0_f64, |m, x| m.max(*x));
            self.step.clear();
            self.step
                .extend_from_slice(self.map.newton_step(problem, impulse, shape));
            if !self.search(problem, impulse, shape, merit) {
                break;
            }
            impulse.copy_from_slice(&self.trial);
        }
        if least.is_finite() {
            impulse.copy_from_slice(&self.best);
        }
        least / problem.speeds.free
    }

    /// Shortens the Newton step until the merit falls below the given one; `trial` holds the result.
    fn search(&mut self, problem: &HeldProblem, impulse: &[f64], shape: Shape, merit: f64) -> bool {
        let mut share = 1.0;
        for _ in 0..MAX_HALVINGS {
            self.trial.clear();
            let moved = impulse.iter().zip(&self.step).map(|(x, d)| x + share * d);
            self.trial.extend(moved);
            self.map.evaluate(problem, &self.trial, shape);
            if self.map.squared() <= (1.0 - 1e-4 * share) * merit {
                return true;
            }
            share *= 0.5;
        }
        false
    }
}
