//! Carom: variational multibody simulation of legged robots that says when an impact was ambiguous.
//!
//! Four equations carry the library.
//!
//! The **discrete Lagrangian** of a step of length h is the midpoint rule
//!
//! ```text
//! L_d(q₀, q₁, h) = h L((q₀ + q₁)/2, (q₁ − q₀)/h)
//! ```
//!
//! and the **discrete Euler-Lagrange equation** in position-momentum form is solved for q₁, with P = ∂L/∂v
//! and F = ∂L/∂q + forces at the midpoint:
//!
//! ```text
//! p₀ = P − (h/2) F,      p₁ = P + (h/2) F
//! ```
//!
//! A contact with normal u (gradient of its gap) **reflects** the momentum in the kinetic metric ⟨a, b⟩ = a M⁻¹ bᵀ:
//!
//! ```text
//! p Γ(u) = p − 2 ⟨p, u⟩ / ⟨u, u⟩ u
//! ```
//!
//! and the outcome of a simultaneous impact does not depend on the order of reflections when the
//! normals are **kinetically orthogonal**:
//!
//! ```text
//! ⟨u_i, u_j⟩ = 0   for all i ≠ j
//! ```
//!
//! The layers, each using only those above it, are the modules below. [`impact`] uses none of them: it takes numbers and
//! knows nothing of robots.

/// Impact laws: numbers in, outcomes out. One problem type, one trait, one file a law.
pub mod impact {
    mod analysis;
    mod certificate;
    mod contact_space;
    mod enumeration;
    mod error;
    mod law;
    mod least_norm;
    mod minimality;
    mod near_points;
    mod nonnegative;
    mod order;
    mod outcome;
    mod parameters;
    mod plastic;
    mod problem;
    mod propagation;
    mod propagative;
    mod reflection_group;
    mod restitution;
    mod sensitivity;
    mod separation;
    mod state_graph;
    mod two_contacts;
    mod unit_contacts;
    mod verdict;

    pub use certificate::{Certificate, ContactAngle, certify, contact_angles};
    pub use contact_space::{ContactRows, ContactSpace};
    pub use error::ImpactError;
    pub use law::{ImpactLaw, ImpulseReport, LawProperties};
    pub use minimality::is_subsequence;
    pub use order::ReflectionOrder;
    pub use outcome::{
        ContactImpulse, EnergyLedger, ImpactStatus, Outcome, Resolution, indeterminacy,
        split_impulse,
    };
    pub use plastic::Plastic;
    pub use problem::{Contact, ImpactProblem, PreImpact};
    pub use propagative::Propagative;
    pub use reflection_group::{CoxeterFamily, ReflectionGroup};
    pub use sensitivity::{Sensitivity, SwitchingDistance, sensitivity, switching_distance};
    pub use separation::Separation;
    pub use state_graph::EnumerationBudget;
    pub use two_contacts::{AlternatingSequence, TwoContacts};
    pub use verdict::{OutcomeImpulse, Verdict, all_outcome_impulses, verdict};
}
