//! The room design.search.

mod acceleration;
mod bounded_lbfgs;
mod compromise;
mod gauss_newton;
mod minimum_norm;
mod multistart;
mod nearest;
mod nearest_in_box;
mod residuals;
mod solve;
mod swarm;

#[doc(hidden)]
pub use minimum_norm::MinimumNormNewton;
pub use multistart::{StartRecord, best_start, solve_numbered, solve_start};
#[doc(hidden)]
pub use nearest::Found;
#[doc(hidden)]
pub use nearest_in_box::Bounds;
pub(crate) use residuals::Residuals;
pub use solve::{DesignSettings, DesignSolution, DesignStatus, Method, Weighing};
pub use swarm::Swarm;
