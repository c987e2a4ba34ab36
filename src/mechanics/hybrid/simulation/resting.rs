//! Contacts that rest: when one is held, when it is let go, and impacts until nothing approaches.

use super::Simulation;
use crate::contact::BoxFace;
use crate::discrete::held::HeldContact;
use crate::friction::HeldMode;
use crate::hybrid::collision::ZERO_ROW;
use crate::hybrid::node::Node;
use crate::hybrid::{Event, HoldMode, SimulationError};
use crate::numerics::largest;

/// Normals whose cosine is this close to 1 are the same.
const PARALLEL: f64 = 1e-9;
/// Share of a step within which the lowest point of a disc that falls flat runs round its rim unresolved.
const SWEPT: f64 = 1.0 / 8.0;

impl Simulation {
    /// Impacts closed contacts that approach, and holds those that rest or approach slowly, until none is
    /// left.
    pub(super) fn settle_contacts(&mut self, impacts: &mut usize) -> Result<(), SimulationError> {
        self.judge_fall()?;
        let settled = self.settle_closed(impacts);
        self.fallen = None;
        settled
    }

    fn settle_closed(&mut self, impacts: &mut usize) -> Result<(), SimulationError> {
        loop {
            let s = self.settings;
            let touching =
                |sim: &Self, i: usize| sim.may_touch(i) && !sim.is_held(i) && sim.touches(i);
            let touched = (self.node.known_contacts(&self.contacts)).any(|i| touching(self, i));
            if !touched {
                return Ok(());
            }
            self.velocity()?;
            let mut striking = Vec::new();
            for i in self.in_reach() {
                if !touching(self, i) || self.passes_edge(&self.node, i) {
                    continue;
                }
                let rate = self.node.rate(&self.contacts, i);
                // Of a swept rim also what is slow: only together do its points stop the disc.
                if self.strikes(i, rate) || rate < -s.rest_speed && self.is_swept(i) {
                    striking.push(i);
                } else if rate <= s.rest_speed
                    && self.is_closed(i, s.closed_gap)
                    && !self.state.leaving.contains(&i)
                    && self.can_press(i)
                {
                    // What is slower than a contact at rest may be has no energy to speak of.
                    self.hold(i, if rate < -s.rest_speed { rate } else { 0.0 });
                }
            }
            if striking.is_empty() {
                return Ok(());
            }
            // An impact that a law does not end takes seconds.
            self.check_stop()?;
            *impacts += 1;
            if *impacts > s.max_impacts_per_step {
                return Err(SimulationError::TooManyImpacts {
                    time: self.state.time,
                    count: *impacts,
                    contacts: self.contacts.names_of(&striking),
                });
            }
            let before = self.state.p.clone();
            self.impact(&striking)?;
            // The same law would say the same again.
            if self.state.p == before && !self.law.draws_at_random() {
                if striking.iter().all(|i| self.unfinished.contains(i)) {
                    self.capture_unfinished(&striking);
                    return Ok(());
                }
                return Err(SimulationError::Unanswered {
                    time: self.state.time,
                    law: self.law.name(),
                    contacts: self.contacts.names_of(&striking),
                });
            }
        }
    }

    /// Leaves to the step what held contacts approach with after all that the law had to say; what that takes is booked as a
    /// capture.
    fn capture_unfinished(&mut self, striking: &[usize]) {
        for &i in striking {
            if !self.is_held(i) {
                self.hold(i, self.node.rate(&self.contacts, i));
                self.state.captures += 1;
            }
        }
    }

