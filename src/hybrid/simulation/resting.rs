//! Contacts that rest: when one is held, when it is let go, and impacts until nothing approaches.

use super::Simulation;
use crate::discrete::{HeldContact, HeldMode};
use crate::hybrid::{Event, SimulationError, SimulationSettings};

impl Simulation {
    /// Impacts closed contacts that approach, and holds those that rest, until none is left.
    pub(super) fn settle_contacts(&mut self, impacts: &mut usize) -> Result<(), SimulationError> {
        loop {
            let s = self.settings;
            let touching =
                |sim: &Self, i: usize| sim.node.gaps[i] <= s.simultaneity && !sim.is_held(i);
            if !(0..self.contacts.len()).any(|i| touching(self, i)) {
                return Ok(());
            }
            self.velocity()?;
            let mut striking = Vec::new();
            for i in 0..self.contacts.len() {
                if !touching(self, i) {
                    continue;
                }
                let rate = self.node.rate(&self.model, &self.contacts, i);
                if rate < -s.rest_speed {
                    striking.push(i);
                } else if rate <= s.rest_speed && self.node.gaps[i] <= s.closed_gap {
                    self.hold(i);
                }
            }
            if striking.is_empty() {
                return Ok(());
            }
            *impacts += 1;
            if *impacts > s.max_impacts_per_step {
                return Err(SimulationError::TooManyImpacts {
                    time: self.state.time,
                    count: *impacts,
                });
            }
            self.impact(&striking)?;
        }
    }

    /// Holds a contact from now on.
    pub(super) fn hold(&mut self, contact: usize) {
        let at = self.state.held.partition_point(|h| h.contact < contact);
        self.state.held.insert(at, HeldContact::new(contact));
        self.state.predictor.clear();
        let event = Event::hold(self.state.time, contact, &self.state.q, None);
        self.events.push(event);
    }

    pub(super) fn is_held(&self, contact: usize) -> bool {
        self.state.held.iter().any(|h| h.contact == contact)
    }

    /// Lets go of held contacts that opened or that carry nothing while they open.
    pub(super) fn release_opened(&mut self, time: f64) {
        let opened = |h: &HeldContact, s: &SimulationSettings| {
            h.gap > s.closed_gap
                || (h.modes == [HeldMode::Open; 2] && h.normal_velocity > s.rest_speed)
        };
        let mut i = 0;
        while i < self.state.held.len() {
            if opened(&self.state.held[i], &self.settings) {
                let contact = self.state.held.remove(i).contact;
                self.state.predictor.clear();
                let event = Event::release(time, contact, &self.state.q);
                self.events.push(event);
            } else {
                i += 1;
            }
        }
    }

    /// Holds closed contacts that the impact left at rest and releases those that it opened.
    pub(super) fn reclassify(&mut self, closed: &[usize], striking: &[usize]) {
        let speed = striking
            .iter()
            .map(|&i| self.node.rate(&self.model, &self.contacts, i).abs())
            .fold(0.0, f64::max);
        let rest = self.settings.rest_speed + 1e-10 * speed;
        for &i in closed {
            let rate = self.node.rate(&self.model, &self.contacts, i);
            let held = self.is_held(i);
            if held && rate > rest {
                self.state.held.retain(|h| h.contact != i);
                let event = Event::release(self.state.time, i, &self.state.q);
                self.events.push(event);
            } else if !held && rate.abs() <= rest {
                self.hold(i);
            }
        }
    }
}
