//! Statements about an impact that go beyond one outcome: certificates for every momentum, counts of outcomes for one,
//! and how an outcome moves.
//!
//! Everything here is about the propagative law (room `propagative`): elastic reflections p ↦ p − 2⟨p, û⟩û at violated
//! contacts, in the kinetic metric ⟨a, b⟩ = a M⁻¹ bᵀ; û_i are the unit normals, Ĝ_ij = ⟨û_i, û_j⟩ their Gram matrix.
//!
//! # Certificates
//!
//! A certificate is a property of the normals alone, [`certify`].
//!
//! **Orthogonal normals** (\[SM\] Theorem 2). If ⟨û_i, û_j⟩ = 0 for all i ≠ j, every admissible sequence ends at the
//! same p⁺ and reflects every contact that is violated at first exactly once.
//!
//! *Proof.* A reflection at k changes ⟨p, û_j⟩ by −2⟨p, û_k⟩⟨û_k, û_j⟩, which is zero for j ≠ k and turns the sign for
//! j = k. So the set of violated contacts loses k and gains nothing; after as many reflections as there are violated
//! contacts it is empty, and the sum p⁺ = p − 2 Σ ⟨p⁻, û_i⟩ û_i over them has no order. ∎
//!
//! **Finite reflection groups.** If ⟨û_i, û_j⟩ = −cos(π/m_ij) with whole m_ij ≥ 2 for all pairs, and Ĝ is positive
//! definite, the outcome is unique for every p⁻, and so is the number of reflections.
//!
//! *Proof.* The û_i are simple roots of a finite Coxeter group, and the feasible momenta {⟨p, û_i⟩ ≥ 0} are its closed
//! chamber (times the orthogonal complement of the û_i, which no reflection moves). The chamber is a fundamental
//! domain: every orbit meets it in exactly one point. Reflections stay in the orbit, sequences are finite (room
//! `propagative`) and end in the chamber, hence at that point. Each reflection at a violated wall crosses one mirror
//! that separates the momentum from the chamber, and adds none, so every sequence has as many reflections as there are
//! such mirrors: at most all of them. ∎
//!
//! Two contacts at ⟨û, v̂⟩ = −cos(π/m) are the case of the dihedral group: m = 2 is orthogonality, m = 3 is \[SM\]
//! Theorem 3, for −½ only (at +½ both products of three reflections agree, but their result is never feasible). n + 1
//! equal balls in a row are A_n, and the outcome is the velocities sorted. [`ReflectionGroup`] recognises the group by
//! Coxeter's classification and knows its number of mirrors.
//!
//! **Angles are never exact.** A certificate therefore bounds ξ. For two contacts with the half angle γ (⟨û, v̂⟩ = −cos
//! 2γ), exactly,
//!
//! ```text
//! ξ ≤ 2 sin(min(m |2γ − π/m|, π/2)),        4|cos| to first order for m = 2
//! ```
//!
//! because unfolded ends of the two sequences lie at most |2π − 4mγ| apart. For more contacts, with Ĝ = Ĝ₀ + E, λ and
//! λ₀ the least eigenvalues of Ĝ and of the exact Ĝ₀, η = ‖E‖_F/(√λ + √λ₀) and sequences of at most L reflections,
//!
//! ```text
//! ξ ≤ 4η (L + √(n/λ₀)),        L = twice the number of mirrors
//! ```
//!
//! a reflection differs from the exact one by at most 2η‖p‖; folding onto the exact chamber is non-expansive and does
//! not see exact reflections; and an outcome lies within η√(n/λ₀)‖p‖ of the exact chamber. Uniqueness is granted when
//! the bound is at most 1e-9, the distance below which outcomes count as one; otherwise the bound is still stated. L
//! allows for the grazing reflections that inexact angles cause; this factor two is a choice, not a theorem.
//!
//! **Restitution.** With restitution below 1 the outcome is a blend weighted by the work of each contact, so contacts
//! that take each other's place in a sequence (those joined by odd m) must have equal restitution, or there is no
//! certificate.
//!
//! # Counting for one momentum
//!
//! Without a certificate every admissible order is followed: momenta are the nodes of a graph (acyclic, because each
//! reflection raises ⟨p, c⟩ for a separating c), its leaves are the outcomes. [`verdict()`] answers in contact space,
//! cheaply enough for every impact of a run; [`all_outcome_impulses`] lists them. A spent budget is `undecided`, or
//! `ambiguous` with a lower bound.
//!
//! # How an outcome moves
//!
//! Along a fixed sequence p⁺ is a smooth function of p⁻ and of the normals. [`sensitivity`] takes its derivative
//! exactly, with dual numbers through the same reflections, projection and blend. With restitution 1, ∂p⁺/∂p⁻ is a
//! product of reflections, hence an isometry of the kinetic metric. The sequence changes where ⟨p_k, û_i⟩ = 0 or two
//! contacts tie: hyperplanes of p⁻ whose distances
//!
//! ```text
//! |⟨p_k, û_i⟩|,        |⟨p_k, û_i − û_j⟩| / ‖û_i − û_j‖
//! ```
//!
//! are read off along the sequence, because reflections are isometries. The momenta of one sequence form a convex cone,
//! so the least of these distances is the smallest perturbation that leaves it: [`switching_distance`].
//!
//! # What a verdict does not say
//!
//! A neighbouring motion meets the contacts one after the other, in an order that depends on the perturbation. So three
//! questions are different.
//!
//! * *Does the law give one outcome for this momentum?* The verdict.
//! * *Is the motion continuous there?* Only if every order of separate impacts, each with its own restitution, ends at
//!   the law's outcome. At restitution 1 these orders are the admissible words. Below 1 they are not: a blend can be
//!   unique while rapid single lossy impacts end elsewhere. Kinetically orthogonal contacts are continuous for any
//!   restitution R that they share: each impact leaves the other contacts' velocities alone, and the blend is p⁻ − (1 +
//!   R) Σ ⟨p⁻, û_i⟩ û_i, which is what the separate impacts give.
//! * *Is it differentiable?* Only if, beyond that, the products of the saltation matrices S = DR + (f⁺ − DR
//!   f⁻)Dφ/(Dφ·f⁻) agree over the orders (R the reset, f the rate of (q, p)). Orthogonal normals are not enough,
//!   because what happens between the two strikes counts to first order.
//!
//! This room answers the first only. For the others see Burden et al. 2016 and Pace and Burden 2016 (room
//! `bibliography`).
//!
//! # Limits
//!
//! Existence, uniqueness and energy are those of the propagative law; there is no friction here. Cosines are recognised
//! to a tolerance (default 1e-9) and for m up to 1000. Infinite groups, such as those of wedged contacts, are refused.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::verdict::{certify, sensitivity};
//! use carom::impact::{Contact, ImpactProblem, PreImpact};
//! use nalgebra::{DMatrix, dvector};
//!
//! // Four equal balls in a row: A3, six mirrors, unique whatever the momentum.
//! let contacts = [
//!     Contact::new("AB", dvector![-1.0, 1.0, 0.0, 0.0]),
//!     Contact::new("BC", dvector![0.0, -1.0, 1.0, 0.0]),
//!     Contact::new("CD", dvector![0.0, 0.0, -1.0, 1.0]),
//! ];
//! let before = PreImpact::Velocity(dvector![3.0, 2.0, 1.0, 0.0]);
//! let problem = ImpactProblem::new(DMatrix::identity(4, 4), before, &contacts)?;
//! let certificate = certify(problem.contact_space(), 1e-9)?.ok_or("no certificate")?;
//! assert!(certificate.unique_for_every_momentum);
//! assert_eq!(certificate.reason, "reflection-group");
//! // Velocities are sorted, and the outcome moves with the momentum by an isometry.
//! let along = sensitivity(&problem, &[0, 1, 2, 0, 1, 0])?;
//! assert!((along.outcome - dvector![0.0, 1.0, 2.0, 3.0]).norm() < 1e-14);
//! let turn = &along.momentum * along.momentum.transpose();
//! assert!((turn - DMatrix::identity(4, 4)).norm() < 1e-14);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod certificate;
mod reflection_group;
mod sensitivity;
mod uniqueness;

