//! Two baselines side by side: what differs, how much of it, and in words.

mod compare;
mod comparison_text;
mod ranking;

pub use compare::Comparison;
pub(super) use compare::{Sides, parting, within};
pub(super) use comparison_text::short;
