//! Robots of a scenario: how each is described, changed and held, and where it starts.

mod description;
mod initial;
mod joint;
mod latch;
mod list;
mod spring;

pub use description::RobotEntry;
use description::standard_gravity;
pub(crate) use initial::InitialEntry;
pub(crate) use joint::JointEntry;
pub(crate) use latch::LatchEntry;
pub use list::Robots;
pub use spring::SpringEntry;
