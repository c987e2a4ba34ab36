//! Sweeps: one subject run many times with other keys, in parts that any number of machines may do.
//!
//! A sweep file names a subject (a scenario, a baseline, a problem of one impact, a design, an orbit), the keys that
//! differ from run to run, and how their values are chosen: a grid, a list, or draws from a Sobol sequence (Joe and Kuo 2008), a Latin
//! hypercube, or independent ones. **Run i is a pure function of what the sweep is made from and of i**; a run that fails
//! is a row with its status and message.
//!
//! # Parts
//!
//! Rows of runs that follow each other are written as a *part*, whole or not at all, whose name holds its runs and the
//! beginning of the SHA-256 of its content. The table is a function of the set of rows: whether one process made one
//! part or sixty-four machines a thousand of them, in whatever order, some of them twice, the bytes are the same. Parts
//! that overlap must agree to the byte, and one that does not have the content that its name says is refused.
//!
//! # What is told
//!
//! Quantiles are order statistics x₍⌈p n⌉₎, so that each is the value of a run; the worst runs come with the `--set` that
//! repeats them. First-order and total Sobol indices are estimated from a design of Saltelli (N draws become N (k + 2)
//! runs for k keys), first-order ones also from the ranks of random draws or a Latin hypercube, each with its standard deviation.
//!
//! # Limits
//!
//! One process needs the parts of all machines in one folder to merge them (`carom sweep merge` brings folders together).
//! Merging holds one row of each part in memory, and 8 bytes a run for as many metrics as fit into 320 MB. The bits of
//! elementary functions may differ between machines of different kinds; parts that contradict each other are refused,
//! parts that do not overlap are not compared.
//!
//! # Example
//!
//! ```
//! use carom::sweep::{Sweep, SweepOptions, merge};
//!
//! let folder = std::env::temp_dir().join(format!("carom-sweep-page-{}", std::process::id()));
//! std::fs::create_dir_all(&folder)?;
//! let file = folder.join("bounces.sweep.toml");
//! let scenario = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/ball/bounce.toml");
//! let text = format!(
//!     "subject = {scenario:?}\nset = [\"duration=0.6\"]\ndefault_metrics = false\n\
//!      plan = {{ kind = \"sobol\", runs = 8 }}\n\
//!      metrics = {{ impacts = \"summary.impacts.count\", energy_J = \"last(kinetic_J + potential_J)\" }}\n\
//!      vary = [{{ key = \"contact.restitution\", uniform = [0.5, 0.9] }}]\n"
//! );
//! std::fs::write(&file, text)?;
//! let sweep = Sweep::read(&file, &[])?;
//! // Three machines, one after the other.
//! for k in [2, 1, 3] {
//!     sweep.run_shard(&folder.join("out"), k, 3, &SweepOptions::default())?;
//! }
//! let summary = merge(&folder.join("out"), false)?;
//! assert_eq!((summary.runs, summary.completed()), (8, 8));
//! // The ball that keeps most of its energy has the largest restitution.
//! let energy = summary.metrics.iter().find(|m| m.name == "energy_J").ok_or("no metric")?;
//! assert!(energy.worst[0].set[0].starts_with("contact.restitution=0.8"));
//! std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draws;
mod error;
mod file;
mod findings;
mod manifest;
mod outcome;
mod plan;
mod run;
mod subject;
mod table;
mod values;

pub use error::SweepError;
pub use file::{
    AnalysisEntry, PlanEntry, PlanKind, SensitivityKind, SubjectKind, SweepFile, VaryEntry,
};
pub use findings::{
    FailedRun, KeyIndex, MetricStatistics, Quantile, RunValue, SweepPicture, SweepSummary, merge,
};
pub use manifest::{MANIFEST, Manifest, SweepKey};
pub use outcome::{Outcome, SweepStatus};
pub use plan::{MOST_RUNS, Plan};
pub use run::{Sweep, SweepOptions};
pub use subject::{NamedMetric, Subject, SweepInput};
pub use table::{PARTS, Part, Progress, TABLE, collect_parts, shard};
