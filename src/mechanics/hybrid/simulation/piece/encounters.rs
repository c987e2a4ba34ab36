//! What a trial meets on its way: which crossings are events, and what is held from then on.

use crate::contact::{BoxFace, OverlapSearch, Side};
use crate::discrete::held::HeldContact;
use crate::hybrid::node::Node;
use crate::hybrid::simulation::Simulation;
use crate::hybrid::simulation::crossings::{Crossing, Watched};

/// How far shapes have gone into each other where that is looked at, in what held contacts may be deep: between contacts at both
/// ends of edges and sides that are nearly parallel these are a few of that.
const GROWN: f64 = 10.0;

/// Two gaps that come to zero at one place, as where an edge meets a rim, do so within so many times what gaps are located to.
const MEETING: f64 = 10.0;

impl Simulation {
    /// Whether something has gone into something else in the trial without an event.
    pub(super) fn has_gone_in(&mut self) -> bool {
        let closed = self.settings.closed_gap;
        let moments = [&self.node, &self.trial].map(|node| &node.kinematics);
        let gone = |&i: &usize| {
            let (node, contacts) = (&self.node, &self.contacts);
            let was_in = || node.gap(contacts, i) < -closed && node.is_present(contacts, i);
            // The nearest point of a circle jumps in shorter pieces too.
            let took_turns = || self.took_turns && contacts.turn(moments, i, None).is_none();
            // Past its end a capsule comes to its side without another event.
            let may_miss = contacts.is_of_capsule(i)
                || !contacts.is_smooth(i)
                || contacts.may_be_passed(i)
                || took_turns();
            may_miss
                && self.trial.gap(contacts, i) < -closed
                && !was_in()
                && self.arrival.held.iter().all(|held| held.contact != i)
                && contacts.inactivity(i).is_none()
                && self.trial.is_present(contacts, i)
                && !self.passes_edge(&self.trial, i)
        };
        self.near.iter().any(gone) || self.has_grown_together()
    }

    /// Whether two shapes are inside of each other that were not: what of them touched first may be there at neither end.
    fn has_grown_together(&mut self) -> bool {
        let (contacts, search) = (&self.contacts, &mut self.overlap_search);
        let deep = GROWN * self.settings.closed_gap;
        let is_inside =
            |search: &mut OverlapSearch, node: &Node, held: &[HeldContact], i: usize| {
                let held = held.iter().map(|held| held.contact);
                let overlap = contacts.overlap(search, &node.kinematics, i, deep, held);
                overlap.is_some_and(|overlap| overlap > deep)
            };
        search.normals.clear();
        let mut close = self.trial.close_shapes(contacts);
        close.any(|i| {
            let is = is_inside(search, &self.trial, &self.arrival.held, i);
            is && {
                search.normals.clear();
                let was = is_inside(search, &self.node, &self.state.held, i);
                search.normals.clear();
                !was
            }
        })
    }

    /// The earliest crossing that is an event.
    pub(super) fn first_strike(&self) -> Option<Crossing> {
        let strikes = self.crossings.iter().filter(|c| self.is_event(c));
        strikes
            .min_by(|a, b| a.descent.at.total_cmp(&b.descent.at))
            .copied()
    }

    /// Whether the place of a crossing is there at the located moment.
    pub(in crate::hybrid::simulation) fn is_there(&self, crossing: &Crossing) -> bool {
        if crossing.watched != Watched::Gap {
            return true;
        }
        let (contacts, i) = (&self.contacts, crossing.contact);
        let inactive = contacts.inactivity(i);
        // What the trial knows of gaps is of its end, which a located moment is not.
        contacts.is_present(&self.trial.kinematics, i)
            && !inactive.is_some_and(|inactive| inactive.holds(&self.arrival.q))
            && !self.passes_edge(&self.trial, i)
    }

    /// Whether the place of a crossing was not there at the start, and deep in what it would touch: it comes to be there later on,
    /// having come in elsewhere.
    pub(super) fn comes_from_elsewhere(&self, crossing: &Crossing) -> bool {
        let (node, contacts, i) = (&self.node, &self.contacts, crossing.contact);
        crossing.watched == Watched::Gap
            && node.gap(contacts, i) < -self.settings.closed_gap
            && !node.is_present(contacts, i)
    }

