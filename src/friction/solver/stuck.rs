//! Impulses of least norm while everything that touches sticks.

use super::FrictionSolver;
use crate::friction::natural_map::residuals;
use crate::friction::{Delassus, FrictionProblem, FrictionResiduals, FrictionRule, HeldMode};

impl FrictionSolver {
    /// Least-norm impulses of any sign and size that hold every contact and every joint that does not slide.
    pub(super) fn hold(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        modes: &mut [HeldMode],
        impulse: &mut [f64],
    ) -> FrictionResiduals {
        self.stuck.clear();
        self.swept.clear();
        self.swept.resize(impulse.len(), 0.0);
        for (group, mode) in delassus.groups().iter().zip(modes) {
            self.stuck.push(match mode {
                HeldMode::Slide(s) if !group.normal => {
                    self.swept[group.row] = -group.limit * s[0];
                    0
                }
                _ => {
                    *mode = HeldMode::Stick;
                    group.stuck_rows()
                }
            });
        }
        self.free.resize(impulse.len(), 0.0);
        delassus.velocity(problem.free, &self.swept, &mut self.free);
        let velocity = &mut self.velocity;
        let error = delassus.stop(&self.stuck, &self.free, speed, impulse, velocity);
        for (x, known) in impulse.iter_mut().zip(&self.swept) {
            *x += known;
        }
        self.least_norm = true;
        self.refuses_least_norm = false;
        self.counts.stuck += 1;
        FrictionResiduals {
            normal: error,
            ..FrictionResiduals::default()
        }
    }

    /// Least-norm impulses when no contact slides in the guess; friction of sliding joints is known.
    pub(super) fn stay_stuck(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        modes: &[HeldMode],
        impulse: &mut [f64],
    ) -> Option<FrictionResiduals> {
        self.stuck.clear();
        let mut known = false;
        self.swept.clear();
        self.swept.resize(impulse.len(), 0.0);
        for ((group, rule), mode) in delassus.groups().iter().zip(problem.rules).zip(modes) {
            let rows = match (rule, mode) {
                (FrictionRule::Off, _) | (_, HeldMode::Open) => 0,
                (FrictionRule::Along(s), _) | (_, HeldMode::Slide(s)) => {
                    if group.normal {
                        return None;
                    }
                    self.swept[group.row] = -group.limit * s[0];
                    known = true;
                    0
                }
                (_, HeldMode::Stick) => group.stuck_rows(),
            };
            self.stuck.push(rows);
        }
        let mut free = std::mem::take(&mut self.free);
        free.resize(impulse.len(), 0.0);
        if known {
            delassus.velocity(problem.free, &self.swept, &mut free);
        } else {
            free.copy_from_slice(problem.free);
        }
        delassus.stop(&self.stuck, &free, speed, impulse, &mut self.velocity);
        self.free = free;
        if known {
            for (x, known) in impulse.iter_mut().zip(&self.swept) {
                *x += known;
            }
        }
        Some(residuals(
            delassus.groups(),
            problem.rules,
            &self.stiffness,
            impulse,
            &self.velocity,
        ))
    }
}
