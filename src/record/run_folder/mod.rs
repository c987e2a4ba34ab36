//! The folder of a run: how it grows, from where it goes on, and what is left in it.

mod finished_run;
mod growing_run;
mod growing_table;
mod recorder;
mod saved_run_check;

pub use finished_run::FinishedRun;
pub use growing_run::GrowingRun;
pub use recorder::{EndedRun, RecordError, Recorder, SavedRun};
