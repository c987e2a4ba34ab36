//! The variational integrator: from (q, p) to (q, p) by the midpoint discrete Euler-Lagrange equation, with contacts
//! and dry friction as conditions of the step.
//!
//! # The free step
//!
//! Sources: \[MW\] Marsden & West 2001; \[SM\] §VI; \[LLPS\] for the solution in O(n). L = K − V is the Lagrangian (J),
//! h the step (s), q configuration, p momentum.
//!
//! ```text
//! L_d(q₀, q₁, h) = h L(q̄, v̄),      q̄ = (q₀ + q₁)/2,    v̄ = (q₁ − q₀)/h
//! p₀ = −D₁L_d = P − (h/2) F,       P = ∂L/∂v,   F = ∂L/∂q + forces,   both at (q̄, v̄)
//! p₁ =  D₂L_d = P + (h/2) F
//! ```
//!
//! The unknown is v̄: r(v̄) = P − (h/2)F − p₀ = 0 with q̄ = q₀ + (h/2)v̄. Quasi-Newton steps solve with M(q̄) by
//! articulated bodies; where they contract slowly, exact Newton steps take over. Both are O(n). The residual is
//! measured in √Σ r_i²/D_i, D_i the articulated inertia of joint i, which does not depend on units. Forces (springs,
//! dampers, servos, applied efforts u) are split evenly between the ends. A floating base moves by a body twist (room
//! `midpoint`).
//!
//! # What follows from the variational form
//!
//! Without applied forces and damping, for a step without contacts:
//!
//! **Symplectic.** dL_d = p₁ dq₁ − p₀ dq₀. Taking the exterior derivative, 0 = dp₁∧dq₁ − dp₀∧dq₀: the Jacobian A of
//! (q₀, p₀) ↦ (q₁, p₁) satisfies AᵀJA = J. ∎
//!
//! **Momenta of symmetries.** If a group moves q₀ and q₁ without changing L_d, differentiating along its generator ξ
//! gives 0 = p₁·ξ(q₁) − p₀·ξ(q₀). Rigid motions of the world move a floating base's midpoint with it, so without
//! gravity linear and angular momentum of the whole system are kept, to the residual of the root finding; under gravity
//! the horizontal part and the moment about the vertical are. ∎
//!
//! **Order two.** L_d(q₁, q₀, −h) = −L_d(q₀, q₁, h), and F enters p₀ and p₁ with opposite sign at the same midpoint:
//! the step with −h undoes the step, also with damping and with forces that depend on the mid time. A consistent
//! one-step map that is its own adjoint has an expansion in which only even powers of h appear in the error, so its
//! order is even: two. ∎
//!
//! **Energy** is not kept exactly. A symplectic map of constant step is, up to terms smaller than any power of h, the
//! exact flow of a modified Hamiltonian H + h²H₂ + …: for analytic L the energy stays in a band of width O(h²) without
//! a trend over times that grow faster than any power of 1/h. Steps that events cut into pieces of other lengths do not
//! share one modified Hamiltonian; for them this is a fact of experience, not a theorem.
//!
//! **Solvability and differentiability.** ∂r/∂v̄ = M + O(h) is regular for h small enough, so v̄ is a smooth function
//! of (q₀, p₀, u, h) by the implicit function theorem (room `linearization`).
//!
//! # Held contacts and dry friction
//!
//! φ_i gap (m), Dφ_i its gradient, T_i tangent rows, λ_i normal and τ_i friction impulse (N s), μ_i friction; Λ at the
//! start, Λ′ at the end of the step, C the rows.
//!
//! ```text
//! start:  p₀ + C(q₀)ᵀΛ = P − (h/2)F,     0 ≤ λ ⊥ φ(q₁) ≥ 0,             friction against s = T(q̄)v̄, ‖τ‖ ≤ μλ
//! end:    p₁ = P + (h/2)F + C(q₁)ᵀΛ′,    0 ≤ λ′ ⊥ Dφ(q₁)M⁻¹p₁ ≥ 0,      friction against the same s, ‖τ′‖ ≤ μλ′
//! ```
//!
//! Of a point that several contacts hold, as a foot in a corner, s has the displacement added that gaps tell of it beyond the
//! midpoint (O(h²)): what is a normal of one contact is a tangent of another, and at rest nothing may ask two things of one direction.
//! On a surface whose material moves along itself with w (m/s), s = T(q̄)v̄ − tᵀw; it does the work (τ + τ′)·tᵀw.
//! Gaps are zero on the level of positions, so they do not drift; a piece of a step asks for φ(q₁) − (1 − h/H) φ(q₀) in
//! place of φ(q₁) where φ(q₀) is closed, or so far below zero that it would come back faster than 1 mm/s, H the whole step:
//! what a gap has missed is no speed of a short piece.
//! Half of a resting body's weight appears at each end:
//! with v̄ = 0 and P = 0 the start gives λ Dφ = −(h/2)F. A projection at one end alone would see half of the normal
//! force and halve the friction. A joint with dry friction f (N or N m) is a row with the impulse (h/2) f at most at
//! each end: what sticks does not move, and then is taken out of the equations altogether. Impulses come from the room
//! `friction` on the Delassus matrix of the quasi-Newton matrix.
//!
//! **Why a held step is of order two** while no contact changes its mode. Let S be the states with φ = 0 and Dφ M⁻¹p =
//! 0 (for sticking contacts also T M⁻¹p = 0). On S the step solves *equations*: φ(q₁) = 0 and T(q̄)v̄ = 0 (or τ = −μλ
//! s/‖s‖) by Λ, C(q₁)M⁻¹p₁ = 0 (or τ′ = −μλ′ s/‖s‖) by Λ′. Exchange the ends and put −h for h: q̄, v̄, P, F and s stay;
//! the start equation becomes the end equation with −Λ′ for Λ, the end equation the start equation with −Λ for Λ′, and
//! the conditions are those of S at the other end. So the step with −h undoes the step, and the order is even as
//! before. ∎ Everything depends on s being taken at the midpoint for both halves: with the slip of each end, friction
//! is two backward-Euler halves and a slide that turns is of order one.
//!
//! **Energy of contact.** Friction takes −(τ + τ′)·s ≥ 0 out (N s times m/s: J). The work of normal impulses is that of
//! constraints and vanishes to the order of the scheme; there is no exact statement for a single step.
//!
//! **Branches.** The conditions can have several solutions (room `friction`). The modes of the step before are tried
//! first and kept if they satisfy all conditions; the motion stays on its branch as long as that exists.
//!
//! # Higher order
//!
//! A symmetric composition takes stages γ₁h, …, γ_sh, Σγ = 1, γ_i = γ_{s+1−i} ([`stages`]): order 4 by Suzuki's five
//! (1990), 6 and 8 by Kahan and Li's nine and fifteen (1997). Symmetric maps composed symmetrically are symmetric, and
//! compositions of symplectic maps symplectic. Stages run backwards in part, so conditions with a sign cannot be
//! imposed in them: stages are free, or *two-sided* ([`Stepper::two_sided`]), the equations above with impulses of any
//! sign. Whether the sums over the stages are impulses that contacts can exert is for the caller to see.
//!
//! # Declared, and limits
//!
//! A step that does not converge is an error with its history of residuals, not a bad step. Existence for any h is not
//! claimed. Convergence is first order across a change of mode inside a step; the room `hybrid` cuts the step there.
//! Impulses of redundant contacts are not unique: those of least norm are returned where they satisfy the conditions,
//! and q₁, p₁ do not depend on them in the modes stick and frictionless. Rolling contacts make the system nonholonomic:
//! a held step is symmetric then, but neither symplectic nor do symmetry momenta survive.
//!
//! # Example
//!
//! The step with −h undoes the step.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::contact::Contacts;
//! use carom::discrete::{StepInput, StepSettings, Stepper};
//! use carom::model::sample::chain;
//!
//! let model = chain(3)?;
//! let contacts = Contacts::none(&model);
//! let settings = StepSettings { tolerance: 1e-14, ..StepSettings::default() };
//! let mut stepper = Stepper::new(&model, settings);
//! let mut step = |q0: &[f64], p0: &[f64], h: f64| {
//!     let (applied, whole, closed_gap) = ([0.0; 3], h, 0.0);
//!     let (model, contacts, servos) = (&model, &contacts, &[]);
//!     let input =
//!         StepInput { model, contacts, q0, p0, applied: &applied, servos, h, whole, closed_gap };
//!     let (mut v, mut q1, mut p1) = ([0.0; 3], [0.0; 3], [0.0; 3]);
//!     stepper.step(&input, &mut [], &mut [], &mut v, &mut q1, &mut p1).map(|_| (q1, p1))
//! };
//! let (q0, p0) = ([0.3, -0.2, 0.5], [0.1, 0.0, -0.1]);
//! let (q1, p1) = step(&q0, &p0, 1e-2)?;
//! let (q, p) = step(&q1, &p1, -1e-2)?;
//! let back = (0..3).map(|i| (q[i] - q0[i]).abs().max((p[i] - p0[i]).abs()));
//! assert!(back.fold(0.0, f64::max) < 1e-12 && q1 != q0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod composition;
mod error;
pub mod held;
pub mod linearization;
pub mod midpoint;
mod predictor;
mod step;

pub use composition::stages;
pub use error::{StepError, StepReport};
pub use predictor::Predictor;
pub(crate) use step::BranchEnd;
pub use step::{StepInput, StepSettings, StepWork, Stepper};
