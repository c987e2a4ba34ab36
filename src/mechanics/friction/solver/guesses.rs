//! Newton steps from guesses: what solved the last problem, the modes of the instant before, and one contact less.

use super::modes::{guess, has_same_modes, stick_all};
use super::{Aim, EPSILON, FIRM, FrictionSolver};
use crate::friction::mode_system::Branch;
use crate::friction::{FrictionProblem, HeldMode};

/// Impulses that would move velocities by so many times what was left of the conditions have moved along redundant contacts.
const DRIFT: f64 = 1e3;

impl FrictionSolver {
    /// Newton steps from the last impulses where these nearly solve the problem, then from the modes of the instant before,
    /// then from what pressing without slip would need; true when nothing better is needed.
    pub(super) fn try_guesses(
        &mut self,
        aim: &Aim<'_>,
        problem: &FrictionProblem<'_>,
        modes: &[HeldMode],
        impulse: &mut [f64],
    ) -> bool {
        let setting = &aim.setting;
        self.last_velocity.clear();
        if problem.guessed.is_empty() {
            self.last_velocity.resize(impulse.len(), 0.0);
            setting.velocity(&self.last, &mut self.last_velocity);
        } else {
            self.last_velocity.extend_from_slice(problem.guessed);
        }
        self.begin_again(impulse);
        let before = setting.residual(impulse, &self.velocity);
        let last = before.0;
        // They only lack their last digits. Where contacts hardly slip, equations of slides lead away from them, and to other
        // impulses of redundant contacts in every iteration.
        let mut groups = modes.iter().zip(setting.groups);
        let slides = groups.any(|(mode, g)| g.normal && matches!(mode, HeldMode::Slide(_)));
        let nearly = slides && (problem.continued || last <= aim.tolerance);
        if nearly && self.improve_nearby(before, aim, problem.continued, impulse) {
            self.hold_back(aim, last, impulse);
            return true;
        }
        let (at, speeds) = (&self.last_velocity, problem.slip_speeds);
        guess(setting, modes, speeds, &self.last, at, &mut self.guessed);
        // Impulses on the same branch as the guess are a better beginning: directions of slides have turned with the motion.
        let is_on_branch = slides && !nearly && {
            setting.branches(&self.last, at, &mut self.branches);
            has_same_modes(&self.branches, &self.guessed)
        };
        if is_on_branch {
            self.begin_again(impulse);
            if self.improve_from(before, aim, EPSILON, impulse) {
                return true;
            }
        }
        for attempt in 0..3 {
            self.begin_again(impulse);
            if attempt == 0 {
                self.branches.clone_from(&self.guessed);
            } else {
                stick_all(setting.groups, attempt == 2, &mut self.branches);
            }
            if !self.solve_branches(aim, impulse) {
                continue;
            }
            let guessed = setting.residual(impulse, &self.velocity);
            if attempt == 0 && !nearly && !is_on_branch && guessed.0 > last {
                self.aside.clear();
                self.aside.extend_from_slice(impulse);
                self.begin_again(impulse);
                let is_solved = self.improve_from(before, aim, EPSILON, impulse);
                if is_solved && !self.opens(aim) {
                    return true;
                }
                let solved = is_solved.then(|| self.put_aside());
                impulse.copy_from_slice(&self.aside);
                setting.velocity(impulse, &mut self.velocity);
                if let Some(left) = solved {
                    let is_solved = self.improve_from(guessed, aim, EPSILON, impulse);
                    if !is_solved || self.opens(aim) {
                        self.take_back(left, aim, impulse);
                    }
                    return true;
                }
            }
            if self.improve_from(guessed, aim, EPSILON, impulse) {
                return true;
            }
        }
        false
    }

    /// Whether the best impulses let go a contact that presses in the guess: it may press just as well, and the motion is on that branch.
    fn opens(&mut self, aim: &Aim<'_>) -> bool {
        let setting = &aim.setting;
        setting.velocity(&self.best, &mut self.velocity);
        setting.branches(&self.best, &self.velocity, &mut self.branches);
        let groups = setting.groups.iter().zip(&self.guessed);
        groups.zip(&self.branches).any(|((group, guessed), found)| {
            group.normal && *guessed != Branch::Open && *found == Branch::Open
        })
    }

