//! What one step hands on to the next: modes, and impulses that the next may expect.

use super::end::NO_SLIP;
use super::{Lock, StepInput, Stepper};
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::friction::HeldMode;
use crate::numerics::largest;

impl Stepper {
    /// Modes of the instant before and the impulses that are expected, for a start that lasts `h`.
    pub(super) fn warm_start(
        &mut self,
        input: &StepInput<'_>,
        held: &[HeldContact],
        joints: &[HeldJoint],
    ) {
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        let (contact_modes, joint_modes) = self.modes.split_at_mut(held.len());
        self.slip_speeds.fill(0.0);
        let speeds = &mut self.slip_speeds;
        for (((h, rows), mode), speed) in held.iter().zip(contacts).zip(contact_modes).zip(speeds) {
            *mode = h.modes[1];
            if let Some((slip, direction)) = h.slide_between() {
                (*speed, *mode) = (slip, HeldMode::Slide(direction));
            }
            self.impulse[rows.row..rows.row + rows.height()]
                .copy_from_slice(&h.expected(input.h)[..rows.height()]);
        }
        let joints_with_rows = self.locks.with_rows.iter().map(|&i| &joints[i]);
        for ((joint, rows), mode) in joints_with_rows.zip(rubbing).zip(joint_modes) {
            *mode = joint.modes[1];
            self.impulse[rows.row] = joint.expected(input.h);
        }
        // What has just come into the conditions may let them have it again.
        let known = held.iter().all(|h| h.duration > 0.0);
        self.refuses_least_norm = known
            && (held.iter().any(|h| h.refuses_least_norm)
                || joints.iter().any(|j| j.refuses_least_norm));
        if self.trial_length != 0.0 {
            let share = input.h / self.trial_length;
            for (x, last) in self.impulse.iter_mut().zip(&self.trial_impulse) {
                *x = last * share;
            }
        }
    }

    /// Hands modes and impulses of the step's start (0) or end (1) over.
    pub(super) fn record(
        &self,
        held: &mut [HeldContact],
        joints: &mut [HeldJoint],
        end: usize,
        length: f64,
    ) {
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        let (contact_modes, joint_modes) = self.modes.split_at(held.len());
        let no_slip = NO_SLIP * largest(&self.free);
        for ((h, rows), mode) in held.iter_mut().zip(contacts).zip(contact_modes) {
            h.record(end, *mode, rows, &self.impulse, length);
            if end == 0 {
                let slip = rows.tangential(self.solver.velocity());
                h.middle_slip = if largest(&slip) > no_slip {
                    slip
                } else {
                    [0.0; 2]
                };
            }
        }
        for ((&i, rows), mode) in self.locks.with_rows.iter().zip(rubbing).zip(joint_modes) {
            joints[i].record(end, *mode, self.impulse[rows.row], length);
        }
        for (joint, own) in joints.iter_mut().zip(&self.locks.joints) {
            if own.lock == Lock::Locked {
                joint.record(end, HeldMode::Stick, own.impulse, length);
            }
        }
    }
}
