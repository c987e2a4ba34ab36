//! The output folder of a run.
//!
//! `series.csv` and `events.csv` grow under temporary names and take their places when the run ends,
//! completed or stopped. `state.json` is written from time to time and at the end: a run that was
//! interrupted in any way goes on from it to the same bytes. `summary.json` is written last, when everything that is
//! made from the run stands beside it: a folder without it holds no whole run.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::growing_table::{Table, access};
use super::saved_run_check::json_complaint;
use crate::files::{
    FolderError, OutputFileError, OutputFolder, sync, write_whole, write_whole_at_once,
};
use crate::hybrid::{Event, Simulation, SimulationError, State, StepSummary, Watcher};
use crate::record::account::RunAccount;
use crate::record::locomotion::LocomotionStatistics;
use crate::record::statistics::RunStatistics;
use crate::record::summary::{RunStatus, Summary};
use crate::record::tables::{EventLine, HeldInterval, SeriesRow, events_header, series_header};
use crate::scenario::Experiment;

/// Wall time between two saved states.
const SAVE_INTERVAL: Duration = Duration::from_secs(1);
/// Steps between two looks at the clock.
const STEPS_PER_LOOK: u64 = 16;
const STATE_FILE: &str = "state.json";

/// Why the folder of a run cannot be written, or a run cannot be taken up from it.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// A file cannot be written.
    #[error(transparent)]
    Output(#[from] OutputFileError),
    /// The folder is another process's, or holds what no run wrote.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A table or the folder cannot be read or written.
    #[error("{}: {source}", .path.display())]
    Access {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is nothing to resume.
    #[error("{}: {reason}", .path.display())]
    Resume {
        /// The state file.
        path: PathBuf,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The scenario cannot be written as text.
    #[error("the scenario cannot be written: {0}")]
    Scenario(#[from] toml::ser::Error),
    /// The state cannot be evaluated.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

/// A run between two steps, as it stands in `state.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedRun {
    /// Version of the program that wrote it.
    pub version: String,
    /// Hash of the scenario without its duration and the robot.
    pub scenario_hash: String,
    /// The simulation.
    pub state: State,
    pub(crate) statistics: RunStatistics,
    pub(crate) locomotion: Option<LocomotionStatistics>,
    pub(crate) interval: HeldInterval,
    series_bytes: u64,
    events_bytes: u64,
    pub(crate) wall_time_s: f64,
}

impl SavedRun {
    /// Reads the state file of a folder and checks that it belongs to the experiment.
    ///
    /// # Errors
    /// There is none, it is damaged, or it is of another scenario, robot or version.
    pub fn read(folder: &Path, experiment: &Experiment) -> Result<Self, RecordError> {
        let path = folder.join(STATE_FILE);
        let refuse = |reason: String| RecordError::Resume {
            path: path.clone(),
            reason,
        };
        let text = fs::read_to_string(&path).map_err(|e| {
            refuse(format!(
                "cannot be read: {e}; there is no run to resume, start one without --resume"
            ))
        })?;
        let saved: Self =
            serde_json::from_str(&text).map_err(|e| refuse(json_complaint(&text, &e)))?;
        if saved.version != env!("CARGO_PKG_VERSION") {
            return Err(refuse(format!(
                "was written by version {}, this is version {}; start the run again without --resume",
                saved.version,
                env!("CARGO_PKG_VERSION")
            )));
        }
        if saved.scenario_hash != experiment.resume_hash()? {
            return Err(refuse(
                "belongs to another scenario or robot; only duration and output.plots, output.replay \
                 and output.export may change when a run is resumed"
                    .to_string(),
            ));
        }
        saved.check(experiment).map_err(|(place, reason)| {
            refuse(format!(
                "{place}: {reason}; start the run again without --resume"
            ))
        })?;
        Ok(saved)
    }
}

/// Writes the files of a run.
pub struct Recorder<'a> {
    experiment: &'a Experiment,
    folder: OutputFolder,
    every: u64,
    series: Table,
    events: Table,
    resume_hash: String,
    account: RunAccount<'a>,
    interval: HeldInterval,
    row: SeriesRow,
    event_row: EventLine,
    earlier_wall_time: f64,
    begun: Instant,
    saved: Instant,
    ended_between_steps: bool,
    /// Time of the last row.
    written: Option<f64>,
    progress: Box<dyn FnMut(u64) -> ControlFlow<()> + 'a>,
}

impl<'a> Recorder<'a> {
    /// Empties the folder of an older run and begins one. `progress` is told the number of steps
    /// done and may stop the run.
    ///
    /// # Errors
    /// The folder holds what no run wrote, or cannot be written.
    pub fn create(
        experiment: &'a Experiment,
        folder: OutputFolder,
        progress: impl FnMut(u64) -> ControlFlow<()> + 'a,
    ) -> Result<Self, RecordError> {
        folder.clear()?;
        let (model, contacts) = (&experiment.model, &experiment.contacts);
        let memory = |header: io::Result<Vec<u8>>| header.map_err(access(folder.path()));
        let series = Table::create(
            folder.path(),
            "series.csv",
            &memory(series_header(experiment))?,
        )?;
        let events = Table::create(
            folder.path(),
            "events.csv",
            &memory(events_header(model, contacts))?,
        )?;
        Self::with(experiment, folder, series, events, None, Box::new(progress))
    }

    /// Continues the files of a saved run. What was made from them goes: it is made again.
    ///
    /// # Errors
    /// The tables are shorter than the saved run says, or cannot be written.
    pub fn resume(
        experiment: &'a Experiment,
        folder: OutputFolder,
        saved: &SavedRun,
        progress: impl FnMut(u64) -> ControlFlow<()> + 'a,
    ) -> Result<Self, RecordError> {
        let series = Table::resume(folder.path(), "series.csv", saved.series_bytes)?;
        let events = Table::resume(folder.path(), "events.csv", saved.events_bytes)?;
        folder.clear_derived()?;
        let progress = Box::new(progress);
        Self::with(experiment, folder, series, events, Some(saved), progress)
    }

    fn with(
        experiment: &'a Experiment,
        folder: OutputFolder,
        series: Table,
        events: Table,
        saved: Option<&SavedRun>,
        progress: Box<dyn FnMut(u64) -> ControlFlow<()> + 'a>,
    ) -> Result<Self, RecordError> {
        let now = Instant::now();
        let mut account = RunAccount::new(experiment);
        let mut interval = HeldInterval::new(&experiment.contacts, 0.0);
        if let Some(saved) = saved {
            account.statistics = Some(saved.statistics.clone().taken_up());
            account.locomotion.clone_from(&saved.locomotion);
            interval = saved.interval.clone();
        }
        let start = saved.map(|saved| saved.statistics.initial_balance());
        Ok(Self {
            experiment,
            folder,
            every: experiment.scenario.output.every,
            series,
            events,
            resume_hash: experiment.resume_hash()?,
            account,
            interval,
            row: SeriesRow::measured_from(start).with_efforts(experiment),
            event_row: EventLine::new(&experiment.contacts),
            earlier_wall_time: saved.map_or(0.0, |s| s.wall_time_s),
            begun: now,
            saved: now,
            ended_between_steps: false,
            written: saved
                .filter(|s| {
                    s.state
                        .step
                        .is_multiple_of(experiment.scenario.output.every)
                })
                .map(|s| s.state.time),
            progress,
        })
    }

    fn wall_time(&self) -> f64 {
        self.earlier_wall_time + self.begun.elapsed().as_secs_f64()
    }

    /// Writes `state.json`: the run as it stands after the step that `state` describes.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn save(&mut self, state: &State) -> Result<(), RecordError> {
        self.series.sync()?;
        self.events.sync()?;
        self.write_state(state, true)
    }

    /// The same with the tables as far as the system has them; waits for the disk if `durably`.
    fn write_state(&mut self, state: &State, durably: bool) -> Result<(), RecordError> {
        let Some(statistics) = self.account.statistics.clone() else {
            return Ok(());
        };
        self.series.flush()?;
        self.events.flush()?;
        let saved = SavedRun {
            version: env!("CARGO_PKG_VERSION").to_string(),
            scenario_hash: self.resume_hash.clone(),
            state: state.clone(),
            statistics,
            locomotion: self.account.locomotion.clone(),
            interval: self.interval.clone(),
            series_bytes: self.series.bytes,
            events_bytes: self.events.bytes,
            wall_time_s: self.wall_time(),
        };
        let path = self.folder.path().join(STATE_FILE);
        let text =
            |w: &mut dyn io::Write| serde_json::to_writer(w, &saved).map_err(io::Error::from);
        if durably {
            write_whole(&path, text)?;
        } else {
            write_whole_at_once(&path, text)?;
        }
        self.saved = Instant::now();
        Ok(())
    }

    fn write_events(&mut self, events: &[Event]) -> Result<(), RecordError> {
        self.account.events(events);
        for event in events {
            let row = self.event_row.text(&self.experiment.contacts, event);
            self.events.write(row)?;
        }
        Ok(())
    }

    fn write_row(&mut self, simulation: &mut Simulation) -> Result<(), RecordError> {
        let row = self.row.text(simulation, &mut self.interval)?;
        self.series.write(row)?;
        self.written = Some(simulation.time());
        Ok(())
    }

    /// Ends the run: saves it at its last whole step, writes the last row, the tables and the scenario. `reason`
    /// says why it stopped; without one it is complete.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(
        mut self,
        simulation: &mut Simulation,
        boundary: &State,
        reason: Option<String>,
    ) -> Result<EndedRun, RecordError> {
        if !self.ended_between_steps {
            // A run that is soon made again need not wait here, and one that was taken up counts as a whole.
            if self.wall_time() >= SAVE_INTERVAL.as_secs_f64() {
                self.save(boundary)?;
            } else {
                self.write_state(boundary, false)?;
            }
        }
        let events = simulation.take_events();
        self.write_events(&events)?;
        if self.written != Some(simulation.time()) {
            self.write_row(simulation)?;
        }
        let (wall_time, hash) = (self.wall_time(), self.experiment.hash()?);
        let summary = self.account.summary(simulation, reason, wall_time, hash)?;
        self.series.finish()?;
        self.events.finish()?;
        sync(&self.folder.path().join(STATE_FILE))?;
        let text = self.experiment.resolved().to_toml()?;
        for (name, robot) in self.experiment.robot_files() {
            write_whole(&self.folder.path().join(name), |w| {
                w.write_all(robot.as_bytes())
            })?;
        }
        write_whole(&self.folder.path().join("scenario.toml"), |w| {
            w.write_all(text.as_bytes())
        })?;
        Ok(EndedRun {
            summary,
            folder: self.folder,
        })
    }
}

