//! Lagrangian mechanics of a model: placements and twists, momenta, forces, the mass matrix and its inverse, each in
//! O(n).
//!
//! Sources: \[F\] ch. 2, 5, 6, 7; \[LLPS\] for the slot derivatives. Symbols: S_i motion subspace of joint i, V_i twist
//! of body i in its own frame, 𝓘_i its inertia, H_i and W_i composite momentum and weight of the subtree of body i,
//! λ(i) parent, a_i reflected rotor inertia, g gravity (m/s²), L = K − V (J).
//!
//! # Kinematics
//!
//! ```text
//! V_i = X_i⁻¹ V_λ(i) + S_i q̇_i        one sweep from the root;  for a floating base V_0 = v_base
//! ```
//!
//! [`Kinematics`] belongs to one (q, v). A point x (m, world) of body b moves with J(x) v; `add_point_rows`,
//! `point_jacobian` and `frame_jacobian` give rows, `add_point_force` the transpose.
//!
//! # Lagrangian terms
//!
//! ```text
//! H_i = 𝓘_i V_i + Σ_children H_j            P_i = S_i · H_i + a_i q̇_i = ∂L/∂v_i
//! ∂K/∂q_i = H_i · ad_{V_i} S_i              −∂V/∂q_i = S_i · W_i
//! M v̇ + b = f                               recursive Newton-Euler: f(v̇), and b = f(0)
//! ```
//!
//! *Why ∂K/∂q_i has this form.* Turning joint i by δ turns its subtree rigidly by S_i δ, which changes the twist of
//! every body of the subtree in its own frame by ad_{V} S_i δ (the twist that comes from above, seen from the turned
//! frame), with V the twist of the body at the joint: the joint's own rate commutes with S_i. Momenta pair with that
//! change, summed over the subtree. ∎ For a floating base K does not depend on the pose, and the force is the body
//! wrench W_0. Rotors add ½ a q̇² to K, a q̇ to P, nothing to ∂L/∂q; the momentum of the whole system in space has no
//! part of them.
//!
//! The mass matrix M(q) (kg, kg m, kg m²) is formed by composite rigid bodies, O(n d) for depth d; M⁻¹x is solved
//! without M by articulated bodies,
//!
//! ```text
//! U_i = 𝓘ᴬ S_i,   D_i = S_iᵀ U_i + a_i,   𝓘ᴬ_λ ← 𝓘ᴬ_λ + X (𝓘ᴬ − U_i D_i⁻¹ U_iᵀ) Xᵀ
//! ```
//!
//! split into a factorisation and a solve ([`ArticulatedFactor`]): M = L D Lᵀ along the tree. D_i > 0 for every joint
//! exactly when M is positive definite; otherwise [`SingularMass`] names the joint. Where limbs are short it is less work
//! to form the rows of M along each branch and to eliminate them in the same order, which fills in nothing (\[F\] §6.5):
//! the same factor, in O(n d²).
//!
//! Where a joint mimics another one (room `model`), q_tree = G q + o, all of these are Gᵀ M G, Gᵀ P, Gᵀ F of the tree with
//! a coordinate for each joint, and the rows of M are full ([`ArticulatedFactor`]).
//!
//! # Forces
//!
//! Joint springs and dampers, springs between points, servos (a function of the joint's own position and rate,
//! [`JointServo`]) and motors with a speed-torque line ([`Motor`]). Each says its force and its slopes, so that steps
//! can take it at their middle. Dry friction is no function of the velocity; steps treat it with the contacts.
//!
//! # Declared, and limits
//!
//! M is symmetric positive definite for every model that `build` accepts, up to rounding. Nothing allocates after
//! construction. Energies: [`kinetic_energy`], [`gravity_energy`], [`spring_energy`]; dampers dissipate d q̇² (W).
//! Gyroscopic torques of rotors are not modelled.
//!
//! # Example
//!
//! Inverse dynamics of a chain against its mass matrix, and its factor against both.
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::dynamics::{ArticulatedFactor, Kinematics, bias_forces, inverse_dynamics, mass_matrix};
//! use nalgebra::DVector;
//!
//! let model = carom::model::sample::chain(4)?;
//! let (q, v) = ([0.3, -0.7, 0.2, 1.1], [1.0, -2.0, 0.5, 0.3]);
//! let acceleration = [0.4, 0.1, -0.6, 2.0];
//! let mut kinematics = Kinematics::<f64>::new(&model);
//! kinematics.update_placements(&model, &q);
//! kinematics.update_twists(&model, &v);
//! let m = mass_matrix(&model, &kinematics);
//! let force = DVector::from(inverse_dynamics(&model, &q, &v, &acceleration)?);
//! let bias = DVector::from(bias_forces(&model, &q, &v)?);
//! let inertial = &m * DVector::from_column_slice(&acceleration);
//! assert!((&force - &inertial - bias).norm() < 1e-12);
//! let mut factor = ArticulatedFactor::new(&model);
//! factor.factor(&model, &kinematics)?;
//! let mut back = [0.0; 4];
//! factor.solve(&model, &kinematics, inertial.as_slice(), &mut back);
//! assert!(back.iter().zip(acceleration).all(|(x, y)| (x - y).abs() < 1e-12));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod articulated;
mod forces;
mod frame_jacobian;
mod inertialess;
mod inverse_dynamics;
mod joint_servo;
mod kinematics;
mod lagrangian;
mod mass_matrix;
mod motor;
mod support;

pub use articulated::{ArticulatedFactor, SingularMass};
pub use forces::{POINT_SPRING_ROWS, add_passive_forces, point_spring_load, spring_energy};
pub(crate) use forces::{add_point_spring_forces, joint_dampers, passive_load, spring_line};
#[doc(hidden)]
pub use inertialess::inertialess_coordinate;
pub use inverse_dynamics::{InverseDynamics, bias_forces, inverse_dynamics};
pub use joint_servo::{JointServo, ServoEffort};
pub use kinematics::{Clock, Kinematics};
pub use lagrangian::{
    LagrangianTerms, center_of_mass, gravity_energy, kinetic_energy, spatial_momentum,
};
#[doc(hidden)]
pub use mass_matrix::mass_diagonal;
pub use mass_matrix::mass_matrix;
pub use motor::Motor;
pub use support::{Support, SupportJoint};
