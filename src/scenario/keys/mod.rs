//! Keys of a scenario as they are written: set from outside, for joints by patterns, naming files, with every default.

mod joint_pattern;
mod list_lengths;
mod overrides;
mod paths;
mod resolved;

pub(super) use joint_pattern::{Layer, Reach, is_pattern, most_specific, no_joint, spelled_names};
pub(super) use list_lengths::too_long;
pub(crate) use overrides::{apply_overrides, from_overridden, number_at, parse_overridden};
pub(crate) use paths::relative_path;
pub use resolved::ROBOT_FILE;
pub(crate) use resolved::{digest, hexadecimal};
