//! The events of an impact and their record.

/// What can happen during an impact (\[JW\] §6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::impact::stronge) enum Event {
    /// Sliding follows an invariant direction from here on.
    Line,
    /// The sliding velocity becomes zero.
    Still,
    /// Compression ends.
    Compressed,
    /// Restitution ends.
    Restored,
}

impl Event {
    pub fn letter(self) -> char {
        match self {
            Event::Line => 'l',
            Event::Still => 's',
            Event::Compressed => 'c',
            Event::Restored => 'r',
        }
    }
}

/// Events in order with the normal impulse at which each happened.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::impact::stronge) struct EventLog {
    entries: [Option<(Event, f64)>; 4],
}

impl EventLog {
    pub fn push(&mut self, event: Event, normal: f64) {
        if let Some(free) = self.entries.iter_mut().find(|x| x.is_none()) {
            *free = Some((event, normal));
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Event, f64)> {
        self.entries.iter().flatten().copied()
    }

    pub fn label(&self) -> String {
        self.iter().map(|(event, _)| event.letter()).collect()
    }

    pub fn has(&self, event: Event) -> bool {
        self.iter().any(|(e, _)| e == event)
    }
}
