//! The course of one impact of one contact: sliding velocity, stored energy and impulses over the normal impulse.

pub(super) mod chart;
pub(super) mod coefficients;
pub(super) mod curve;
pub(super) mod events;
pub(super) mod invariant;
pub(super) mod panel;
pub(super) mod process;
pub(super) mod quadrature;
pub(super) mod slide;
pub(super) mod tail;