/// A run that has ended, with its tables in its folder, which does not yet say how it ended: what else belongs to the
/// run is put there first. Dropped without [`EndedRun::publish`], it can only be resumed.
#[derive(Debug)]
pub struct EndedRun {
    /// What the run came to.
    pub summary: Summary,
    folder: OutputFolder,
}

impl EndedRun {
    /// Its folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Marks the run as stopped early: what belongs to it cannot be completed now.
    pub fn stop(&mut self, reason: &str) {
        self.summary.status = RunStatus::Stopped;
        self.summary.reason = Some(reason.to_string());
    }

    /// Writes `summary.json`, the last file of the run, and gives the folder free.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn publish(self) -> Result<Summary, OutputFileError> {
        write_whole(&self.folder.path().join(self.folder.kind().summary), |w| {
            serde_json::to_writer_pretty(&mut *w, &self.summary)?;
            w.write_all(b"\n")
        })?;
        Ok(self.summary)
    }
}

impl Watcher<RecordError> for Recorder<'_> {
    fn start(&mut self, simulation: &mut Simulation) -> Result<(), RecordError> {
        self.account.start(simulation)?;
        self.interval = HeldInterval::new(&self.experiment.contacts, simulation.time());
        self.write_row(simulation)
    }

    fn settled(
        &mut self,
        simulation: &mut Simulation,
        events: &[Event],
    ) -> Result<(), RecordError> {
        self.write_events(events)?;
        self.write_state(simulation.state(), false)
    }

    fn step(
        &mut self,
        simulation: &mut Simulation,
        summary: &StepSummary,
        events: &[Event],
    ) -> Result<ControlFlow<()>, RecordError> {
        self.write_events(events)?;
        self.account.step(simulation, summary)?;
        self.interval.step(simulation);
        let step = simulation.state().step;
        if !simulation.is_between_steps() {
            // A longer run goes on from before this last, shorter step: it is not saved.
            self.ended_between_steps = true;
            return Ok((self.progress)(step));
        }
        if step.is_multiple_of(self.every) {
            self.write_row(simulation)?;
        }
        let due = step.is_multiple_of(STEPS_PER_LOOK) && self.saved.elapsed() >= SAVE_INTERVAL;
        let scenario = &self.experiment.scenario;
        let last = step == scenario.steps() && scenario.end_between_steps().is_some();
        if due || last {
            self.save(simulation.state())?;
        }
        Ok((self.progress)(step))
    }
}
