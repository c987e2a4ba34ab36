//! What the replay shows of a run that goes on, from the rows that it has written.

use serde::Serialize;

use super::{MOST_EVENTS, ReplayEvent, ReplayFrames, ReplayScene, replay_events, shown_columns};
use crate::record::{GrowingRun, RunColumns};
use crate::scenario::Experiment;

/// A page of a run that has begun.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LiveReplay {
    /// Name of the robot.
    pub robot: String,
    /// What the scenario says it shows.
    pub description: String,
    /// The scenario's impact law, and the order of its reflections.
    pub law: [String; 2],
    /// Nominal step \[s\].
    pub time_step: f64,
    /// Duration that is asked for \[s\].
    pub duration: f64,
    /// Robot and world.
    pub(crate) scene: ReplayScene,
    /// The run so far.
    #[serde(flatten)]
    pub run: LiveRun,
}

/// What a run has left so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LiveRun {
    /// Whether it goes on.
    pub live: bool,
    /// Configurations over time.
    pub(crate) frames: ReplayFrames,
    /// Everything that can be plotted.
    pub series: RunColumns,
    /// Impacts, holds and releases, the first ones of very many.
    pub events: Vec<ReplayEvent>,
    /// How many events there were.
    pub event_count: usize,
}

impl LiveReplay {
    /// The page of an experiment that runs.
    #[must_use]
    pub fn new(experiment: &Experiment, run: LiveRun) -> Self {
        let impact = &experiment.scenario.impact;
        Self {
            robot: experiment.model.name().to_string(),
            description: experiment.scenario.description.clone(),
            law: [impact.law.clone(), impact.order.clone()],
            time_step: experiment.scenario.time_step,
            duration: experiment.scenario.duration,
            scene: ReplayScene::new(&experiment.model, &experiment.contacts),
            run,
        }
    }
}

impl LiveRun {
    /// What the tables hold; `None` before anything was read.
    #[must_use]
    pub fn so_far(experiment: &Experiment, run: &GrowingRun, live: bool) -> Option<Self> {
        let (series, rows) = (run.series()?, run.events());
        let shown = &rows[..rows.len().min(MOST_EVENTS)];
        Some(Self {
            live,
            frames: ReplayFrames::new(experiment, series, shown),
            series: shown_columns(experiment, series, rows),
            events: replay_events(experiment, shown),
            event_count: rows.len(),
        })
    }
}
