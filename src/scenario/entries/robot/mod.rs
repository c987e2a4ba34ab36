//! Robots of a scenario: how each is described, changed and held, and where it starts.

mod initial_entry;
mod joint_entry;
mod latch_entry;
mod robot_entry;
mod robots_entry;
mod spring_entry;

pub use initial_entry::InitialEntry;
pub use joint_entry::JointEntry;
pub use latch_entry::LatchEntry;
pub use robot_entry::RobotEntry;
use robot_entry::standard_gravity;
pub use robots_entry::Robots;
pub use spring_entry::SpringEntry;
