//! The rows of `events.csv`.

use std::io;

use super::csv_fields::{csv_line, needs_quotes, push_field};
use crate::contact::Contacts;
use crate::files::{push_fields, push_number};
use crate::hybrid::{Event, EventNote, HoldMode, ImpactRecord};
use crate::impact::Verdict;
use crate::model::Model;

/// Header of the events.
///
/// # Errors
/// None: it is written to memory.
pub fn events_header(model: &Model, contacts: &Contacts) -> io::Result<Vec<u8>> {
    let mut names: Vec<String> = [
        "time_s",
        "kind",
        "contacts",
        "law",
        "sequence",
        "outcomes",
        "indeterminacy",
        "energy_before_J",
        "energy_after_J",
    ]
    .map(str::to_string)
    .to_vec();
    for i in contacts.listed() {
        names.push(format!("impulse_{}_n_Ns", contacts.name(i)));
        names.push(format!("impulse_{}_t_Ns", contacts.name(i)));
    }
    names.push("capped".to_string());
    for i in contacts.listed() {
        if contacts.tangent_count(i) == 2 {
            names.push(format!("impulse_{}_t1_Ns", contacts.name(i)));
            names.push(format!("impulse_{}_t2_Ns", contacts.name(i)));
        }
    }
    names.extend(["seed", "unique", "mode", "note", "reason"].map(str::to_string));
    names.extend(model.configuration_names().iter().map(|n| format!("q_{n}")));
    csv_line(names)
}

/// Whether the outcome of an event is unique: nothing for holds and releases, no for a branch.
#[must_use]
pub fn event_verdict(event: &Event) -> Option<Verdict> {
    match (&event.impact, event.continuations) {
        (Some(impact), _) => Some(impact.uniqueness.verdict()),
        (None, Some(_)) => Some(Verdict::Ambiguous),
        (None, None) => None,
    }
}

/// Where the impulse of a contact stands among those of all, of which there are two for each.
#[derive(Debug, Clone, Copy)]
struct Columns {
    first: usize,
    /// Where its tangents are among those of all that have two.
    tangents: Option<usize>,
}

/// Rows of the events as text, in buffers that every row uses again.
#[derive(Debug, Clone)]
pub struct EventLine {
    /// Of each contact, if it has any.
    columns: Vec<Option<Columns>>,
    /// Normal and tangential impulses.
    impulses: Vec<f64>,
    /// Tangential impulses by their components.
    tangents: Vec<f64>,
    text: Vec<u8>,
}

impl EventLine {
    /// Rows of runs with these contacts.
    #[must_use]
    pub fn new(contacts: &Contacts) -> Self {
        let mut columns = vec![None; contacts.len()];
        let (mut impulses, mut tangents) = (0, 0);
        for i in contacts.listed() {
            let spatial = contacts.tangent_count(i) == 2;
            columns[i] = Some(Columns {
                first: impulses,
                tangents: spatial.then_some(tangents),
            });
            impulses += 2;
            tangents += if spatial { 2 } else { 0 };
        }
        Self {
            columns,
            impulses: vec![0.0; impulses],
            tangents: vec![0.0; tangents],
            text: Vec::new(),
        }
    }

    /// One row of the events, with its line end. Several contacts are separated by semicolons. What only impacts have
    /// is empty for holds and releases; a count of outcomes that may not be complete reads `>=N`. The tangential
    /// impulse is signed in a plane, otherwise it is a length and its two components follow. Then come the seed of the
    /// draw of a law that draws at random, whether the outcome is unique, what a hold became, the note and its reason
    /// in words, and the configuration at that moment: events fall between the rows of the series. For a branch,
    /// `outcomes` is the number of its continuations.
    #[must_use]
    pub fn text(&mut self, contacts: &Contacts, event: &Event) -> &[u8] {
        self.text.clear();
        self.number(event.time);
        self.word(event.kind.word());
        self.names(contacts, &event.contacts);
        match &event.impact {
            Some(impact) => self.impact(contacts, event, impact),
            None => {
                self.empty(2);
                if let Some(continuations) = event.continuations {
                    let bound = if event.at_least { ">=" } else { "" };
                    self.text
                        .extend_from_slice(format!("{bound}{continuations}").as_bytes());
                }
                self.empty(1 + 3 + self.impulses.len() + 2 + self.tangents.len());
            }
        }
        self.word(event_verdict(event).map_or("", Verdict::word));
        self.word(event.mode.map_or("", HoldMode::word));
        self.word(event.note.map_or("", EventNote::word));
        self.word(event.reason.as_deref().unwrap_or_default());
        for &x in &event.q {
            self.number(x);
        }
        self.text.pop();
        self.text.push(b'\n');
        &self.text
    }

    /// What only impacts have, from the law to the seed.
    fn impact(&mut self, contacts: &Contacts, event: &Event, impact: &ImpactRecord) {
        self.word(impact.law);
        self.names(contacts, &impact.sequence);
        self.word(&impact.uniqueness.count_text());
        self.number(impact.uniqueness.indeterminacy());
        self.number(impact.energy_before);
        self.number(impact.energy_after);
        self.impulses.fill(0.0);
        self.tangents.fill(0.0);
        for (&i, &[normal, first, second]) in event.contacts.iter().zip(&impact.impulses) {
            let Some(columns) = self.columns[i] else {
                continue;
            };
            let tangential = match columns.tangents {
                Some(at) => {
                    self.tangents[at..at + 2].copy_from_slice(&[first, second]);
                    first.hypot(second)
                }
                None => first,
            };
            self.impulses[columns.first..columns.first + 2].copy_from_slice(&[normal, tangential]);
        }
        push_fields(&self.impulses, &mut self.text);
        self.word(if impact.uniqueness.capped() {
            "true"
        } else {
            "false"
        });
        push_fields(&self.tangents, &mut self.text);
        match impact.seed {
            Some(seed) => self.word(&seed.to_string()),
            None => self.empty(1),
        }
    }

    fn number(&mut self, x: f64) {
        push_number(x, &mut self.text);
        self.text.push(b',');
    }

    fn word(&mut self, word: &str) {
        push_field(word.as_bytes(), &mut self.text);
        self.text.push(b',');
    }

    fn names(&mut self, contacts: &Contacts, which: &[usize]) {
        let start = self.text.len();
        for (place, &i) in which.iter().enumerate() {
            if place > 0 {
                self.text.push(b';');
            }
            self.text.extend_from_slice(contacts.name(i).as_bytes());
        }
        if needs_quotes(&self.text[start..]) {
            let field = self.text.split_off(start);
            push_field(&field, &mut self.text);
        }
        self.text.push(b',');
    }

    fn empty(&mut self, fields: usize) {
        self.text.resize(self.text.len() + fields, b',');
    }
}
