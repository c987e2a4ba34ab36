//! Linear complementarity problems of contacts: Lemke's method, all solutions by enumeration, and the simultaneous
//! inelastic impact of Anitescu and Potra.
//!
//! # The problem
//!
//! ```text
//! find z ≥ 0   with   w = q + M z ≥ 0   and   zᵀw = 0                       M n × n, q n
//! ```
//!
//! [`Lemke`] adds one variable z₀ with a *covering vector* d > 0, w = q + Mz + d z₀, and follows the path of almost
//! complementary bases until z₀ leaves. It keeps the condensed dictionary (Murty 1988, ch. 2) and breaks ties
//! lexicographically, as if q were q + (ε, ε², …): the ratio test then never ties, no basis returns, and since there
//! are finitely many bases it ends, at a solution or on a ray. It ends at a solution when M is copositive and qᵀz ≥ 0
//! for every solution z of the problem with q = 0 (\[HP\] Proposition 2). Where there are several solutions, d decides
//! which is met. The certificate of an answer is the residual max_i |min(z_i, w_i)|, recomputed from M and q.
//!
//! # Simultaneous impact of Anitescu and Potra (\[HP\] (31)–(33))
//!
//! All contacts at once and inelastic, friction against the sliding velocity *after* the impact:
//!
//! ```text
//! v⁺ = a + GΛ,    0 ≤ Λ_n ⊥ v_n⁺ ≥ 0,    Λ_t ∈ μ Λ_n conv{d_1 … d_F}, the vertices that oppose v_t⁺ most
//! z = (λ_n, λ_D, γ),   w = (v_n,  v_D + E γ,  μ λ_n − Eᵀ λ_D),   v_D,k = d_k·v_t,   λ_t = Σ_k λ_D,k d_k
//!                                                                               [HP] (31c), (32), (33)
//! ```
//!
//! d_k are the facets of the friction pyramid, (cos 2πk/F, sin 2πk/F) in space and ±1 in the plane, E sums the facets
//! of a contact, γ (m/s) is the sliding speed by facets. Rows are scaled to unit diagonal of G and velocities of order
//! one, so that tolerances are pure numbers and the answer does not depend on units.
//!
//! **Energy** never increases. Λ_n·v_n⁺ = 0 and Λ_t·v_t⁺ ≤ 0, so Λᵀv⁺ ≤ 0 and ΔE = Λᵀv⁺ − ½ΛᵀGΛ ≤ −½ΛᵀGΛ. ∎
//!
//! **Existence**: always (the LCP is copositive, \[HP\] Proposition 2). **Uniqueness**: no. With `all` every
//! combination of friction modes is tried, off, stick, each facet and each edge, which makes a linear system with
//! inequalities each; solutions whose velocities agree within 1e-9 are one, impulses that are not unique are marked,
//! and a continuum of velocities is given by its extreme points. Without `all` the solution of the covering vector of
//! ones is taken, and the verdict is *undecided*.
//!
//! # Declared
//!
//! Friction: Coulomb, exact with one tangent; in space the inscribed pyramid of F facets, whose impulse is up to μΛ_n(1
//! − cos π/F) too small and up to π/F off the direction of sliding (F = 8: 7.6 % and 22.5°). Restitution: none. Order:
//! irrelevant with `all`; otherwise which of several solutions is met may depend on it.
//!
//! # Limits
//!
//! Enumeration is exponential: 4 modes for a planar contact, more in space. A pivoting method is exact only to
//! rounding; a residual is returned with every answer.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::lcp::{LcpStatus, Lemke};
//! use carom::impact::examples::compass_gait;
//! use carom::impact::{AnitescuPotra, ImpactLaw};
//!
//! // M = [1 2; 2 1], q = (−1, −1) has three solutions; which one a pivoting method meets is up to its covering vector.
//! let mut lemke = Lemke::new();
//! lemke.set_matrix(2, |i, j| if i == j { 1.0 } else { 2.0 });
//! for (covering, met) in [([1.0, 2.0], [1.0, 0.0]), ([2.0, 1.0], [0.0, 1.0])] {
//!     let mut z = [0.0; 2];
//!     let report = lemke.solve(&[-1.0, -1.0], &covering, &mut z);
//!     assert!(report.status == LcpStatus::Solved && report.residual < 1e-14);
//!     assert!((z[0] - met[0]).abs() + (z[1] - met[1]).abs() < 1e-12);
//! }
//!
//! // A foot strikes while the other stands: the simultaneous impact has several solutions.
//! let answer = AnitescuPotra::all_solutions().resolve(&compass_gait()?.problem)?;
//! assert_eq!(answer.unique(), Some(false));
//! assert!(answer.outcomes.iter().all(|o| o.energy.after <= o.energy.before + 1e-12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod anitescu_potra;
mod friction_lcp;
mod friction_modes;
mod law_support;
mod linear_family;
mod linear_program;
mod linearized_contacts;
mod mode_solver;
mod solution_enumeration;

pub use crate::numerics::{LcpReport, LcpStatus, Lemke};
pub use anitescu_potra::{
    AnitescuPotra, AnitescuPotraReport, AnitescuPotraSettings, AnitescuPotraSolution,
};
pub(crate) use friction_lcp::FrictionLcp;
pub use friction_lcp::LcpSelection;
pub(crate) use friction_modes::{Mode, ModeProblem, mode, mode_count};
pub(crate) use law_support::{
    DEFAULT_FACETS, PROPERTIES, add_new, facets_key, restitution_notes, same_outcome,
};
pub(crate) use linearized_contacts::{CLOSING, LinearizedContacts};
pub(crate) use mode_solver::{ModeResult, ModeSolver};