    /// The contacts that are held or may be closed, in ascending order.
    pub(super) fn in_reach(&self) -> Vec<usize> {
        let held = self.state.held.iter().map(|held| held.contact);
        let known = self.node.known_contacts(&self.contacts);
        let mut all: Vec<usize> = known.chain(held).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether something moves along the normal of a contact: two fingers of one hand may touch where neither can give
    /// way, and then nothing presses them together.
    fn can_press(&self, contact: usize) -> bool {
        let kinematics = &self.node.kinematics;
        let frame = self.contacts.frame(kinematics, contact);
        let rows = frame.rows(&self.model, kinematics, 2);
        let [normal, across] = rows.map(|row| largest(&row)).enumerate().fold(
            [0.0, 0.0_f64],
            |[normal, across], (i, length)| match i {
                0 => [length, across],
                _ => [normal, across.max(length)],
            },
        );
        // Beside one [m/rad] where there is no other row.
        normal > ZERO_ROW * across.max(1.0)
    }

    /// Holds a contact from now on that comes in with a normal velocity.
    pub(super) fn hold(&mut self, contact: usize, approach: f64) {
        let face = self.contacts.face(&self.node.kinematics, contact);
        self.hold_over(contact, face, approach);
    }

    /// The same over a face of a box.
    pub(super) fn hold_over(&mut self, contact: usize, face: Option<BoxFace>, approach: f64) {
        let at = self.state.held.partition_point(|h| h.contact < contact);
        let held = HeldContact {
            approach,
            face,
            ..HeldContact::new(contact)
        };
        self.state.held.insert(at, held);
        self.state.predictor.clear();
        let event = Event::hold(self.state.time, contact, &self.state.q, None);
        self.events.push(event);
    }

    /// Whether a contact is there and its gap at most `tolerance` \[m\].
    pub(super) fn is_closed(&self, contact: usize, tolerance: f64) -> bool {
        let gap = self.node.known_gap(&self.contacts, contact);
        gap.is_some_and(|gap| gap <= tolerance)
            && self.node.is_present(&self.contacts, contact)
            && !self.is_out_of_play(contact)
    }

    /// Whether the gap of a contact is small enough for [`Simulation::touches`].
    #[inline]
    fn may_touch(&self, contact: usize) -> bool {
        let gap = self.node.known_gap(&self.contacts, contact);
        self.fallen.is_some() || gap.is_some_and(|gap| gap <= self.settings.simultaneity)
    }

    /// Whether a contact takes part in an impact at this moment.
    pub(super) fn touches(&self, contact: usize) -> bool {
        self.is_closed(contact, self.settings.simultaneity) || self.is_swept(contact)
    }

    /// Whether a contact is inactive now, or was so until it was below the surface, from where it comes out first; so is the
    /// limit of a joint that a latch holds there.
    fn is_out_of_play(&self, contact: usize) -> bool {
        self.is_latched(contact)
            || self.contacts.inactivity(contact).is_some_and(|inactive| {
                self.node.gap(&self.contacts, contact) < -self.settings.closed_gap
                    || inactive.holds(&self.state.q)
            })
    }

    /// Whether a contact is of a corner that comes past an edge of a box.
    pub(super) fn passes_edge(&self, node: &Node, contact: usize) -> bool {
        let speed = self.slow_speed(contact);
        (self.contacts).passes_edge(&node.kinematics, contact, speed)
    }

    pub(super) fn is_held(&self, contact: usize) -> bool {
        // In ascending order.
        let held = &self.state.held;
        held.binary_search_by_key(&contact, |h| h.contact).is_ok()
    }

    /// The arrival's held contacts become those of the state: what the step took up and closed is held from
    /// now on, what opened is let go.
    pub(super) fn take_over_held(&mut self, time: f64) {
        let mut arrived = std::mem::take(&mut self.arrival.held);
        let before = std::mem::take(&mut self.state.held);
        let held_before = |contact: usize| before.iter().find(|h| h.contact == contact);
        let presses = arrived.iter().map(|h| h.start_impulse[0]);
        let rounding = f64::EPSILON * presses.fold(0.0, f64::max);
        // What takes no impulse at the start of the piece was let go there.
        let at_start = |h: &HeldContact| h.start_impulse[0] <= rounding;
        for held in arrived.iter().filter(|h| at_start(h)) {
            let known = held_before(held.contact);
            if known.is_some() && self.has_opened(known, held, time) {
                let event = Event::release(self.state.time, held.contact, &self.arrival.q);
                self.events.push(event);
                self.state.predictor.clear();
            }
        }
        for held in &mut arrived {
            held.side = None;
            let known = held_before(held.contact);
            let event = match (known, self.has_opened(known, held, time)) {
                (Some(_), true) if at_start(held) => continue,
                (Some(_), true) => Event::release(time, held.contact, &self.state.q),
                (None, false) => {
                    self.state.captures += 1;
                    let mode = HoldMode::of(held.modes[1]);
                    Event::hold(time, held.contact, &self.state.q, mode)
                }
                (known, _) => {
                    let rate = known.map_or(0.0, |before| force_rate(before, held));
                    held.force_bend = rate - held.force_rate;
                    held.force_rate = rate;
                    continue;
                }
            };
            self.state.predictor.clear();
            self.events.push(event);
        }
        arrived.retain(|h| !self.has_opened(held_before(h.contact), h, time));
        self.state.held = arrived;
        self.arrival.held = before;
        self.hand_over(time);
    }

    /// Whether a contact in the conditions of the piece that ends at `time` is let go: `before` is what it did in the
    /// piece before, if it was held.
    fn has_opened(&self, before: Option<&HeldContact>, held: &HeldContact, time: f64) -> bool {
        let open = held.modes[1] == HeldMode::Open;
        held.gap > self.settings.closed_gap
            || (open && held.normal_velocity > self.slow_speed(held.contact))
            || (open
                && held.normal_velocity > self.settings.rest_speed
                && before.is_some_and(|b| self.was_to_leave(b, time - self.state.time)))
    }

    /// A held contact whose place has ended goes on as the sibling that is there instead, with what it
    /// did before; where there is none it is let go.
    fn hand_over(&mut self, time: f64) {
        for k in (0..self.state.held.len()).rev() {
            let i = self.state.held[k].contact;
            if !self.contacts.has_ended(&self.node.kinematics, i) {
                continue;
            }
            let own = self.contacts.frame(&self.node.kinematics, i);
            let heir = self.contacts.siblings(i).find(|&j| {
                !self.is_held(j) && self.is_closed(j, self.settings.closed_gap) && {
                    let other = self.contacts.frame(&self.node.kinematics, j);
                    own.normal.dot(&other.normal) > 1.0 - PARALLEL
                }
            });
            let mut held = self.state.held.remove(k);
            match heir {
                Some(j) => {
                    held.contact = j;
                    held.face = self.contacts.face(&self.node.kinematics, j);
                    let at = self.state.held.partition_point(|h| h.contact < j);
                    self.state.held.insert(at, held);
                }
                None => {
                    // At the end of an edge it is still there.
                    if self.contacts.is_crossing(i) {
                        self.state.leaving.push(i);
                    }
                    self.events.push(Event::release(time, i, &self.state.q));
                }
            }
            self.state.predictor.clear();
        }
    }

    /// A held contact has come to the edge of the face that it was held over: from here on the surface
    /// turns.
    pub(super) fn pass_seam(&mut self, contact: usize) {
        let located = 2.0 * self.located();
        for held in &mut self.state.held {
            if held.contact != contact {
                continue;
            }
            let kinematics = &self.node.kinematics;
            let tilt = self.contacts.tilt(kinematics, contact, held.face);
            self.fallen = tilt.map(|tilt| (contact, tilt));
            let over = |face| (self.contacts).seam_beside(kinematics, contact, face, held.side);
            // A circle that has fallen flat, or round, is still over its face.
            held.face = held.face.filter(|face| over(*face) > located);
        }
    }

    /// Strikes the rim of a disc whose lowest point runs round faster than the shortest piece follows, before it does, or
    /// `surely`, however slowly it falls; true when it did.
    pub(super) fn sweep(
        &mut self,
        held: &HeldContact,
        surely: bool,
        impacts: &mut usize,
    ) -> Result<bool, SimulationError> {
        let known = *impacts;
        let tilt = (self.contacts).tilt(&self.node.kinematics, held.contact, held.face);
        self.fallen = tilt.map(|tilt| (held.contact, tilt));
        if !surely {
            self.judge_fall()?;
        }
        if self.fallen.is_some() {
            let settled = self.settle_closed(impacts);
            self.fallen = None;
            settled?;
        }
        Ok(*impacts > known)
    }

    /// Strikes the rim of a held disc on which the lowest point runs round so fast that no step follows it; true when it
    /// did.
    pub(super) fn resolve_fall(&mut self, impacts: &mut usize) -> Result<bool, SimulationError> {
        for held in self.state.held.clone() {
            if self.sweep(&held, false, impacts)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a contact is at the rim of a disc that falls flat so fast that its lowest point runs round in a small part
    /// of a step: what presses on the rim meanwhile is one strike of all of it.
    fn is_swept(&self, contact: usize) -> bool {
        self.fallen.is_some_and(|(disc, tilt)| {
            self.contacts.are_siblings(disc, contact) && self.is_on_rim(contact, tilt.height)
        })
    }

    /// Forgets a disc that falls flat too slowly for that.
    fn judge_fall(&mut self) -> Result<(), SimulationError> {
        if let Some((disc, tilt)) = self.fallen {
            self.velocity()?;
            let speed = self.rim_speed(disc, tilt.height);
            if !tilt.is_flat && tilt.height >= speed * SWEPT * self.settings.time_step {
                self.fallen = None;
            }
        }
        Ok(())
    }

    /// Largest speed at which the rim of a disc comes down, none of which is higher than `height`, by the velocity known last
    /// \[m/s\].
    pub(super) fn rim_speed(&self, disc: usize, height: f64) -> f64 {
        let rim = self.contacts.siblings(disc);
        let speeds = rim
            .filter(|&i| self.is_on_rim(i, height))
            .map(|i| -self.node.rate(&self.contacts, i));
        speeds.fold(0.0, f64::max)
    }

    fn is_on_rim(&self, contact: usize, height: f64) -> bool {
        self.node.gap(&self.contacts, contact) <= height
            && self.node.is_present(&self.contacts, contact)
    }

    /// Holds closed contacts that the impact left at rest or nearly so and releases those that it opened. `speed` is
    /// the fastest approach before it; what then leaves no faster than `negligible` stays as well, as in the limit of a
    /// body that rocks from one contact to the other.
    pub(super) fn reclassify(&mut self, closed: &[usize], speed: f64, negligible: f64) {
        let rest = self.settings.rest_speed + 1e-10 * speed;
        for &i in closed {
            let rate = self.node.rate(&self.contacts, i);
            let held = self.is_held(i);
            // What leaves so slowly that its return would be no event stays in the conditions.
            let slow = rest.max(self.slow_speed(i)).max(negligible);
            if held && rate > slow {
                self.state.held.retain(|h| h.contact != i);
                let event = Event::release(self.state.time, i, &self.state.q);
                self.events.push(event);
            } else if held && rate > rest {
                self.state
                    .held
                    .iter_mut()
                    .filter(|h| h.contact == i)
                    .for_each(|h| h.approach = rate);
            } else if held && self.strikes(i, rate) {
                // The law did not come to an end: what is no longer held is asked about again.
                self.state.held.retain(|h| h.contact != i);
                self.unfinished.push(i);
            } else if !held
                && rate.abs() <= slow
                && self.is_closed(i, self.settings.simultaneity)
                && self.can_press(i)
            {
                self.hold(i, if rate.abs() > rest { rate } else { 0.0 });
            }
        }
    }
}

/// Rate of the normal force from the middle of one piece to that of the next \[N/s\].
fn force_rate(before: &HeldContact, held: &HeldContact) -> f64 {
    match (before.normal_force(), held.normal_force()) {
        // A contact whose slip was not known had an impact in between.
        (Some(then), Some(now)) if before.slip.is_some() => {
            2.0 * (now - then) / (before.duration + held.duration)
        }
        _ => 0.0,
    }
}
