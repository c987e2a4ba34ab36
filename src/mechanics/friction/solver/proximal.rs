//! Proximal steps: what redundant contacts leave undetermined is held near the last impulses.

use super::{Aim, FrictionSolver};
use crate::friction::newton::Setting;

/// Proximal steps, and their first, smallest and largest ε beside the mean diagonal entry of G.
const STAGES: usize = 40;
const FIRST_PROXIMAL: f64 = 1e-4;
const LEAST_PROXIMAL: f64 = 1e-8;
const LARGEST_PROXIMAL: f64 = 1e3;

impl FrictionSolver {
    /// Proximal steps from the last impulses, then from the best.
    pub(super) fn try_proximal_steps(&mut self, aim: &Aim<'_>, impulse: &mut [f64]) {
        for from_best in [false, true] {
            impulse.copy_from_slice(if from_best { &self.best } else { &self.last });
            let left = self.proximal_steps(aim, impulse);
            self.keep(left, impulse);
            if self.left <= aim.tolerance {
                break;
            }
        }
        self.counts.proximal += u64::from(self.left <= aim.tolerance);
    }

    /// Proximal steps from `impulse`, each solved by Newton's method: with a large ε every step has a
    /// regular map, and their fixed points are the solutions. Returns the largest |F| of the best
    /// impulses.
    pub(super) fn proximal_steps(&mut self, aim: &Aim<'_>, impulse: &mut [f64]) -> f64 {
        let Aim {
            setting,
            mean,
            tolerance,
        } = aim;
        let mut epsilon = FIRST_PROXIMAL;
        let mut best = f64::INFINITY;
        for _ in 0..STAGES {
            let mut anchor = std::mem::take(&mut self.anchor);
            anchor.clear();
            anchor.extend_from_slice(impulse);
            let stage = Setting {
                enough: 0.0,
                proximal: Some((epsilon * mean, &anchor)),
                ..*setting
            };
            stage.velocity(impulse, &mut self.velocity);
            let left = self.newton.solve(&stage, 0.0, impulse, &mut self.velocity);
            let solved = left <= 100.0 * setting.exact;
            if !solved {
                impulse.copy_from_slice(&anchor);
            }
            self.anchor = anchor;
            if !solved {
                epsilon *= 30.0;
                if epsilon > LARGEST_PROXIMAL || self.newton.budget == Some(0) {
                    break;
                }
                continue;
            }
            setting.velocity(impulse, &mut self.velocity);
            let (violation, _) = setting.residual(impulse, &self.velocity);
            let falls = violation < 0.5 * best;
            if violation < best {
                best = violation;
                self.aside.clear();
                self.aside.extend_from_slice(impulse);
            }
            if best <= setting.exact || (best <= *tolerance && !falls) {
                break;
            }
            epsilon = (0.1 * epsilon).max(LEAST_PROXIMAL);
        }
        if best.is_finite() {
            impulse.copy_from_slice(&self.aside);
        }
        best
    }
}
