//! Where the branch that a motion is on ends inside a step, and how many solutions the conditions have there.
//!
//! The solution at the end of a step should go over into that at the start of the next one, and that into the one at
//! its end. Where modes have changed this is looked at: a contact that comes to the edge of its mode and goes on in
//! the neighbouring one is still on its branch. Nothing here changes the step.

use super::start::GAP_RESOLUTION;
use super::{StepInput, Stepper};
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::friction::{
    BranchPath, Continuations, DelassusMatrix, FrictionProblem, FrictionRule, HeldMode, Solution,
    count_solutions_around,
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
    /// Whether the start, or the end, of the step is still to be looked at: most trials are not taken.
    pub start_waits: bool,
    pub end_waits: bool,
    comparison: Comparison,
    /// Whether the last step ended with the contacts and velocities of the present one.
    remembers: bool,
    solution: Known,
    /// Difference of impulses, and what it does.
    change: Vec<f64>,
    effect: Vec<f64>,
}

/// A solution, and its modes.
#[derive(Debug, Clone, Default)]
struct Known {
    impulse: Vec<f64>,
    velocity: Vec<f64>,
    modes: Vec<HeldMode>,
}

impl Known {
    fn set(&mut self, impulse: &[f64], velocity: &[f64], modes: &[HeldMode]) {
        self.impulse.clear();
        self.impulse.extend_from_slice(impulse);
        self.velocity.clear();
        self.velocity.extend_from_slice(velocity);
        self.modes.clear();
        self.modes.extend_from_slice(modes);
    }

    fn solution(&self) -> Solution<'_> {
        Solution {
            impulse: &self.impulse,
            velocity: &self.velocity,
        }
    }
}

/// Two solutions, and the problem that the second one solves.
#[derive(Debug, Clone, Default)]
struct Comparison {
    path: BranchPath,
    matrix: DelassusMatrix,
    free: Vec<f64>,
    rules: Vec<FrictionRule>,
    resolution: f64,
    before: Known,
    after: Known,
}

impl Comparison {
    /// Follows the first solution to the second, and counts where it does not arrive: more than one, if there are.
    fn continuations(&mut self) -> Option<Continuations> {
        let (matrix, before, after) = (&self.matrix, &self.before, &self.after);
        let problem = FrictionProblem {
            resolution: self.resolution,
            ..FrictionProblem::exact(&self.free, &self.rules)
        };
        let (from, to) = (before.solution(), after.solution());
        if self.path.goes_over(matrix, &problem, from, to) {
            return None;
        }
        let in_space = matrix.groups.iter().any(|g| g.tangents == 2);
        let budget = if in_space { BUDGET_IN_SPACE } else { BUDGET };
        let changes = |i: usize| !before.modes[i].goes_on_in(after.modes[i]);
        let found = count_solutions_around(matrix, &problem, &after.modes, &changes, budget);
        (found.found > 1).then_some(found)
    }
}

impl Stepper {
    /// Sees, before the velocities at the start are filled in, whether the step goes on from one before. After an
    /// impact, or with a contact that has just closed, there is no branch to stay on.
    pub(super) fn remember_branch(&mut self, held: &[HeldContact], joints: &[HeldJoint]) {
        let contacts = held.iter().all(|h| h.duration > 0.0 && h.slip.is_some());
        let joints = joints.iter().all(|j| j.duration > 0.0 && j.rate.is_some());
        self.branch.remembers = contacts && joints && !self.two_sided;
        self.branch.end_waits = false;
    }

