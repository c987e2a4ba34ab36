//! Moments inside a piece at which something changes: gaps that close, contacts that let go, slides that end.

mod bracket;
mod location;
mod moment;
mod near;
mod releases;
mod switches;

pub(super) use location::{Crossing, Watched};
