//! What a controller is: it reads the state at the beginning of a step and answers with efforts that
//! stay constant over the step, as a digital controller's do.

use std::sync::Arc;

use thiserror::Error;

use super::{Drive, HeldEfforts};

use crate::dynamics::JointServo;
use crate::model::{Body, Model};

/// What a controller may look at, at the beginning of a step.
#[derive(Debug, Clone, Copy)]
pub struct Observation<'a> {
    /// Time \[s\].
    pub time: f64,
    /// Length of the coming step \[s\].
    pub time_step: f64,
    /// Configuration, as the model orders it.
    pub q: &'a [f64],
    /// Velocity, n.
    pub v: &'a [f64],
    /// Time of the first impact of the run \[s\], if there was one.
    pub first_impact: Option<f64>,
    /// Gap of each contact \[m\]; none where the controller does not read contacts.
    pub gaps: &'a [f64],
    /// Force of each contact while it was held, mean over the last step: normal, then tangents \[N\] (\[N m\] at the limit
    /// of a revolute joint). Zero before the first step; impulses of impacts are not in it. None where the controller does not
    /// read contacts.
    pub forces: &'a [[f64; 3]],
    /// The robot.
    pub model: &'a Model,
}

/// Why a controller has no answer.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("controller: {reason}")]
pub struct ControlError {
    /// What went wrong, with the place.
    pub reason: String,
}

/// A feedback law from state to joint efforts.
///
/// Controllers should depend on the observation alone: then a run that is saved and resumed
/// continues to the same bits.
pub trait Controller: Send {
    /// Adds generalized forces \[N m or N\] to `efforts` (n, zero on entry).
    ///
    /// # Errors
    /// The controller failed; the run stops and keeps what was computed.
    fn efforts(
        &mut self,
        observation: &Observation<'_>,
        efforts: &mut [f64],
    ) -> Result<(), ControlError>;

    /// The same law inside the step, if it is known to the simulation: then it acts there, and
    /// [`Controller::efforts`] is asked only by those who want to see them.
    fn drive(&self) -> Option<Arc<dyn Drive>> {
        None
    }

    /// Whether it looks at the gaps and forces of contacts, of which robots on all their shapes have thousands.
    fn reads_contacts(&self) -> bool {
        true
    }

    /// Visits what it holds from one sample to the next, in an order that is always the same: it is part of a saved state.
    fn visit_held(&self, _visit: &mut dyn FnMut(&HeldEfforts)) {}

    /// Takes what a saved state has of it, in that order; one that holds nothing takes nothing.
    fn take_up(&mut self, _held: &mut std::slice::Iter<'_, HeldEfforts>) {}

    /// Forgets what it remembers of the run, because another one begins. One that depends on the observation alone
    /// has nothing to forget.
    fn reset(&mut self) {}
}

/// No effort at all.
#[derive(Debug, Clone, Copy, Default)]
#[doc(hidden)]
pub struct Passive;

impl Drive for Passive {
    fn servos(&self, _: f64, _: Option<f64>, _: &mut Vec<JointServo>) {}
}

impl Controller for Passive {
    fn efforts(&mut self, _: &Observation<'_>, _: &mut [f64]) -> Result<(), ControlError> {
        Ok(())
    }

    fn drive(&self) -> Option<Arc<dyn Drive>> {
        Some(Arc::new(*self))
    }

    fn reads_contacts(&self) -> bool {
        false
    }
}

/// Any function of the observation is a controller.
impl<F> Controller for F
where
    F: FnMut(&Observation<'_>, &mut [f64]) + Send,
{
    fn efforts(
        &mut self,
        observation: &Observation<'_>,
        efforts: &mut [f64],
    ) -> Result<(), ControlError> {
        self(observation, efforts);
        Ok(())
    }
}

/// A joint that a controller drives: where it stands in q and v, and its effort limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DrivenJoint {
    /// Entry of q.
    pub q_index: usize,
    /// Entry of v.
    pub v_index: usize,
    /// Largest effort \[N m or N\]; infinite when unlimited.
    pub effort_limit: f64,
}

impl DrivenJoint {
    /// A joint by name. The limit is the smaller of `effort_limit` and that of the model.
    ///
    /// # Errors
    /// There is no such joint, or it is the base.
    pub fn new(model: &Model, name: &str, effort_limit: Option<f64>) -> Result<Self, ControlError> {
        let fail = |reason: String| ControlError { reason };
        let joint = model.joint(name).map_err(|e| fail(e.to_string()))?;
        let body: &Body = &model.bodies()[joint.body];
        if model.is_base(joint.body) {
            return Err(fail(format!(
                "joint \"{name}\" is the base, which has no actuator"
            )));
        }
        if let Some(limit) = effort_limit.filter(|x| x.is_nan() || *x < 0.0) {
            return Err(fail(format!(
                "joint \"{name}\": effort_limit is {limit}, it must be at least 0"
            )));
        }
        let stated = [effort_limit, body.limits.effort];
        Ok(Self {
            q_index: body.q_index,
            v_index: body.v_index,
            effort_limit: stated.into_iter().flatten().fold(f64::INFINITY, f64::min),
        })
    }

    /// A servo on this joint.
    #[must_use]
    pub fn servo(&self, stiffness: f64, damping: f64) -> JointServo {
        JointServo {
            q_index: self.q_index,
            v_index: self.v_index,
            stiffness,
            damping,
            target: 0.0,
            target_rate: 0.0,
            feed_forward: 0.0,
            effort_limit: self.effort_limit,
            motor: None,
        }
    }

    /// Adds an effort within the limit.
    pub fn drive(&self, effort: f64, efforts: &mut [f64]) {
        efforts[self.v_index] += effort.clamp(-self.effort_limit, self.effort_limit);
    }
}
