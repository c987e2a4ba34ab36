//! Contacts without impacts: where they are, and steps in which they are held with friction.
#![allow(clippy::unwrap_used)] // a test may fail by panicking

mod composed_contacts;
mod friction_modes;
/// Gaps, frames and rows of contacts against dual numbers, closed forms and brute force.
mod geometry {
    mod carried;
    mod circle_box;
    mod collision;
    mod coverage;
    mod heights;
    mod limits;
    mod places;
    mod refusals;
    mod rows;
    mod shapes;
    mod sites;
    mod support;
}
mod held_contacts;
