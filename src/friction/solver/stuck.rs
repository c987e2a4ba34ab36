//! Impulses while everything that touches sticks: of least norm, or near the last ones in their cones.

use super::FrictionSolver;
use crate::friction::{
    Delassus, FrictionProblem, FrictionResiduals, FrictionRows, FrictionRule, HeldMode,
};

/// Projections in turn. Those that find impulses at all mostly do with the first.
const PROJECTIONS: usize = 6;
/// Share by which cones are narrower for them: impulses that are not on an edge stay in their cones also when they change
/// a little.
const MARGIN: f64 = 0.02;

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

    /// Lists the rows that stop while no contact slides, and the impulses that are known, those of sliding joints; false
    /// when a contact slides.
    pub(super) fn choose_stuck(
        &mut self,
        groups: &[FrictionRows],
        problem: &FrictionProblem<'_>,
        modes: &[HeldMode],
    ) -> bool {
        self.stuck.clear();
        self.swept.clear();
        self.swept.resize(problem.free.len(), 0.0);
        for ((group, rule), mode) in groups.iter().zip(problem.rules).zip(modes) {
            let rows = match (rule, mode) {
                (FrictionRule::Off, _) | (_, HeldMode::Open) => 0,
                (FrictionRule::Along(s), _) | (_, HeldMode::Slide(s)) => {
                    if group.normal {
                        return false;
                    }
                    self.swept[group.row] = -group.limit * s[0];
                    0
                }
                (_, HeldMode::Stick) => group.stuck_rows(),
            };
            self.stuck.push(rows);
        }
        true
    }

    /// Impulses of least norm that stop the chosen rows.
    pub(super) fn stop_by_least_norm(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        impulse: &mut [f64],
    ) -> FrictionResiduals {
        let mut free = std::mem::take(&mut self.free);
        free.resize(impulse.len(), 0.0);
        let known = self.swept.iter().any(|x| *x != 0.0);
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
        self.residuals(delassus, problem, impulse)
    }

    /// Impulses that stop the chosen rows and lie in their cones, near the last ones: projections onto the cones and onto
    /// what stops the rows, in turn. `None` when none are found.
    pub(super) fn stop_within_cones(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        impulse: &mut [f64],
    ) -> Option<FrictionResiduals> {
        let tolerance = Self::tolerance(problem);
        let mut velocity = std::mem::take(&mut self.velocity);
        impulse.copy_from_slice(&self.last);
        let mut found = None;
        for _ in 0..PROJECTIONS {
            for (group, &rows) in delassus.groups().iter().zip(&self.stuck) {
                if rows > 0 {
                    group.project(1.0 - MARGIN, impulse);
                } else {
                    let own = group.row..group.row + group.height();
                    impulse[own.clone()].copy_from_slice(&self.swept[own]);
                }
            }
            delassus.velocity(problem.free, impulse, &mut velocity);
            delassus.stop_rest(&self.stuck, problem.free, speed, impulse, &mut velocity);
            std::mem::swap(&mut self.velocity, &mut velocity);
            let left = self.residuals(delassus, problem, impulse);
            std::mem::swap(&mut self.velocity, &mut velocity);
            if left.largest() <= tolerance {
                found = Some(left);
                break;
            }
        }
        self.velocity = velocity;
        found
    }
}
