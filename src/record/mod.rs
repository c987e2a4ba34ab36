//! What a run leaves: its series, its events, its summary, and the state from which it goes on.
//!
//! | file | content |
//! |---|---|
//! | `series.csv` | every `output.every` steps: time, q, v, energy ledger (J), gaps (m), contact forces (N) by name; efforts of a driven robot's joints (N m or N) |
//! | `events.csv` | impacts with sequence, impulses (N s), verdict (`yes`, `no`, `undecided`), number of outcomes, ξ; holds, releases, branches; notes |
//! | `summary.json` | how the run ended, energies, impacts, held contacts, solver counts, locomotion |
//! | `state.json` | everything the future of the run depends on, from time to time and at the end |
//! | `scenario.toml`, `robot.urdf` | what was run, with every default; of several robots `robot_1.urdf`, `robot_2.urdf`, … |
//!
//! Series and events grow under temporary names and take their places when the run ends, completed or stopped. A run
//! that was interrupted in any way goes on from `state.json` to the same bytes; what may change is the duration and
//! what is written beside the tables. Numbers read back to the same bits. [`Trace`] is the same in memory, with columns
//! by name for metrics.
//!
//! The locomotion summary gives forward speed (m/s), heading error (rad), specific resistance (mean positive mechanical
//! power over weight times speed), duty factors, and impacts per stride with the share of ambiguous ones.
//!
//! The velocity of a floating base and of an object (`v_base.vx` … `v_base.wz`, `v_ball.vx` …) is its twist in its own
//! frame, linear part first (m/s, rad/s); that of a planar base is in the world.
//!
//! Limits: columns are sampled at ends of steps; what happens inside one stands in the events. Forces are means over a
//! step.
//!
//! # Example
//!
//! ```
//! use carom::hybrid::EventKind;
//! use carom::record::Trace;
//! use carom::scenario::{Experiment, Scenario};
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/ball/bounce.toml");
//! let scenario = Scenario::read(&file, &["duration=0.5".into(), "output.every=1".into()])?;
//! let trace = Trace::run(&Experiment::new("bounce", scenario)?, None)?;
//! let times = trace.column("time_s").ok_or("no times")?;
//! assert!(times.windows(2).all(|t| t[0] < t[1]));
//! // From 1 m the ball strikes after √(2/9.81) s, once in half a second, and that is unambiguous.
//! let strikes: Vec<_> = trace.events.iter().filter(|e| e.kind == EventKind::Impact).collect();
//! assert_eq!(strikes.len(), 1);
//! assert!((strikes[0].time_s - (2.0_f64 / 9.81).sqrt()).abs() < 1e-9 && !strikes[0].ambiguous());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod account;
mod locomotion;
mod run;
mod run_folder;
mod statistics;
mod summary;
mod tables;
mod trace;

pub use locomotion::{LegSummary, LocomotionSummary};
pub use run::{Run, RunEnd};
pub use run_folder::{EndedRun, FinishedRun, GrowingRun, RecordError, Recorder, SavedRun};
pub use statistics::RunStatistics;
pub use summary::{
    EnergySummary, HeldSummary, ImpactSummary, NewtonSummary, RunStatus, SolverSummary, Summary,
};
#[cfg(feature = "parquet")]
pub(crate) use tables::damaged;
pub(crate) use tables::{EventLine, events_header, series_header};
pub use tables::{
    EventRow, HeldInterval, ImpactRow, ImpactVerdict, RunColumn, RunColumns, RunFileError,
    RunSeries, RunTables, SeriesRow,
};
pub use trace::{NamedEvent, Trace};
