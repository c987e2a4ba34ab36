//! Contacts of joints with their own limits, and latches that hold them there.

mod latch;
mod limit;

pub use latch::{Latch, LatchDeclaration, LimitEnd};
pub use limit::JointLimit;
pub(super) use limit::joint_limits;
