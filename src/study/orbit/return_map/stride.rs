//! What a motion from the section to the section was.

use crate::hybrid::{Event, WorkLedger};

/// A motion from the section to the section.
#[derive(Debug, Clone)]
pub(crate) struct Stride {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// How long it took \[s\].
    pub time: f64,
    /// With their moments from the start \[s\]; contacts and coordinates as they are called on the way.
    pub events: Vec<Event>,
    pub work: WorkLedger,
    /// Deepest gap of a contact that was inactive \[m\], with its number.
    pub scuffing: Option<(usize, f64)>,
}

impl Stride {
    pub(super) fn followed_by(mut self, mut next: Self) -> Self {
        for event in &mut next.events {
            event.time += self.time;
        }
        self.events.append(&mut next.events);
        let deeper = |a: Option<(usize, f64)>, b: Option<(usize, f64)>| match (a, b) {
            (Some(a), Some(b)) => Some(if b.1 < a.1 { b } else { a }),
            (a, b) => a.or(b),
        };
        Self {
            time: self.time + next.time,
            events: self.events,
            work: self.work + next.work,
            scuffing: deeper(self.scuffing, next.scuffing),
            ..next
        }
    }
}
