//! A run kept in memory: its series with efforts, work and slip, its events by name, its summary.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::account::RunAccount;
use super::summary::Summary;
use super::tables::{
    HeldInterval, RowBasis, effort_names, event_verdict, series_names, series_values,
};
use super::{Run, RunEnd};
use crate::control::Controller;
use crate::hybrid::{
    Event, EventKind, EventNote, HoldMode, Simulation, SimulationError, StepSummary, Watcher,
};
use crate::impact::Verdict;
use crate::metric::{Names, Quantity};
use crate::scenario::{Experiment, ScenarioError, joints};

/// Rows that a trace holds at most; a longer run is kept at every second, third … step.
const MOST_ROWS: u64 = 20_000;

/// A change of the contacts, by names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(
    non_snake_case,
    reason = "the unit is part of the field's name in the file"
)]
pub struct NamedEvent {
    /// Time \[s\].
    pub time_s: f64,
    /// What happened.
    pub kind: EventKind,
    /// Contacts that took part.
    pub contacts: Vec<String>,
    /// Law that resolved an impact.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub law: String,
    /// Order in which the contacts acted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sequence: Vec<String>,
    /// Whether the outcome of an impact is unique; absent for holds, releases and in files that do not hold it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unique: Option<Verdict>,
    /// Distinct outcomes of an impact, continuations of a branch; 0 for a hold or a release.
    #[serde(default)]
    pub outcomes: usize,
    /// Whether the count of outcomes ran out of its budget: there may be more.
    #[serde(default)]
    pub capped: bool,
    /// Indeterminacy ξ of an impact.
    #[serde(default)]
    pub indeterminacy: f64,
    /// What a hold became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<HoldMode>,
    /// Why the event is not what the law alone would have done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<EventNote>,
    /// Normal impulse of each contact of an impact \[N s\].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub impulses_Ns: Vec<f64>,
}

impl NamedEvent {
    /// An event with its contacts by name.
    #[must_use]
    pub fn new(experiment: &Experiment, event: &Event) -> Self {
        let contacts = &experiment.contacts;
        let impact = event.impact.as_ref();
        Self {
            time_s: event.time,
            kind: event.kind,
            contacts: contacts.names_of(&event.contacts),
            law: impact.map_or_else(String::new, |i| i.law.to_string()),
            sequence: impact.map_or_else(Vec::new, |i| contacts.names_of(&i.sequence)),
            unique: event_verdict(event),
            outcomes: impact.map_or(event.continuations.unwrap_or(0), |i| {
                i.uniqueness.outcomes()
            }),
            capped: impact.is_some_and(|i| i.uniqueness.capped()),
            indeterminacy: impact.map_or(0.0, |i| i.uniqueness.indeterminacy()),
            mode: event.mode,
            note: event.note,
            impulses_Ns: impact
                .map_or_else(Vec::new, |i| i.impulses.iter().map(|x| x[0]).collect()),
        }
    }

    /// Whether it is an impact that is known to have more than one outcome.
    #[must_use]
    pub fn ambiguous(&self) -> bool {
        self.kind.is_impact() && self.outcomes > 1
    }

    /// Whether it is an impact of which the law cannot tell.
    #[must_use]
    pub fn undecided(&self) -> bool {
        self.unique == Some(Verdict::Undecided)
    }

    /// Whether two events are one but for numbers: time, ξ and impulses. What one of them does not hold is not
    /// compared.
    #[must_use]
    pub fn same_kind_of(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.contacts == other.contacts
            && self.law == other.law
            && self.sequence == other.sequence
            && (self.outcomes, self.capped) == (other.outcomes, other.capped)
            && agree(self.unique, other.unique)
            && agree(self.mode, other.mode)
            && self.note == other.note
    }
}

/// Whether two values are one, where both are known.
fn agree<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
    a.zip(b).is_none_or(|(a, b)| a == b)
}