    /// What touches in place of a crossing of a gap that is not there at the located moment, `tau` from the start: another contact of
    /// the same two bodies that is, and has come to zero then. An edge that runs along the side of a can past the end of that meets its
    /// rim.
    pub(super) fn there_instead(&self, crossing: &Crossing, tau: f64) -> Option<Crossing> {
        let (contacts, at) = (&self.contacts, &self.trial.kinematics);
        let zero = MEETING * self.located();
        let bodies = |i: usize| {
            let [a, b] = contacts.bodies(i);
            [a.min(b), a.max(b)]
        };
        let own = bodies(crossing.contact);
        let is_free = |i: usize| {
            let mut held = self.arrival.held.iter();
            i != crossing.contact && held.all(|held| held.contact != i)
        };
        self.near.iter().copied().find_map(|i| {
            if !is_free(i) || bodies(i) != own {
                return None;
            }
            let [before, gap] = [self.node.gap(contacts, i), contacts.mechanical_gap(at, i)];
            let comes = before > self.settings.closed_gap && gap.abs() <= zero;
            let other = Crossing {
                contact: i,
                rate: (gap - before) / tau,
                start_rate: self.node.rate(contacts, i),
                ..*crossing
            };
            (comes && self.is_there(&other)).then_some(other)
        })
    }

    /// A touch is an event when it is fast, also where only the cubic slows down on the way: what it says between the ends of a piece
    /// is looked at then. A contact that is closed already and does not open first belongs to the conditions of the step whatever its
    /// rate later on.
    pub(in crate::hybrid::simulation) fn is_event(&self, crossing: &Crossing) -> bool {
        if crossing.watched != Watched::Gap {
            return true;
        }
        let closed = crossing.descent.at == 0.0;
        let strikes = |rate| self.strikes(crossing.contact, rate);
        let [then, before] = [crossing.rate, crossing.start_rate].map(strikes);
        if closed {
            then && before
        } else {
            then || before
        }
    }

    /// The face over which a contact comes in within the trial: that which it is over at the start, or if it passes the edge of that,
    /// the other.
    pub(in crate::hybrid::simulation) fn face_taken(&self, contact: usize) -> Option<BoxFace> {
        let mut ends = [&self.node, &self.trial];
        if self.passes_edge(&self.node, contact) {
            ends.reverse();
        }
        let face = |node: &Node| self.contacts.face(&node.kinematics, contact);
        ends.into_iter().find_map(face)
    }

    /// Takes contacts that are reached slowly, before `limit` if there is one, up into the conditions of the
    /// step. True when there are any.
    pub(super) fn take_up_slow(&mut self, limit: Option<f64>) -> bool {
        let before = self.working.len();
        for c in &self.crossings {
            let early = limit.is_none_or(|limit| c.descent.at < limit);
            if early && !self.is_event(c) && !self.comes_up(c, limit.is_some()) {
                let at = self.working.partition_point(|h| h.contact < c.contact);
                if self.working.get(at).is_some_and(|h| h.contact == c.contact) {
                    continue;
                }
                let face = self.face_taken(c.contact);
                let taken = HeldContact {
                    approach: c.start_rate,
                    face,
                    side: self.side_taken(c.contact, face),
                    ..HeldContact::new(c.contact)
                };
                self.working.insert(at, taken);
            }
        }
        self.working.len() > before
    }

    /// Whether an arc has fallen flat in a trial that `will_end` then, or has: its nearest point was on the part of the circle that
    /// is not there, and what has come in its place strikes, however that other point moved.
    fn comes_up(&self, crossing: &Crossing, will_end: bool) -> bool {
        let (contacts, i) = (&self.contacts, crossing.contact);
        crossing.watched == Watched::Gap
            && !self.node.is_present(contacts, i)
            && self.trial.is_present(contacts, i)
            && (will_end || self.trial.gap(contacts, i) >= -self.settings.closed_gap)
            && self.strikes(i, self.trial.rate(contacts, i))
    }

    /// The side of a disc that it is taken up by; where it is flat at the start of the piece, what has become its lowest point at
    /// the end, and no other on the way there. What runs into a part of a rim goes on running.
    fn side_taken(&self, contact: usize, face: Option<BoxFace>) -> Option<Side> {
        let side = |node: &Node| self.contacts.side(&node.kinematics, contact, face);
        side(&self.node).or_else(|| {
            let reached = side(&self.trial)?;
            let is_fixed = reached.is_fixed || !self.contacts.may_be_passed(contact);
            Some(Side {
                is_fixed,
                ..reached
            })
        })
    }
}