    /// Sees whether it must be looked at that the solution at the end of the step before goes over into that at the start
    /// of this one, and keeps what that takes while the matrix is still that of the start. Keeps the latter solution.
    pub(super) fn follow_branch_to_start(
        &mut self,
        input: &StepInput<'_>,
        held: &[HeldContact],
        joints: &[HeldJoint],
    ) {
        let groups = self.delassus.groups();
        let memory = &mut self.branch;
        let last = &mut memory.solution;
        last.modes.clear();
        let before = held.iter().map(|h| h.modes[1]);
        // A joint that is locked rests before and after.
        let with_rows = &self.locks.with_rows;
        let rubbing = with_rows.iter().map(|&i| joints[i].modes[1]);
        last.modes.extend(before.chain(rubbing));
        last.impulse.resize(self.impulse.len(), 0.0);
        last.velocity.resize(self.impulse.len(), 0.0);
        if memory.remembers && changed(&last.modes, &self.modes) {
            let (contacts, rubbing) = groups.split_at(held.len());
            for (h, rows) in held.iter().zip(contacts) {
                let share = input.h / h.duration;
                let slip = h.slip.unwrap_or_default();
                let own = rows.row..rows.row + rows.height();
                for (x, before) in last.impulse[own.clone()].iter_mut().zip(h.end_impulse) {
                    *x = share * before;
                }
                let velocity = [h.normal_velocity, slip[0], slip[1]];
                for (a, before) in last.velocity[own].iter_mut().zip(velocity) {
                    *a = before;
                }
            }
            for (joint, rows) in with_rows.iter().map(|&i| &joints[i]).zip(rubbing) {
                last.impulse[rows.row] = input.h / joint.duration * joint.impulses[1];
                last.velocity[rows.row] = joint.rate.unwrap_or_default();
            }
            if self.jumps(input) {
                self.keep_comparison(GAP_RESOLUTION / input.h.abs().max(input.whole));
                self.branch.start_waits = true;
            }
        }
        let velocity = self.solver.velocity();
        (self.branch.solution).set(&self.impulse, velocity, &self.modes);
    }

    /// Whether it is to be seen that the solution at the start goes over into that at the end.
    pub(super) fn arrive_on_branch(&mut self, input: &StepInput<'_>) {
        // A joint that was released at the end has no row at the start.
        let last = &self.branch.solution.modes;
        let comparable = last.len() == self.modes.len() && !self.two_sided;
        let changed = comparable && changed(last, &self.modes);
        self.branch.end_waits = changed && self.jumps(input);
    }

    /// Where the branch ended in the last step, after [`Stepper::finish`] and while the matrix is that of the end.
    pub(crate) fn branch_end(&mut self) -> Option<BranchEnd> {
        if std::mem::take(&mut self.branch.start_waits) {
            self.compare(false);
        }
        if std::mem::take(&mut self.branch.end_waits) && self.branch.end.is_none() {
            self.keep_comparison(self.resolution);
            self.compare(true);
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
        let pairs = self.impulse.iter().zip(&memory.solution.impulse);
        memory.change.extend(pairs.map(|(a, b)| a - b));
        let few = memory.change.len() <= MOST_ROWS;
        if !few || largest(&memory.change) <= model.mass() * fall {
            return false;
        }
        memory.effect.resize(memory.change.len(), 0.0);
        self.delassus.product(&memory.change, &mut memory.effect);
        largest(&memory.effect) > fall
    }

    /// Keeps what it takes to compare the remembered solution with the one at hand.
    fn keep_comparison(&mut self, resolution: f64) {
        let BranchMemory {
            comparison,
            solution,
            ..
        } = &mut self.branch;
        comparison.matrix.copy(&mut self.delassus);
        comparison.free.clone_from(&self.free);
        comparison.rules.clone_from(&self.rules);
        comparison.resolution = resolution;
        std::mem::swap(&mut comparison.before, solution);
        let velocity = self.solver.velocity();
        (comparison.after).set(&self.impulse, velocity, &self.modes);
    }

    fn compare(&mut self, inside: bool) {
        let found = self.branch.comparison.continuations();
        self.branch.end = found.map(|continuations| BranchEnd {
            inside,
            continuations,
        });
    }
}

/// Whether some group does something else.
fn changed(before: &[HeldMode], after: &[HeldMode]) -> bool {
    before.iter().zip(after).any(|(a, b)| !a.goes_on_in(*b))
}
