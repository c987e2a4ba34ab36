//! Gaps, frames and rows of contacts against dual numbers, closed forms and brute force.
#![allow(clippy::unwrap_used)]

mod circle_box;
mod coverage;
mod limits;
mod places;
mod refusals;
mod rows;
mod shapes;
mod sites;
mod support;
