//! Work of what acts in a step.

use super::{StepInput, Stepper};
use crate::discrete::held::{HeldContact, HeldJoint};

/// Work of a step \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepWork {
    /// Of applied forces and servos.
    pub actuators: f64,
    /// The part of it that each joint put in while it drove.
    pub actuators_positive: f64,
    /// Of dampers, joint friction and contact friction, ≤ 0.
    pub dissipative: f64,
}

impl StepWork {
    /// Adds the work of a stage of a composed step.
    pub(crate) fn add_stage(&mut self, stage: &Self) {
        self.actuators += stage.actuators;
        self.actuators_positive += stage.actuators_positive;
        self.dissipative += stage.dissipative;
    }
}

impl Stepper {
    /// Work of what acts at the midpoint.
    pub(super) fn account(&mut self, input: &StepInput<'_>, v: &[f64]) {
        let h = input.h;
        self.work = StepWork {
            dissipative: h * self.midpoint.dissipated_power,
            ..StepWork::default()
        };
        for (i, v) in v.iter().enumerate() {
            self.efforts[i] = input.applied[i] + self.driven[i];
            let work = h * self.efforts[i] * v;
            self.work.actuators += work;
            self.work.actuators_positive += work.max(0.0);
        }
    }

    /// Work of the friction impulses at hand. They act while slips go from those of the step's end at which
    /// they act to those of the midpoint, so their work is that on the mean: exact for constant friction.
    pub(super) fn friction_work(&self, held: &[HeldContact], joints: &[HeldJoint]) -> f64 {
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        let mut work = 0.0;
        for (h, rows) in held.iter().zip(contacts) {
            let slip = h.slip.unwrap_or_default();
            let middle = rows.tangential(&self.mean_rates);
            let pull = rows.tangential(&self.impulse);
            for t in 0..rows.tangents {
                work += 0.5 * pull[t] * (slip[t] + middle[t]);
            }
        }
        for (&i, rows) in self.locks.with_rows.iter().zip(rubbing) {
            let rate = joints[i].rate.unwrap_or_default();
            work += 0.5 * self.impulse[rows.row] * (rate + self.mean_rates[rows.row]);
        }
        work
    }
}
