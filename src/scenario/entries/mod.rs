//! The tables of a scenario file.

mod baseline;
mod contact;
mod controller;
mod export_format;
mod impact;
mod locomotion;
mod object;
mod orbit;
mod output;
mod robot;
mod site;
mod stepper;
mod terrain;

pub(crate) use baseline::PerturbEntry;
pub use baseline::{BaselineEntry, RobustEntry};
pub use contact::ContactEntry;
pub(crate) use contact::SelfContact;
pub use controller::{
    ControllerEntry, ExternalEntry, GaitChoice, GaitEntry, GaitLegEntry, ServoDefault, ServoEntry,
    read_gait,
};
pub use export_format::{ExportFormat, UnavailableFormat};
pub use impact::ImpactEntry;
pub(crate) use impact::{check_restitution, unused_friction};
pub use locomotion::LocomotionEntry;
pub(crate) use object::ObjectEntry;
pub(crate) use orbit::{CrossingDirection, SectionKind};
pub use orbit::{OrbitEntry, SymmetryEntry};
pub use output::OutputEntry;
pub(crate) use robot::{InitialEntry, JointEntry, LatchEntry};
pub use robot::{RobotEntry, Robots, SpringEntry};
pub(crate) use site::{SiteEntry, SiteKind};
pub(crate) use stepper::{StepperEntry, StepperKind};
pub(crate) use terrain::TerrainEntry;
