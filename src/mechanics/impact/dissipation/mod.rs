//! Inelastic impact with maximum dissipation: exact for one contact, by sweeps for several, beside all Coulomb
//! solutions of one contact.
//!
//! Source: \[PER\] Preclik, Eibl & Rüde 2017, with the corrections below.
//!
//! # One contact
//!
//! A is the contact's 3 × 3 block of the Delassus matrix, rows n, t, o (1/kg), −b the contact velocity without an
//! impulse of this contact (m/s), x = (x_n, x_t) its impulse (N s), μ friction.
//!
//! ```text
//! minimise   ½ xᵀA x − xᵀb   over   ‖x_t‖ ≤ μ x_n,   a_nᵀ x = b_n     for b_n ≥ 0          [PER] (5), §3.2
//! x = 0                                                                for b_n < 0
//! ```
//!
//! The objective is the change of kinetic energy (J); the plane a_nᵀx = b_n is that of maximum compression, on which
//! the contact ends with zero normal velocity.
//!
//! **Existence and uniqueness.** For b_n > 0 the point (b_n/A_nn, 0, 0) is feasible; the feasible set is closed and
//! convex, and for A ≻ 0 the objective is strictly convex and grows without bound, so there is exactly one minimum. For
//! b_n = 0 the set holds 0, and the same argument applies. ∎
//!
//! **Energy** never increases: the frictionless impulse (β, 0, 0), β = b_n/A_nn, is feasible with ΔE = −½ b_n²/A_nn,
//! and the minimum is no worse.
//!
//! **Cases** (\[PER\] Fig. 5, [`DissipationBranch`]): separating; frictionless; stick, x = A⁻¹b when that lies in the
//! cone; slide on the boundary; for b_n = 0 a point (x = 0) or a ray. The plane cuts the cone in a conic (\[PER\] (7),
//! (8)) with the focus where x_t = 0,
//!
//! ```text
//! r(φ) = k/(1 + ε cos φ),      ε = μ‖(A_nt, A_no)‖/A_nn,      k = μ b_n/A_nn
//! ```
//!
//! an ellipse, parabola or hyperbola ([`ConicSection`]); ε > 1 says that friction alone can press the contact together.
//! The sliding minimum is the root of a real quartic in tan(φ/2), isolated in advance: a boundary point is visible from
//! the unconstrained minimum on one arc, on which the objective falls and then rises once, by convexity.
//!
//! # Several contacts
//!
//! Non-linear block Gauss-Seidel (\[PER\] §3.1): each contact in turn is solved exactly with the others' impulses
//! fixed, until no contact would change its own. The residual is the largest change in the norm √(xᵀAx) over the
//! largest √(v²/G), free of units. Slow sweeps are extrapolated (reduced rank).
//!
//! **Existence.** The block of one contact with ε > 1 jumps at b_n = 0, from a ray to x = 0, and a fixed point need not
//! exist. *Example.* Two contacts in a plane, the second without friction: let contact 1 approach, with a jam x₁ at every
//! b_n ≥ 0 that makes contact 2 approach, and let the impulse that stops 2 open 1. With 2 open 1 jams and 2 approaches; with
//! 2 closed 1 separates, so x₁ = 0, and then 2 separates. ∎ Sweeps then return to where they were; that is noticed, and the
//! answer is not terminated: it is where the sweeps stood, shortened if that would give energy. In falls of robots with friction 1 to 1.5 most impacts that do not end are of this kind, each
//! with a contact of ε > 1: neither random starts and orders nor all sets of contacts that may stay closed have a fixed point.
//!
//! **Energy at a fixed point.** Each contact's impulse x and final velocity v satisfy xᵀv ≤ 0: v is the gradient of its
//! convex objective at the minimum x, so moving towards (β, 0, 0) does not descend, ((β,0,0) − x)ᵀv ≥ 0, and the normal
//! velocity there is zero. With v = a + GΛ, ΔE = Σ xᵀv − ½ ΛᵀGΛ ≤ −½ ΛᵀGΛ.
//!
//! # Coulomb's rule instead
//!
//! [`coulomb_solutions`] lists all inelastic impacts of one contact whose friction opposes the sliding velocity *after*
//! the impact (\[PER\] Fig. 1): zero, one, several, even a continuum; an impulse may stand beside none at all. In space
//! the sliding directions are zeros of a trigonometric polynomial.
//!
//! # Painlevé's rod
//!
//! A slender rod at the angle θ from the plane, sliding on its tip against its lean, has no finite contact force when
//!
//! ```text
//! μ ≥ μ_*(θ) = (cos θ + 1/(3 cos θ))/sin θ,        least: 4/3 at θ = ½ arccos(−3/5)       [PER] §4.2
//! ```
//!
//! there A_nn − μ|A_nt| ≤ 0: sliding friction presses the tip at least as hard as the normal force lifts it. An impact
//! without a collision stops the tip.
//!
//! # Declared
//!
//! Friction yes, restitution none (a coefficient set on purpose is noted). One contact: unique, because a function.
//! Several: *undecided*, since a fixed point need not be unique and the order of a sweep selects one; where friction
//! presses contacts together sweeps may not converge, which is reported as not terminated.
//!
//! # Corrections of the paper
//!
//! Rule (9) for the two rays of a degenerate hyperbola takes the wrong one in about 3 % of cases: both are evaluated.
//! A_oo of the rod is 4/m. Table 1 was computed in a frame that is not orthonormal. t(α) has sine and cosine swapped.
//! 8.31 % is of the diameter.
//!
//! # Limits
//!
//! The cone is round in the tangent rows as they are given: rows that are not orthonormal make it elliptic. Maximum
//! dissipation is a model, not a consequence of Coulomb's law: for one contact it may dissipate more than every Coulomb
//! solution.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::dissipation::{ContactBlock, coulomb_solutions};
//! use nalgebra::{matrix, vector};
//!
//! // A slender rod of 1 kg at the angle θ slides at 1 m/s on its tip, with more friction than μ_* = 4/3.
//! let (s, c) = (0.5 * (-0.6_f64).acos()).sin_cos();
//! let block = ContactBlock {
//!     delassus: matrix![1.0 + 3.0 * c * c, -3.0 * s * c, 0.0; -3.0 * s * c, 1.0 + 3.0 * s * s, 0.0; 0.0, 0.0, 4.0],
//!     velocity: vector![0.0, -1.0, 0.0],
//!     tangents: 2,
//!     friction: 1.5,
//! };
//! let (impulse, branch) = block.maximum_dissipation();
//! // Nothing collides, yet an impulse stops the tip: x = A⁻¹ b.
//! assert_eq!((block.velocity[0], branch.name()), (0.0, "stick"));
//! assert!(block.velocity_after(&impulse).norm() < 1e-14);
//! let lost = block.energy_change(&impulse);
//! let coulomb = coulomb_solutions(&block);
//! assert!(coulomb.len() > 1 && coulomb.iter().all(|s| s.objective >= lost - 1e-15));
//! ```

mod answer;
mod conic;
mod contact_block;
mod coulomb;
mod max_dissipation;
mod quartic;
mod reduced;
mod settings;
mod sweep_cycle;
mod sweep_limit;
mod swept_contacts;
mod tangent_frame;

pub use answer::{CoulombAnswer, MaxDissipationOutcome, MaxDissipationReport, SweepReport};
pub use contact_block::{ConicSection, ContactBlock, DissipationBranch};
pub(super) use coulomb::for_each_solution;
pub use coulomb::{CoulombKind, CoulombSolution, coulomb_solutions};
pub use max_dissipation::MaxDissipation;
pub use settings::MaxDissipationSettings;
