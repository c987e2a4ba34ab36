//! Draws drops and runs them.

mod draw;
mod keep;
mod observer;

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use carom::record::{Run, RunEnd};

use draw::{Drop, draw};
use keep::keep;
use observer::Observer;

/// Any error.
pub type Anything = Box<dyn Error + Send + Sync>;

/// Name, scenario with its contact sites.
pub const ROBOTS: [(&str, &str); 3] = [
    ("quadruped", "robots/quadruped/collapse.toml"),
    ("hexapod", "robots/rhex/tripod.toml"),
    ("humanoid", "robots/humanoid/fall.toml"),
];
/// No gap may be below minus this [m].
const DEEPEST: f64 = 1e-9;

/// What all drops have in common.
pub struct Settings {
    pub seconds: f64,
    pub seed: u64,
    /// Of the wall clock, for one drop.
    pub limit: Duration,
    pub law: String,
    /// Folder for the scenarios of drops that go wrong.
    pub keep: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seconds: 2.0,
            seed: 1,
            limit: Duration::from_secs(60),
            law: "max-dissipation".to_string(),
            keep: None,
        }
    }
}

/// What became of one drop.
pub struct Outcome {
    pub robot: &'static str,
    pub index: usize,
    pub label: String,
    pub stopped: Option<String>,
    pub out_of_time: bool,
    pub time: f64,
    pub rise: f64,
    pub bound: f64,
    pub deepest: f64,
    pub creep: Option<f64>,
    pub events: usize,
    pub wall: f64,
}

impl Outcome {
    /// Whether it rises or sinks by more than may be.
    pub fn exceeds(&self) -> bool {
        // What is not a number exceeds everything.
        !(self.rise <= self.bound && self.deepest <= DEEPEST)
    }

    /// Whether it stopped, took too long, or exceeds a bound.
    pub fn is_wrong(&self) -> bool {
        self.stopped.is_some() || self.out_of_time || self.exceeds()
    }

    /// All in a line.
    pub fn line(&self) -> String {
        let end = match &self.stopped {
            Some(reason) => format!("STOPPED {reason}"),
            None if self.out_of_time => format!("out of time at {:.3} s", self.time),
            None => "done".to_string(),
        };
        let creep = self.creep.map_or("moving".into(), |x| format!("{x:.1e}"));
        format!(
            "{:9} {:4}  rise {:8.1e} of {:8.1e} J  deepest {:7.1e} m  creep {creep:>7}  {:6} events {:8.2} s  {}{end}  ({})",
            self.robot,
            self.index,
            self.rise,
            self.bound,
            self.deepest,
            self.events,
            self.wall,
            if self.exceeds() { "EXCEEDS " } else { "" },
            self.label,
        )
    }
}

/// Draws drop number `index` of a robot and runs it.
pub fn drop_one(
    robot: &'static str,
    index: usize,
    settings: &Settings,
) -> Result<Outcome, Anything> {
    let Drop { experiment, label } = draw(robot, index, settings)?;
    let mut observer = Observer::new(settings.limit, &experiment);
    let steps = experiment.scenario.steps();
    let run = catch_unwind(AssertUnwindSafe(|| -> Result<_, Anything> {
        let mut run = Run::new(&experiment)?;
        let end = run.advance(steps, &mut observer)?;
        Ok((end, run.state().time))
    }));
    let (stopped, time) = match run {
        Ok(Ok((RunEnd::Failed(reason), time))) => (Some(reason.to_string()), time),
        Ok(Ok((_, time))) => (None, time),
        Ok(Err(reason)) => (Some(reason.to_string()), f64::NAN),
        Err(_) => (Some("it panicked".to_string()), f64::NAN),
    };
    let outcome = Outcome {
        robot,
        index,
        label,
        stopped,
        out_of_time: observer.out_of_time,
        time,
        rise: observer.rise,
        bound: observer.bound(),
        deepest: observer.deepest,
        creep: observer.creep(),
        events: observer.events,
        wall: observer.begun.elapsed().as_secs_f64(),
    };
    if let Some(folder) = settings.keep.as_ref().filter(|_| outcome.is_wrong()) {
        keep(
            folder,
            &format!("{robot}_{}_{index}", settings.seed),
            &experiment,
        )?;
    }
    Ok(outcome)
}
