//! Normal forces at one moment.
//!
//! Impulses of a two-sided step are forces times its length, taken at its middle, to second order. A short step forwards
//! and one backwards from the same moment have their middles on both sides of it, so the mean of what they say is the
//! force there: wrong by ε²/6 times its second derivative, and by the rounding of a momentum over ε.

use super::Departure;
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::discrete::{StepError, StepSettings, Stepper};
use crate::dynamics::JointServo;
use crate::model::Model;

/// ε as a share of a whole step.
const SHORT: f64 = 1e-3;

/// A stepper of its own: what the flow's remembers of its last step is asked for later.
#[derive(Debug, Clone)]
pub(super) struct Instant {
    stepper: Stepper,
    held: Vec<HeldContact>,
    joints: Vec<HeldJoint>,
    servos: Vec<JointServo>,
    v: Vec<f64>,
    q: Vec<f64>,
    p: Vec<f64>,
}

impl Instant {
    pub fn new(model: &Model, settings: StepSettings) -> Self {
        let mut stepper = Stepper::new(model, settings);
        stepper.two_sided = true;
        Self {
            stepper,
            held: Vec::new(),
            joints: Vec::new(),
            servos: Vec::new(),
            v: vec![0.0; model.dof()],
            q: vec![0.0; model.configuration_len()],
            p: vec![0.0; model.dof()],
        }
    }

    /// Overwrites `forces` with the normal force \[N\] of each contact that `from` holds, where it stands and moves with
    /// `velocity` (n).
    pub fn normal_forces(
        &mut self,
        from: &Departure<'_>,
        velocity: &[f64],
        forces: &mut Vec<f64>,
    ) -> Result<(), StepError> {
        forces.clear();
        forces.resize(from.held.len(), 0.0);
        for h in [SHORT * from.whole, -SHORT * from.whole] {
            self.held.clear();
            self.held.extend_from_slice(from.held);
            self.joints.clear();
            self.joints.extend_from_slice(from.joints);
            self.v.copy_from_slice(velocity);
            from.servos(0.5 * h, &mut self.servos);
            self.stepper.time = from.time;
            let input = from.input(&self.servos, from.q, from.p, h);
            self.stepper.step(
                &input,
                &mut self.held,
                &mut self.joints,
                &mut self.v,
                &mut self.q,
                &mut self.p,
            )?;
            for (force, held) in forces.iter_mut().zip(&self.held) {
                *force += 0.5 * held.impulse()[0] / h;
            }
        }
        Ok(())
    }
}
