//! Studies: what is done with many runs or many answers. Branches, laws side by side, design files, granular scenarios,
//! batches.
//!
//! * **Branches** ([`write_branches`]): every distinct outcome of every impact is followed as a branch of its own, all in
//!   lockstep. Branches whose states agree to a tolerance are merged, the younger into the older; the number that runs
//!   at once is bounded, and what is left out is counted. How far two branches are apart is ‖p_a − p_b‖/‖p_a‖ in the
//!   kinetic metric (\[SM\] Fig. 8); two runs that differ in the order of reflections alone stay together to round-off
//!   until an impact has several outcomes.
//! * **Laws side by side** ([`LawComparison`]): one problem, or the first impact of a run, by every law of a registry.
//!   A law that does not cover the problem says why.
//! * **Design files** ([`DesignStudy`](design::DesignStudy)): TOML to a design problem (room `design`), its solution to a report, and the
//!   proof on the simulated fall with two orders of reflection, before and after.
//! * **Periodic orbits** (`orbit`): found on the return map of a scenario, with multipliers and what it is where contacts strike
//!   together; and **designs on them** (`orbit_design`), whose orbit changes with the robot.
//! * **Granular scenarios**: TOML to the channel of `comparison::granular`.
//! * **Batches** ([`ScenarioBatch`]): many runs of one scenario of which only the ends are kept. Run i has the seed
//!   `impact.seed` + i and draw i of the perturbations; run 0 is the scenario itself. The ends do not depend on the
//!   number of threads.
//! * **Inspection**: what a robot is, with its mass matrix and energies in one state.
//!
//! Limits: branches grow exponentially with ambiguous impacts until merging and the budget stop them; a tree that is
//! not complete says so.
//!
//! # Example
//!
//! ```
//! use carom::laws::LawRegistry;
//! use carom::scenario::{Experiment, Scenario};
//! use carom::study::{ComparedLaw, LawComparison, first_impact};
//! use std::path::Path;
//!
//! let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("robots/billiards/break.toml");
//! let experiment = Experiment::new("break", Scenario::read(&file, &[])?)?;
//! let impact = first_impact(&experiment)?;
//! let compared = LawComparison::of_impact(&LawRegistry::standard(), &[], "break", &impact)?;
//! let unique = |name: &str| {
//!     compared.laws.iter().find_map(|law| match law {
//!         ComparedLaw::Applied { answer, .. } if answer.law == name => Some(answer.unique),
//!         _ => None,
//!     })
//! };
//! // The order of two collisions decides; their simultaneous plastic projection is a function.
//! assert_eq!(unique("propagative"), Some(Some(false)));
//! assert_eq!(unique("plastic"), Some(Some(true)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod branch_files;
mod branch_metric;
mod branching;
pub mod design;
pub mod granular;
mod law_comparison;
mod momentum_distance;
pub mod orbit;
pub mod orbit_design;
mod robust_plan;
mod scenario_batch;
mod wanted_cosine;

pub use branch_files::write_branches;
pub use branch_metric::Metric;
pub use branching::{BranchError, BranchSummary, BranchTree};
pub(crate) use branching::{BranchWatcher, run_branches};
pub use law_comparison::{ComparedLaw, FirstImpactError, LawComparison, first_impact};
pub use momentum_distance::{
    DistanceCurve, DistanceEvent, DistanceSample, Parting, momentum_distance,
};
pub(crate) use robust_plan::RobustPlan;
pub use scenario_batch::{BatchEnd, ScenarioBatch, end_digest};
