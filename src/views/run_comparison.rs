//! Several finished runs side by side.

use serde::Serialize;
use serde_json::Value;

use crate::impact::Verdict;
use crate::record::{EventRow, FinishedRun, RunColumns};

/// More events than this a run are not shown.
const MOST_EVENTS: usize = 4000;

/// What a page that compares runs shows; the first run is what the others are compared with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunComparison {
    /// The runs, in the order given.
    pub runs: Vec<ComparedRun>,
    /// The values of the summaries, but those of the machine, which differ every time.
    pub summary: Vec<ComparedValue>,
    /// The values of the scenarios that are not the same in all runs.
    pub scenario: Vec<ComparedValue>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedRun {
    /// Its folder.
    pub name: String,
    /// Everything that can be plotted.
    pub series: RunColumns,
    /// Its events, the first ones of very many.
    pub events: Vec<ComparedEvent>,
    /// How many events there were.
    pub event_count: usize,
    /// The first event that differs from the first run's, counted from 0; where one run has fewer
    /// events and all before agree, the first one that is missing.
    pub first_difference: Option<usize>,
}

/// A value in all runs; `null` where a run does not have it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedValue {
    /// Where it stands, with dots.
    pub name: String,
    /// Per run.
    pub values: Vec<Value>,
    /// Whether a run has another value than the first, beyond rounding: numbers are one where they are within 1e-10 of the
    /// larger or within 1e-11.
    pub differs: bool,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedEvent {
    /// Time \[s\].
    pub time: f64,
    /// `impact`, `limit`, `hold`, `release` or `branch`.
    pub kind: String,
    /// The contacts that took part.
    pub contacts: Vec<String>,
    /// Contacts in the order in which they acted.
    pub sequence: Vec<String>,
    /// Number of distinct outcomes; `None` for what is no impact.
    pub outcomes: Option<usize>,
    /// Whether the outcome is unique; `None` for what is no impact.
    pub unique: Option<Verdict>,
    /// True when the count of outcomes ran out of its budget.
    pub capped: bool,
    /// ξ.
    pub indeterminacy: f64,
}

impl RunComparison {
    /// Compares runs with the first of them.
    #[must_use]
    pub fn new(runs: &[FinishedRun]) -> Self {
        let summaries: Vec<&Value> = runs.iter().map(|run| &run.summary).collect();
        let scenarios: Vec<&Value> = runs.iter().map(|run| &run.scenario).collect();
        let mut scenario = compared_values(&scenarios);
        scenario.retain(|entry| entry.values.iter().any(|value| *value != entry.values[0]));
        scenario.iter_mut().for_each(|entry| entry.differs = true);
        let mut summary = compared_values(&summaries);
        summary.retain(|entry| !OF_THE_MACHINE.contains(&entry.name.as_str()));
        Self {
            summary,
            scenario,
            runs: runs.iter().map(|run| compared_run(run, &runs[0])).collect(),
        }
    }
}

/// Values of the summary that tell of the machine, and the hash of what `scenario` lists.
const OF_THE_MACHINE: [&str; 3] = ["wall_time_s", "real_time_factor", "scenario_hash"];

/// What rounding makes of a number that is computed in another order.
const ROUNDING: f64 = 1e-10;
const LEAST_DIFFERENCE: f64 = 1e-11;

/// Whether two values are one, but for rounding.
fn agree(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| agree(a, b))
        }
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => {
                (a - b).abs() <= LEAST_DIFFERENCE.max(ROUNDING * a.abs().max(b.abs()))
            }
            _ => a == b,
        },
    }
}

fn compared_run(run: &FinishedRun, first: &FinishedRun) -> ComparedRun {
    let events = run.tables.events.iter().take(MOST_EVENTS).map(|row| {
        let impact = row.impact.as_ref().map(|impact| &impact.verdict);
        ComparedEvent {
            time: row.time,
            kind: row.kind.clone(),
            contacts: row.contacts.clone(),
            sequence: impact.map_or_else(Vec::new, |i| i.sequence.clone()),
            outcomes: impact.map(|i| i.outcomes),
            unique: impact.map(|i| i.unique),
            capped: impact.is_some_and(|i| i.capped),
            indeterminacy: impact.map_or(0.0, |i| i.indeterminacy),
        }
    });
    let model = run.experiment.as_ref().map(|e| e.model.as_ref());
    ComparedRun {
        name: run.name.clone(),
        series: RunColumns::new(&run.tables.series, model),
        events: events.collect(),
        event_count: run.tables.events.len(),
        first_difference: first_difference(&first.tables.events, &run.tables.events),
    }
}

