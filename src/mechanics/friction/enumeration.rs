//! Every combination of modes of a few contacts. Steps from guess to guess can go in circles where friction
//! couples strongly to the normal direction; this cannot. For planar contacts and joints it is exact: there are
//! no more combinations. Contacts in space may slide in any direction: Newton steps start from eight.

use super::mode_system::Branch;
use super::newton::{Newton, Setting};
use super::{FrictionRows, FrictionRule};

/// Combinations that may be tried: those of six planar contacts, and of two in space with a few joints.
const MOST: usize = 4096;
const MOST_IN_SPACE: usize = 1000;
/// What one contact, a contact without friction, and a joint can do in one dimension of slip.
const CONTACT: [Branch; 4] = [
    Branch::Stick,
    Branch::Slide([1.0, 0.0], 0.0),
    Branch::Slide([-1.0, 0.0], 0.0),
    Branch::Open,
];
const FRICTIONLESS: [Branch; 2] = [Branch::Stick, Branch::Open];
const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
/// Resistance against turning that keeps the direction.
pub(super) const FIXED: f64 = 1e6;
const IN_SPACE: [Branch; 10] = [
    Branch::Stick,
    Branch::Slide([1.0, 0.0], FIXED),
    Branch::Slide([H, H], FIXED),
    Branch::Slide([0.0, 1.0], FIXED),
    Branch::Slide([-H, H], FIXED),
    Branch::Slide([-1.0, 0.0], FIXED),
    Branch::Slide([-H, -H], FIXED),
    Branch::Slide([0.0, -1.0], FIXED),
    Branch::Slide([H, -H], FIXED),
    Branch::Open,
];
const JOINT: [Branch; 3] = [
    Branch::Stick,
    Branch::Slide([1.0, 0.0], 0.0),
    Branch::Slide([-1.0, 0.0], 0.0),
];

/// What a group can do.
pub(super) fn choices(group: &FrictionRows, rule: &FrictionRule) -> &'static [Branch] {
    if *rule == FrictionRule::Off {
        return &FRICTIONLESS[1..];
    }
    match (group.normal, group.rubs()) {
        (true, true) if is_in_space(group, rule) => &IN_SPACE,
        (true, true) => &CONTACT,
        (true, false) => &FRICTIONLESS,
        _ => &JOINT,
    }
}

/// Finds the first combination that satisfies all conditions to `tolerance` and writes its impulses and
/// velocities. False when there is none, or too many to try.
pub(super) fn every_combination(
    setting: &Setting<'_>,
    newton: &mut Newton,
    tolerance: f64,
    epsilon: f64,
    impulse: &mut [f64],
    velocity: &mut [f64],
) -> bool {
    let all = || setting.groups.iter().zip(setting.rules);
    let in_space = all().any(|(g, r)| is_in_space(g, r));
    let most = if in_space { MOST_IN_SPACE } else { MOST };
    let count = all().try_fold(1_usize, |product, (g, r)| {
        product
            .checked_mul(choices(g, r).len())
            .filter(|n| *n <= most)
    });
    let Some(count) = count else {
        return false;
    };
    let mut branches = Vec::with_capacity(setting.groups.len());
    for combination in 0..count {
        let mut rest = combination;
        branches.clear();
        branches.extend(all().map(|(g, r)| {
            let choices = choices(g, r);
            let branch = choices[rest % choices.len()];
            rest /= choices.len();
            branch
        }));
        impulse.fill(0.0);
        if !newton.solve_branches(setting, &branches, epsilon, impulse, velocity) {
            continue;
        }
        let left = if in_space {
            newton.solve(setting, epsilon, impulse, velocity)
        } else {
            setting.residual(impulse, velocity).0
        };
        if left <= tolerance {
            return true;
        }
    }
    false
}

/// Whether a group may slide in any direction of a plane.
pub(super) fn is_in_space(group: &FrictionRows, rule: &FrictionRule) -> bool {
    group.tangents > 1 && group.rubs() && *rule == FrictionRule::Coulomb
}
