//! The midpoint of a step: momentum and force there, the Legendre transforms to both ends, and the step of a floating
//! body.
//!
//! # Joints
//!
//! A joint with one coordinate moves by q₁ = q₀ + h v̄, its midpoint is q̄ = q₀ + (h/2) v̄, and (\[MW\]; \[SM\] §VI)
//!
//! ```text
//! p₀ = P − (h/2) F,      p₁ = P + (h/2) F,      P = ∂L/∂v,  F = ∂L/∂q + forces  at (q̄, v̄)
//! ```
//!
//! n entries each; h in s, p in N s or N m s. P and F take O(n) by one sweep outwards and one inwards (room
//! `dynamics`). The load of dampers and springs is evaluated at the midpoint, so it is implicit and symmetric.
//!
//! # A floating body
//!
//! Its position moves in the world, its rotation by itself: [`Midpoint`] keeps the average of the end positions and
//! half of the turn.
//!
//! | symbol | meaning |
//! |---|---|
//! | x, R | position of the body frame in the world (m), rotation |
//! | ū, w̄ | mean velocity of the frame's origin in the axes of the middle (m/s), mean angular velocity (rad/s) |
//! | d = h ū, φ = (h/2) w̄ | displacement (m), half the turn (rad) |
//! | μ = (μ_u, μ_w), J = (J_u, J_w) | ∂L/∂v and h F at the middle, in its axes |
//!
//! ```text
//! R̄ = R₀ exp(φ),   R₁ = R̄ exp(φ),     x̄ = x₀ + R̄ d/2,   x₁ = x₀ + R̄ d
//!
//! E = exp(φ),   N = J_w + μ_u × d
//! p₀ = (E (μ_u − J_u/2),    φ cot φ μ_w + φ × μ_w − (N + tan(φ/2) N)/2)
//! p₁ = (Eᵀ(μ_u + J_u/2),    φ cot φ μ_w − φ × μ_w + (N − tan(φ/2) N)/2)
//! ```
//!
//! cot and tan of the angle ‖φ‖ act through φ×: with s = sin θ/θ, b = (1 − cos θ)/θ², c = (θ − sin θ)/θ³ at θ = ‖φ‖, φ
//! cot φ μ = μ + ((b − c)/s) φ × (φ × μ) and tan(φ/2) N = (b/s) φ × N.
//!
//! *Where this comes from.* L_d = h L is varied with L written in ū: a rotation η̄ of the middle at a fixed
//! displacement changes ū by ū × η̄, so the moment on the rotation is N and not J_w. What remains is the variation of
//! the geodesic's middle on SO(3), dexp⁻ᵀ (\[MW\]). For commuting coordinates (φ → 0) the formulas are P ∓ (h/2)F. Both
//! momenta are left-trivialised, in the axes of their own end.
//!
//! *Properties.* A body that does not turn moves as a point does. The rule is covariant under rigid motions g of the
//! world (x̄, R̄ go with gx, gR while ū and w̄ stay), so momentum and angular momentum are kept in free flight.
//! Exchanging the ends with −h exchanges the two formulas: the rule is its own adjoint, of order two.
//!
//! A step may not turn a floating body by a whole turn: φ cot φ is singular at ‖φ‖ = π. At 1 ms that is 6283 rad/s.
//!
//! # Derivatives
//!
//! ∂P and ∂F by configuration and velocity are analytic: every entry is one product of six numbers (compare Carpentier
//! and Mansard 2018 for inverse dynamics). The exact Newton matrix
//!
//! ```text
//! J = ∂r/∂v̄ = M + (h/2)(∂P/∂q − ∂F/∂v) − (h²/4) ∂F/∂q
//! ```
//!
//! has the articulated structure of M without its symmetry, and J δ = r is solved in O(n) by carrying a 9 × 12 matrix a
//! body towards the root; springs between points of any two bodies add three ranks each, by a correction of low rank.
//! Other eliminations for this equation in the literature approximate J by M (\[LLPS\]).
//!
//! Where joints share coordinates (room `model`), J is formed and inverted as a dense matrix.
//!
//! # Limits
//!
//! Rotors' reflected inertias add ½ a q̇² to K and a q̇ to P, nothing to F: the gyroscopic effect of rotors is not
//! modelled. Joints have one degree of freedom; only the base may float.
//!
//! # Example
//!
//! ```
//! # use carom_mechanics as carom;
//! use carom::discrete::midpoint::Midpoint;
//! use carom::model::sample::chain;
//!
//! let model = chain(2)?;
//! let (q0, v, h) = ([0.4, -0.1], [1.5, -2.0], 1e-3);
//! let mut midpoint = Midpoint::<f64>::new(&model);
//! midpoint.evaluate(&model, &q0, &v, &[0.0; 2], h);
//! let (mut p0, mut p1) = ([0.0; 2], [0.0; 2]);
//! midpoint.start_momentum(&model, &v, h, &mut p0);
//! midpoint.end_momentum(&model, &v, h, &mut p1);
//! for i in 0..2 {
//!     assert!((midpoint.configuration[i] - (q0[i] + 0.5 * h * v[i])).abs() < 1e-15);
//!     assert!((0.5 * (p0[i] + p1[i]) - midpoint.momentum[i]).abs() < 1e-14);
//!     assert!((p1[i] - p0[i] - h * midpoint.force[i]).abs() < 1e-14);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(test)]
mod dual_jacobian;
mod floating_step;
#[cfg(test)]
mod floating_step_tests;
mod jacobian;
mod newton_elimination;
mod residual;
mod shared_newton;

