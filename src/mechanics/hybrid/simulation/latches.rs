//! Latches of joints: caught where the limit strikes, let go where another contact does.

use super::Simulation;
use crate::contact::{Contacts, Latch};
use crate::discrete::held::{HeldJoint, rubbing_joints};
use crate::friction::HeldMode;
use crate::hybrid::{Event, SimulationError, SimulationSettings, State};
use crate::model::Model;

/// The place of a latch's joint among those with dry friction or a latch.
fn place(model: &Model, latch: &Latch) -> Option<usize> {
    rubbing_joints(model).position(|(_, at, _)| at == latch.limit.coordinate)
}

/// The joints with dry friction or a latch where a simulation begins.
pub(super) fn starting_joints(model: &Model, contacts: &Contacts) -> Vec<HeldJoint> {
    let mut joints = HeldJoint::of(model);
    for latch in contacts.latches().iter().filter(|latch| latch.engaged) {
        if let Some(place) = place(model, latch) {
            joints[place] = HeldJoint::latched();
        }
    }
    joints
}

/// Brings what latches hold to rest.
pub(super) fn bring_latched_to_rest(model: &Model, joints: &[HeldJoint], v: &mut [f64]) {
    for ((_, at, _), joint) in rubbing_joints(model).zip(joints) {
        if joint.latched {
            v[at] = 0.0;
        }
    }
}

/// Refuses a start at which a latch that is engaged cannot hold its joint.
pub(super) fn check_latches(
    model: &Model,
    contacts: &Contacts,
    settings: &SimulationSettings,
    q: &[f64],
    v: &[f64],
) -> Result<(), SimulationError> {
    for latch in contacts.latches().iter().filter(|latch| latch.engaged) {
        let body = &model.bodies()[latch.limit.body];
        let away = (q[body.q_index] - latch.limit.bound).abs();
        let rate = v[latch.limit.coordinate].abs();
        if away > settings.closed_gap || rate > settings.rest_speed {
            return Err(SimulationError::LatchAway {
                joint: body.joint.clone(),
                position: q[body.q_index],
                limit: latch.limit.bound,
                rate,
            });
        }
    }
    Ok(())
}

impl Simulation {
    /// The latches that hold a joint now.
    fn engaged(&self) -> impl Iterator<Item = &Latch> {
        let holds = |latch: &&Latch| {
            let place = place(&self.model, latch);
            place.is_some_and(|place| self.state.joints[place].latched)
        };
        self.contacts.latches().iter().filter(holds)
    }

    /// The limits at which latches hold joints now, as contacts.
    #[doc(hidden)]
    pub fn latched_stops(&self) -> impl Iterator<Item = usize> {
        self.engaged().map(|latch| latch.stop)
    }

    /// Whether a contact is the limit of a joint that a latch holds there: it neither strikes nor opens.
    pub(super) fn is_latched(&self, contact: usize) -> bool {
        self.latched_stops().any(|stop| stop == contact)
    }

    /// Coordinates that latches hold in an impact of `striking` contacts, in ascending order: those that they held before,
    /// and those that they catch.
    pub(super) fn locked_in(&self, striking: &[usize]) -> Vec<usize> {
        let all = self.engaged().chain(caught(&self.contacts, striking));
        let mut locked: Vec<usize> = all.map(|latch| latch.limit.coordinate).collect();
        locked.sort_unstable();
        locked.dedup();
        locked
    }

    /// Adds what latches bear in the piece that has just been taken to the impulses of their limits \[N s or N m s\]: below
    /// zero where a limit alone would open.
    pub(super) fn add_latched_impulses(&mut self) {
        for k in 0..self.contacts.latches().len() {
            let latch = &self.contacts.latches()[k];
            let joint = place(&self.model, latch).map(|place| &self.state.joints[place]);
            let Some(joint) = joint.filter(|joint| joint.latched) else {
                continue;
            };
            let borne = latch.limit.sign * (joint.impulses[0] + joint.impulses[1]);
            let stop = latch.stop;
            if !self.pressed.contains(&stop) {
                self.pressed.push(stop);
            }
            self.held_impulses[stop][0] += borne;
        }
    }

    /// Says in the log what latches hold at the start.
    pub(super) fn log_engaged(&mut self) {
        let (time, q) = (self.state.time, &self.state.q);
        let held = self.latched_stops();
        let held = held.map(|stop| because(Event::hold(time, stop, q, None), "its latch holds it"));
        let held: Vec<Event> = held.collect();
        self.events.extend(held);
    }

    /// Says in the log what a strike is about to do to latches.
    pub(super) fn log_latches(&mut self, striking: &[usize]) {
        let (time, q) = (self.state.time, &self.state.q);
        let let_go = |latch: &&Latch| latch.is_released_by(striking);
        let released = self
            .engaged()
            .filter(let_go)
            .map(|latch| because(Event::release(time, latch.stop, q), "its latch lets go"));
        let caught = caught(&self.contacts, striking).map(|latch| {
            let held = Event::hold(time, latch.stop, q, None);
            because(held, "its latch has caught it")
        });
        let all: Vec<Event> = released.chain(caught).collect();
        self.events.extend(all);
    }
}

fn because(event: Event, reason: &str) -> Event {
    Event {
        reason: Some(reason.to_string()),
        ..event
    }
}

/// The latches that catch a joint where these contacts strike.
pub(super) fn caught<'a>(
    contacts: &'a Contacts,
    striking: &'a [usize],
) -> impl Iterator<Item = &'a Latch> {
    let catches = |latch: &&Latch| striking.contains(&latch.stop);
    let let_go = |latch: &&Latch| latch.is_released_by(striking);
    let all = contacts.latches().iter();
    all.filter(move |latch| catches(latch) && !let_go(latch))
}

/// Catches the joints whose limits have just struck, and lets go those that the strike releases.
pub(super) fn turn_latches(
    (model, contacts): (&Model, &Contacts),
    striking: &[usize],
    state: &mut State,
) {
    for latch in contacts.latches() {
        let Some(place) = place(model, latch) else {
            continue;
        };
        let joint = &mut state.joints[place];
        if latch.is_released_by(striking) {
            if joint.latched {
                *joint = HeldJoint {
                    modes: [HeldMode::Open; 2],
                    ..HeldJoint::default()
                };
            }
        } else if striking.contains(&latch.stop) {
            *joint = HeldJoint::latched();
        }
    }
}
