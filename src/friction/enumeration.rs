//! Every combination of modes of a few planar contacts. Steps from guess to guess can go in circles where
//! friction couples strongly to the normal direction; this cannot.

use super::mode_system::Branch;
use super::newton::{Newton, Setting};
use super::{FrictionRows, FrictionRule};

/// Combinations that may be tried: those of six sliding contacts.
const MOST: usize = 4096;
/// What one contact, a contact without friction, and a joint can do in one dimension of slip.
const CONTACT: [Branch; 4] = [
    Branch::Stick,
    Branch::Slide([1.0, 0.0], 0.0),
    Branch::Slide([-1.0, 0.0], 0.0),
    Branch::Open,
];
const FRICTIONLESS: [Branch; 2] = [Branch::Stick, Branch::Open];
const JOINT: [Branch; 3] = [
    Branch::Stick,
    Branch::Slide([1.0, 0.0], 0.0),
    Branch::Slide([-1.0, 0.0], 0.0),
];

fn choices(group: &FrictionRows) -> &'static [Branch] {
    match (group.normal, group.rubs()) {
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
    let spatial = |g: &FrictionRows, r: &FrictionRule| {
        g.tangents > 1 && g.rubs() && *r == FrictionRule::Coulomb
    };
    let all = || setting.groups.iter().zip(setting.rules);
    if all().any(|(g, r)| spatial(g, r)) {
        return false;
    }
    let count = setting.groups.iter().try_fold(1_usize, |product, g| {
        product.checked_mul(choices(g).len()).filter(|n| *n <= MOST)
    });
    let Some(count) = count else {
        return false;
    };
    let mut branches = Vec::with_capacity(setting.groups.len());
    for combination in 0..count {
        let mut rest = combination;
        branches.clear();
        branches.extend(setting.groups.iter().map(|g| {
            let choices = choices(g);
            let branch = choices[rest % choices.len()];
            rest /= choices.len();
            branch
        }));
        impulse.fill(0.0);
        if newton.solve_branches(setting, &branches, epsilon, impulse, velocity)
            && setting.residual(impulse, velocity).0 <= tolerance
        {
            return true;
        }
    }
    false
}
