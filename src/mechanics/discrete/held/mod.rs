//! What a step holds: contacts that are closed and joints with dry friction, with what they did in the step before.
//!
//! [`HeldContact`] and [`HeldJoint`] are the memory that goes from step to step. They are part of the saved state of a
//! run, so that a run that is taken up again continues to the same bits.
//!
//! # What is kept, and why
//!
//! | | unit | what for |
//! |---|---|---|
//! | modes at both ends: open, stick, slide along a direction | | the branch on which the motion is; the next step tries it first |
//! | impulses at both ends, normal then tangents | N s | Λ and Λ′ of the step; their sum over the length of the step is the mean force (N) |
//! | jumps: start impulses beyond the end impulses before, and their differences | N s | a guess for the next start, in equal steps through which a contact sticks or slides |
//! | gap, normal velocity, slip at the end | m, m/s | what is left of the conditions; the direction in which a slide begins |
//! | force rate and its change | N/s | to draw a falling normal force out to zero: the moment of release |
//! | steps of unbroken slide | | a chattering foot is not located event by event |
//! | approach of a contact in its first step | m/s | what a capture takes, booked under its own name |
//! | face of a box | | a contact over an edge goes on smoothly until its seam is an event |
//!
//! # Conditions
//!
//! For the conditions themselves and their proof of order two see the room `discrete`; friction is by maximum
//! dissipation (\[PER\]). In short, with v̄ the mean velocity, φ gaps, T tangents:
//!
//! ```text
//! start:   0 ≤ λ ⊥ φ(q₁) ≥ 0               τ against T(q̄)v̄ in the cone of λ
//! end:     0 ≤ λ′ ⊥ Dφ(q₁) M⁻¹ p₁ ≥ 0      τ′ against T(q̄)v̄ in the cone of λ′
//! joint:   |τ|, |τ′| ≤ (h/2) f             against its rate
//! ```
//!
//! Where several contacts hold one point, a foot in the corner of ground and wall, T(q̄)v̄ has added what makes it agree with the gaps
//! of the others: by tᵀe, e the least vector with n_jᵀe = φ_j(q₁)/h − Dφ_j(q̄)v̄ for all of them, of O(h²). A limb that turns about the
//! point could not rest otherwise.
//!
//! The mean normal force of a step, (λ + λ′)/h, is that at its middle to second order: the half impulses of a steady
//! force F are hF/2 each, and the scheme is symmetric about the middle. At the ends of a step the force is known to
//! first order only.
//!
//! A joint that rests is *locked*: with an infinite load in the articulated-body factor it is part of its parent, costs
//! less than one that moves and has no row. What it takes of the right-hand side is the impulse that holds it; where
//! that exceeds (h/2) f it is released, and its friction is found with that of the contacts.
//!
//! # Limits
//!
//! Modes belong to one length of step: after an event the first step has no jump to guess from. A contact in space that
//! slides has a direction, and "the same slide" means a turn of less than a right angle.
//!
//! # Example
//!
//! A block rests on a slope below its friction angle: both halves of its weight are there, and it does not creep.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::contact::{Combination, Contacts, Material, Site, Terrain};
//! use carom::hybrid::{Simulation, Unwatched};
//! use carom::impact::Plastic;
//! use carom::model::{Base, Link, ModelBuilder};
//!
//! let block = Link::new("block").solid_box(2.0, [0.2, 0.2, 0.1], [0.0; 3].into());
//! let tilted = [-9.81 * 0.3_f64.sin(), 0.0, -9.81 * 0.3_f64.cos()];
//! let model = ModelBuilder::new("block").base(Base::Floating).gravity(tilted).link(block).build()?;
//! let rough = Material::new(0.4, 0.0);
//! let mut sites = Vec::new();
//! for (i, (x, y)) in [(0.1, 0.1), (0.1, -0.1), (-0.1, 0.1), (-0.1, -0.1)].into_iter().enumerate() {
//!     sites.push(Site::point(&model, &format!("c{i}"), "block", [x, y, -0.05], rough)?);
//! }
//! let floor = Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], rough);
//! let contacts = Contacts::new(&model, sites, vec![floor], &[], Combination::Minimum)?;
//! let mut simulation = Simulation::builder(model)
//!     .contacts(contacts).law(Plastic::default()).position("base.z", 0.05).build()?;
//! simulation.run_until(1.0, &mut Unwatched)?;
//! let normal: f64 = simulation.state().held.iter().filter_map(|h| h.normal_force()).sum();
//! assert!((normal - 2.0 * 9.81 * 0.3_f64.cos()).abs() < 1e-6);
//! assert!(simulation.state().q[0].abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contact;
mod corner;
mod jumps;

pub(crate) use contact::rubbing_joints;
pub use contact::{HeldContact, HeldJoint};
pub(in crate::discrete) use corner::CornerDisplacement;
pub use jumps::Jumps;
