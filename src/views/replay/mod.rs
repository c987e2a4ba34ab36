//! What `replay.html` shows, from the files of a finished run.
//!
//! A [`Replay`] is the data of the page: a scene of bodies and terrain, a placement of every body a frame (m, rad), and the
//! events with impulses (N s) and verdicts. Large meshes are thinned, numbers are packed. [`write_replay`] writes the page of
//! a run that ended; [`LiveReplay`] and [`LiveRun`] show one that goes on. Source: none.
//!
//! # Example
//!
//! ```
//! use carom::files::{OutputFolder, RUN_OUTPUT};
//! use carom::record::{Recorder, Run, RunTables};
//! use carom::scenario::{Experiment, Scenario};
//! use carom::views::replay::{Replay, write_replay};
//! use std::ops::ControlFlow;
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/ball/bounce.toml");
//! let scenario = Scenario::read(&file, &["duration=0.5".to_string()])?;
//! let experiment = Experiment::new("bounce", scenario)?;
//! let folder = std::env::temp_dir().join(format!("carom-replay-page-{}", std::process::id()));
//! let held = OutputFolder::hold(&folder, &RUN_OUTPUT)?;
//! let mut recorder = Recorder::create(&experiment, held, |_| ControlFlow::Continue(()))?;
//! let mut run = Run::new(&experiment)?;
//! run.complete(&mut recorder)?;
//! let end = run.state().clone();
//! let summary = recorder.finish(run.simulation(), &end, None)?.publish()?;
//! let tables = RunTables::read(&folder)?;
//! write_replay(&experiment, &tables, &folder, &summary, false)?;
//! assert!(std::fs::read_to_string(folder.join("replay.html"))?.contains("bounce"));
//! // From 1 m the ball strikes once in half a second.
//! let replay = Replay::new(&experiment, &tables, &summary);
//! assert_eq!(replay.events.iter().filter(|event| event.kind == "impact").count(), 1);
//! std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod frames;
mod live;
mod meshes;
mod page;
mod scene;

pub(crate) use frames::ReplayFrames;
pub use live::{LiveReplay, LiveRun};
#[cfg(feature = "cli")]
pub(crate) use meshes::VisualMeshes;
pub use page::{REPLAY_PAGE, write_replay};
#[cfg(feature = "mcap")]
pub(crate) use scene::DrawnHeights;
pub(crate) use scene::ReplayScene;
#[cfg(any(feature = "mcap", feature = "cli"))]
pub(crate) use scene::drawn_shapes;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use frames::in_world;

use crate::dynamics::Kinematics;
use crate::record::{EventRow, ImpactVerdict, RunColumns, RunSeries, RunTables, Summary};
use crate::scenario::Experiment;

/// More events than this are not shown.
const MOST_EVENTS: usize = 4000;

/// A whole run for a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Replay {
    /// Name of the robot.
    pub robot: String,
    /// The scenario's impact law, and the order of its reflections.
    pub law: [String; 2],
    /// Nominal step \[s\].
    pub time_step: f64,
    /// The run in numbers.
    pub summary: Summary,
    /// Robot and world.
    pub(crate) scene: ReplayScene,
    /// Configurations over time.
    pub(crate) frames: ReplayFrames,
    /// Everything that can be plotted.
    pub series: RunColumns,
    /// Impacts, holds and releases, the first ones of very many.
    pub events: Vec<ReplayEvent>,
    /// How many events there were.
    pub event_count: usize,
    /// It begins again where it ends: a period of an orbit.
    pub repeats: bool,
}

/// A change of the contacts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReplayEvent {
    /// Time \[s\].
    pub time: f64,
    /// `impact`, `limit`, `hold`, `release` or `branch`.
    pub kind: String,
    /// What the law did, for an impact.
    pub verdict: Option<ImpactVerdict>,
    /// What a hold became: `stick`, `slide` or empty.
    pub mode: String,
    /// Why it is not what the law alone would have done.
    pub note: String,
    /// The note in words, or why another law acted.
    pub reason: String,
    /// How many continuations a branch has.
    pub continuations: Option<usize>,
    /// The contacts that took part.
    pub(crate) contacts: Vec<ReplayContact>,
}

