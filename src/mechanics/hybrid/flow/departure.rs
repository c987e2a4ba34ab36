//! What a flow starts from.

use super::Arrival;
use crate::contact::Contacts;
use crate::control::Drive;
use crate::discrete::held::{HeldContact, HeldJoint, rubbing_joints};
use crate::discrete::{StepInput, StepReport, StepWork};
use crate::dynamics::JointServo;
use crate::friction::HeldMode;
use crate::model::Model;

/// What a flow starts from.
#[derive(Clone, Copy)]
pub(in crate::hybrid) struct Departure<'a> {
    pub model: &'a Model,
    pub contacts: &'a Contacts,
    pub held: &'a [HeldContact],
    pub joints: &'a [HeldJoint],
    pub q: &'a [f64],
    pub p: &'a [f64],
    pub applied: &'a [f64],
    pub drive: Option<&'a dyn Drive>,
    pub time: f64,
    pub first_impact: Option<f64>,
    pub closed_gap: f64,
    pub rest_speed: f64,
    /// Length of a whole step \[s\].
    pub whole: f64,
}

impl<'a> Departure<'a> {
    /// The arrival of a trial that has not begun.
    pub(super) fn hand_over(&self, arrival: &mut Arrival) {
        arrival.held.clear();
        arrival.held.extend_from_slice(self.held);
        arrival.joints.clear();
        arrival.joints.extend_from_slice(self.joints);
        arrival.composed = false;
        arrival.pulls = false;
        arrival.work = StepWork::default();
        arrival.report = StepReport::default();
        arrival.branch_end = None;
    }

    /// Whether contacts are closed and do not slip at the start, `held` having their slips there.
    pub(super) fn rests(&self, held: &[HeldContact], gaps: &[f64]) -> bool {
        let mut slips = held.iter().flat_map(|h| h.slip.unwrap_or_default());
        slips.all(|s| s.abs() <= self.rest_speed) && gaps.iter().all(|g| *g <= self.closed_gap)
    }

    /// Joints with dry friction go on in the direction of their rates at the start, where these are known. True
    /// when there is one that was going to do something else.
    pub(super) fn choose_modes(&self, joints: &mut [HeldJoint]) -> bool {
        let mut changed = false;
        for (joint, (_, _, friction)) in joints.iter_mut().zip(rubbing_joints(self.model)) {
            let Some(rate) = joint.rate else {
                continue;
            };
            let mode = if joint.friction(friction) == 0.0 {
                HeldMode::Open
            } else if rate.abs() <= self.rest_speed {
                HeldMode::Stick
            } else {
                HeldMode::Slide([rate.signum(), 0.0])
            };
            changed |= joint.modes != [mode; 2];
            joint.modes = [mode; 2];
        }
        changed
    }

    /// Servos at some time after the start.
    pub(super) fn servos(&self, after: f64, out: &mut Vec<JointServo>) {
        out.clear();
        if let Some(drive) = self.drive {
            drive.servos(self.time + after, self.first_impact, out);
        }
    }

    /// A step or a stage of `h` from a state.
    pub(super) fn input(
        &self,
        servos: &'a [JointServo],
        q0: &'a [f64],
        p0: &'a [f64],
        h: f64,
    ) -> StepInput<'a> {
        StepInput {
            model: self.model,
            contacts: self.contacts,
            q0,
            p0,
            applied: self.applied,
            servos,
            h,
            closed_gap: self.closed_gap,
            whole: self.whole,
        }
    }
}
