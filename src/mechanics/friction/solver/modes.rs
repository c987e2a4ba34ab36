//! From remembered modes to a first guess, and from a solution back to modes.

use std::mem::discriminant;

use super::FrictionSolver;
use crate::friction::mode_system::Branch;
use crate::friction::newton::Setting;
use crate::friction::{Delassus, FrictionProblem, FrictionRows, HeldMode};

impl FrictionSolver {
    /// The modes of a solution, with the velocities and stiffnesses at hand.
    pub(crate) fn classify(
        &mut self,
        delassus: &mut Delassus,
        problem: &FrictionProblem<'_>,
        modes: &mut [HeldMode],
        impulse: &[f64],
    ) {
        let generation = delassus.generation();
        let (matrix, groups) = delassus.matrix();
        let setting = Setting {
            delassus: matrix,
            generation,
            free: problem.free,
            groups,
            rules: problem.rules,
            stiffness: &self.stiffness,
            exact: 0.0,
            enough: 0.0,
            proximal: None,
            shares: false,
        };
        setting.branches(impulse, &self.velocity, &mut self.branches);
        for ((branch, group), mode) in self.branches.iter().zip(groups).zip(modes) {
            *mode = match branch {
                Branch::Open => HeldMode::Open,
                Branch::Stick => HeldMode::Stick,
                Branch::Slide(d, _) => {
                    let slip = group.tangential(&self.velocity);
                    let speed = slip[0].hypot(slip[1]);
                    let against = slip[0] * d[0] + slip[1] * d[1];
                    // On the edge of the cone without slip the mode is either.
                    if speed > 0.0 && against < 0.0 {
                        HeldMode::Slide(slip.map(|x| x / speed))
                    } else {
                        HeldMode::Slide(d.map(|x| -x))
                    }
                }
            };
        }
    }
}

/// Branches of remembered modes; how hard friction resists being turned follows from impulses and slip, or from the
/// speeds of slips that are known.
pub(super) fn guess(
    setting: &Setting<'_>,
    modes: &[HeldMode],
    slip_speeds: &[f64],
    impulse: &[f64],
    velocity: &[f64],
    out: &mut Vec<Branch>,
) {
    out.clear();
    let all = setting.groups.iter().zip(modes).zip(setting.stiffness);
    out.extend(all.enumerate().map(|(i, ((group, mode), k))| match mode {
        HeldMode::Open => Branch::Open,
        HeldMode::Stick => Branch::Stick,
        HeldMode::Slide(s) => {
            let slip = group.tangential(velocity);
            let along = match slip_speeds.get(i) {
                Some(&speed) if speed > 0.0 => speed,
                _ => (slip[0] * s[0] + slip[1] * s[1]).max(0.0),
            };
            let radius = group.radius(group.normal_of(impulse));
            let turning = along / radius.max(1e-12 * along / k[1]).max(f64::MIN_POSITIVE);
            Branch::Slide(s.map(|s| -s), turning)
        }
    }));
}

/// Every group sticks, or every contact is open and every joint sticks.
pub(super) fn stick_all(groups: &[FrictionRows], open: bool, out: &mut Vec<Branch>) {
    out.clear();
    out.extend(groups.iter().map(|g| {
        if open && g.normal {
            Branch::Open
        } else {
            Branch::Stick
        }
    }));
}

/// Whether all groups are in the same modes, wherever these act.
pub(super) fn has_same_modes(one: &[Branch], other: &[Branch]) -> bool {
    let is_same = |(a, b): (&Branch, &Branch)| discriminant(a) == discriminant(b);
    one.len() == other.len() && one.iter().zip(other).all(is_same)
}