    /// Keeps the best impulses for [`FrictionSolver::take_back`], and says what they leave.
    fn put_aside(&mut self) -> f64 {
        self.opened.clone_from(&self.best);
        std::mem::replace(&mut self.left, f64::INFINITY)
    }

    fn take_back(&mut self, left: f64, aim: &Aim<'_>, impulse: &mut [f64]) {
        self.left = left;
        self.best.clone_from(&self.opened);
        impulse.copy_from_slice(&self.best);
        aim.setting.velocity(impulse, &mut self.velocity);
    }

    /// Newton steps from the last impulses, of which `before` is left; those of a `continued` problem begin with its branches:
    /// beside what has changed meanwhile the slip of a contact may be small enough to seem to stick.
    fn improve_nearby(
        &mut self,
        before: (f64, f64),
        aim: &Aim<'_>,
        continued: bool,
        impulse: &mut [f64],
    ) -> bool {
        if continued && self.found.len() == aim.setting.groups.len() {
            self.branches.clone_from(&self.found);
            if self.solve_branches(aim, impulse) {
                let after = aim.setting.residual(impulse, &self.velocity);
                if after.1 < before.1 && self.improve_from(after, aim, EPSILON, impulse) {
                    return true;
                }
            }
            self.begin_again(impulse);
        }
        self.improve_from(before, aim, EPSILON, impulse)
    }

    /// Improves the last impulses, which left `last` of the conditions, by a firmer ε where redundant contacts press
    /// against each other for what they cannot mend.
    fn hold_back(&mut self, aim: &Aim<'_>, last: f64, impulse: &mut [f64]) {
        let moved = self.best.iter().zip(&self.last);
        let moved = moved.fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        if aim.mean * moved <= DRIFT * last {
            return;
        }
        let left = std::mem::replace(&mut self.left, f64::INFINITY);
        self.aside.clone_from(&self.best);
        self.begin_again(impulse);
        if !self.improve(aim, FIRM, impulse) {
            self.left = left;
            self.best.clone_from(&self.aside);
            impulse.copy_from_slice(&self.best);
            aim.setting.velocity(impulse, &mut self.velocity);
        }
    }

    /// Newton steps from the best impulses without those of one contact, each in turn: where friction couples strongly to the normal
    /// direction, one that presses may be open just as well (Painlevé).
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

    /// The last impulses, with their velocities.
    fn begin_again(&mut self, impulse: &mut [f64]) {
        impulse.copy_from_slice(&self.last);
        self.velocity.copy_from_slice(&self.last_velocity);
    }

    /// The impulses of `branches`; false when they are singular.
    pub(super) fn solve_branches(&mut self, aim: &Aim<'_>, impulse: &mut [f64]) -> bool {
        self.newton.solve_branches(
            &aim.setting,
            &self.branches,
            EPSILON * aim.mean,
            impulse,
            &mut self.velocity,
        )
    }

    /// Newton steps from impulses with their velocities, with ε beside the mean diagonal entry of G; true when nothing
    /// better is needed.
    pub(super) fn improve(&mut self, aim: &Aim<'_>, epsilon: f64, impulse: &mut [f64]) -> bool {
        let residual = aim.setting.residual(impulse, &self.velocity);
        self.improve_from(residual, aim, epsilon, impulse)
    }

    /// The same where what is left of them is known.
    fn improve_from(
        &mut self,
        residual: (f64, f64),
        aim: &Aim<'_>,
        epsilon: f64,
        impulse: &mut [f64],
    ) -> bool {
        let (epsilon, velocity) = (epsilon * aim.mean, &mut self.velocity);
        let left = (self.newton).solve_from(residual, &aim.setting, epsilon, impulse, velocity);
        self.keep(left, impulse);
        self.left <= aim.tolerance
    }
}
