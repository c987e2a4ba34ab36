//! Views of finished runs: plots, the replay page, exports, and runs side by side. All are made from the files of a
//! run, never from the simulation.
//!
//! * **Plots** (feature `cli`): SVG with text as text, drawn dark on white and following a reader who prefers light on
//!   dark: energies, the base, joints and their efforts beside limits, gaps, forces over the cone, feet, phases of contacts as
//!   bars with impacts as ticks.
//! * **Picture** (feature `cli`): the robot at one moment, as a drawing for documents.
//! * **Replay**: what `replay.html` shows: bodies with shapes and meshes, sites, terrain and springs over time, impulses at the
//!   moment of impact with the verdict and ξ, the energy ledger, every column. It opens from disk without a network.
//! * **Exports**: `run.mcap` (transforms, joint states, shapes, events; feature `mcap`) and `series.parquet`,
//!   `events.parquet` (feature `parquet`). Asking for a format that the build does not have is an error that says how
//!   to build it.
//! * **Comparison**: which keys of the scenarios differ, every value of the summaries, series over each other, and the
//!   first event that is another one. Events differ when another thing happened or its verdict is another; times and
//!   impulses may differ a little.
//!
//! Limits: pages show the first few thousand events and thinned series; the tables hold all.
//!
//! # Example
//!
//! ```
//! use carom::scenario::ExportFormat;
//!
//! assert_eq!(ExportFormat::Mcap.files(), ["run.mcap"]);
//! let built = cfg!(feature = "parquet");
//! match ExportFormat::Parquet.available() {
//!     Ok(()) => assert!(built),
//!     Err(error) => assert!(!built && error.to_string().contains("--features parquet")),
//! }
//! ```

pub mod export;
pub mod page;
#[cfg(feature = "cli")]
pub mod picture;
#[cfg(feature = "cli")]
pub mod plots;
pub mod replay;
mod run_comparison;

pub use run_comparison::{ComparedEvent, ComparedRun, ComparedValue, RunComparison};