pub use certificate::{Certificate, ContactAngle, certify};
pub(crate) use certificate::{DISTINCT, certify_unit};
pub use reflection_group::{CoxeterFamily, ReflectionGroup};
pub(crate) use sensitivity::switching_of_word;
pub use sensitivity::{Sensitivity, SwitchingDistance, sensitivity, switching_distance};
pub use uniqueness::{Doubt, Ground, Uniqueness, Verdict};

use nalgebra::DVector;

use super::{ContactSpace, ImpactError};
use crate::impact::order::ReflectionOrder;
use crate::impact::propagative::{Analysis, Enumeration, EnumerationBudget, Tolerances};
use crate::impact::unit_contacts::write_impulse;

/// One outcome as contact impulses.
#[derive(Debug, Clone, PartialEq)]
pub struct OutcomeImpulse {
    /// Λ, r entries \[N s\].
    pub impulse: DVector<f64>,
    /// The shortest sequence that leads to it; `None` when it is too long to list or there is none.
    pub sequence: Option<Vec<usize>>,
}

const TOLERANCES: Tolerances = Tolerances {
    violated: 1e-10,
    angle: 1e-9,
};

/// Counts the outcomes of the propagative law. `momentum_norm` is ‖p⁻‖ in the kinetic metric, the unit of ξ; a
/// certificate makes the answer immediate.
///
/// # Errors
/// A contact space that is not valid, or wedged contacts (named by index).
pub fn verdict(
    space: &ContactSpace,
    momentum_norm: f64,
    budget: &EnumerationBudget,
) -> Result<Uniqueness, ImpactError> {
    let analysis = Analysis::of_space(space, momentum_norm, TOLERANCES)?;
    Ok(analysis
        .uniqueness_of_any_order()
        .unwrap_or_else(|| Enumeration::run(&analysis, budget, false).uniqueness(&analysis)))
}

/// Every distinct outcome of the propagative law as contact impulses, and whether they are all (false
/// when the budget ran out).
///
/// # Errors
/// A contact space that is not valid, or wedged contacts (named by index).
pub fn all_outcome_impulses(
    space: &ContactSpace,
    momentum_norm: f64,
    budget: &EnumerationBudget,
) -> Result<(Vec<OutcomeImpulse>, bool), ImpactError> {
    let analysis = Analysis::of_space(space, momentum_norm, TOLERANCES)?;
    let (found, complete) = if analysis.certified() {
        let one = analysis.single(ReflectionOrder::MostViolated, 0, u64::MAX);
        (vec![one], true)
    } else {
        let all = Enumeration::run(&analysis, budget, false);
        let complete = all.capped.is_none();
        (all.outcomes, complete)
    };
    let outcomes = found
        .into_iter()
        .map(|found| {
            let mut impulse = DVector::zeros(space.rows());
            write_impulse(space, &analysis.unit, &found.unit_impulse, &mut impulse);
            OutcomeImpulse {
                impulse,
                sequence: found.sequence,
            }
        })
        .collect();
    Ok((outcomes, complete))
}
