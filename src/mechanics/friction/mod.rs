//! Impulses of contacts and of joints with dry friction at one instant: one problem, solved exactly by modes, and a
//! count of its solutions.
//!
//! This room knows no robots. It takes free velocities and a factor of the Delassus matrix and answers with impulses,
//! modes and what is left of the conditions.
//!
//! # The problem
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | C, M, G = C M⁻¹ Cᵀ | contact rows, mass matrix, Delassus matrix, r × r; G = Y Yᵀ with Y = C L⁻ᵀ D^(−1/2) from M = L D Lᵀ | 1/kg |
//! | b, a = b + G Λ | velocities of the rows without and with impulses | m/s |
//! | Λ = (λ, τ) | normal and friction impulses of each contact | N s |
//! | μ, ℓ | coefficient of friction; friction impulse that needs no normal impulse (a joint's) | N s |
//!
//! ```text
//! contact:   0 ≤ λ ⊥ a_n ≥ 0,      τ = argmin { a_t·τ : ‖τ‖ ≤ ρ },   ρ = μ λ + ℓ
//! joint:                            the same without a normal: |τ| ≤ ℓ
//! ```
//!
//! The second condition is maximum dissipation on the disc of radius ρ (\[PER\]): stick, a_t = 0 with ‖τ‖ ≤ ρ, or
//! slide, τ = −ρ a_t/‖a_t‖. A group (contact or joint) has a *mode*: open, stick, or slide along a direction
//! ([`HeldMode`]). Given the modes the conditions are linear equations with inequalities:
//!
//! | mode | unknowns | equations | inequalities |
//! |---|---|---|---|
//! | open | | λ = 0, τ = 0 | a_n ≥ 0 |
//! | stick | λ, τ | a_n = 0, a_t = 0 | λ ≥ 0, ‖τ‖ ≤ ρ |
//! | slide along d | λ | a_n = 0, τ = −ρ d | λ ≥ 0, a_t = ‖a_t‖ d |
//!
//! In space the direction d is unknown too; a Newton step turns it.
//!
//! All conditions together are the root of one piecewise smooth map (Alart and Curnier 1991), with z = kΛ − a for
//! stiffnesses k_n, k_t (the largest diagonal entries of G):
//!
//! ```text
//! F_n = k_n λ − max(0, z_n),     F_t = k_t τ − P(z_t, ρ_v),    ρ_v = k_t (μ max(0, z_n)/k_n + ℓ)             [m/s]
//! ```
//!
//! P projects on the disc. F is a velocity, its root does not depend on k, and the branch on which z lies is the mode.
//!
//! # Solution
//!
//! Modes are guessed, their linear equations solved exactly, all conditions checked. Guesses come (1) from the instant
//! before: the branch that the motion is on, with impulses of least norm, in the cones, while all stick; (2) from the map: semismooth
//! Newton steps; where these go in circles, (3) from those of proximal steps ε(Λ − Λ\*), which regularise redundant contacts
//! without moving what they determine, (4) with each contact that presses opened in turn, and (5) from the problem with
//! polygons in place of discs, which is linear and solved by Lemke's method; (6) from all combinations, for a few planar
//! contacts, which is exact. [`FrictionCounts`] says how often each was needed; the fourth are counted as Newton steps.
//!
//! Redundant contacts have many solutions. Of those with the modes that were found, that of least norm is taken where it keeps to
//! the cones, or one that follows from it does: where something slides friction acts by the way in which a load is shared, and the
//! motion with it. Elsewhere loads stay shared as Newton steps have found them. Contacts may be wedged in, and bear any load then: a foot
//! in a corner, with friction of 1 and more. They stay so by what presses them, or did before, but a contact that would have to pull if
//! all stuck by impulses of least norm is not pressed by others to hold on: it lets go, as elastic ones would.
//!
//! # How many solutions
//!
//! **Existence** for every positive definite G (Klarbring and Pang 1998).
//!
//! **One solution is certain** when G is positive definite and
//!
//! ```text
//! Σ_i μ_i √(‖G_tt,i‖ (G⁻¹)_nn,i) < 1            ‖G_tt,i‖ the largest eigenvalue of contact i's tangential block
//! ```
//!
//! *Proof.* Let δ be the difference of two solutions and δa = Gδ. Complementarity gives δλ δa_n ≤ 0. Maximum
//! dissipation on discs of radii ρ, ρ′ gives δτ·δa_t ≤ −(ρ − ρ′)(‖a_t‖ − ‖a_t′‖) ≤ μ|δλ|‖δa_t‖. Summed, δᵀGδ ≤ Σ
//! μ|δλ|‖δa_t‖. With u = G^½ δ, ‖δa_t‖ ≤ √‖G_tt‖ ‖u‖ and |δλ| ≤ √(G⁻¹)_nn ‖u‖, so ‖u‖² ≤ (Σ …) ‖u‖² and u = 0. ∎ In
//! particular frictionless contacts and joints' dry friction (μ = 0) have one solution.
//!
//! **One contact that slides.** With the direction of sliding given by a velocity d that no finite force changes,
//! friction is τ = −μλd, and a_n = b_n + κλ with κ = G_nn − μ G_nt·d. Then 0 ≤ λ ⊥ a_n ≥ 0 has
//!
//! | | b_n > 0 (would open) | b_n < 0 (would penetrate) |
//! |---|---|---|
//! | κ > 0 | one: open | one: pressed, λ = −b_n/κ |
//! | κ < 0 | two: open, and pressed with λ = b_n/\|κ\| | none with finite forces |
//!
//! The lower row is Painlevé's. Two solutions are a branch point; none means an impulse that does not vanish with the
//! length of the step stops the slide (an impact without collision). With impulses large enough to change d a solution
//! exists again, by the theorem above.
//!
//! [`count_solutions`] counts solutions whose *motions* differ, in the kinetic metric (G Λ, row i beside √G_ii;
//! impulses of redundant contacts are not unique). It tries combinations of modes: the given one, all that differ in
//! one group, in two, and so on while a budget lasts. For planar contacts with independent rows all rounds together are
//! every solution. Contacts in space may slide in any direction: Newton steps from eight of them are tried, and the
//! count is a lower bound ([`Continuations`] says which).
//!
//! # Branches
//!
//! Between two instants the problem is joined by b(t) = (1 − t)b₀ + t b₁, b₀ the free velocities for which the first
//! solution solves the second matrix. With given modes the solution is affine in t, so the path is a chain of straight
//! pieces (in space nearly straight ones, corrected by Newton). A piece ends where a group reaches the edge of its
//! mode; either a solution goes on nearby in a neighbouring mode, or the branch has turned back in t: it has ended.
//! Rule: the motion stays on its branch as long as it exists; a contact is released when its own branch ends, not when
//! another solution becomes admissible.
//!
//! # Declared, and limits
//!
//! Friction is Coulomb's with discs (isotropic) and one coefficient. Energy: each friction impulse opposes its slip and
//! λ ⊥ a_n, so Λᵀa ≤ 0. An unsolved problem is reported with its residuals, never hidden. Completeness of counts holds
//! in the plane only.
//!
//! # Example
//!
//! The tip of a slender rod at 45 degrees slides against its lean. Beyond Painlevé's coefficient it may fly off, keep
//! pressing, or jam.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::friction::{Delassus, FrictionProblem, FrictionRows, FrictionRule, HeldMode, count_solutions};
//! use nalgebra::DMatrix;
//!
//! let (s, c) = std::f64::consts::FRAC_PI_4.sin_cos();
//! let turn = 3.0_f64.sqrt();
//! // Normal and tangent of the tip in (x, z, angle), over the root of the inertia.
//! let factor = DMatrix::from_row_slice(2, 3, &[0.0, 1.0, -turn * c, 1.0, 0.0, turn * s]);
//! let count = |friction: f64| {
//!     let mut delassus = Delassus::from_factor(&factor, &[FrictionRows::contact(0, 1, friction)]);
//!     let problem = FrictionProblem::exact(&[1e-4, -1.0], &[FrictionRule::Coulomb]);
//!     count_solutions(&mut delassus, &problem, &[HeldMode::Stick], 100)
//! };
//! let critical = (c + 1.0 / (3.0 * c)) / s;
//! assert_eq!((count(0.9 * critical).found, count(1.1 * critical).found), (1, 3));
//! assert!(count(1.1 * critical).complete);
//! ```

mod branches;
mod cone_sharing;
mod counts;
mod delassus;
mod delassus_matrix;
mod enumeration;
mod factored_equations;
mod load_sharing;
mod mode_system;
mod mode_unknown;
mod natural_map;
mod newton;
mod problem;
mod row_layout;
mod solver;

pub(crate) use branches::{BranchPath, Solution, count_solutions_around};
pub use branches::{Continuations, count_solutions};
pub use counts::FrictionCounts;
pub use delassus::Delassus;
pub(crate) use delassus_matrix::DelassusMatrix;
pub use problem::{FrictionProblem, FrictionResiduals, FrictionRows, FrictionRule, HeldMode};
pub(crate) use row_layout::ContactRows;
pub use solver::FrictionSolver;
pub(crate) use solver::SETTLED;
