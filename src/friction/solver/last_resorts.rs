//! What is tried where Newton steps from guesses do not solve a problem: sweeps, proximal steps, opening a contact, polygons.

use super::{Aim, EPSILON, FIRM, FrictionSolver};
use crate::friction::mode_system::Branch;
use crate::friction::sweeps::sweep;

/// Rounds of sweeps with Newton steps after each; the sweeps double.
const ROUNDS: usize = 4;
const SWEEPS: usize = 10;

/// Corners of polygons, and how far they are turned, as shares of the angle between two: few corners take less, many come
/// nearer.
const POLYGONS: [(usize, f64); 3] = [(8, 0.0), (8, 0.5), (32, 0.0)];

impl FrictionSolver {
    /// Newton steps after rounds of sweeps, the sweeps doubling.
    pub(super) fn try_sweeps(&mut self, aim: &Aim<'_>, impulse: &mut [f64]) {
        let setting = &aim.setting;
        impulse.copy_from_slice(&self.last);
        setting.velocity(impulse, &mut self.velocity);
        for round in 0..ROUNDS {
            sweep(
                SWEEPS << round,
                setting.delassus,
                setting.groups,
                setting.rules,
                impulse,
                &mut self.velocity,
            );
            self.swept.clear();
            self.swept.extend_from_slice(impulse);
            let epsilon = if round % 2 == 0 { EPSILON } else { FIRM };
            let left = self
                .newton
                .solve(setting, epsilon * aim.mean, impulse, &mut self.velocity);
            self.keep(left, impulse);
            if self.left <= aim.tolerance {
                self.counts.sweeps += 1;
                break;
            }
            impulse.copy_from_slice(&self.swept);
            setting.velocity(impulse, &mut self.velocity);
        }
    }

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

    /// Newton steps from the best impulses without those of one contact.
    pub(super) fn try_opening(&mut self, aim: &Aim<'_>, impulse: &mut [f64]) {
        if !self.left.is_finite() {
            return;
        }
        let setting = &aim.setting;
        for i in 0..setting.groups.len() {
            if !setting.groups[i].normal {
                continue;
            }
            impulse.copy_from_slice(&self.best);
            setting.velocity(impulse, &mut self.velocity);
            setting.branches(impulse, &self.velocity, &mut self.branches);
            let pressed = std::mem::replace(&mut self.branches[i], Branch::Open) != Branch::Open;
            if pressed && self.solve_branches(aim, impulse) && self.improve(aim, EPSILON, impulse) {
                self.counts.newton += 1;
                break;
            }
        }
    }

    /// Newton steps, then proximal ones, from the solutions with polygons.
    pub(super) fn try_polygons(&mut self, aim: &Aim<'_>, impulse: &mut [f64]) {
        let setting = &aim.setting;
        let epsilon = EPSILON * aim.mean;
        for polygon in POLYGONS {
            if !self.facets.solve(setting, polygon, impulse) {
                continue;
            }
            self.anchor.clear();
            self.anchor.extend_from_slice(impulse);
            setting.velocity(impulse, &mut self.velocity);
            let left = (self.newton).solve(setting, epsilon, impulse, &mut self.velocity);
            self.keep(left, impulse);
            if self.left > aim.tolerance {
                impulse.copy_from_slice(&self.anchor);
                let left = self.proximal_steps(aim, impulse);
                self.keep(left, impulse);
            }
            if self.left <= aim.tolerance {
                self.counts.polygons += 1;
                break;
            }
        }
    }
}
