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
//! and the **discrete Euler-Lagrange equation** in position-momentum form is solved for q₁, with P = ∂L/∂v and F =
//! ∂L/∂q + forces at the midpoint:
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
//! and the outcome of a simultaneous impact does not depend on the order of reflections when the normals are
//! **kinetically orthogonal**:
//!
//! ```text
//! ⟨u_i, u_j⟩ = 0   for all i ≠ j
//! ```
//!
//! # Rooms
//!
//! Each room has a page: what it computes, with equations, units and sources; what is proved; what is declared; where
//! it ends; and an example that is run as a test. In the order of their dependency:
//!
//! | room | what it is for |
//! |---|---|
//! | `files` | whole files, locked folders, strict JSON, near names |
//! | `stop` | a flag that ends long work from outside |
//! | `spatial` | twists, wrenches, rigid transforms, inertias; no robots |
//! | `model` | the immutable tree of bodies, built in code or read from URDF |
//! | `dynamics` | kinematics, momenta, forces, the mass matrix and its inverse, in O(n) |
//! | `contact` | sites on links, terrain, gaps and their gradients |
//! | `friction` | impulses of contacts and dry joints at one instant, and how many solutions there are; no robots |
//! | `discrete` | the variational integrator: (q, p) to (q, p), free and with held contacts, and its derivatives |
//! | `impact` | impact laws: numbers in, outcomes and verdicts out; no robots |
//! | `control` | from the state to joint efforts: servos, gaits, programs |
//! | `hybrid` | the simulation: steps, located events, impacts, held contacts in one run |
//! | `design` | robots and stances whose impacts have one outcome |
//! | `comparison` | systems to compare with, not part of the core: compliant collisions, granular flow |
//! | `metric` | the expression language over the columns of a run, and of heights in x and y |
//! | `laws` | impact laws by name, problem files and answers |
//! | `scenario` | one TOML text that describes an experiment, and the simulation made from it |
//! | `record` | the tables and the summary that a run leaves |
//! | `baseline` | regression tests of runs |
//! | `views` | plots, replay, exports, comparison of runs |
//! | `study` | branches of a run, laws side by side, design files, granular scenarios, batches |
//! | `sweep` | one subject run many times with other keys, in parts that any number of machines may do |
//! | `schema` | the keys of every kind of file, as JSON schemas and as a page |
//! | `reproduce` | published numbers, recomputed |
//! | `python` | the Python package (feature `python`) |
//! | `bibliography` | what the keys in square brackets stand for |
//!
//! The rooms from `files` to `comparison` are the package `carom-mechanics` in `src/mechanics`, which is handed on from here.
//! The others, in `src`, are for files and people.
//!
//! # Arrows
//!
//! A room uses the rooms in its line and no others; `impact` and `friction` use none but small dense numerics.
//!
//! | room | uses |
//! |---|---|
//! | `files`, `stop`, `spatial`, `friction`, `impact`, `comparison::compliant` | |
//! | `model` | `files`, `spatial` |
//! | `dynamics` | `model`, `spatial` |
//! | `contact` | `dynamics`, `files`, `model`, `spatial` |
//! | `discrete` | `contact`, `dynamics`, `friction`, `model`, `spatial` |
//! | `control` | `dynamics`, `model` |
//! | `hybrid` | `contact`, `control`, `discrete`, `dynamics`, `files`, `friction`, `impact`, `model`, `stop` |
//! | `design` | `contact`, `dynamics`, `impact`, `model`, `spatial`, `stop` |
//! | `comparison::granular` | `impact` |
//! | `metric` | `files` |
//! | `laws` | `files`, `impact` |
//! | `scenario` | `contact`, `control`, `discrete`, `dynamics`, `files`, `hybrid`, `impact`, `laws`, `metric`, `model`, `spatial`, `stop` |
//! | `record` | `contact`, `control`, `dynamics`, `files`, `hybrid`, `impact`, `metric`, `model`, `scenario` |
//! | `views` | `contact`, `dynamics`, `files`, `impact`, `model`, `record`, `scenario`, `spatial` |
//! | `study` | `comparison::granular`, `contact`, `control`, `design`, `dynamics`, `files`, `hybrid`, `impact`, `laws`, `model`, `record`, `scenario`, `stop`, `views` |
//! | `baseline` | `control`, `files`, `hybrid`, `laws`, `metric`, `model`, `record`, `scenario`, `stop`, `study` |
//! | `sweep` | `baseline`, `design`, `files`, `hybrid`, `impact`, `laws`, `metric`, `record`, `scenario`, `stop`, `study`, `views` |
//! | `schema` | `control`, `laws`, `scenario`, `study`, `sweep` |
//! | `reproduce` | `comparison::compliant`, `contact`, `control`, `dynamics`, `hybrid`, `impact`, `model`, `record`, `scenario`, `spatial`, `study` |
//! | `python` | `baseline`, `contact`, `control`, `design`, `dynamics`, `files`, `hybrid`, `impact`, `laws`, `model`, `record`, `scenario`, `stop`, `study`, `views` |
//!
//! `design`, `comparison`, `views`, `study`, `baseline`, `sweep`, `schema` and `reproduce` are there with the feature `studies`,
//! which the program brings.
//!
//! # Conventions
//!
//! SI units everywhere (m, kg, s, rad, N, J). q is the configuration, v the velocity (v = dq/dt but for a floating
//! base, which moves by a body twist: linear part first), p = M v the momentum; all of length n but q, where a floating
//! base has seven entries (position, quaternion x y z w). A gap is positive when apart; a normal impulse is positive
//! when it pushes. ⟨·,·⟩ and ‖·‖ are the kinetic metric. Same inputs give the same bits, on any number of threads.
//! Every published number that is recomputed stands in `reproduce`; where a paper is wrong, the page of the room says
//! what was corrected.
//!
//! # Quick start
//!
//! A program begins with [`hybrid::Simulation::builder`], or with a scenario file (`carom::scenario::Scenario`).
//!
//! ```
//! use carom::control::Observation;
//! use carom::hybrid::{Simulation, Unwatched};
//!
//! let lift = |o: &Observation<'_>, efforts: &mut [f64]| efforts[0] = 40.0 * (0.3 - o.q[0]) - 4.0 * o.v[0];
//! let mut simulation = Simulation::builder(carom::model::sample::chain(2)?)
//!     .controller(lift)
//!     .position("joint1", 0.4)
//!     .time_step(1e-3)
//!     .build()?;
//! simulation.run_until(1.0, &mut Unwatched)?;
//! // The last step around the motion, x1 = A x0 + B u, as control needs it.
//! let step = simulation.linearize()?;
//! assert_eq!((step.transition.shape(), step.input.shape()), ((4, 4), (4, 2)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An impact by itself is numbers in, outcomes out:
//!
//! ```
//! use carom::impact::{Contact, ImpactLaw, ImpactProblem, PreImpact, Propagative};
//! use nalgebra::{DMatrix, dvector};
//!
//! let contacts = [
//!     Contact::new("AB", dvector![-1.0, 1.0, 0.0]),
//!     Contact::new("BC", dvector![0.0, -1.0, 1.0]),
//! ];
//! let before = PreImpact::Velocity(dvector![1.0, 0.0, 0.0]);
//! let problem = ImpactProblem::new(DMatrix::identity(3, 3), before, &contacts)?;
//! let resolution = Propagative::default().resolve(&problem)?;
//! assert_eq!(resolution.unique(), Some(true));
//! assert!((resolution.outcomes[0].velocity[2] - 1.0).abs() < 1e-12);
//! # Ok::<(), carom::impact::ImpactError>(())
//! ```
//!
//! # Where to read on
//!
//! * What an impact's verdict means, and what it does not: `impact`, then `impact::verdict`.
//! * Why energy has no trend and what events cost: `discrete`, then `hybrid`.
//! * A law of one's own: `impact::settings`, `examples/11_own_law.rs`, and the registry in `laws`.
//! * Programs, one thing each: `examples/`. The command line: README. How to build, test and measure: CONTRIBUTING.

// Much of what the rooms up to `record` have inside is for those that a build without them leaves out.
#![cfg_attr(not(feature = "studies"), allow(dead_code, unused_imports))]

#[doc(inline)]
pub use carom_mechanics::{
    bibliography, contact, control, discrete, dynamics, files, friction, hybrid, impact, model,
    spatial, stop,
};
#[cfg(feature = "studies")]
#[doc(inline)]
pub use carom_mechanics::{comparison, design};

pub(crate) use carom_mechanics::{every_law, numerics};

#[cfg(feature = "studies")]
pub mod baseline;
pub mod laws;
pub mod metric;
#[cfg(feature = "python")]
pub mod python;
pub mod record;
#[cfg(feature = "studies")]
pub mod reproduce;
pub mod scenario;
#[cfg(feature = "studies")]
pub mod schema;
#[cfg(feature = "studies")]
pub mod study;
#[cfg(feature = "studies")]
pub mod sweep;
#[cfg(feature = "studies")]
pub mod views;

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;
