//! `carom simulate` as a user meets it: files, columns, exit codes, resumed runs.
#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used)]

mod batch;
mod exports;
mod files;
mod pages;
mod refusals;
mod resume;
mod support;
