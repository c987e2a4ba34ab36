//! Granular scenarios: many spheres flow through a channel past an obstacle, stepped by impulses, under one law of friction or
//! another.
//!
//! A [`GranularScenario`] is a TOML file with `[stepper] kind = "time-stepping"`. A [`GranularRun`] is what came of it: a row
//! of the series every few steps, and the key figures of the flow (heights in m, speeds in m/s, forces in N).
//!
//! Source: \[PER\] §4.3.
//!
//! # Example
//!
//! ```
//! use carom::study::granular::{GranularRun, GranularScenario};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/granular/channel.toml");
//! let keys = ["duration=4e-4", "particles.spacing=2e-2"].map(str::to_string);
//! let scenario = GranularScenario::read(file.as_ref(), &keys)?.ok_or("of robots")?;
//! let run = GranularRun::new("channel.toml", scenario, |_| {})?;
//! let summary = run.summary()?;
//! assert_eq!((summary.law, summary.steps), ("max-dissipation", 10));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "cli")]
mod plots;
mod scenario;
mod study;

#[cfg(feature = "cli")]
pub use plots::draw_granular_plots;
pub use scenario::{
    ChannelEntry, GRANULAR_LAWS, GranularContactEntry, GranularImpactEntry, GranularOutputEntry,
    GranularScenario, ParticlesEntry, TimeSteppingEntry,
};
pub use study::{GranularRun, GranularSummary};
