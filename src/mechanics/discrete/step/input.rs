//! What a step starts from, and whether it fits the model.

use super::Stepper;
use crate::contact::Contacts;
use crate::discrete::StepError;
use crate::discrete::held::HeldJoint;
use crate::dynamics::JointServo;
use crate::model::Model;

/// What a step starts from and what acts on it.
#[derive(Debug, Clone, Copy)]
pub struct StepInput<'a> {
    /// The robot.
    pub model: &'a Model,
    /// Its contacts.
    pub contacts: &'a Contacts,
    /// Configuration at the start.
    pub q0: &'a [f64],
    /// Momentum at the start (n).
    pub p0: &'a [f64],
    /// Constant generalized forces (n).
    pub applied: &'a [f64],
    /// Efforts that follow the motion inside the step, taken at its middle.
    pub servos: &'a [JointServo],
    /// Length \[s\].
    pub h: f64,
    /// Time over which a closed contact's gap is brought to zero, that of a whole step \[s\]: over a piece of
    /// it the rounding of gaps would be a speed.
    pub whole: f64,
    /// A contact with a larger gap at the end of the step takes no impulse there \[m\].
    pub closed_gap: f64,
}

impl Stepper {
    pub(super) fn check_sizes(
        &self,
        input: &StepInput<'_>,
        joints: &[HeldJoint],
        v: &[f64],
        q1: &[f64],
    ) -> Result<(), StepError> {
        let (n, length) = (input.model.dof(), input.model.configuration_len());
        let sizes = [
            ("q0", input.q0.len(), length),
            ("p0", input.p0.len(), n),
            ("applied forces", input.applied.len(), n),
            ("v", v.len(), n),
            ("q1", q1.len(), length),
            (
                "joints with dry friction",
                joints.len(),
                self.locks.joints.len(),
            ),
        ];
        match sizes.into_iter().find(|(_, found, wanted)| found != wanted) {
            None => Ok(()),
            Some((what, found, expected)) => Err(StepError::Size {
                what,
                found,
                expected,
            }),
        }
    }
}
