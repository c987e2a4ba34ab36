//! What happens when contacts of a mechanical system strike: numbers in, outcomes out, with a verdict on their number.
//!
//! This room knows nothing of robots. It takes a mass matrix, the state before the impact and, for every closed
//! contact, the gradient of its gap and its sliding rows; it answers with one or more momenta after the impact, the
//! impulses that lead there, the energies, and what is known about the number of outcomes. Every law reads the same
//! problem and answers in the same form, so that laws can be exchanged and compared.
//!
//! # The problem
//!
//! ```text
//! M (v⁺ − v⁻) = Jᵀ Λ,      p = M v,      p⁺ = p⁻ + Jᵀ Λ                       at one configuration
//! ⟨a, b⟩ = a M⁻¹ bᵀ,       ‖a‖² = ⟨a, a⟩                                      kinetic metric on covectors
//! G = J M⁻¹ Jᵀ,            a = J v⁻,      contact velocities after: a + G Λ    contact space
//! ```
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | n, m, r | degrees of freedom, contacts, contact rows | |
//! | M | mass matrix, n × n, symmetric positive definite | kg, kg m, kg m² |
//! | v⁻, v⁺; p⁻, p⁺ | velocity and momentum before and after | m/s, rad/s; N s, N m s |
//! | u_i | gap gradient Dφ_i, a row; ⟨p, u_i⟩ < 0 is an approach | |
//! | T_i | 0, 1 (planar) or 2 (spatial) rows of sliding velocity | |
//! | J | all rows, each contact's normal followed by its tangents, r × n | |
//! | Λ = (λ_i, τ_i) | impulses; λ_i ≥ 0 pushes | N s |
//! | μ_i, e_i | coefficients of friction and restitution | |
//!
//! [`ImpactProblem`] is the left side, checked once (sizes, finite numbers, M symmetric and positive definite, no empty
//! rows); [`ContactSpace`] is what a law computes with: r numbers and an r × r matrix, whatever n is.
//!
//! # Statements that hold for every law
//!
//! **Energy.** By p⁺ = p⁻ + JᵀΛ the kinetic energy changes by
//!
//! ```text
//! ΔE = aᵀΛ + ½ ΛᵀGΛ = ½ Λᵀ (contact velocities before + contact velocities after)                          [J]
//! ```
//!
//! so an impact that ends with all contact velocities zero never gains energy: there ΔE = −½ ΛᵀGΛ. Every outcome
//! carries both energies in its [`EnergyLedger`].
//!
//! **Invariance.** G, a and the kinetic metric do not change when the coordinates of the configuration are exchanged
//! for others (M ↦ SᵀMS, u ↦ uS, v ↦ S⁻¹v leaves u M⁻¹ uᵀ and u v what they are). A law that looks at contact space
//! only cannot depend on coordinates, and distances of outcomes are measured in ‖·‖ for the same reason.
//!
//! **Indeterminacy** (\[SM\] §VII.A, there for two outcomes; here over all that are known):
//!
//! ```text
//! ξ = max over pairs of outcomes ‖p_a − p_b‖ / ‖p⁻‖
//! ```
//!
//! # Verdicts
//!
//! [`Uniqueness`] has three values, and no doubt ever counts as unique.
//!
//! | verdict | grounds |
//! |---|---|
//! | unique | nothing approaches; a certificate for all momenta; every order was followed and all agree; every solution was found and there is one; the law is a function (a projection, a single contact) |
//! | ambiguous | at least two distinct outcomes are known; with their number, whether these are all, and ξ |
//! | undecided | a budget was spent; the outcome is one draw, one order or one solution; the law did not end |
//!
//! Outcomes within 1e-9 ‖p⁻‖ of each other are one. A verdict is about the *law's* outcomes at one momentum and one
//! configuration. Whether the motion is continuous or differentiable there is another question: see the room `verdict`.
//!
//! # Laws, and what they declare
//!
//! [`LawProperties`] is asserted by tests exactly as declared.
//!
//! | law | friction | restitution | several outcomes | independent of order | keeps energy at e = 1, μ = 0 | source |
//! |---|---|---|---|---|---|---|
//! | [`Propagative`] | no | yes | yes | no | yes | \[SM\] |
//! | [`Plastic`] | no | no | no | yes | no | \[SM\] eq. 11, Moreau |
//! | [`Stronge`] | yes | yes | yes, by orders | no | yes | \[JW\] |
//! | [`MaxDissipation`] | yes | no | no | no | no | \[PER\] |
//! | [`Plus`] | yes | yes | no | yes | no | \[USD\] |
//! | [`Routh`] | yes | no | yes, sampled | no | no | \[HP\] |
//! | [`AnitescuPotra`] | yes | no | yes, enumerated | no | no | \[HP\] (31)–(33) |
//! | [`Sequential`] | yes | no | yes, by orders | no | no | \[HP\] §2.2.2 |
//!
//! "Independent of order" speaks of the order in which contacts are listed or treated. A law without friction refuses a
//! problem with friction instead of ignoring it. A law is `&mut self` because it owns its memory:
//! [`ImpactLaw::impulse`] allocates only when a problem is larger than any before, [`ImpactLaw::resolve`] says
//! everything that the law knows, [`ImpactLaw::explore`] is what a run asks: one outcome, and as much about the others
//! as a budget allows.
//!
//! # Rooms
//!
//! `settings` (keys of laws), `verdict` (certificates, counts, sensitivity), one room for each law (`propagative`,
//! `plastic`, `stronge`, `plus`, `dissipation`, `lcp`, `routh`, `sequential`), `examples` (problems from papers).
//!
//! # Limits
//!
//! * An impact is instantaneous: the configuration does not change in it and finite forces do nothing.
//! * The set of closed contacts is given. Which contacts count as simultaneous is decided by who poses the problem.
//! * Laws disagree, and there is no measured truth here that picks one. Comparison is the purpose of the common form.
//!
//! # Example
//!
//! A ball strikes two that touch. The order of the two collisions decides, and three quarters of the momentum with it;
//! the plastic projection of the same problem is a function.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::impact::{Contact, ImpactLaw, ImpactProblem, Plastic, PreImpact, Propagative};
//! use nalgebra::{DMatrix, dvector};
//!
//! let (c, s) = (0.75_f64.sqrt(), 0.5);
//! let problem = ImpactProblem::new(
//!     DMatrix::identity(6, 6),
//!     PreImpact::Velocity(dvector![1.0, 0.0, 0.0, 0.0, 0.0, 0.0]),
//!     &[
//!         Contact::new("left", dvector![-c, -s, c, s, 0.0, 0.0]),
//!         Contact::new("right", dvector![-c, s, 0.0, 0.0, c, -s]),
//!     ],
//! )?;
//! let answer = Propagative::all_orders().resolve(&problem)?;
//! assert_eq!((answer.unique(), answer.outcomes.len()), (Some(false), 2));
//! assert!((answer.indeterminacy() - 0.75).abs() < 1e-12);
//! for outcome in &answer.outcomes {
//!     assert!((outcome.energy.after - outcome.energy.before).abs() < 1e-14);
//! }
//! assert_eq!(Plastic::default().resolve(&problem)?.unique(), Some(true));
//! # Ok::<(), carom::impact::ImpactError>(())
//! ```

