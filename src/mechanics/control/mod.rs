//! Controllers: from the state at the beginning of a step to joint efforts, or a law that acts inside the step.
//!
//! Sources: Saranli, Buehler and Koditschek 2001 for the clock of legs that turn; \[SM\] §VII for [`HoldThenSpin`].
//!
//! # Two kinds
//!
//! A [`Controller`] reads an [`Observation`] (time, q, v, gaps, contact forces of the last step, time of the first
//! impact) at the beginning of a step and adds efforts (N m or N) that are held over it: a zero-order hold, as a
//! digital controller's. Any function of the observation is one. [`Sampled`] asks any controller once in a stated
//! period only.
//!
//! A [`Drive`] is a law of joint position, rate and time that is known to the simulation. It is evaluated at the middle
//! of the step like a spring and damper, its slopes are in the Newton matrix, so the step stays symmetric and of order
//! two, and stiff gains are stable.
//!
//! ```text
//! servo    τ = k (q* − q) + d (q̇* − q̇) + feed-forward,   |τ| ≤ limit            k N m/rad, d N m s/rad
//! motor    τ ≤ τ_stall (1 − q̇/q̇_free) when driving,      |τ| ≤ τ_stall when braking
//! ```
//!
//! *Why the difference matters.* A torque held over h from the state at its beginning lags by h/2 on average: order
//! one, and a damper of d on an inertia I held over h multiplies the rate by 1 − h d/I a step, which is unstable for h
//! d > 2I. At the midpoint the same damper gives (1 − h d/2I)/(1 + h d/2I), which is smaller than 1 in size for every
//! positive d. Saturation is a kink, treated like one. Where a target, its rate or a feed-forward jumps the step is cut
//! ([`Drive::next_jump`]): acting from the middle of a step instead, a jump would be wrong by its size times a share of h.
//!
//! # Gaits
//!
//! Wheel-like legs follow the Buehler clock (Saranli, Buehler and Koditschek 2001, §3): with duty factor δ, sweep φ,
//! offset α₀ (rad), k whole, −½ ≤ s < ½,
//!
//! ```text
//! α(k + s) = α₀ + 2πk + φ s/δ                                        |s| ≤ δ/2       slow, on the ground
//! α(k + s) = α₀ + 2πk ± φ/2 + (2π − φ)(s ∓ δ/2)/(1 − δ)              δ/2 < |s| ≤ ½   fast, around
//! ```
//!
//! α is continuous (both lines give α₀ + 2πk ± φ/2 at s = ±δ/2), grows by 2π a stride and is linear in between. A
//! [`Gait`] is one clock and the phase of every leg; starting and stopping are closed forms of the time alone
//! ([`LegProgram`]), so a run that is taken up again continues to the same bits.
//!
//! # Programs
//!
//! `external` runs a program of any language that reads states and writes efforts, one JSON document a line, within a
//! time; it never outlives its owner.
//!
//! # Declared, and limits
//!
//! Controllers should depend on the observation alone; one that keeps a memory starts anew in a resumed run and in
//! every branch. Efforts that are not finite end the run with the joint's name. There is no model of sensors or of
//! delay beyond the stated period.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::control::{BuehlerClock, Observation, Sampled};
//! use carom::hybrid::{Simulation, Unwatched};
//! use std::f64::consts::TAU;
//!
//! let clock = BuehlerClock { duty_factor: 0.4, sweep: 0.9, offset: 0.1 };
//! // Slow around the middle of the stride, a full turn a cycle.
//! assert!((clock.at(3.1).0 - (0.1 + 3.0 * TAU + 0.9 * 0.1 / 0.4)).abs() < 1e-12);
//! assert!((clock.at(1.7).0 - clock.at(0.7).0 - TAU).abs() < 1e-12);
//! assert!(clock.is_slow(0.15) && !clock.is_slow(0.5));
//!
//! // A feedback of one's own, asked every 5 ms, holds a pendulum near its target.
//! let law = |o: &Observation<'_>, efforts: &mut [f64]| efforts[0] = 60.0 * (0.5 - o.q[0]) - 8.0 * o.v[0];
//! let mut simulation = Simulation::builder(carom::model::sample::chain(1)?)
//!     .controller(Sampled::new(Box::new(law), 5e-3)?)
//!     .build()?;
//! simulation.run_until(5.0, &mut Unwatched)?;
//! let q = simulation.state().q[0];
//! let load = carom::dynamics::inverse_dynamics(simulation.model(), &[q], &[0.0], &[0.0])?[0];
//! assert!((60.0 * (0.5 - q) - load).abs() < 1e-6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
mod controller;
mod drive;
pub mod external;
mod external_error;
mod external_process;
mod gait;
mod gait_controller;
mod schedule;
mod servo;
mod together;
mod walk;

pub use clock::BuehlerClock;
#[doc(hidden)]
pub use controller::Passive;
pub use controller::{ControlError, Controller, DrivenJoint, Observation};
pub use drive::{Drive, HeldEfforts, Sampled};
pub use external_error::ExternalError;
pub use gait::{Gait, LegPhase};
pub use gait_controller::{GaitController, GaitLeg};
pub use schedule::{Schedule, Sine};
pub use servo::{HoldThenSpin, Servo, ServoController};
#[doc(hidden)]
pub use together::Together;
pub use walk::{LegProgram, WalkStage, WalkTimes};
