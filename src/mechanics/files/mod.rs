//! Files: written whole or not at all, JSON read strictly, names answered with the nearest one.
//!
//! * [`write_whole`] writes through a temporary file in the same folder, which takes the place of the old one only when
//!   all data is on the disk. A reader sees the old file or the new one. A symbolic link stays; a pipe is written
//!   directly.
//! * JSON is read more strictly than by default: a number must be a JSON number, an object has each key once, and an
//!   error names the path of keys and indices, line and column, also in texts that are not quite JSON.
//! * Numbers are written as the shortest text that reads back to the same bits.
//! * [`did_you_mean`] suggests the known name nearest to a misspelt one (Damerau-Levenshtein distance, at most a third
//!   of its letters).
//!
//! Nothing here knows of robots or runs.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::files::{did_you_mean, write_whole};
//! use std::io::{Error, Write};
//!
//! let file = std::env::temp_dir().join(format!("carom-files-{}.txt", std::process::id()));
//! write_whole(&file, |out| out.write_all(b"first"))?;
//! // A write that fails leaves what stood there.
//! let failed = write_whole(&file, |out| {
//!     out.write_all(b"half of the sec")?;
//!     Err(Error::other("no more"))
//! });
//! assert!(failed.is_err() && std::fs::read_to_string(&file)? == "first");
//! std::fs::remove_file(&file)?;
//! let laws = ["propagative", "plastic", "plus"];
//! assert_eq!(did_you_mean("plastik", laws.into_iter()), " (did you mean \"plastic\"?)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounded_read;
mod brief;
#[doc(hidden)]
pub mod json_place;
mod nearest_name;
mod number_text;
mod output_file;
mod output_folder;
mod output_lock;
mod packed_numbers;
mod strict_json;
mod toml_text;

#[doc(hidden)]
pub use bounded_read::{read_bounded, read_bounded_text, refuse_pipe};
#[doc(hidden)]
pub use brief::brief;
#[doc(hidden)]
pub use json_place::JsonPath;
pub use nearest_name::did_you_mean;
#[doc(hidden)]
pub use number_text::{push_fields, push_number};
pub use output_file::{OutputFileError, remove_leftovers, write_whole};
#[doc(hidden)]
pub use output_file::{create_anew, remove_if_there};
#[doc(hidden)]
pub use output_file::{sync, write_whole_at_once};
pub use output_folder::{DESIGN_OUTPUT, FolderError, OutputFolder, OutputKind, RUN_OUTPUT};
pub use output_lock::{LockError, OutputLock};
#[doc(hidden)]
pub use packed_numbers::{pack_f32, pack_f64, pack_u16, pack_u32};
#[doc(hidden)]
pub use strict_json::{Number, NumbersByJoint, Object};
#[doc(hidden)]
pub use toml_text::{toml_key, toml_string};
