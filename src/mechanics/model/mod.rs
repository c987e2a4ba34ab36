//! The robot as an immutable tree of rigid bodies, built in code or read from a description.
//!
//! # What a model is
//!
//! A tree whose joint i connects body i to its parent λ(i) (before it in the order; the world for a root) and carries
//! one coordinate (revolute, rad; prismatic, m), or six for a floating base. Fixed joints are merged: their links
//! become constant placements in the body that they are part of. Every body has an internal frame in which its joint
//! acts along or about z.
//!
//! | symbol | meaning |
//! |---|---|
//! | n = `dof` | entries of v and p |
//! | `configuration_len` | entries of q: n, and one more for a floating base (position, quaternion x y z w) |
//! | X_T, S_i | placement of joint i in its parent's frame at q = 0; its motion subspace e_z |
//! | a_i (armature) | reflected inertia of the joint's rotor, kg m² or kg |
//!
//! Coordinates have names: a joint's name, with `_rx` … for the freedoms of a joint of several, `base.x` … for a base. A base is fixed, planar (x, z, pitch; a prismatic, a
//! prismatic and a revolute joint) or floating (no chart, so no singularity; v is the body twist, linear part first). A
//! joint may have damping (N m s/rad), dry friction (N m), position, velocity and effort limits, a spring; springs may
//! act between points of any two bodies:
//!
//! ```text
//! joint spring   τ = −k (q − q₀) − d q̇
//! point spring   pulls both ends along their line with k (ℓ − ℓ₀) + c ℓ̇
//! ```
//!
//! [`Model`] has no interior mutability and is `Send + Sync`: one model, any number of threads.
//!
//! A joint may *mimic* another, q = r q_leader + o: then one coordinate, the leader's, moves both ([`Follower`]), unless
//! [`ModelBuilder::mimic`] frees or locks such joints. What a follower has of rotor inertia, damping, friction, springs
//! and limits acts on that coordinate: r² a, r² d, |r| f, r² k at (q₀ − o)/r, and the part of the leader's range in which
//! the follower is within its own. The effort limit is the leader's.
//!
//! # Declared
//!
//! `build` checks everything and names what is wrong: one root, no loops, no link without a place, positive masses
//! where something moves, inertias that a real body can have (the triangle inequality of principal moments), limits in
//! order, numbers that are finite. Names are unique, and an unknown one is answered with the nearest.
//!
//! # Limits
//!
//! Trees only, one or several beside each other ([`Model::beside`]): closed loops are refused. Joints have one degree of freedom; planar, spherical and inner
//! floating ones are chains of them ([`Joint::spherical`]), so that three turns are singular where the middle one is ±π/2.
//! Bodies are rigid. Joints that mimic others do so with constant ratio and offset; models with them are solved with dense matrices,
//! in O(n³).
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::model::{Base, Joint, Link, ModelBuilder};
//! use nalgebra::Vector3;
//!
//! let down = Vector3::new(0.0, 0.0, -0.4);
//! let model = ModelBuilder::new("hopper")
//!     .base(Base::Planar)
//!     .link(Link::new("body").solid_sphere(2.0, 0.1, Vector3::zeros()))
//!     .link(Link::new("leg").rod(0.5, Vector3::zeros(), down))
//!     .link(Link::new("shoe").solid_sphere(0.1, 0.03, Vector3::zeros()))
//!     .joint(Joint::revolute("hip", "body", "leg").axis([0.0, 1.0, 0.0]).damping(0.1))
//!     .joint(Joint::fixed("sole", "leg", "shoe").origin([0.0, 0.0, -0.4], [0.0; 3]))
//!     .build()?;
//! // The shoe is part of the leg; a planar base has three coordinates.
//! assert_eq!((model.dof(), model.mass()), (4, 2.6));
//! assert_eq!(model.link("shoe")?.body, model.link("leg")?.body);
//! let error = model.link("sheo").unwrap_err();
//! assert!(error.to_string().contains("shoe"));
//! # Ok::<(), carom::model::ModelError>(())
//! ```

mod builder;
mod coupling;
mod error;
pub mod mesh;
pub mod sample;
mod state_check;
mod tree;
pub mod urdf;

pub use builder::{CompositeJoint, CompositeKind, Joint, Link, Mimic, ModelBuilder};
#[doc(hidden)]
pub use builder::{NamedJointSpring, NamedPointSpring};
pub(crate) use coupling::Coupling;
pub use coupling::Follower;
pub use error::ModelError;
pub(crate) use state_check::LARGEST_COORDINATE;
pub(crate) use tree::pose_from_configuration;
pub use tree::{
    Base, Body, Geometry, JointActing, JointIndices, JointKind, JointLimits, JointSpring,
    LinkFrame, LinkMesh, LinkShape, Model, PointSpring, Tree,
};