#[cfg(test)]
pub(crate) use dual_jacobian::{dual, random_state, start_momentum_jacobian, tangent};
pub(crate) use floating_step::FloatingStep;
pub(crate) use jacobian::{MidpointJacobian, coordinate_axis};
pub(crate) use newton_elimination::NewtonElimination;
pub(crate) use residual::carry_to_end;
use shared_newton::SharedNewton;

use crate::dynamics::{Kinematics, LagrangianTerms, add_passive_forces};
use crate::model::{JointKind, Model};
use crate::spatial::{Force, Motion, Scalar, lift};

/// Everything that is known at the middle of a step.
#[derive(Debug, Clone)]
pub struct Midpoint<T: Scalar> {
    /// q̄, length of q.
    pub configuration: Vec<T>,
    /// Placements and twists at (q̄, v̄).
    pub kinematics: Kinematics<T>,
    /// P = ∂L/∂v, n.
    pub momentum: Vec<T>,
    /// F = ∂L/∂q + forces, n.
    pub force: Vec<T>,
    /// Power of dampers and joint friction at the midpoint \[W\], ≤ 0.
    pub dissipated_power: T,
    terms: LagrangianTerms<T>,
}

impl<T: Scalar> Midpoint<T> {
    /// Memory for one model.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            configuration: vec![T::zero(); model.configuration_len()],
            kinematics: Kinematics::new(model),
            momentum: vec![T::zero(); model.dof()],
            force: vec![T::zero(); model.dof()],
            dissipated_power: T::zero(),
            terms: LagrangianTerms::new(model),
        }
    }

    /// Evaluates P and F of the step that leaves `q0` with mean velocity `v` for time `h` under the
    /// constant generalized forces `applied` (n).
    pub fn evaluate(&mut self, model: &Model, q0: &[T], v: &[T], applied: &[T], h: T) {
        model.integrate_half(q0, v, h, &mut self.configuration);
        self.kinematics
            .update_placements(model, &self.configuration);
        self.kinematics.update_twists(model, v);
        self.terms.update(model, &self.kinematics);
        self.momentum.copy_from_slice(&self.terms.momentum);
        for ((force, inertial), given) in self.force.iter_mut().zip(&self.terms.force).zip(applied)
        {
            *force = *inertial + *given;
        }
        self.dissipated_power = add_passive_forces(
            model,
            &self.kinematics,
            &self.configuration,
            v,
            &mut self.force,
        );
    }

    /// p₀ of the evaluated step, n: what the momentum at the start must be.
    pub fn start_momentum(&self, model: &Model, v: &[T], h: T, out: &mut [T]) {
        let half = h * lift(0.5);
        for body in model.bodies() {
            let at = body.v_index;
            if body.kind != JointKind::Floating {
                out[at] = self.momentum[at] - half * self.force[at];
                continue;
            }
            let (step, momentum, impulse) = self.floating(at, v, h);
            let p = step.start_momentum(&momentum, &impulse);
            p.write(&mut out[at..at + 6]);
        }
    }

    /// p₁ of the evaluated step, n: the momentum it ends with.
    pub fn end_momentum(&self, model: &Model, v: &[T], h: T, out: &mut [T]) {
        let half = h * lift(0.5);
        for body in model.bodies() {
            let at = body.v_index;
            if body.kind != JointKind::Floating {
                out[at] = self.momentum[at] + half * self.force[at];
                continue;
            }
            let (step, momentum, impulse) = self.floating(at, v, h);
            let p = step.end_momentum(&momentum, &impulse);
            p.write(&mut out[at..at + 6]);
        }
    }

    fn floating(&self, at: usize, v: &[T], h: T) -> (FloatingStep<T>, Force<T>, Force<T>) {
        (
            FloatingStep::new(&Motion::from_slice(&v[at..at + 6]).scale(h)),
            Force::from_slice(&self.momentum[at..at + 6]),
            Force::from_slice(&self.force[at..at + 6]).scale(h),
        )
    }
}
