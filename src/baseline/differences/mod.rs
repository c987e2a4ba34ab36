//! Two baselines side by side: what differs, how much of it, and in words.

mod compare;
mod comparison_text;
mod ranking;

pub use compare::{
    ColumnComparison, Comparison, EventComparison, EventDifference, MetricComparison, Sides,
};
pub(super) use compare::{parting, within};
pub(super) use comparison_text::short;
pub use ranking::RankedDifference;