/// Calls a macro with the laws of this library, in the order of tables and help texts.
#[doc(hidden)]
#[macro_export]
macro_rules! every_law {
    ($with:ident) => {
        $with!(
            Propagative,
            Plastic,
            Stronge,
            MaxDissipation,
            Plus,
            Routh,
            AnitescuPotra,
            Sequential
        )
    };
}

mod contact_space;
pub mod dissipation;
mod error;
pub mod examples;
#[doc(hidden)]
pub mod friction_check;
mod given_order;
mod law;
pub mod lcp;
mod order;
mod outcome;
pub mod plastic;
pub mod plus;
mod problem;
pub mod propagative;
pub mod routh;
mod sample_random;
pub mod sequential;
pub mod settings;
pub mod stronge;
mod unit_contacts;
pub mod verdict;

pub use contact_space::{ContactRows, ContactSpace};
pub use dissipation::MaxDissipation;
pub use error::ImpactError;
pub use law::{Exploration, ImpactLaw, ImpulseReport, LawProperties};
pub use lcp::AnitescuPotra;
pub use order::ReflectionOrder;
pub(crate) use outcome::split_impulse;
pub use outcome::{ContactImpulse, EnergyLedger, ImpactStatus, Outcome, Resolution, indeterminacy};
pub use plastic::Plastic;
pub use plus::Plus;
pub use problem::{Contact, ImpactProblem, PreImpact};
pub use propagative::Propagative;
pub use routh::Routh;
#[doc(hidden)]
pub use sample_random::{RandomWords, SampleRandom};
pub use sequential::Sequential;
pub use settings::{LawDetails, LawSettings};
pub use stronge::Stronge;
pub use verdict::{Certificate, Uniqueness, Verdict, verdict};
