//! The rows of `series.csv` and `events.csv`.

use serde::{Deserialize, Serialize};
use std::io;

use crate::contact::Contacts;
use crate::files::push_number;
use crate::hybrid::{Event, EventNote, HoldMode, ImpactRecord, Simulation, SimulationError};
use crate::impact::Verdict;
use crate::model::Model;
use crate::scenario::{Experiment, joints};

/// Impulses of held contacts since the last row of the series, saved with a run that is resumed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldInterval {
    start: f64,
    impulses: Vec<[f64; 3]>,
}

impl HeldInterval {
    /// Nothing yet, from `time` \[s\] on.
    #[must_use]
    pub fn new(contacts: &Contacts, time: f64) -> Self {
        Self {
            start: time,
            impulses: vec![[0.0; 3]; contacts.len()],
        }
    }

    /// Takes in the last step.
    pub fn step(&mut self, simulation: &Simulation) {
        let last = simulation.held_impulses();
        for &i in simulation.pressed() {
            for (sum, x) in self.impulses[i].iter_mut().zip(last[i]) {
                *sum += x;
            }
        }
    }

    /// Number of contacts.
    pub(crate) fn contacts(&self) -> usize {
        self.impulses.len()
    }

    /// Whether all its numbers are.
    pub(crate) fn is_finite(&self) -> bool {
        self.start.is_finite() && self.impulses.iter().flatten().all(|x| x.is_finite())
    }

    fn restart(&mut self, time: f64) {
        self.start = time;
        self.impulses.fill([0.0; 3]);
    }

    /// Mean force of contact i until `time` \[N\].
    fn mean_force(&self, i: usize, component: usize, time: f64) -> f64 {
        let elapsed = time - self.start;
        if elapsed > 0.0 {
            self.impulses[i][component] / elapsed
        } else {
            0.0
        }
    }
}

fn csv_line<S: AsRef<[u8]>>(fields: impl IntoIterator<Item = S>) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(fields)?;
    writer.into_inner().map_err(|e| e.into_error())
}

/// Names of the tangential columns of a contact: none without friction, `t` in a plane, otherwise
/// `t1` and `t2`.
fn tangent_names(contacts: &Contacts, i: usize) -> &'static [&'static str] {
    match (contacts.friction(i) > 0.0, contacts.tangent_count(i)) {
        (false, _) => &[],
        (true, 1) => &["t"],
        (true, _) => &["t1", "t2"],
    }
}

/// Names of the columns of the series.
#[must_use]
pub fn series_names(model: &Model, contacts: &Contacts) -> Vec<String> {
    let mut names = vec!["time_s".to_string()];
    names.extend(model.configuration_names().iter().map(|n| format!("q_{n}")));
    names.extend(model.coordinate_names().iter().map(|n| format!("v_{n}")));
    names.extend(
        [
            "kinetic_J",
            "potential_J",
            "work_actuators_J",
            "work_dissipative_J",
            "work_impacts_J",
            "work_captured_J",
        ]
        .map(str::to_string),
    );
    if contacts.has_moving_surface() {
        names.push("work_surfaces_J".to_string());
    }
    names.push("energy_residual_J".to_string());
    for i in 0..contacts.len() {
        names.push(format!("gap_{}_m", contacts.name(i)));
        names.push(format!("force_{}_n_N", contacts.name(i)));
    }
    for i in 0..contacts.len() {
        for t in tangent_names(contacts, i) {
            names.push(format!("force_{}_{t}_N", contacts.name(i)));
        }
    }
    names
}

/// Names of the columns of efforts, one of each joint \[N m or N\].
pub fn effort_names(model: &Model) -> impl Iterator<Item = String> {
    joints(model).map(|body| format!("effort_{}", body.joint))
}

/// Header of the series of an experiment; efforts are in it where somebody drives joints.
///
/// # Errors
/// None: it is written to memory.
pub fn series_header(experiment: &Experiment) -> io::Result<Vec<u8>> {
    let model = &experiment.model;
    let mut names = series_names(model, &experiment.contacts);
    if is_driven(experiment) {
        names.extend(effort_names(model));
    }
    csv_line(names)
}

fn is_driven(experiment: &Experiment) -> bool {
    experiment.scenario.is_driven()
}

/// Values of the columns of the series, appended to `row`; forces are means over the time since the
/// last row. `energy_residual_J` is the energy balance (energy less all work) less that at the start of the run, which is
/// `start`, or else the present one.
///
/// # Errors
/// A singular mass matrix.
pub fn series_values(
    simulation: &mut Simulation,
    interval: &mut HeldInterval,
    start: &mut Option<f64>,
    row: &mut Vec<f64>,
) -> Result<(), SimulationError> {
    let energies = simulation.energies()?;
    let balance = energies.balance();
    simulation.update_gaps();
    let time = simulation.time();
    let contacts = simulation.contacts();
    row.push(time);
    row.extend_from_slice(&simulation.state().q);
    row.extend_from_slice(simulation.known_velocity());
    row.extend([
        energies.kinetic,
        energies.potential,
        energies.work.actuators,
        energies.work.dissipative,
        energies.work.impacts,
        energies.work.captured,
    ]);
    if contacts.has_moving_surface() {
        row.push(energies.work.surfaces);
    }
    row.push(balance - *start.get_or_insert(balance));
    for (i, gap) in simulation.known_gaps().iter().enumerate() {
        row.extend([*gap, interval.mean_force(i, 0, time)]);
    }
    for i in 0..contacts.len() {
        let tangents = tangent_names(contacts, i).len();
        row.extend((0..tangents).map(|t| interval.mean_force(i, 1 + t, time)));
    }
    interval.restart(time);
    Ok(())
}

