//! Collisions that take time: stiff springs and dampers in place of an impact law, to compare the laws with.
//!
//! # Spheres on the ground (\[USD\] (4.1), (4.2))
//!
//! Hertz's spring with Hunt and Crossley's dissipation and regularised friction; z penetration (m), R radius (m), E
//! modulus (Pa), c dissipation (s/m), v_t sliding velocity, v_s transition speed (m/s):
//!
//! ```text
//! f = max(0, 4/3 √R E z^(3/2) (1 + 3/2 c ż))                  [N]
//! friction = −μ f σ(‖v_t‖/v_s) v_t/‖v_t‖,   σ(x) = 10x³ − 15x⁴ + 6x⁵ up to 1, and 1 beyond
//! ```
//!
//! σ and its first two derivatives vanish at 0 and join smoothly at 1. Without dissipation the spring is conservative,
//! and a ball comes back with the speed it had. The configuration moves during the collision, unlike in an impact law;
//! as E grows the time of collision shrinks like E^(−2/5) and the outcome tends to that of a law which gets the details
//! right.
//!
//! # The rocking block (\[HP\] (88)–(90))
//!
//! A rigid block strikes with both corners on springs k_i (N/m) with damping 2ζ√(k m) (the paper prints √(k/m), the
//! same for 1 kg) and friction saturated at a sliding speed ε. The ratio of the stiffnesses, or an angle too small to
//! see, decides the order in which the corners share the impulse: the compliant counterpart of a set of outcomes.
//!
//! # Integration
//!
//! Dormand and Prince's explicit method of order 5 (4) for smooth problems; Radau IIA of order 5, stiffly accurate, for
//! stiff ones, its error estimate of order 3 filtered through (γ/h − J)⁻¹ (Hairer and Wanner IV.8). Steps adapt to
//! relative and absolute tolerances and stop at an event.
//!
//! # Limits
//!
//! Results depend on stiffness, dissipation and tolerances; they illustrate laws and prove nothing about them.
//! Convergence in E is slow where several contacts share an impulse.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::comparison::compliant::HertzContact;
//!
//! let ball = |dissipation: f64| HertzContact {
//!     radius: 0.1,
//!     modulus: 1e7,
//!     dissipation,
//!     friction: 0.5,
//!     transition_speed: 1e-3,
//! };
//! let spring = ball(0.0).normal_force(1e-3, 0.0);
//! assert!((spring - 4.0 / 3.0 * 0.1_f64.sqrt() * 1e7 * 1e-3_f64.powf(1.5)).abs() < 1e-9 * spring);
//! // Dissipation never pulls, however fast the ball leaves.
//! assert_eq!(ball(2.0).normal_force(1e-3, -10.0), 0.0);
//! assert!(ball(2.0).normal_force(1e-3, 0.1) > spring);
//! assert_eq!(ball(0.0).friction_fraction(2e-3), 1.0);
//! ```

mod dormand_prince;
mod hertz;
mod integrator;
mod radau;
mod rocking_block;

pub use dormand_prince::DormandPrince;
pub use hertz::{BodyState, HertzCollision, HertzContact, SphereBody};
pub use integrator::{Integrated, IntegrationError, Method, System, Tolerances, integrate};
pub use radau::Radau;
pub use rocking_block::{Corner, RockingBlock, RockingCollision};
