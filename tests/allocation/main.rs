//! Nothing is allocated once a kernel has seen a problem of the size: steps, whole simulation steps without events, and
//! the impulses of the laws.
#![allow(clippy::unwrap_used)]

mod counting;
mod dynamics;
mod lcp_laws;
mod max_dissipation;
mod plus;
mod propagative;
#[path = "../support/random_impacts.rs"]
mod random_impacts;
#[path = "../../benches/support/step_cases.rs"]
mod step_cases;
mod steps;
mod stronge;
