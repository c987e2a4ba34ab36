//! Ends of branches: where several motions satisfy the conditions of held contacts and the one that was followed is
//! none of them any more.

use super::Simulation;
use crate::discrete::BranchEnd;
use crate::friction::HeldMode;
use crate::hybrid::Event;

impl Simulation {
    /// Records that the branch ended in the piece of length `tau` that has just been accepted, before its held contacts
    /// become those of the state.
    pub(super) fn log_branch(&mut self, tau: f64) {
        let Some(BranchEnd {
            inside,
            continuations,
        }) = self.arrival.branch_end
        else {
            return;
        };
        let mut contacts = Vec::new();
        let mut changes = Vec::new();
        for held in &self.arrival.held {
            let before = (self.state.held.iter()).find(|h| h.contact == held.contact);
            let (before, after) = match (inside, before) {
                (true, _) => (held.modes[0], held.modes[1]),
                (false, Some(before)) => (before.modes[1], held.modes[0]),
                (false, None) => continue,
            };
            if !before.goes_on_in(after) {
                contacts.push(held.contact);
                let name = self.contacts.name(held.contact);
                changes.push(format!("{name}: {} to {}", word(before), word(after)));
            }
        }
        // A joint with dry friction may have been what changed.
        if contacts.is_empty() {
            contacts.extend(self.arrival.held.iter().map(|h| h.contact));
        }
        // The arrival's configuration is that before the piece by now.
        let (time, q) = if inside {
            (self.state.time + tau, &self.state.q)
        } else {
            (self.state.time, &self.arrival.q)
        };
        let event = Event::branch(time, contacts, q, continuations.found);
        let event = if continuations.complete {
            event
        } else {
            event.at_least()
        };
        self.events.push(event.because(&changes.join(", ")));
    }
}

fn word(mode: HeldMode) -> &'static str {
    match mode {
        HeldMode::Open => "open",
        HeldMode::Stick => "stick",
        HeldMode::Slide(_) => "slide",
    }
}
