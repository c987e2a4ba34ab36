//! The room baseline.robust.

mod distribution;
mod report;
mod run;

pub use distribution::Distribution;
pub(crate) use report::BandComparison;
pub use report::RobustReport;
pub(crate) use run::run_robust;
