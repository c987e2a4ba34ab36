//! How redundant contacts share a load once their modes are known.

use super::modes::has_same_modes;
use super::{Aim, EPSILON, FrictionSolver};
use crate::friction::newton::Setting;

/// Solutions of mode equations that sharing a load may cost: where impulses of least norm leave a cone, what follows from them
/// mostly leaves another one, and goes in circles.
const SOLUTIONS: usize = 3;

impl FrictionSolver {
    /// Replaces a solution by that of least norm with the same modes, or with those that follow from it, where it leaves no more of
    /// the conditions than they may; `velocity` is that with the impulses before and after.
    ///
    /// Newton steps leave what redundant contacts press against each other as they found it. Where something slides friction
    /// acts by that, and so would the way in which a step was solved. What a continued problem changes is small, and so is what
    /// it adds to that.
    pub(super) fn share_loads(&mut self, aim: &Aim<'_>, continued: bool, impulse: &mut [f64]) {
        if !self.newton.may_be_redundant(aim.setting.generation) {
            return;
        }
        let setting = Setting {
            shares: true,
            ..aim.setting
        };
        setting.branches(impulse, &self.velocity, &mut self.branches);
        if continued && has_same_modes(&self.shared, &self.branches) {
            return;
        }
        self.shared.clone_from(&self.branches);
        self.aside.clear();
        self.aside.extend_from_slice(impulse);
        self.last_velocity.clear();
        self.last_velocity.extend_from_slice(&self.velocity);
        let (epsilon, velocity) = (EPSILON * aim.mean, &mut self.velocity);
        self.newton.budget = Some(SOLUTIONS);
        let branches = &self.branches;
        let solved = (self.newton).solve_branches(&setting, branches, epsilon, impulse, velocity);
        let enough = self.left.max(setting.exact);
        let left = if solved {
            let residual = setting.residual(impulse, velocity);
            (self.newton).solve_from(residual, &setting, epsilon, impulse, velocity)
        } else {
            f64::INFINITY
        };
        self.newton.budget = None;
        if left > enough {
            impulse.copy_from_slice(&self.aside);
            self.velocity.copy_from_slice(&self.last_velocity);
        }
    }
}
