//! The room study.granular.

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
