//! Held-contact impulses by proximal steps, each solved by Newton's method on the projection map.
//!
//! Redundant contacts make G singular: the impulses are not unique, the map has no regular root and an
//! active set of least norm can go in circles, because least-norm impulses may leave the friction cones
//! that other impulses with the same motion respect. Each proximal step has a regular map, its roots
//! converge to a solution near the start, and what counts at the end is F with ε = 0.

use super::friction_problem::{HeldProblem, SETTLED};
use super::friction_projection::{ProjectionMap, Proximal, Shape};

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

/// Memory of the method.
#[derive(Debug, Clone, Default)]
pub(super) struct ProximalNewton {
    map: ProjectionMap,
    anchor: Vec<f64>,
    start: Vec<f64>,
    step: Vec<f64>,
    best: Vec<f64>,
}

impl ProximalNewton {
    /// Improves `impulse` (r; a starting value on entry) to a solution. Returns the largest violation
    /// of the conditions as a share of the problem's scale; what is above [`SETTLED`] is no solution.
    pub(super) fn solve(&mut self, problem: &HeldProblem, impulse: &mut [f64]) -> f64 {
        let r = impulse.len();
        let g = problem.delassus;
        let mean = (0..r).map(|i| g[(i, i)]).sum::<f64>() / r as f64;
        let mut epsilon = FIRST_EPSILON * mean;
        let tolerance = SETTLED * problem.speeds.scale();
        let mut best = f64::INFINITY;
        copy(impulse, &mut self.best);
        for _ in 0..STAGES {
            copy(impulse, &mut self.anchor);
            if !self.stage(problem, impulse, epsilon) {
                impulse.copy_from_slice(&self.anchor);
                epsilon *= 30.0;
                if epsilon > LARGEST_EPSILON * mean {
                    break;
                }
                continue;
            }
            let violation = self.map.evaluate(problem, impulse, Shape::PLAIN);
            let falls = violation < 0.5 * best;
            if violation < best {
                best = violation;
                copy(impulse, &mut self.best);
            }
            if best <= ROOT * problem.speeds.free || (best <= tolerance && !falls) {
                break;
            }
            epsilon = (0.1 * epsilon).max(LEAST_EPSILON * mean);
        }
        impulse.copy_from_slice(&self.best);
        best / problem.speeds.scale()
    }

    /// One proximal step from `anchor` by Newton's method; false when it does not converge.
    fn stage(&mut self, problem: &HeldProblem, impulse: &mut [f64], epsilon: f64) -> bool {
        let shape = Shape {
            proximal: Some(Proximal {
                epsilon,
                anchor: &self.anchor,
            }),
            ..Shape::PLAIN
        };
        let root = ROOT * problem.speeds.free;
        self.map.evaluate(problem, impulse, shape);
        let mut size = self.map.squared().sqrt();
        for _ in 0..ITERATIONS {
            if size <= root {
                return true;
            }
            copy(
                self.map.newton_step(problem, impulse, shape),
                &mut self.step,
            );
            copy(impulse, &mut self.start);
            let before = size;
            let mut share = 1.0;
            for _ in 0..=HALVINGS {
                for ((x, s), d) in impulse.iter_mut().zip(&self.start).zip(&self.step) {
                    *x = s + share * d;
                }
                self.map.evaluate(problem, impulse, shape);
                size = self.map.squared().sqrt();
                if size <= (1.0 - 1e-4 * share) * before {
                    break;
                }
                share *= 0.5;
            }
            // At rounding a step improves nothing more.
            if size >= before && before <= 100.0 * root {
                impulse.copy_from_slice(&self.start);
                return true;
            }
            if !size.is_finite() {
                return false;
            }
        }
        size <= 100.0 * root
    }
}

fn copy(from: &[f64], to: &mut Vec<f64>) {
    to.clear();
    to.extend_from_slice(from);
}
