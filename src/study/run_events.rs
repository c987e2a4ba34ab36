//! `events.csv` of a finished run, read back.

use std::path::Path;

use super::run_series::{RunFileError, damaged};

/// One row of the events.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Time \[s\].
    pub time: f64,
    /// `impact`, `hold` or `release`.
    pub kind: String,
    /// Names of the contacts that took part.
    pub contacts: Vec<String>,
    /// What the law did, for an impact.
    pub impact: Option<ImpactRow>,
    /// Configuration at that time.
    pub q: Vec<f64>,
}

/// What the impact law did.
#[derive(Debug, Clone, PartialEq)]
pub struct ImpactRow {
    /// Name of the law.
    pub law: String,
    /// Contacts in the order in which they acted.
    pub sequence: Vec<String>,
    /// Number of distinct outcomes.
    pub outcomes: usize,
    /// True when there may be more.
    pub capped: bool,
    /// ξ.
    pub indeterminacy: f64,
    /// Kinetic energy before and after \[J\].
    pub energy: [f64; 2],
    /// Per contact of the event: normal impulse, then those along its tangents \[N s\].
    pub impulses: Vec<[f64; 3]>,
}

impl EventRow {
    /// Reads the table.
    ///
    /// # Errors
    /// It is missing, a column is, or an entry is not what its column holds.
    pub fn read(path: &Path) -> Result<Vec<Self>, RunFileError> {
        let wrong = damaged(path);
        let mut reader = csv::Reader::from_path(path).map_err(|e| wrong(e.to_string()))?;
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
    configuration: Vec<usize>,
}

impl Columns {
    fn find(header: &csv::StringRecord) -> Result<Self, &'static str> {
        let place = |name: &'static str| header.iter().position(|n| n == name).ok_or(name);
        let configuration = header
            .iter()
            .enumerate()
            .filter(|(_, name)| name.starts_with("q_"))
            .map(|(i, _)| i);
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
            configuration: configuration.collect(),
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
        let impact = if field(self.kind) == "impact" {
            let outcomes = field(self.outcomes).trim_start_matches(">=");
            let impulse = |contact: &String| -> Result<[f64; 3], String> {
                let at = |what: &str| {
                    let name = format!("impulse_{contact}_{what}_Ns");
                    header.iter().position(|n| n == name)
                };
                let read = |place: Option<usize>| place.map_or(Ok(0.0), number);
                // Two tangents where the columns exist, else the one of a plane.
                let tangents = match at("t1") {
                    Some(first) => [read(Some(first))?, read(at("t2"))?],
                    None => [read(at("t"))?, 0.0],
                };
                Ok([read(at("n"))?, tangents[0], tangents[1]])
            };
            Some(ImpactRow {
                law: field(self.law).to_string(),
                sequence: names(self.sequence),
                outcomes: outcomes
                    .parse()
                    .map_err(|_| format!("outcomes: \"{outcomes}\" is not a count"))?,
                capped: field(self.capped) == "true",
                indeterminacy: number(self.indeterminacy)?,
                energy: [number(self.energy[0])?, number(self.energy[1])?],
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
            q: self
                .configuration
                .iter()
                .map(|&i| number(i))
                .collect::<Result<_, _>>()?,
        })
    }
}
