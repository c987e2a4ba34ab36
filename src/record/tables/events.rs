//! `events.csv` of a finished run, read back.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use serde::Serialize;

use super::series::{RunFileError, damaged};
use crate::hybrid::EventKind;
use crate::impact::Verdict;

/// One row of the events.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Time \[s\].
    pub time: f64,
    /// `impact`, `limit`, `hold`, `release` or `branch`.
    pub kind: String,
    /// Names of the contacts that took part.
    pub contacts: Vec<String>,
    /// What the law did, for an impact or a strike of joint limits.
    pub impact: Option<ImpactRow>,
    /// What a hold became: `stick` or `slide`; empty for others and where it is not known.
    pub mode: String,
    /// Why it is not what the law alone would have done: `zeno`, `not-terminated`, `branch`; else empty.
    pub note: String,
    /// The note in words, or why another law acted.
    pub reason: String,
    /// How many continuations a branch has.
    pub continuations: Option<usize>,
    /// Configuration at that time.
    pub q: Vec<f64>,
}

/// What the impact law did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImpactVerdict {
    /// Name of the law.
    pub law: String,
    /// Contacts in the order in which they acted.
    pub sequence: Vec<String>,
    /// Whether the outcome is unique.
    pub unique: Verdict,
    /// Number of distinct outcomes that are known.
    pub outcomes: usize,
    /// True when the count ran out of its budget.
    pub capped: bool,
    /// ξ.
    pub indeterminacy: f64,
    /// Kinetic energy before and after \[J\].
    pub energy: [f64; 2],
}

/// An impact: what the law did, and the impulses.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactRow {
    /// What the law did.
    pub verdict: ImpactVerdict,
    /// Per contact of the event: normal impulse, then those along its tangents \[N s\].
    pub impulses: Vec<[f64; 3]>,
}

impl EventRow {
    /// Reads the table.
    ///
    /// # Errors
    /// It is missing, a column is, or an entry is not what its column holds.
    pub fn read(path: &Path) -> Result<Vec<Self>, RunFileError> {
        let reader = csv::Reader::from_path(path).map_err(|e| damaged(path)(e.to_string()))?;
        Self::parse(reader, path)
    }

    /// The rows of a text with its header.
    pub(in crate::record) fn of_text(text: &[u8], path: &Path) -> Result<Vec<Self>, RunFileError> {
        Self::parse(csv::Reader::from_reader(text), path)
    }

    fn parse(mut reader: csv::Reader<impl Read>, path: &Path) -> Result<Vec<Self>, RunFileError> {
        let wrong = damaged(path);
        let header = reader.headers().map_err(|e| wrong(e.to_string()))?.clone();
        let columns = Columns::find(&header).map_err(|name| {
            wrong(format!(
                "it has no column \"{name}\"; was it written by another version?"
            ))
        })?;
        let mut rows = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|e| wrong(e.to_string()))?;
            let row = columns.row(&header, &record).map_err(|reason| {
                wrong(match record.position() {
                    Some(position) => format!("line {}: {reason}", position.line()),
                    None => reason,
                })
            })?;
            rows.push(row);
        }
        Ok(rows)
    }
}

/// Places of the columns.
struct Columns {
    time: usize,
    kind: usize,
    contacts: usize,
    law: usize,
    sequence: usize,
    outcomes: usize,
    indeterminacy: usize,
    energy: [usize; 2],
    capped: usize,
    unique: usize,
    mode: usize,
    note: usize,
    reason: usize,
    configuration: Vec<usize>,
    /// Of impulses by their names: robots with many contacts have thousands.
    impulses: BTreeMap<String, usize>,
}

impl Columns {
    fn find(header: &csv::StringRecord) -> Result<Self, &'static str> {
        let place = |name: &'static str| header.iter().position(|n| n == name).ok_or(name);
        let configuration = header
            .iter()
            .enumerate()
            .filter(|(_, name)| name.starts_with("q_"))
            .map(|(i, _)| i);
        let impulses = (header.iter().enumerate())
            .filter(|(_, name)| name.starts_with("impulse_"))
            .map(|(i, name)| (name.to_string(), i));
        Ok(Self {
            time: place("time_s")?,
            kind: place("kind")?,
            contacts: place("contacts")?,
            law: place("law")?,
            sequence: place("sequence")?,
            outcomes: place("outcomes")?,
            indeterminacy: place("indeterminacy")?,
            energy: [place("energy_before_J")?, place("energy_after_J")?],
            capped: place("capped")?,
            unique: place("unique")?,
            mode: place("mode")?,
            note: place("note")?,
            reason: place("reason")?,
            configuration: configuration.collect(),
            impulses: impulses.collect(),
        })
    }

    fn row(
        &self,
        header: &csv::StringRecord,
        record: &csv::StringRecord,
    ) -> Result<EventRow, String> {
        let field = |i: usize| record.get(i).unwrap_or_default();
        let number = |i: usize| -> Result<f64, String> {
            field(i).parse().map_err(|_| {
                let name = header.get(i).unwrap_or_default();
                format!("{name}: \"{}\" is not a number", field(i))
            })
        };
        let names = |i: usize| -> Vec<String> {
            let names = field(i).split(';').filter(|n| !n.is_empty());
            names.map(str::to_string).collect()
        };
        let contacts = names(self.contacts);
        let kind = EventKind::from_word(field(self.kind))
            .ok_or_else(|| format!("kind: \"{}\" is no kind of event", field(self.kind)))?;
        let count = || -> Result<usize, String> {
            let text = field(self.outcomes).trim_start_matches(">=");
            text.parse()
                .map_err(|_| format!("outcomes: \"{text}\" is not a count"))
        };
        let impact = if kind.is_impact() {
            let impulse = |contact: &String| -> Result<[f64; 3], String> {
                let at = |what: &str| {
                    let name = format!("impulse_{contact}_{what}_Ns");
                    self.impulses.get(&name).copied()
                };
                let read = |place: Option<usize>| place.map_or(Ok(0.0), number);
                // Two tangents where the columns exist, else the one of a plane.
                let tangents = match at("t1") {
                    Some(first) => [read(Some(first))?, read(at("t2"))?],
                    None => [read(at("t"))?, 0.0],
                };
                Ok([read(at("n"))?, tangents[0], tangents[1]])
            };
            let verdict = ImpactVerdict {
                law: field(self.law).to_string(),
                sequence: names(self.sequence),
                unique: Verdict::from_word(field(self.unique))
                    .ok_or_else(|| format!("unique: \"{}\" is no verdict", field(self.unique)))?,
                outcomes: count()?,
                capped: field(self.capped) == "true",
                indeterminacy: number(self.indeterminacy)?,
                energy: [number(self.energy[0])?, number(self.energy[1])?],
            };
            Some(ImpactRow {
                verdict,
                impulses: contacts.iter().map(impulse).collect::<Result<_, _>>()?,
            })
        } else {
            None
        };
        Ok(EventRow {
            time: number(self.time)?,
            kind: field(self.kind).to_string(),
            contacts,
            impact,
            mode: field(self.mode).to_string(),
            note: field(self.note).to_string(),
            reason: field(self.reason).to_string(),
            continuations: match kind {
                EventKind::Branch => Some(count()?),
                _ => None,
            },
            q: self
                .configuration
                .iter()
                .map(|&i| number(i))
                .collect::<Result<_, _>>()?,
        })
    }
}