/// A whole run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Steps between rows.
    pub every: u64,
    /// Names of the columns; the first is `time_s`.
    pub names: Vec<String>,
    /// The columns.
    pub columns: Vec<Vec<f64>>,
    /// The events.
    pub events: Vec<NamedEvent>,
    /// The content of `summary.json`.
    pub summary: Summary,
    /// Numbers that metrics may use: those of the summary, `mass_kg` and `weight_N`.
    pub numbers: Vec<(String, f64)>,
}

impl Trace {
    /// Runs an experiment from its beginning to its end, under `controller` instead of the
    /// scenario's if one is given. A run that stops early is a trace that says so.
    ///
    /// # Errors
    /// A start that is refused.
    pub fn run(
        experiment: &Experiment,
        controller: Option<Box<dyn Controller>>,
    ) -> Result<Self, ScenarioError> {
        Self::traced(experiment, controller, None)
    }

    /// The same for the first steps of the run.
    ///
    /// # Errors
    /// As [`Trace::run`].
    pub fn run_steps(
        experiment: &Experiment,
        controller: Option<Box<dyn Controller>>,
        steps: u64,
    ) -> Result<Self, ScenarioError> {
        Self::traced(experiment, controller, Some(steps))
    }

    /// The first steps, or the whole run.
    fn traced(
        experiment: &Experiment,
        controller: Option<Box<dyn Controller>>,
        steps: Option<u64>,
    ) -> Result<Self, ScenarioError> {
        let mut run = Run::new(experiment)?;
        if let Some(controller) = controller {
            run = run.with_controller(controller);
        }
        let mut tracer = Tracer::new(experiment);
        let end = match steps {
            Some(steps) => run.advance(steps, &mut tracer)?,
            None => run.complete(&mut tracer)?,
        };
        let reason = match end {
            RunEnd::Failed(error) => Some(error.to_string()),
            RunEnd::Reached | RunEnd::Interrupted => None,
        };
        tracer.finish(run.simulation(), reason)
    }

    /// A column by name.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let place = self.names.iter().position(|n| n == name)?;
        Some(&self.columns[place])
    }
}

impl Names for Trace {
    fn value(&self, name: &str) -> Option<Quantity> {
        if let Some(column) = self.column(name) {
            return Some(Quantity::Series(column.to_vec()));
        }
        let number = self.numbers.iter().find(|(n, _)| n == name);
        number.map(|(_, x)| Quantity::Number(*x))
    }

    fn names(&self) -> Vec<String> {
        let numbers = self.numbers.iter().map(|(name, _)| name);
        self.names.iter().chain(numbers).cloned().collect()
    }

    fn times(&self) -> &[f64] {
        &self.columns[0]
    }
}

/// One joint whose effort and work are kept.
struct Driven {
    q_index: usize,
    v_index: usize,
    effort: f64,
    position: f64,
}

struct Tracer<'a> {
    experiment: &'a Experiment,
    every: u64,
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
    row: Vec<f64>,
    basis: RowBasis,
    events: Vec<NamedEvent>,
    account: RunAccount<'a>,
    interval: HeldInterval,
    driven: Vec<Driven>,
    positive_work: f64,
    /// Way that each contact slid while it was held \[m\].
    slid: Vec<f64>,
    written: f64,
}

impl<'a> Tracer<'a> {
    fn new(experiment: &'a Experiment) -> Self {
        let (model, contacts) = (&experiment.model, &experiment.contacts);
        let mut names = series_names(model, contacts);
        names.extend(effort_names(model));
        names.push("work_positive_J".to_string());
        names.extend((0..contacts.len()).map(|i| format!("slip_{}_m", contacts.name(i))));
        Self {
            every: experiment.scenario.steps().div_ceil(MOST_ROWS).max(1),
            columns: vec![Vec::new(); names.len()],
            names,
            row: Vec::new(),
            basis: RowBasis::default(),
            events: Vec::new(),
            account: RunAccount::new(experiment),
            interval: HeldInterval::new(contacts, 0.0),
            driven: joints(model)
                .map(|b| Driven {
                    q_index: b.q_index,
                    v_index: b.v_index,
                    effort: 0.0,
                    position: experiment.q[b.q_index],
                })
                .collect(),
            positive_work: 0.0,
            slid: vec![0.0; contacts.len()],
            written: f64::NAN,
            experiment,
        }
    }

