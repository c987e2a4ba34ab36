//! Impulses of least norm while everything that touches sticks.

use super::FrictionSolver;
use crate::friction::cone_sharing::WITHIN;
use crate::friction::{
    Delassus, FrictionProblem, FrictionResiduals, FrictionRows, FrictionRule, HeldMode,
};
use crate::numerics::largest;

/// Normal impulses below this share of the largest impulse are none.
const JAMMED: f64 = 1e-3;
/// A share is found to this many binary digits.
const BISECTIONS: usize = 40;

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
        self.aside.clear();
        self.aside.resize(impulse.len(), 0.0);
        for (group, mode) in delassus.groups().iter().zip(modes) {
            self.stuck.push(match mode {
                HeldMode::Slide(s) if !group.normal => {
                    self.aside[group.row] = -group.limit * s[0];
                    0
                }
                _ => {
                    *mode = HeldMode::Stick;
                    group.stuck_rows()
                }
            });
        }
        self.free.resize(impulse.len(), 0.0);
        delassus.velocity(problem.free, &self.aside, &mut self.free);
        let velocity = &mut self.velocity;
        let error = delassus.stop(&self.stuck, &self.free, speed, impulse, velocity);
        for (x, known) in impulse.iter_mut().zip(&self.aside) {
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
        let known = self.lay_out_stuck(delassus, problem, modes)?;
        let mut free = std::mem::take(&mut self.free);
        free.resize(impulse.len(), 0.0);
        if known {
            delassus.velocity(problem.free, &self.aside, &mut free);
        } else {
            free.copy_from_slice(problem.free);
        }
        delassus.stop(&self.stuck, &free, speed, impulse, &mut self.velocity);
        self.free = free;
        if known {
            for (x, known) in impulse.iter_mut().zip(&self.aside) {
                *x += known;
            }
        }
        Some(self.residuals(delassus, problem, impulse))
    }

    /// Impulses of contacts that all stick where those of least norm leave a cone: what redundant contacts press against each
    /// other is kept as it was. Those nearest to the last ones solve the equations, and so does all between them and those of least
    /// norm, which `impulse` holds on entry if they are there (`has_least_norm`): then as much is given up as the cones allow.
    pub(super) fn stay_beside(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        modes: &[HeldMode],
        has_least_norm: bool,
        impulse: &mut [f64],
    ) -> Option<FrictionResiduals> {
        self.lay_out_stuck(delassus, problem, modes)?;
        let r = impulse.len();
        let mut near = std::mem::take(&mut self.anchor);
        near.clear();
        near.extend_from_slice(&self.aside);
        for (group, rows) in delassus.groups().iter().zip(&self.stuck) {
            let own = group.row..group.row + rows;
            near[own.clone()].copy_from_slice(&self.last[own]);
        }
        let mut free = std::mem::take(&mut self.free);
        free.resize(r, 0.0);
        delassus.velocity(problem.free, &near, &mut free);
        self.best.resize(r, 0.0);
        self.last_velocity.resize(r, 0.0);
        let (change, velocity) = (&mut self.best, &mut self.last_velocity);
        delassus.stop(&self.stuck, &free, speed, change, velocity);
        self.free = free;
        for (x, change) in near.iter_mut().zip(&self.best) {
            *x += change;
        }
        let share = if has_least_norm {
            let groups = delassus.groups().iter();
            let all = groups.zip(&self.stuck).filter(|(_, rows)| **rows > 0);
            all.map(|(group, _)| share_outside(group, impulse, &near))
                .fold(0.0, f64::max)
        } else {
            1.0
        };
        let blend = |x: &mut [f64], to: &[f64]| {
            for (x, to) in x.iter_mut().zip(to) {
                *x = if share == 1.0 {
                    *to
                } else {
                    *x + share * (to - *x)
                };
            }
        };
        blend(impulse, &near);
        blend(&mut self.velocity, &self.last_velocity);
        self.anchor = near;
        Some(self.residuals(delassus, problem, impulse))
    }

    /// The same by the least impulses in the cones, where those nearest to the last ones leave one as well: looked for from these, which
    /// `anchor` holds. None where nothing is shared, or where a contact that would have to pull, if all stuck by impulses of least norm,
    /// presses: what touches at several places can be jammed in without any load, but does not jam itself.
    pub(super) fn stay_in_cones(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        speed: f64,
        impulse: &mut [f64],
    ) -> Option<FrictionResiduals> {
        let generation = delassus.generation();
        if !(self.cones).find(delassus.matrix(), &self.stuck, generation) {
            return None;
        }
        impulse.copy_from_slice(&self.anchor);
        self.cones.settle(impulse);
        let mut free = std::mem::take(&mut self.free);
        delassus.velocity(problem.free, &self.aside, &mut free);
        let (least, velocity) = (&mut self.best, &mut self.last_velocity);
        delassus.stop(&self.stuck, &free, speed, least, velocity);
        self.free = free;
        let pressed = JAMMED * largest(impulse);
        let mut contacts = delassus.groups().iter().filter(|group| group.normal);
        if contacts.any(|own| self.best[own.row] < -pressed && impulse[own.row] > pressed) {
            return None;
        }
        delassus.velocity(problem.free, impulse, &mut self.velocity);
        Some(self.residuals(delassus, problem, impulse))
    }

    /// Writes into `stuck` how many rows of each group stick, and into `aside` the friction of joints that slide; whether there is any.
    /// `None` where a contact slides.
    fn lay_out_stuck(
        &mut self,
        delassus: &Delassus,
        problem: &FrictionProblem<'_>,
        modes: &[HeldMode],
    ) -> Option<bool> {
        self.stuck.clear();
        let mut known = false;
        self.aside.clear();
        self.aside.resize(problem.free.len(), 0.0);
        for ((group, rule), mode) in delassus.groups().iter().zip(problem.rules).zip(modes) {
            let rows = match (rule, mode) {
                (FrictionRule::Off, _) | (_, HeldMode::Open) => 0,
                (FrictionRule::Along(s), _) | (_, HeldMode::Slide(s)) => {
                    if group.normal {
                        return None;
                    }
                    self.aside[group.row] = -group.limit * s[0];
                    known = true;
                    0
                }
                (_, HeldMode::Stick) => group.stuck_rows(),
            };
            self.stuck.push(rows);
        }
        Some(known)
    }
}

/// The least share of the way from the first impulses to the second from which on a group is inside of its cone; 1 where it is not
/// there at the second.
fn share_outside(group: &FrictionRows, from: &[f64], to: &[f64]) -> f64 {
    let is_inside = |share: f64| {
        let at = |row: usize| from[row] + share * (to[row] - from[row]);
        let pressing = if group.normal { at(group.row) } else { 0.0 };
        let pull = (0..group.tangents).map(|t| at(group.tangent(t)));
        let square: f64 = pull.map(|x| x * x).sum();
        let radius = WITHIN * (group.friction * pressing + group.limit);
        pressing >= 0.0 && (!group.rubs() || square <= radius * radius)
    };
    if is_inside(0.0) {
        return 0.0;
    }
    let (mut outside, mut inside) = (0.0, 1.0);
    for _ in 0..BISECTIONS {
        let middle = 0.5 * (outside + inside);
        if is_inside(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    inside
}
