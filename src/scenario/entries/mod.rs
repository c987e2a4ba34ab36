//! The tables of a scenario file.

mod baseline_entry;
mod contact_entry;
mod controller;
mod export_format;
mod impact_entry;
mod locomotion_entry;
mod object_entry;
mod orbit_entry;
mod output_entry;
mod robot;
mod site_entry;
mod stepper_entry;
mod terrain;

pub use baseline_entry::{BaselineEntry, PerturbEntry, RobustEntry};
pub use contact_entry::{ContactEntry, SelfContact};
pub use controller::{
    ControllerEntry, ExternalEntry, GaitChoice, GaitEntry, GaitLegEntry, ServoDefault, ServoEntry,
    read_gait,
};
pub use export_format::{ExportFormat, UnavailableFormat};
pub use impact_entry::ImpactEntry;
pub(crate) use impact_entry::{check_restitution, unused_friction};
pub use locomotion_entry::LocomotionEntry;
pub use object_entry::{ObjectEntry, ObjectKind};
pub(crate) use orbit_entry::SectionKind;
pub use orbit_entry::{CrossingDirection, OrbitEntry, SectionEntry, SymmetryEntry};
pub use output_entry::OutputEntry;
pub use robot::{InitialEntry, JointEntry, LatchEntry, RobotEntry, Robots, SpringEntry};
pub use site_entry::{SiteEntry, SiteKind};
pub use stepper_entry::{StepperEntry, StepperKind};
pub use terrain::{
    BoxEntry, Heading, HeightsEntry, MotionEntry, PlaneEntry, RampEntry, ShakeEntry, SlopeEntry,
    StairsEntry, SteppingStonesEntry, TerrainEntry,
};
