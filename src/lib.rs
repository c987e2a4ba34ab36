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
    mod anitescu_potra;
    mod certificate;
    mod contact_set;
    mod contact_space;
    mod error;
    mod examples;
    mod examples_ramone;
    mod extent_refinement;
    mod friction_lcp;
    mod friction_modes;
    mod law;
    mod lcp;
    mod lcp_enumeration;
    mod lcp_law_support;
    mod lemke_dictionary;
    mod linear_family;
    mod linear_program;
    mod linearized_contacts;
    mod mode_solver;
    mod outcome;
    mod planar_hull;
    mod problem;
    mod routh;
    mod routh_sampler;
    mod sample_random;
    mod sequential;
    mod solution_enumeration;

    pub use anitescu_potra::AnitescuPotra;
    pub use certificate::{Certificate, ContactAngle};
    pub use contact_set::{NetSize, PostImpactSet};
    pub use contact_space::{ContactRows, ContactSpace};
    pub use error::ImpactError;
    pub use examples::{ImpactExample, box_and_wall, compass_gait, disk_stack, rocking_block};
    pub use examples_ramone::ramone;
    pub use extent_refinement::ExtremeSample;
    pub use friction_lcp::LcpSelection;
    pub use law::{ImpactLaw, ImpulseReport, LawProperties};
    pub use lcp::{LcpReport, LcpStatus, Lemke, natural_residual};
    pub use lcp_enumeration::{LARGEST_ENUMERATION, LcpSolution, enumerate_lcp};
    pub use outcome::{
        ContactImpulse, EnergyLedger, ImpactStatus, Outcome, Resolution, indeterminacy,
        split_impulse,
    };
    pub use planar_hull::PlanarHull;
    pub use problem::{Contact, ImpactProblem, PreImpact};
    pub use routh::{Routh, RouthSettings, sample_set, termination_constant};
    pub use routh_sampler::SampleStatus;
    pub use sequential::{ImpactSequence, Sequential};
}
