//! The midpoint discrete Lagrangian and its Legendre transforms.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | q₀, q₁ | configurations at the ends of a step | |
//! | v̄ | `v` | mean velocity: q₁ = q₀ + h v̄; of a floating body the body twist in the middle, x₁ = x₀ + h R̄ ū and R₁ = R₀ exp(h w̄), n |
//! | q̄ | [`Midpoint::configuration`] | half way: q₀ + (h/2) v̄; x̄ = (x₀ + x₁)/2 and R̄ = R₀ exp(h w̄/2) |
//! | P, F | [`Midpoint::momentum`], [`Midpoint::force`] | ∂L/∂v and ∂L/∂q + forces at (q̄, v̄), n |
//! | p₀, p₁ | [`Midpoint::start_momentum`], [`Midpoint::end_momentum`] | discrete Legendre transforms, n |
//!
//! With L_d = h L(q̄, v̄) and forces split evenly between the ends (\[MW\]; \[SM\] §VI),
//!
//! ```text
//! p₀ = P − (h/2) F,      p₁ = P + (h/2) F.
//! ```
//!
//! The position of a floating body obeys this rule in the world, its rotation the one of SO(3); both of its
//! momenta are left-trivialised, in the axes of their own end ([`FloatingStep`]).

use super::floating_step::FloatingStep;
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
