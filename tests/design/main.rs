//! Designs whose impacts are unique.
#![cfg(feature = "xacro")]
#![allow(clippy::unwrap_used)]

mod billiards;
mod compromise;
mod derivatives;
mod drop;
mod legged;
mod refusals;
mod search;
mod support;
mod trex;
mod wishes;
