//! Who drives the joints of a scenario.

mod external;
mod gait;
mod gait_files;
mod kind;
mod servo;

pub use external::ExternalEntry;
pub use gait::{GaitChoice, GaitEntry, GaitLegEntry};
pub use gait_files::read_gait;
pub use kind::ControllerEntry;
use kind::check_finite;
pub use servo::{ServoDefault, ServoEntry};
