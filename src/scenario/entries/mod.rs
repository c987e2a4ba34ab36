//! The room scenario.entries.

mod baseline_entry;
mod contact_entry;
mod controller_entry;
mod export_format;
mod external_entry;
mod gait_entry;
mod gait_files;
mod heights_entry;
mod impact_entry;
mod initial_entry;
mod joint_entry;
mod locomotion_entry;
mod robot_entry;
mod site_entry;
mod terrain_entry;
mod terrain_patterns;

pub use baseline_entry::{BaselineEntry, PerturbEntry, RobustEntry};
pub use contact_entry::ContactEntry;
pub use controller_entry::{ControllerEntry, ServoEntry};
pub use export_format::{ExportFormat, UnavailableFormat};
pub use external_entry::ExternalEntry;
pub use gait_entry::{GaitChoice, GaitEntry, GaitLegEntry};
pub use gait_files::{GAITS, gait_by_name, read_gait};
pub use heights_entry::HeightsEntry;
pub use impact_entry::ImpactEntry;
pub(crate) use impact_entry::{check_restitution, unused_friction};
pub use initial_entry::InitialEntry;
pub use joint_entry::JointEntry;
pub use locomotion_entry::LocomotionEntry;
pub use robot_entry::{RobotEntry, SpringEntry};
pub use site_entry::{SiteEntry, SiteKind};
pub use terrain_entry::{Heading, MotionEntry, TerrainEntry};
pub use terrain_patterns::{RampEntry, SlopeEntry, StairsEntry, SteppingStonesEntry};