/// Rows of the series as text, in buffers that every row uses again.
#[derive(Debug, Clone, Default)]
pub struct SeriesRow {
    /// Energy balance at the start of the run \[J\]; that of the first row if nothing else is known.
    start: Option<f64>,
    /// Velocities of the joints whose efforts are written.
    driven: Vec<usize>,
    values: Vec<f64>,
    text: Vec<u8>,
}

impl SeriesRow {
    /// Rows of a run whose energy balance began at `start` \[J\]; that of the first row where it is `None`.
    #[must_use]
    pub fn measured_from(start: Option<f64>) -> Self {
        Self {
            start,
            ..Self::default()
        }
    }

    /// With the columns that [`series_header`] gives the experiment.
    #[must_use]
    pub(crate) fn with_efforts(mut self, experiment: &Experiment) -> Self {
        if is_driven(experiment) {
            self.driven = joints(&experiment.model).map(|body| body.v_index).collect();
        }
        self
    }

    /// The energy balance at the start of the run \[J\], once a row was made.
    #[must_use]
    pub fn start(&self) -> Option<f64> {
        self.start
    }

    /// The row at the present moment, with its line end: its columns in the shortest numbers that read back to the
    /// same bits.
    ///
    /// # Errors
    /// A singular mass matrix.
    pub fn text(
        &mut self,
        simulation: &mut Simulation,
        interval: &mut HeldInterval,
    ) -> Result<&[u8], SimulationError> {
        self.values.clear();
        self.text.clear();
        series_values(simulation, interval, &mut self.start, &mut self.values)?;
        let efforts = simulation.efforts();
        self.values.extend(self.driven.iter().map(|v| efforts[*v]));
        for &value in &self.values {
            push_number(value, &mut self.text);
            self.text.push(b',');
        }
        self.text.pop();
        self.text.push(b'\n');
        Ok(&self.text)
    }
}

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
    for i in 0..contacts.len() {
        names.push(format!("impulse_{}_n_Ns", contacts.name(i)));
        names.push(format!("impulse_{}_t_Ns", contacts.name(i)));
    }
    names.push("capped".to_string());
    for i in 0..contacts.len() {
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

/// Rows of the events as text, in buffers that every row uses again.
#[derive(Debug, Clone, Default)]
pub struct EventLine {
    /// Impulse of each contact.
    impulses: Vec<[f64; 3]>,
    text: Vec<u8>,
}

impl EventLine {
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
                let spatial = (0..contacts.len()).filter(|&i| contacts.tangent_count(i) == 2);
                self.empty(1 + 3 + 2 * contacts.len() + 2 + 2 * spatial.count());
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
        self.impulses.clear();
        self.impulses.resize(contacts.len(), [0.0; 3]);
        for (&i, impulse) in event.contacts.iter().zip(&impact.impulses) {
            self.impulses[i] = *impulse;
        }
        for i in 0..contacts.len() {
            let [normal, first, second] = self.impulses[i];
            self.number(normal);
            self.number(if contacts.tangent_count(i) == 1 {
                first
            } else {
                first.hypot(second)
            });
        }
        self.word(if impact.uniqueness.capped() {
            "true"
        } else {
            "false"
        });
        for i in 0..contacts.len() {
            if contacts.tangent_count(i) == 2 {
                let [_, first, second] = self.impulses[i];
                self.number(first);
                self.number(second);
            }
        }
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

fn needs_quotes(field: &[u8]) -> bool {
    field
        .iter()
        .any(|byte| matches!(byte, b',' | b'"' | b'\r' | b'\n'))
}

/// Appends a field of a table: in quotes where it holds what separates fields or lines, and quotes in it doubled.
fn push_field(field: &[u8], text: &mut Vec<u8>) {
    if !needs_quotes(field) {
        text.extend_from_slice(field);
        return;
    }
    text.push(b'"');
    for &byte in field {
        if byte == b'"' {
            text.push(b'"');
        }
        text.push(byte);
    }
    text.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::{csv_line, push_field};

    #[test]
    fn fields_are_quoted_as_the_reader_of_tables_expects() {
        let fields = [
            "foot",
            "a,b",
            "say \"a\"",
            "two\nlines",
            "two\rlines",
            "\"",
            "",
            "a;b c",
        ];
        let mut text = Vec::new();
        for field in fields {
            push_field(field.as_bytes(), &mut text);
            text.push(b',');
        }
        text.pop();
        text.push(b'\n');
        assert_eq!(text, csv_line(fields).unwrap());
    }
}
