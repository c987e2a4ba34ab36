//! Baselines and controllers of other programs, as a user meets them.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

mod changes;
mod external;
mod library;
mod metrics;
mod refusals;
mod robust;
mod support;
