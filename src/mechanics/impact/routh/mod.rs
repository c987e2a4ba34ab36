//! Set-valued impacts after Routh: normal impulses of all contacts grow at arbitrary relative rates, and the outcomes
//! are a set that is sampled.
//!
//! Source: \[HP\] Halm & Posa 2023, §3 and §5, with the corrections below.
//!
//! # What it computes
//!
//! One trajectory (Algorithm 1) is a sequence of increments. Each draws the largest normal impulses λ_max uniformly
//! from \[0, h\]^m (N s) and takes
//!
//! ```text
//! v⁺ = v + G Λ
//! λ_n,i = 0 and v_n,i⁺ ≥ 0      or   0 ≤ λ_n,i ≤ λ_max,i and v_n,i⁺ = 0   or   λ_n,i = λ_max,i and v_n,i⁺ ≤ 0
//! λ_t,i ∈ μ_i λ_n,i conv{d_1 … d_F}, the vertices that oppose v_t,i⁺ most                              [HP] (75)
//! ```
//!
//! every contact carries its whole allowance or stops approaching, with Coulomb friction at the end of the increment.
//! As an LCP: z = (β, λ_n, λ_D, γ), w = (λ_max − λ_n, v_n + β, v_D + Eγ, μλ_n − Eᵀλ_D). Increments follow until no
//! contact closes, N of them at most. Many trajectories approximate the set of possible outcomes (Algorithm 2). G
//! Delassus matrix (1/kg), v contact velocities (m/s), h the step, by default the largest impulse that one contact
//! alone would need to stop.
//!
//! **Energy** never increases (\[HP\] Theorem 7). In each of the three cases λ_n v_n⁺ ≤ 0, and friction opposes v_t⁺,
//! so Λᵀv⁺ ≤ 0 and ΔE = Λᵀv⁺ − ½ΛᵀGΛ ≤ −½ΛᵀGΛ for every increment. ∎
//!
//! **Existence**: every increment's LCP is copositive and has a solution that Lemke's method finds (\[HP\] Theorem 6). Over
//! many redundant contacts roundings can turn all its paths onto rays: then λ_max is drawn anew, up to 16 times.
//! **Termination**: the differential inclusion behind it ends in finite impulse (\[HP\] §3); a sampled trajectory may
//! still close after N increments. Such samples are not in the set and are counted; with ε set, one more step of ε/(3ψ)
//! is taken for them (Algorithm 2),
//!
//! ```text
//! ψ = σ_max(M⁻¹ J̄ᵀ) m (1 + max μ) + 1          J̄ normals and facet rows stacked
//! ```
//!
//! **Several solutions of one increment** (compass gait, RAMone: Assumption 6 of \[HP\] fails). A fixed pivoting rule
//! would always return the same one and lose the others; so the covering vector of Lemke's method is drawn anew for
//! every LCP, and some paths are followed on from the first solution. `LcpSelection` offers the fixed rule and full
//! enumeration.
//!
//! # The set
//!
//! | question | answer |
//! |---|---|
//! | fractions, means, hulls, ε-nets | over the uniform samples alone |
//! | which velocity does one trajectory in N exceed? | multilevel splitting (Au and Beck 2001): it is about the median of the largest of N samples and scatters less |
//! | how far can it go? | a directed random search from the best state: a lower bound of the supremum, without regard to probability |
//!
//! Extents of a set are rare events of its samples: the largest of M samples lies where the probability of more is
//! about 1/M, and grows as long as one samples. So extents are given for one probability (`extent_samples`, 2²² by
//! default), whatever the number of samples.
//!
//! # Declared
//!
//! Existence always; uniqueness no, that is the point: more than one extreme outcome is *ambiguous* with a lower bound
//! on their number, one draw is *undecided*. Friction Coulomb, in space the inscribed pyramid of F facets. Restitution
//! none. Contacts are treated alike: relabelling permutes the set, not single samples. A sample depends on the seed and
//! its number only, so results are the same on any number of threads.
//!
//! # Corrections of the paper
//!
//! (75b) lacks transposes. The loop as printed allows one LCP more than the published program; N is that of the
//! program. The program's tangents of the disk stack are not orthogonal to its oblique normals.
//!
//! # Limits
//!
//! The measure on the set comes from uniform allowances; it is no physical probability. In the disk stack, whose tail
//! has many parts, extents still scatter by some 15 %. Finite h blurs the inclusion; smaller h costs more LCPs.
//!
//! # Example
//!
//! A block falls flat on both corners: what happens depends on which corner's impulse grows first.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::examples::rocking_block;
//! use carom::impact::routh::{RouthSettings, sample_set};
//! use carom::impact::{ImpactLaw, Routh};
//!
//! let example = rocking_block()?;
//! let settings = RouthSettings {
//!     samples: 256,
//!     step: Some(example.step),
//!     max_steps: example.max_steps,
//!     extent_samples: 0,
//!     ..RouthSettings::default()
//! };
//! let set = sample_set(&example.problem, &RouthSettings { jobs: 1, ..settings.clone() })?;
//! // The same samples on any number of threads; every one has the block's corners not approaching.
//! assert_eq!(set.in_set(), sample_set(&example.problem, &settings)?.in_set());
//! assert!(set.members().all(|(_, v)| v[0] > -1e-9 && v[2] > -1e-9));
//! let answer = Routh::new(settings)?.resolve(&example.problem)?;
//! assert_eq!(answer.unique(), Some(false));
//! assert!(answer.outcomes.iter().all(|o| o.energy.after <= o.energy.before));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contact_set;
mod extent_refinement;
mod law;
mod planar_hull;
mod sampler;
mod set_summary;
mod settings;

pub use contact_set::{NetSize, PostImpactSet};
pub use extent_refinement::ExtremeSample;
pub use law::{Routh, RouthOutcome, RouthReport, sample_set, termination_constant};
pub use planar_hull::PlanarHull;
pub use sampler::SampleStatus;
pub use set_summary::{NormalExtents, SetExtents, SetSummary, TangentialEnd, TangentialExtents};
pub use settings::RouthSettings;
