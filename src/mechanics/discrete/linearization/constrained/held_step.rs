//! A step that was taken, for what is computed from it afterwards.

use nalgebra::DMatrix;

use crate::contact::Contacts;
use crate::discrete::StepError;
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::discrete::linearization::HeldDerivatives;
use crate::friction::HeldMode;
use crate::model::Model;

/// A step that a [`Stepper`](crate::discrete::Stepper) has taken. Servos that acted in it are known to [`HeldStep::linearize`] alone.
#[derive(Debug, Clone, Copy)]
pub struct HeldStep<'a> {
    /// The robot.
    pub model: &'a Model,
    /// Its contacts.
    pub contacts: &'a Contacts,
    /// The held ones, as the step has left them.
    pub held: &'a [HeldContact],
    /// Joints with dry friction, as the step has left them, in the order of [`HeldJoint::of`].
    pub joints: &'a [HeldJoint],
    /// Configuration before the step.
    pub configuration: &'a [f64],
    /// Mean velocity, the step's solution (n).
    pub mean_velocity: &'a [f64],
    /// Momentum after the step (n).
    pub end_momentum: &'a [f64],
    /// Generalized forces applied during it (n).
    pub applied: &'a [f64],
    /// Its length \[s\].
    pub time_step: f64,
    /// Whether it held its contacts by impulses of any sign ([`Stepper::two_sided`](crate::discrete::Stepper::two_sided)).
    pub two_sided: bool,
}

impl HeldStep<'_> {
    /// ∂(q₁, p₁)/∂(q₀, p₀, u, h) as [`HeldDerivatives::update`] computes it, in memory of its own.
    ///
    /// # Errors
    /// As [`HeldDerivatives::update`].
    pub fn derivatives(&self) -> Result<DMatrix<f64>, StepError> {
        let mut derivatives = HeldDerivatives::new(self.model);
        derivatives.update(self)?;
        Ok(derivatives.matrix)
    }

    /// Mode of a held contact at the start (0) or the end (1) of the step. One that separates while its
    /// impulse is the rounding of those of others is open, whatever the solver calls it.
    pub(crate) fn mode(&self, held: &HeldContact, end: usize) -> HeldMode {
        let normal_impulse = |h: &HeldContact| [h.start_impulse[0], h.end_impulse[0]][end];
        if self.two_sided {
            return held.modes[end];
        }
        let opening = [held.gap, held.normal_velocity][end];
        let largest = self.held.iter().map(normal_impulse).fold(0.0, f64::max);
        if opening > 0.0 && normal_impulse(held) <= f64::EPSILON * largest {
            HeldMode::Open
        } else {
            held.modes[end]
        }
    }

    /// Whether the friction at the end opposes the slip at the midpoint: that of a contact that slid there
    /// and has not turned back.
    pub(crate) fn keeps_direction(&self, held: &HeldContact, middle_slip: [f64; 2]) -> bool {
        match (self.mode(held, 0), self.mode(held, 1)) {
            (HeldMode::Slide(_), HeldMode::Slide(end)) => {
                middle_slip[0] * end[0] + middle_slip[1] * end[1] >= 0.0
            }
            _ => false,
        }
    }

    /// Tangents of a held contact that bear friction.
    pub(crate) fn tangents(&self, held: &HeldContact) -> usize {
        self.contacts.rough_tangent_count(held.contact)
    }
}
