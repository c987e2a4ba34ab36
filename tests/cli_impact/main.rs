//! `carom impact` and `carom compare` as a user meets them: files, options, exit codes, messages.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

mod answers;
mod comparison;
mod refusals;
mod series;
mod support;
