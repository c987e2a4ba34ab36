//! Systems to compare with: collisions that take time, and granular flow. Not part of the core; nothing of it is used
//! by a run of a robot.
//!
//! `compliant` replaces an impact law by stiff springs and dampers and integrates through the collision, to see what a
//! law should tend to. `granular` steps many free spheres through a channel, to compare laws of friction at large
//! scale, as \[PER\] does.
//!
//! Sources: \[USD\] and Hunt & Crossley 1975 for `compliant`, \[PER\] §3.1 and §4.3 for `granular`. Their pages have the
//! equations with their units, and examples of each.
//!
//! # Example
//!
//! A ball that strikes the ground at 1 m/s: a spring without dissipation gives back its speed, as a law with restitution
//! 1 does, after a time that shrinks as the spring stiffens, like E^(−2/5).
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::comparison::compliant::{BodyState, HertzContact, SphereBody, Tolerances};
//! use nalgebra::{Matrix3, UnitQuaternion, Vector3};
//!
//! let strike = |modulus: f64| {
//!     let contact = HertzContact {
//!         radius: 0.1,
//!         modulus,
//!         dissipation: 0.0,
//!         friction: 0.0,
//!         transition_speed: 1e-3,
//!     };
//!     let ball = SphereBody {
//!         mass: 1.0,
//!         inertia: Matrix3::identity() * 4e-3,
//!         spheres: vec![(Vector3::zeros(), contact)],
//!     };
//!     let start = BodyState {
//!         position: Vector3::new(0.0, 0.0, 0.1),
//!         rotation: UnitQuaternion::identity(),
//!         velocity: Vector3::new(0.0, 0.0, -1.0),
//!         angular_velocity: Vector3::zeros(),
//!     };
//!     let tolerances = Tolerances { relative: 1e-9, absolute: 1e-12 };
//!     ball.collide(&start, &tolerances, 1.0)
//! };
//! let (soft, stiff) = (strike(1e6)?, strike(1e8)?);
//! assert!((stiff.state.velocity.z - 1.0).abs() < 1e-6);
//! let ratio = soft.duration / stiff.duration;
//! assert!((ratio / 100.0_f64.powf(0.4) - 1.0).abs() < 1e-4);
//! # Ok::<(), carom::comparison::compliant::IntegrationError>(())
//! ```

pub mod compliant;
pub mod granular;
