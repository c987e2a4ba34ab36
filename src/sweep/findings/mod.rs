//! What all runs of a sweep come to: distributions, which keys matter, pictures, the summary.

mod picture;
mod sensitivity;
mod statistics;
mod summary;

pub use picture::SweepPicture;
pub use sensitivity::KeyIndex;
pub use statistics::{MetricStatistics, Quantile, RunValue};
pub use summary::{FailedRun, SweepSummary, merge};
