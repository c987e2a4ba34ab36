//! What a scenario puts together, for people: robots, joints, masses, and what can touch what.

mod body_pairs;
mod contact_remarks;
mod ground_contacts;
mod inspection;
mod scene_inspection;

pub use body_pairs::{BodyPair, Exclusion};
pub(super) use contact_remarks::contact_remarks;
pub use ground_contacts::GroundContacts;
pub use inspection::{
    CollisionShape, Inspection, JointSummary, MimicSummary, NotFinite, SphereSite, StateQuantities,
};
pub use scene_inspection::{SceneSummary, TerrainSummary, TouchingSummary, TreeSummary};
