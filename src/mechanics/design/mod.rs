//! Robots and stances whose simultaneous impacts have one outcome: contact normals at kinetic right angles, by
//! geometry, masses and configuration.
//!
//! Source: \[SM\] §VII, generalised to any number of contacts and stances, to other angles, and to bounds.
//!
//! # The problem
//!
//! z holds the free parameters of the robot and the free coordinates of every stance, each in units of its scale s_k
//! (the change that counts as 1); a is the start.
//!
//! | quantity | meaning | wanted |
//! |---|---|---|
//! | φ_i | gap of a contact at the stance (m) | 0 if it touches; at least a clearance if not |
//! | c_ij = ⟨u_i, u_j⟩/(‖u_i‖‖u_j‖) | kinetic cosine of two contacts that touch, ⟨a, b⟩ = a M⁻¹ bᵀ | 0, or −cos(π/m) |
//! | ξ_ij = 4c √(a² + b² − 2abc)/‖p⁻‖ | what two reflections leave undetermined for a stated motion, a, b its unit normal velocities | 0 |
//! | mass, lengths | kept, as a constraint (kg, m) or softly with a weight | their values |
//!
//! ```text
//! minimise ½‖z − a‖²   subject to   F(z) = 0 (gaps that touch, cosines),   open gaps ≥ clearance,   l ≤ z ≤ u
//! ```
//!
//! Why angles of the form π/m: room `impact::verdict`. They are properties of M and the normals alone, so a design
//! holds for every momentum before the impact. Only c = 0 is independent of how masses are shared: for three balls, c =
//! cos θ √(m_a m_b/((m_a + m_c)(m_b + m_c))).
//!
//! # How it is solved
//!
//! **Nearest root.** Re-anchored minimum-norm Newton steps z⁺ = a + J⁺(J(z − a) − F(z)) where no bound acts, J the
//! Jacobian of F.
//!
//! *A fixed point is a stationary point of the distance.* If z = a + J⁺(J(z − a) − F) and J has full row rank,
//! multiplying by J gives J(z − a) = J(z − a) − F, so F = 0; and z − a is in the range of J⁺, which is that of Jᵀ, so z
//! − a = Jᵀν: the conditions of Lagrange. ∎ Steps of least norm from the *current* point would end at some root, not at
//! the nearest. The step is a sequential quadratic programming step with the identity for a Hessian; a line search on
//! ½‖z − a‖² + Σν|F| with a second-order correction makes it converge from afar, Anderson acceleration along curved
//! sets of roots. With bounds the subproblem is solved in its dual, a concave piecewise quadratic function.
//!
//! **Compromise**, when not all wishes can be met: an augmented Lagrangian of ½Σ w(c − c\*)² + ½ε‖z − a‖² over bounded
//! Gauss-Newton or L-BFGS steps. **Global stage**: several starts, each reproducible by seed and number, or a particle
//! swarm.
//!
//! **Derivatives** by coordinates are exact (dual numbers through kinematics, mass matrix and contact geometry);
//! parameters enter through the robot that they build, so those by parameters are central differences with step 6e-6 of
//! the scale.
//!
//! # What is declared
//!
//! A solution says whether every gap and cosine is at its target (1e-12 by default) or why not: what nothing free
//! changes, what is out of reach, the rank of the wishes along motions that keep the gaps closed, which variables stand
//! at bounds. The root is a local nearest one. ξ over all orders is computed beside it without merging outcomes, down
//! to rounding.
//!
//! # Limits
//!
//! Orthogonality makes the law's outcome unique at that stance and nearby to first order (ξ grows with |c|); it does
//! not make the motion differentiable there. Friction is not in the design. Parameters must keep the tree and the
//! contacts.
//!
//! # Example
//!
//! How wide must a bar of given mass and inertia stand, so that its two feet do not disturb each other? l = √(I/m).
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::contact::{Combination, Contacts, Material, Site, Terrain};
//! use carom::design::{DesignProblem, DesignSettings, DesignStatus, Robot, Stance, Variable};
//! use carom::model::{Base, Link, ModelBuilder};
//! use nalgebra::{Matrix3, Vector3};
//!
//! let family = |p: &[f64]| -> Result<Robot, String> {
//!     let bar = Link::new("bar").inertial(2.0, Vector3::zeros(), Matrix3::identity() * 0.5);
//!     let model = ModelBuilder::new("bar").base(Base::Planar).link(bar).build();
//!     let model = model.map_err(|e| e.to_string())?;
//!     let steel = Material::new(0.0, 1.0);
//!     let foot = |name, x| Site::point(&model, name, "bar", [x, 0.0, 0.0], steel);
//!     let feet = [foot("left", -p[0]), foot("right", p[0])];
//!     let feet = feet.into_iter().collect::<Result<_, _>>().map_err(|e| e.to_string())?;
//!     let floor = vec![Terrain::plane("floor", [0.0; 3], [0.0, 0.0, 1.0], steel)];
//!     let contacts = Contacts::new(&model, feet, floor, &[], Combination::Minimum);
//!     Ok(Robot { contacts: contacts.map_err(|e| e.to_string())?, model })
//! };
//! let width = Variable::new("half width", 0.8, 0.1);
//! let stance = Stance::orthogonal("landing", vec![0.0; 3], &["left", "right"])
//!     .with_free(1, Variable::new("base.z", 0.0, 0.1));
//! let problem = DesignProblem::new(Box::new(family), vec![width], vec![stance])?;
//! let design = problem.solve(&DesignSettings::default())?;
//! assert_eq!(design.status, DesignStatus::Converged);
//! assert!((design.variables[0] - 0.5).abs() < 1e-11);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod description;
mod diagnosis;
mod error;
mod indeterminacy;
mod kept;
mod linearization;
mod map;
mod orthogonality;
mod problem;
mod progress;
mod quantity;
mod search;
mod stance;
mod variable;

pub use error::DesignError;
pub use indeterminacy::order_indeterminacy;
pub use linearization::Linearization;
pub use map::{DesignMap, MapAxis, MapPoint, design_map};
pub use problem::{DesignProblem, Robot, RobotFamily};
pub use progress::{Progress, Stage, Watch};
pub use quantity::{Keep, KeptQuantity, Quantity};
pub(crate) use search::Residuals;
#[doc(hidden)]
pub use search::{Bounds, Found, MinimumNormNewton};
pub use search::{
    DesignSettings, DesignSolution, DesignStatus, Method, StartRecord, Swarm, Weighing, best_start,
    solve_numbered, solve_start,
};
pub(crate) use stance::close_gaps;
#[doc(hidden)]
pub use stance::coordinates;
pub use stance::{Approach, CosineTarget, Stance, configuration, coordinate_names};
pub use variable::Variable;
