//! The room baseline.robust.

mod distribution;
mod report;
mod run;

pub use distribution::Distribution;
pub use report::{BandComparison, RobustReport, Spread, StoppedRun};
pub(crate) use run::run_robust;
