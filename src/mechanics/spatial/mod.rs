//! Twists, wrenches, rigid transforms, rotations and inertias: the vector calculus of rigid bodies, without robots.
//!
//! Source: \[F\] ch. 2 and 5; signs and order of components are ours.
//!
//! | symbol | type | meaning | unit |
//! |---|---|---|---|
//! | V = (v, ω) | [`Motion`] | twist: velocity of the frame's origin, angular velocity | m/s, rad/s |
//! | H, W = (f, n) | [`Force`] | momentum or wrench: linear part, moment about the frame's origin | N s, N m s or N, N m |
//! | X = (R, p) | [`Pose`] | placement of a frame in its parent, x_parent = R x + p | m |
//! | 𝓘 = (m, mc, I_o) | [`Inertia`] | mass, first moment, rotational inertia about the frame's origin | kg, kg m, kg m² |
//!
//! The linear part comes first. A twist and a wrench are written in one frame; their pairing is a power, the same in
//! every frame:
//!
//! ```text
//! H · V = f·v + n·ω
//! ad_V W′ = (ω × v′ + v × ω′, ω × ω′)        the Lie bracket of se(3) on twists W′ = (v′, ω′)
//! ad_Vᵀ H                                     its transpose on wrenches:  (ad_Vᵀ H)·W′ = H·(ad_V W′)
//! 𝓘 V = (m v − mc × ω, mc × v + I_o ω)        momentum of a twist
//! ```
//!
//! Rotations by vectors use Rodrigues' formula, with s = sin θ/θ, b = (1 − cos θ)/θ², c = (θ − sin θ)/θ³,
//!
//! ```text
//! exp(w) = 1 + s w^ + b w^ w^,      w^ x = w × x,   θ = ‖w‖ (rad)
//! ```
//!
//! and Taylor series near θ = 0, so that values and derivatives stay exact to rounding there. Quaternions are (x, y, z,
//! w); roll, pitch and yaw are about the fixed axes, as in URDF.
//!
//! All functions are generic in the number type ([`Scalar`]): with dual numbers the same code gives exact derivatives.
//! An articulated inertia is the symmetric 6 × 6 matrix of a subtree whose joints are free to move (room
//! `dynamics`).
//!
//! # Declared, and limits
//!
//! Nothing is approximated and nothing can fail: sizes are in the types, and no check says whether an inertia is that
//! of a real body (room `model` checks it). Inertias merge by adding in one frame; a point mass has I_o of rank two.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::spatial::{Force, Motion, Pose, rotation_exp};
//! use nalgebra::Vector3;
//!
//! let placement = Pose::new(rotation_exp(&Vector3::new(0.3, -0.2, 0.9)), Vector3::new(0.1, 0.2, -0.4));
//! let v = Motion::new(Vector3::new(1.0, 0.5, -0.3), Vector3::new(0.2, -1.0, 0.7));
//! let f = Force::new(Vector3::new(-2.0, 0.1, 0.4), Vector3::new(0.3, 0.3, -0.9));
//! // Power is the same in the child's frame and in the parent's.
//! let here: f64 = f.dot(&v);
//! let there = placement.force_to_parent(&f).dot(&placement.motion_to_parent(&v));
//! assert!((here - there).abs() < 1e-14);
//! // ad is antisymmetric, and its transpose is one under the pairing.
//! let w = Motion::new(Vector3::x(), Vector3::new(0.0, 2.0, 1.0));
//! let difference: f64 = v.cross_transpose(&f).dot(&w) - f.dot(&v.cross(&w));
//! assert!(difference.abs() < 1e-14);
//! ```

mod inertia;
mod motion;
mod rotation;

pub(crate) use inertia::ArticulatedInertia;
pub use inertia::Inertia;
pub use motion::{Force, Motion, Pose, Scalar};
#[doc(hidden)]
pub use motion::{lift, lift3};
pub(crate) use rotation::rotation_coefficients;
pub use rotation::{quaternion_exp, quaternion_to_matrix, rotation_exp, rotation_from_rpy, skew};
#[doc(hidden)]
pub use rotation::{quaternion_from_rpy, quaternion_product};
