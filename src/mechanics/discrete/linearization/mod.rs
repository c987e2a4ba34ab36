//! First derivatives of a step, free and on held contacts, and the step as a linear system for control.
//!
//! # A free step
//!
//! The step solves r(v̄; q₀, p₀, u, h) = 0 (room `discrete`), with u the generalized forces held over it (N or N m).
//! For small h ∂r/∂v̄ = J is regular, so by the implicit function theorem the map is as smooth as the forces, and
//!
//! ```text
//! δv̄  = J⁻¹ (δp₀ − K δq₀ + R₀ δu − s δh)
//! δq₁ = A₁ δq₀ + H₁ δv̄ + b₁ δh
//! δp₁ = E δv̄ + G δq₀ + R₁ δu + e δh
//! ```
//!
//! with, for joints, A₁ = I, H₁ = h I, b₁ = v̄, R₀ = R₁ = (h/2) I, and J, K, s, E, G, e from the analytic derivatives
//! of P and F at the midpoint. A change of a floating body's configuration is its body twist, for q₀ and for q₁.
//! [`StepDerivatives`] holds the eight blocks.
//!
//! # A step on held contacts
//!
//! While no contact changes its mode, the step is two linear stages (w = M(q₁)⁻¹p₁, p̃ the end momentum without Λ′, C₀
//! and C₁ the rows at both ends):
//!
//! ```text
//! J δv̄ = δp₀ − (K − ∂(C₀ᵀΛ)/∂q₀) δq₀ + R₀ δu − s δh + C₀ᵀ δΛ
//! M δw = δp̃ − (∂(Mw)/∂q₁ − ∂(C₁ᵀΛ′)/∂q₁) δq₁ + C₁ᵀ δΛ′
//! ```
//!
//! each with its conditions kept: gaps at q₁ (over h) and slips at the midpoint stay what they are, normal velocities
//! and slips of w do. A sliding contact has τ = −μλ s/‖s‖ put in, so that λ pushes along c − μ Σ s_t c_t/‖s‖ and the
//! turning of s adds to the matrices. One stage, A δx = δρ + Σ c_i δΛ_i with b_i·δx = δγ_i, has the solution
//!
//! ```text
//! S = (b_i·A⁻¹c_j),    Y = A⁻¹ C S⁺,    X = A⁻¹ − Y B A⁻¹,    δx = X δρ + Y δγ
//! ```
//!
//! Redundant contacts make S singular; S⁺ gives δΛ of least norm, on which δx does not depend unless contacts slide in
//! different directions.
//!
//! *Derivatives exist* where the modes are strict (pressing contacts press, sticking ones are inside their cone,
//! sliding ones slide): a small change of the arguments leaves the modes, and the equations of fixed modes are smooth.
//! At the edge of a mode the step is continuous in general but has one derivative on each side; nothing here decides
//! which.
//!
//! # As control sees it
//!
//! ```text
//! x₁ = A x₀ + B u,        x = (δq, δv)
//! S₀ = −k/2 + d/h,   S₁ = −k/2 − d/h            a servo inside the step:  δu = S₀ δq₀ + S₁ δq₁
//! ```
//!
//! k and d the slopes of the servo (N m/rad, N m s/rad) at the midpoint, where δq̄ = (δq₀ + δq₁)/2 and δv̄ = (δq₁ −
//! δq₀)/h. Velocities come from δp = M δv + ∂(Mv)/∂q δq at both ends. A is 2n × 2n, B 2n × m over the m joints
//! ([`LinearizedStep`]).
//!
//! The whole A has an eigenvalue 1 for every held direction that no effort moves. [`ReducedStep`] is the same on the
//! contacts: y = (Nᵀδq, Nᵀδv), N an orthonormal basis of C δq = 0 for all closed normals, sticking tangents and
//! sticking joints. A discrete Riccati iteration on it converges where the robot can be stabilised at all. The step
//! maps this space into itself exactly when the robot stands, and to O(h) while it moves on sticking contacts.
//!
//! # Limits
//!
//! Steps of order two without an event inside. Derivatives *through* events are composed of these in room `hybrid`; for
//! simultaneous strikes they may not exist, whatever the verdict on the impact says. Second derivatives are not given.
//!
//! # Example
//!
//! A pendulum about its rest: the eigenvalues of A are those of the midpoint rule, on the unit circle.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::hybrid::{Simulation, SimulationSettings};
//! use carom::model::{Joint, Link, ModelBuilder};
//!
//! let rod = Link::new("rod").rod(1.0, [0.0; 3].into(), [0.0, 0.0, -1.0].into());
//! let model = ModelBuilder::new("pendulum")
//!     .link(Link::new("world"))
//!     .link(rod)
//!     .joint(Joint::revolute("pivot", "world", "rod").axis([0.0, 1.0, 0.0]))
//!     .build()?;
//! let h = 1e-2;
//! let settings = SimulationSettings { time_step: h, ..SimulationSettings::default() };
//! let mut simulation = Simulation::builder(model).settings(settings).build()?;
//! simulation.advance()?;
//! let step = simulation.linearize()?;
//! // ω² = (m g l/2)/(m l²/3); the midpoint rule turns by 2 atan(ω h/2) a step.
//! let omega = (1.5_f64 * 9.81).sqrt();
//! let turn = 2.0 * (0.5 * omega * h).atan();
//! assert!((step.transition.trace() - 2.0 * turn.cos()).abs() < 1e-12);
//! assert!((step.transition.determinant() - 1.0).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block_diagonal;
mod constrained;
mod contact_tangents;
mod linearized_step;
mod servo_loop;
mod state_inertia;
mod step_derivatives;
mod step_linearization;

pub(crate) use constrained::StepEquations;
pub use constrained::{HeldDerivatives, HeldStep};
pub use linearized_step::{LinearizedStep, ReducedStep};
pub(crate) use servo_loop::close_loop;
pub(crate) use state_inertia::StateInertia;
pub use step_derivatives::StepDerivatives;
pub(crate) use step_linearization::StepLinearization;