/// A contact at an event.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ReplayContact {
    /// Its name.
    pub name: String,
    /// Where it touches \[m\].
    pub point: [f64; 3],
    /// Impulse on the site in the world \[N s\].
    pub impulse: [f64; 3],
    /// Its component along the normal \[N s\].
    pub normal: f64,
}

impl Replay {
    /// Of a run of an experiment with these tables, which came to `summary`.
    #[must_use]
    pub fn new(experiment: &Experiment, tables: &RunTables, summary: &Summary) -> Self {
        let RunTables {
            series,
            events: rows,
        } = tables;
        let impact = &experiment.scenario.impact;
        let shown = &rows[..rows.len().min(MOST_EVENTS)];
        Self {
            robot: experiment.model.name().to_string(),
            law: [impact.law.clone(), impact.order.clone()],
            time_step: experiment.scenario.time_step,
            summary: summary.clone(),
            scene: ReplayScene::new(&experiment.model, &experiment.contacts),
            frames: ReplayFrames::new(experiment, series, shown),
            series: shown_columns(experiment, series, rows),
            events: replay_events(experiment, shown),
            event_count: rows.len(),
            repeats: false,
        }
    }
}

/// Contacts of which all are worth columns.
const MOST_IDLE_CONTACTS: usize = 24;

/// The columns of a run; where contacts are many, without those of contacts that nothing happened at.
fn shown_columns(experiment: &Experiment, series: &RunSeries, events: &[EventRow]) -> RunColumns {
    let (model, contacts) = (Some(&*experiment.model), &experiment.contacts);
    if contacts.len() <= MOST_IDLE_CONTACTS {
        return RunColumns::new(series, model);
    }
    let touched: BTreeSet<&str> = events
        .iter()
        .flat_map(|event| event.contacts.iter().map(String::as_str))
        .collect();
    let mut idle = BTreeSet::new();
    for i in 0..contacts.len() {
        let name = contacts.name(i);
        let force = format!("force_{name}_n_N");
        let carried = |values: &[f64]| values.iter().any(|x| *x != 0.0);
        if !touched.contains(name) && !series.column(&force).is_some_and(carried) {
            let tangents = ["t", "t1", "t2"].map(|t| format!("force_{name}_{t}_N"));
            idle.extend([format!("gap_{name}_m"), force]);
            idle.extend(tangents);
        }
    }
    RunColumns::without(series, model, &idle)
}

/// Events with their contacts in the world.
pub(crate) fn replay_events(experiment: &Experiment, rows: &[EventRow]) -> Vec<ReplayEvent> {
    let (model, contacts) = (&experiment.model, &experiment.contacts);
    let mut kinematics = Kinematics::<f64>::new(model);
    let mut events = Vec::with_capacity(rows.len());
    let places: BTreeMap<&str, usize> =
        (0..contacts.len()).map(|i| (contacts.name(i), i)).collect();
    for row in rows {
        if row.q.len() == model.configuration_len() {
            kinematics.clock.time = row.time;
            kinematics.update_placements(model, &row.q);
        }
        let touched = row.contacts.iter().enumerate().filter_map(|(k, name)| {
            let i = *places.get(name.as_str())?;
            let components = row.impact.as_ref().map_or([0.0; 3], |x| x.impulses[k]);
            let (point, impulse) = in_world(&contacts.frame(&kinematics, i), components);
            Some(ReplayContact {
                name: name.clone(),
                point,
                impulse,
                normal: components[0],
            })
        });
        events.push(ReplayEvent {
            time: row.time,
            kind: row.kind.clone(),
            mode: row.mode.clone(),
            note: row.note.clone(),
            reason: row.reason.clone(),
            continuations: row.continuations,
            contacts: touched.collect(),
            verdict: row.impact.as_ref().map(|impact| impact.verdict.clone()),
        });
    }
    events
}
