//! Pieces of the fixed world of a scenario.

mod heights_entry;
mod terrain_entry;
mod terrain_patterns;

pub use heights_entry::HeightsEntry;
pub use terrain_entry::{BoxEntry, Heading, MotionEntry, PlaneEntry, ShakeEntry, TerrainEntry};
pub use terrain_patterns::{RampEntry, SlopeEntry, StairsEntry, SteppingStonesEntry};
