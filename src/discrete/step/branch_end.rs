//! Where the branch that a motion is on ends inside a step, and how many solutions the conditions have there.
//!
//! The solution at the end of a step should go over into that at the start of the next one, and that into the one at
//! its end. Where modes have changed this is looked at: a contact that comes to the edge of its mode and goes on in
//! the neighbouring one is still on its branch. Nothing here changes the step.

use super::end::VELOCITY_RESOLUTION;
use super::start::GAP_RESOLUTION;
use super::{StepInput, Stepper};
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::friction::{
    BranchPath, Continuations, FrictionProblem, HeldMode, Solution, count_solutions_around,
};
use crate::numerics::largest;

/// A jump of an impulse by less than this share of the robot's weight over the step, or of a velocity by less than
/// this share of a fall's, ends no branch that matters.
const SLIGHT: f64 = 1e-2;
/// Combinations of modes that are tried of planar contacts, all of four, and of contacts in space, which cost much more:
/// those that differ in one of three.
const BUDGET: usize = 300;
const BUDGET_IN_SPACE: usize = 32;
/// With more rows than eight contacts in space have, a count would cost as much as many steps; none is made.
const MOST_ROWS: usize = 24;

/// The end of a branch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct BranchEnd {
    /// Whether it is between the two ends of the step, not between the step before and this one.
    pub inside: bool,
    /// Solutions of the conditions that ended it, the one taken included.
    pub continuations: Continuations,
}

/// The solution that the next one is compared with.
#[derive(Debug, Clone, Default)]
pub(super) struct BranchMemory {
    pub end: Option<BranchEnd>,
    /// Whether the end of the step is still to be looked at: most trials are not taken.
    pub waits: bool,
    path: BranchPath,
    /// Whether the last step ended with the contacts and velocities of the present one.
    remembers: bool,
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    modes: Vec<HeldMode>,
    /// Difference of impulses, and what it does.
    change: Vec<f64>,
    effect: Vec<f64>,
}

impl Stepper {
    /// Sees, before the velocities at the start are filled in, whether the step goes on from one before. After an
    /// impact, or with a contact that has just closed, there is no branch to stay on.
    pub(super) fn remember_branch(&mut self, held: &[HeldContact], joints: &[HeldJoint]) {
        let contacts = held.iter().all(|h| h.duration > 0.0 && h.slip.is_some());
        let joints = joints.iter().all(|j| j.duration > 0.0 && j.rate.is_some());
        self.branch.remembers = contacts && joints && !self.two_sided;
        self.branch.waits = false;
    }

    /// Whether the solution at the end of the step before goes over into that at the start of this one, while the
    /// matrix is still that of the start. Keeps the latter.
    pub(super) fn follow_branch_to_start(
        &mut self,
        input: &StepInput<'_>,
        held: &[HeldContact],
        joints: &[HeldJoint],
    ) {
        let groups = self.delassus.groups();
        let memory = &mut self.branch;
        memory.modes.clear();
        let before = held.iter().map(|h| h.modes[1]);
        // A joint that is locked rests before and after.
        let with_rows = &self.locks.with_rows;
        let rubbing = with_rows.iter().map(|&i| joints[i].modes[1]);
        memory.modes.extend(before.chain(rubbing));
        memory.impulse.resize(self.impulse.len(), 0.0);
        memory.velocity.resize(self.impulse.len(), 0.0);
        if memory.remembers && changed(&memory.modes, &self.modes) {
            let (contacts, rubbing) = groups.split_at(held.len());
            for (h, rows) in held.iter().zip(contacts) {
                let share = input.h / h.duration;
                let slip = h.slip.unwrap_or_default();
                let own = rows.row..rows.row + rows.height();
                for (x, last) in memory.impulse[own.clone()].iter_mut().zip(h.end_impulse) {
                    *x = share * last;
                }
                let velocity = [h.normal_velocity, slip[0], slip[1]];
                for (a, last) in memory.velocity[own].iter_mut().zip(velocity) {
                    *a = last;
                }
            }
            for (joint, rows) in with_rows.iter().map(|&i| &joints[i]).zip(rubbing) {
                memory.impulse[rows.row] = input.h / joint.duration * joint.impulses[1];
                memory.velocity[rows.row] = joint.rate.unwrap_or_default();
            }
            if self.jumps(input) {
                self.compare(false, GAP_RESOLUTION / input.h.abs().max(input.whole));
            }
        }
        let memory = &mut self.branch;
        memory.impulse.copy_from_slice(&self.impulse);
        memory.velocity.copy_from_slice(self.solver.velocity());
        memory.modes.clone_from(&self.modes);
    }

    /// Whether it is to be seen that the solution at the start goes over into that at the end.
    pub(super) fn arrive_on_branch(&mut self, input: &StepInput<'_>) {
        let seen = self.branch.end.is_some() || self.two_sided;
        // A joint that was released at the end has no row at the start.
        let comparable = self.branch.modes.len() == self.modes.len();
        self.branch.waits =
            !seen && comparable && changed(&self.branch.modes, &self.modes) && self.jumps(input);
    }

    /// Where the branch ended in the last step, after [`Stepper::finish`] and while the matrix is that of the end.
    pub(crate) fn branch_end(&mut self) -> Option<BranchEnd> {
        if std::mem::take(&mut self.branch.waits) {
            self.compare(true, VELOCITY_RESOLUTION);
        }
        self.branch.end
    }

    /// Whether an impulse is another one than remembered, beside what the weight does over the step, and does
    /// something else: impulses of redundant contacts may change without that.
    fn jumps(&mut self, input: &StepInput<'_>) -> bool {
        let StepInput { model, h, .. } = *input;
        let fall = SLIGHT * model.gravity().norm() * h.abs();
        let memory = &mut self.branch;
        memory.change.clear();
        let pairs = self.impulse.iter().zip(&memory.impulse);
        memory.change.extend(pairs.map(|(a, b)| a - b));
        let few = memory.change.len() <= MOST_ROWS;
        if !few || largest(&memory.change) <= model.mass() * fall {
            return false;
        }
        memory.effect.resize(memory.change.len(), 0.0);
        self.delassus.product(&memory.change, &mut memory.effect);
        largest(&memory.effect) > fall
    }

    /// Follows the remembered solution to the one at hand and counts where it does not arrive.
    fn compare(&mut self, inside: bool, resolution: f64) {
        let problem = FrictionProblem {
            resolution,
            ..FrictionProblem::exact(&self.free, &self.rules)
        };
        let memory = &mut self.branch;
        let before = Solution {
            impulse: &memory.impulse,
            velocity: &memory.velocity,
        };
        let after = Solution {
            impulse: &self.impulse,
            velocity: self.solver.velocity(),
        };
        if memory
            .path
            .goes_over(&mut self.delassus, &problem, before, after)
        {
            return;
        }
        let in_space = self.delassus.groups().iter().any(|g| g.tangents == 2);
        let budget = if in_space { BUDGET_IN_SPACE } else { BUDGET };
        let (before, after) = (&memory.modes, &self.modes);
        let changes = |i: usize| !before[i].goes_on_in(after[i]);
        let continuations =
            count_solutions_around(&mut self.delassus, &problem, after, &changes, budget);
        if continuations.found > 1 {
            memory.end = Some(BranchEnd {
                inside,
                continuations,
            });
        }
    }
}

/// Whether some group does something else.
fn changed(before: &[HeldMode], after: &[HeldMode]) -> bool {
    before.iter().zip(after).any(|(a, b)| !a.goes_on_in(*b))
}
