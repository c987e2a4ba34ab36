//! The midpoint discrete Lagrangian and its Legendre transforms.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | q₀, q₁ | configurations at the ends of a step | |
//! | v̄ | `v` | mean velocity: q₁ = q₀ ⊕ h v̄ (body twist ξ̄ for a floating body), n |
//! | q̄ | [`Midpoint::configuration`] | q₀ ⊕ (h/2) v̄ |
//! | P, F | [`Midpoint::momentum`], [`Midpoint::force`] | ∂L/∂v and ∂L/∂q + forces at (q̄, v̄), n |
//! | p₀, p₁ | [`Midpoint::start_momentum`], [`Midpoint::end_momentum`] | discrete Legendre transforms, n |
//!
//! With L_d = h L(q̄, v̄) and forces split evenly between the ends (\[MW\]; \[SM\] §VI),
//!
//! ```text
//! p₀ = P − (h/2) F,      p₁ = P + (h/2) F.
//! ```
//!
//! For a floating body with twist ξ̄, momentum μ and wrench F̄ at the midpoint, both ends are
//! left-trivialised; with a = h ξ̄
//!
//! ```text
//! p₀ = dexp_a⁻ᵀ μ − h (Ad_exp(−a/2) − ½ dexp_{−a/2} dexp_a⁻¹)ᵀ F̄
//! p₁ = dexp_{−a}⁻ᵀ μ + h (½ dexp_{−a/2} dexp_{−a}⁻¹)ᵀ F̄.
//! ```

use crate::dynamics::{Kinematics, LagrangianTerms, add_passive_forces};
use crate::model::{JointKind, Model};
use crate::spatial::{Force, Motion, Scalar, dexp_inverse_transpose, dexp_transpose, exp, lift};

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
        model.integrate(q0, v, h * lift(0.5), &mut self.configuration);
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
            let (a, mu, wrench) = self.floating(at, v, h);
            let p = floating_start_momentum(&a, &mu, &wrench, h);
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
            let (a, mu, wrench) = self.floating(at, v, h);
            let p = floating_end_momentum(&a, &mu, &wrench, h);
            p.write(&mut out[at..at + 6]);
        }
    }

    fn floating(&self, at: usize, v: &[T], h: T) -> (Motion<T>, Force<T>, Force<T>) {
        (
            Motion::from_slice(&v[at..at + 6]).scale(h),
            Force::from_slice(&self.momentum[at..at + 6]),
            Force::from_slice(&self.force[at..at + 6]),
        )
    }
}

/// p₀ of a floating body that turns by `a` = h ξ̄ in the step, with momentum `mu` and `wrench` at the
/// midpoint.
pub(super) fn floating_start_momentum<T: Scalar>(
    a: &Motion<T>,
    mu: &Force<T>,
    wrench: &Force<T>,
    h: T,
) -> Force<T> {
    let half_back = a.scale(lift(-0.5));
    let spread = dexp_inverse_transpose(a, &dexp_transpose(&half_back, wrench));
    let carried = exp(&half_back).force_to_child(wrench);
    dexp_inverse_transpose(a, mu) - carried.scale(h) + spread.scale(h * lift(0.5))
}

/// p₁ of a floating body, as [`floating_start_momentum`].
pub(super) fn floating_end_momentum<T: Scalar>(
    a: &Motion<T>,
    mu: &Force<T>,
    wrench: &Force<T>,
    h: T,
) -> Force<T> {
    let back = a.scale(lift(-1.0));
    let half_back = a.scale(lift(-0.5));
    let spread = dexp_inverse_transpose(&back, &dexp_transpose(&half_back, wrench));
    dexp_inverse_transpose(&back, mu) + spread.scale(h * lift(0.5))
}
