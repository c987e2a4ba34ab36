//! Granular flow: impulse-velocity time stepping of many free spheres with friction, and a channel to compare laws in.
//!
//! Source: \[PER\] §3.1 and §4.3.
//!
//! # A step
//!
//! δt step (s), λ impulses (N s) in the frame n, t, o of each contact, ξ gap (m), v velocities, f forces, W contact
//! directions, M masses:
//!
//! ```text
//! v′ = v + M⁻¹ (W λ + δt f),      x′ = x moved by v′ for δt
//! 0 ≤ λ_n ⊥ ξ/δt + δv_n′ ≥ 0,     ‖λ_to‖ ≤ μ λ_n,     and the law of each contact for λ_to
//! ```
//!
//! The law of a contact is maximum dissipation or Coulomb-like friction (room `impact::dissipation` has both for one
//! contact). Of a penetration only the share ε is undone in one step. The equations are solved by non-linear block
//! Gauss-Seidel sweeps in the order of the bodies' identifiers, starting from the impulses of the step before, until no
//! visit changes the velocity at its contact by more than the tolerance.
//!
//! **Penetration measures convergence.** The distance of two convex bodies is a convex function of their relative
//! translation, so it is at least its linearisation: a converged step never closes a gap by more than it predicts (for
//! spheres, which rotation does not change). What is seen of penetration is what the sweeps left.
//!
//! Pairs that may touch are found in a list of cubic cells as wide as the largest distance of interest.
//!
//! # The channel
//!
//! Spheres are pushed in at x = 0 by a plane that is set back and followed by a new layer whenever it has moved by two
//! diameters (the paper says two radii; its inflow is that of diameters), flow past a box from floor to ceiling under
//! gravity along −z, and are taken out at the open end. The paper has 2.47·10⁵ particles of 0.47 mm and 10⁶ steps; the
//! default is the same channel with particles of 2 mm. Contacts per particle count each contact for both. The paper's
//! 8.31 % of penetration is of the diameter.
//!
//! # Declared, and limits
//!
//! Everything is sequential and in a fixed order: the result does not depend on the number of threads. Time stepping
//! has no events and no order above one; impacts are inelastic. A step whose sweeps end at their limit is counted, not
//! hidden.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::comparison::granular::{ChannelSettings, run};
//!
//! let settings = ChannelSettings {
//!     size: [0.03, 0.012, 0.008],
//!     obstacle: None,
//!     duration: 2e-3,
//!     settling_time: 0.0,
//!     ..ChannelSettings::default()
//! };
//! let report = run(&settings, |_| {})?;
//! assert_eq!(report.escaped, 0);
//! assert!(report.max_penetration_share < 0.01 && report.particles_mean > 10.0);
//! # Ok::<(), carom::comparison::granular::GranularError>(())
//! ```

mod broad_phase;
mod channel;
mod channel_report;
mod contact_law;
mod contacts;
mod error;
mod particles;
mod time_stepping;

pub(crate) use broad_phase::CellList;
pub use channel::{ChannelSettings, run};
pub use channel_report::{ChannelReport, ChannelSample, FlowProfile};
pub use contact_law::GranularLaw;
pub use error::GranularError;
pub use particles::{Boundary, Particle};
pub use time_stepping::{ParticleSystem, StepStatistics, TimeStepSettings};
