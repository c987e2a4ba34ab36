//! Which contacts may close in a trial.
//!
//! A gap whose tangents at both ends of a piece stay above zero is not looked at ([`Simulation::find_crossings`]). A
//! group of contacts whose bounds at both ends exceed what its body can travel in the piece at the speed of either end
//! consists of such gaps, so leaving it out changes nothing: with V ≥ |φ̇| from the page of `contact`,
//!
//! ```text
//! φ ≥ bound > 2 V τ   at both ends   ⟹   φ₀ + min(φ̇₀, 0) τ > 0   and   φ₁ − max(φ̇₁, 0) τ > 0
//! ```
//!
//! whatever rounds: there is half of the bound between. A contact that is not there has a gap of which the bound knows
//! nothing, and closes nothing either; nor do edges that are over each other at neither end. Within a group that is near the bounds of
//! its contacts are, and then the gaps themselves, those of the limits of joints with the rates of these.

use crate::contact::{Contacts, Group, LastPlaced};
use crate::hybrid::node::Node;
use crate::hybrid::simulation::Simulation;

/// Times the way of a body at the speed of an end of the piece.
const WAYS: f64 = 2.0;

impl Simulation {
    /// Lists in `near` the contacts, in ascending order, but those that cannot close before `tau`. Both ends have their
    /// twists.
    pub(super) fn list_near(&mut self, tau: f64) {
        let contacts = &*self.contacts;
        let (node, trial) = (&mut self.node, &mut self.trial);
        self.near.clear();
        for (cluster, groups) in contacts.clusters() {
            let speeds = [&*node, &*trial].map(|end| cluster.speed(&end.kinematics));
            for (terrain, group) in groups.enumerate() {
                let way = way(speeds.map(|speed| speed + contacts.top_speed(terrain)), tau);
                if node.is_beyond(group, way) && trial.is_beyond(group, way) {
                    continue;
                }
                list_members([node, trial], contacts, (group, way), &mut self.near);
            }
        }
        for (k, pair) in contacts.pairs().iter().enumerate() {
            let ends = [&*node, &*trial];
            let way = way(ends.map(|end| pair.closing_speed(&end.kinematics)), tau);
            // Both are asked: each has bounds of its groups then.
            if node.is_pair_beyond(contacts, k, way) & trial.is_pair_beyond(contacts, k, way) {
                continue;
            }
            for group in contacts.groups_of(pair) {
                list_group([node, trial], contacts, (group, tau), &mut self.near);
            }
        }
        for group in contacts.unpaired() {
            list_group([node, trial], contacts, (group, tau), &mut self.near);
        }
        let ends = [&*node, &*trial];
        // Most limits are farther than the fastest joint may go.
        let reach = way(ends.map(|end| contacts.fastest_limit(&end.kinematics)), tau);
        let near = contacts.ungrouped().iter().copied().filter(|&i| {
            if contacts.is_limit(i) && is_far(ends, contacts, i, reach) {
                return false;
            }
            let speeds = ends.map(|end| contacts.ungrouped_speed(&end.kinematics, i));
            !is_far(ends, contacts, i, way(speeds, tau))
        });
        self.near.extend(near);
        self.near.sort_unstable();
    }

    /// Whether contact i may have closed on the way to the trial, its gap having been `before` \[m\]: it was there, or it is, or it
    /// may have been in between.
    /// Edges that were not must have been apart, since the gap of lines says nothing past their ends; such that have gone into
    /// each other may be nearer to a way out past an end.
    pub(super) fn may_close(&self, i: usize, before: f64) -> bool {
        let (node, trial, contacts) = (&self.node, &self.trial, &*self.contacts);
        node.is_present(contacts, i)
            || contacts.may_be_passed(i)
                && before >= -self.settings.closed_gap
                && [node, trial]
                    .iter()
                    .any(|end| contacts.is_by_its_part(&end.kinematics, i))
            || if contacts.is_crossing(i) {
                before >= -self.settings.closed_gap && trial.is_passable(contacts, i)
            } else {
                trial.is_present(contacts, i)
            }
    }
}

/// Lists those of a group with a carried surface, or of crossings.
fn list_group(
    [node, trial]: [&mut Node; 2],
    contacts: &Contacts,
    (group, tau): (&Group, f64),
    near: &mut Vec<usize>,
) {
    let speeds = [&*node, &*trial].map(|end| contacts.closing_speed(&end.kinematics, group));
    let (index, way) = (group.index, way(speeds, tau));
    if node.is_beyond(index, way) && trial.is_beyond(index, way) {
        return;
    }
    list_members([node, trial], contacts, (index, way), near);
}

/// Lists those of a group that is near which may go as far as `way`.
fn list_members(
    [node, trial]: [&mut Node; 2],
    contacts: &Contacts,
    (group, way): (usize, f64),
    near: &mut Vec<usize>,
) {
    node.look_at(contacts, group);
    trial.look_at(contacts, group);
    let members = contacts.members(group).iter().copied();
    if !contacts.has_own_bounds(group) {
        // All are known.
        near.extend(members.filter(|&i| !is_far([&*node, &*trial], contacts, i, way)));
        return;
    }
    let mut last = [LastPlaced::default(), LastPlaced::default()];
    for i in members {
        if node.is_place_beyond(i, way) && trial.is_place_beyond(i, way) {
            continue;
        }
        node.know(contacts, i, &mut last[0]);
        trial.know(contacts, i, &mut last[1]);
        if !is_far([&*node, &*trial], contacts, i, way) {
            near.push(i);
        }
    }
}

/// What a gap exceeds at both ends if it cannot close within `tau` at the larger of two speeds.
fn way(speeds: [f64; 2], tau: f64) -> f64 {
    WAYS * tau * speeds[0].max(speeds[1])
}

/// Whether a known gap exceeds `way` at both ends, which it does not where one of them is no number, or is of edges that are
/// not there.
#[inline]
fn is_far(ends: [&Node; 2], contacts: &Contacts, i: usize, way: f64) -> bool {
    ends.iter().all(|end| end.gap(contacts, i) > way)
        || contacts.is_crossing(i)
            && !ends[0].is_present(contacts, i)
            && !ends[1].is_passable(contacts, i)
}