/// Events differ when another thing happened or its verdict is another one; times and impulses may
/// differ a little between runs that tell the same story.
fn first_difference(a: &[EventRow], b: &[EventRow]) -> Option<usize> {
    let same = |(x, y): (&EventRow, &EventRow)| {
        let story = |event: &EventRow| {
            event
                .impact
                .as_ref()
                .map(|i| &i.verdict)
                .map(|i| (i.sequence.clone(), i.unique, i.outcomes, i.capped))
        };
        x.kind == y.kind
            && x.contacts == y.contacts
            && (&x.mode, &x.note, x.continuations) == (&y.mode, &y.note, y.continuations)
            && story(x) == story(y)
    };
    let shared = a.iter().zip(b).position(|pair| !same(pair));
    shared.or((a.len() != b.len()).then(|| a.len().min(b.len())))
}

/// The leaves of documents by their places, in the order in which they come first.
fn compared_values(documents: &[&Value]) -> Vec<ComparedValue> {
    let mut rows: Vec<ComparedValue> = Vec::new();
    for (run, document) in documents.iter().enumerate() {
        let mut leaves = Vec::new();
        collect_leaves("", document, &mut leaves);
        for (name, value) in leaves {
            let place = rows.iter().position(|row| row.name == name);
            let row = place.unwrap_or_else(|| {
                rows.push(ComparedValue {
                    name,
                    values: vec![Value::Null; documents.len()],
                    differs: false,
                });
                rows.len() - 1
            });
            rows[row].values[run] = value;
        }
    }
    for row in &mut rows {
        row.differs = !row.values.iter().all(|value| agree(&row.values[0], value));
    }
    rows
}

/// A list of named tables is told apart by their names, other lists are one value.
fn collect_leaves(place: &str, value: &Value, leaves: &mut Vec<(String, Value)>) {
    let inside = |key: &str| {
        if place.is_empty() {
            key.to_string()
        } else {
            format!("{place}.{key}")
        }
    };
    match value {
        Value::Object(entries) => {
            for (key, entry) in entries {
                collect_leaves(&inside(key), entry, leaves);
            }
        }
        Value::Array(entries) if entries.iter().any(Value::is_object) => {
            for (i, entry) in entries.iter().enumerate() {
                let named = ["name", "joint"]
                    .iter()
                    .find_map(|key| entry.get(key)?.as_str());
                let label = named.map_or_else(|| i.to_string(), str::to_string);
                collect_leaves(&format!("{place}[{label}]"), entry, leaves);
            }
        }
        _ => leaves.push((place.to_string(), value.clone())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn leaves_are_found_by_their_places() {
        let a = json!({"x": 1, "list": [{"name": "foot", "r": 2}, {"r": 3}], "v": [1, 2]});
        let b = json!({"x": 1, "list": [{"name": "foot", "r": 4}], "y": true});
        let rows = compared_values(&[&a, &b]);
        let row = |name: &str| {
            let row = rows.iter().find(|row| row.name == name);
            row.map(|row| row.values.clone())
        };
        assert_eq!(row("x"), Some(vec![json!(1), json!(1)]));
        assert_eq!(row("list[foot].r"), Some(vec![json!(2), json!(4)]));
        assert_eq!(row("list[1].r"), Some(vec![json!(3), Value::Null]));
        assert_eq!(row("v"), Some(vec![json!([1, 2]), Value::Null]));
        assert_eq!(row("y"), Some(vec![Value::Null, json!(true)]));
        let differing: Vec<&str> = (rows.iter().filter(|row| row.differs))
            .map(|row| row.name.as_str())
            .collect();
        assert_eq!(differing, ["list[foot].r", "list[1].r", "v", "y"]);
    }

    #[test]
    fn rounding_is_no_difference() {
        assert!(agree(&json!(12.3), &json!(12.300000000000002)));
        assert!(agree(&json!(1e-15), &json!(-3e-14)));
        assert!(agree(&json!([1, 2.0]), &json!([1.0, 2])));
        assert!(!agree(&json!(12.3), &json!(12.3001)));
        assert!(!agree(&json!(3), &json!(4)));
        assert!(!agree(&json!(0.0), &Value::Null));
    }

    #[test]
    fn the_first_event_of_another_story_is_found() {
        let event = |kind: &str, time: f64| EventRow {
            time,
            kind: kind.to_string(),
            contacts: vec!["foot".to_string()],
            impact: None,
            mode: String::new(),
            note: String::new(),
            reason: String::new(),
            continuations: None,
            q: Vec::new(),
        };
        let a = [event("hold", 0.1), event("release", 0.2)];
        let later = [event("hold", 0.11), event("release", 0.2)];
        let other = [event("hold", 0.1), event("hold", 0.2)];
        assert_eq!(first_difference(&a, &later), None);
        assert_eq!(first_difference(&a, &other), Some(1));
        assert_eq!(first_difference(&a, &a[..1]), Some(1));
    }
}
