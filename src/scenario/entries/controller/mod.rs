//! Who drives the joints of a scenario.

mod controller_entry;
mod external_entry;
mod gait_entry;
mod gait_files;
mod servo_entry;

pub use controller_entry::ControllerEntry;
use controller_entry::check_finite;
pub use external_entry::ExternalEntry;
pub use gait_entry::{GaitChoice, GaitEntry, GaitLegEntry};
pub use gait_files::read_gait;
pub use servo_entry::{ServoDefault, ServoEntry};