    fn write_row(&mut self, simulation: &mut Simulation) -> Result<(), SimulationError> {
        self.row.clear();
        series_values(
            simulation,
            &mut self.interval,
            &mut self.basis,
            &mut self.row,
        )?;
        self.row.extend(self.driven.iter().map(|d| d.effort));
        self.row.push(self.positive_work);
        self.row.extend_from_slice(&self.slid);
        for (column, x) in self.columns.iter_mut().zip(&self.row) {
            column.push(*x);
        }
        self.written = simulation.time();
        Ok(())
    }

    fn take_events(&mut self, events: &[Event]) {
        self.account.events(events);
        let named = events.iter().map(|e| NamedEvent::new(self.experiment, e));
        self.events.extend(named);
    }

    fn finish(
        mut self,
        simulation: &mut Simulation,
        reason: Option<String>,
    ) -> Result<Trace, ScenarioError> {
        let events = simulation.take_events();
        self.take_events(&events);
        if self.written != simulation.time() {
            self.write_row(simulation)?;
        }
        let summary = self
            .account
            .summary(simulation, reason, 0.0, String::new())?;
        let mut numbers = Vec::new();
        // A summary is plain data, which JSON always takes.
        let document = serde_json::to_value(&summary).unwrap_or_default();
        flatten("summary", &document, &mut numbers);
        numbers.retain(|(name, _)| !OF_THE_MACHINE.contains(&name.as_str()));
        let model = &self.experiment.model;
        numbers.push(("mass_kg".to_string(), model.mass()));
        let weight = model.mass() * model.gravity().norm();
        numbers.push(("weight_N".to_string(), weight));
        Ok(Trace {
            every: self.every,
            names: self.names,
            columns: self.columns,
            events: self.events,
            summary,
            numbers,
        })
    }
}

/// Fields of the summary that tell of the machine and not of the run.
const OF_THE_MACHINE: [&str; 2] = ["summary.wall_time_s", "summary.real_time_factor"];

/// The numbers of a JSON document under their paths, in its order.
fn flatten(path: &str, value: &serde_json::Value, out: &mut Vec<(String, f64)>) {
    match value {
        serde_json::Value::Number(x) => {
            out.extend(x.as_f64().map(|x| (path.to_string(), x)));
        }
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                flatten(&format!("{path}.{name}"), value, out);
            }
        }
        serde_json::Value::Array(entries) => {
            for (i, value) in entries.iter().enumerate() {
                flatten(&format!("{path}.{i}"), value, out);
            }
        }
        _ => {}
    }
}

impl Watcher<SimulationError> for Tracer<'_> {
    fn start(&mut self, simulation: &mut Simulation) -> Result<(), SimulationError> {
        self.account.start(simulation)?;
        self.write_row(simulation)
    }

    fn settled(&mut self, _: &mut Simulation, events: &[Event]) -> Result<(), SimulationError> {
        self.take_events(events);
        Ok(())
    }

    fn step(
        &mut self,
        simulation: &mut Simulation,
        summary: &StepSummary,
        events: &[Event],
    ) -> Result<ControlFlow<()>, SimulationError> {
        for driven in &mut self.driven {
            driven.effort = simulation.efforts()[driven.v_index];
        }
        self.take_events(events);
        self.account.step(simulation, summary)?;
        self.interval.step(simulation);
        let h = simulation.settings().time_step;
        let state = simulation.state();
        let since = state.time - state.step as f64 * h;
        let h = if since > 0.0 { since } else { h };
        for driven in &mut self.driven {
            // Efforts are constant over a step: this is their work, whatever happened inside.
            let position = state.q[driven.q_index];
            self.positive_work += (driven.effort * (position - driven.position)).max(0.0);
            driven.position = position;
        }
        for held in &state.held {
            if let Some([a, b]) = held.slip {
                self.slid[held.contact] += h * a.hypot(b);
            }
        }
        if state.step.is_multiple_of(self.every) && simulation.is_between_steps() {
            self.write_row(simulation)?;
        }
        Ok(ControlFlow::Continue(()))
    }
}
