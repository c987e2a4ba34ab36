//! What acts in a step, and its work.

use super::{StepInput, Stepper};
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::dynamics::{Clock, JointServo, passive_load};
use crate::friction::FrictionRows;

/// Work of a step \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepWork {
    /// Of applied forces and servos.
    pub actuators: f64,
    /// The part of it that each joint put in while it drove.
    pub actuators_positive: f64,
    /// Of dampers, joint friction and contact friction, ≤ 0 but in steps between whose ends friction changes much.
    pub dissipative: f64,
    /// Of surfaces that move, through the forces on them.
    pub surfaces: f64,
    /// Of the normal forces that stop what comes into the step with a velocity, ≤ 0.
    pub captured: f64,
}

impl StepWork {
    /// Adds the work of a stage of a composed step.
    pub(crate) fn add_stage(&mut self, stage: &Self) {
        self.actuators += stage.actuators;
        self.actuators_positive += stage.actuators_positive;
        self.dissipative += stage.dissipative;
        self.surfaces += stage.surfaces;
        self.captured += stage.captured;
    }
}

/// Where the effort of a servo is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limited {
    Within,
    Below,
    Above,
}

impl Limited {
    /// Between what is wanted and what is given.
    fn of(wanted: f64, given: f64) -> Self {
        if wanted > given {
            Self::Above
        } else if wanted < given {
            Self::Below
        } else {
            Self::Within
        }
    }

    /// Whether what lies between both has been passed over.
    fn is_across(self, other: Self) -> bool {
        self != other && self != Self::Within && other != Self::Within
    }
}

impl Stepper {
    /// Forgets where servos were at their limits: an iteration begins.
    pub(super) fn forget_limits(&mut self, input: &StepInput<'_>) {
        self.limited.clear();
        self.limited.resize(input.servos.len(), Limited::Within);
    }

    /// The midpoint with the efforts of the servos there, which also load the quasi-Newton matrix.
    ///
    /// A stiff servo is between its limits in a narrow band of velocities. Where an iteration has gone from one limit to the other,
    /// and would go back from there, the band is what is to be tried next: there the servo is taken without limits.
    pub(super) fn evaluate(&mut self, input: &StepInput<'_>, v: &[f64]) {
        let StepInput { model, h, .. } = *input;
        self.exact_is_factored = false;
        self.midpoint.kinematics.clock = Clock {
            time: self.time + 0.5 * h,
            span: h,
        };
        self.midpoint.evaluate(model, input.q0, v, input.applied, h);
        self.driven.fill(0.0);
        self.driven_load.fill(0.0);
        self.bridges = false;
        if input.servos.is_empty() {
            return;
        }
        passive_load(model, h, &mut self.load);
        for (servo, limited) in input.servos.iter().zip(&mut self.limited) {
            let at = servo.v_index;
            let q = self.midpoint.configuration[servo.q_index];
            let (wanted, mut now) = (servo.wanted(q, v[at]), servo.effort(q, v[at]));
            let before = std::mem::replace(limited, Limited::of(wanted.effort, now.effort));
            if before.is_across(*limited) {
                *limited = Limited::Within;
                self.bridges = true;
                now = wanted;
            }
            self.driven[at] += now.effort;
            self.midpoint.force[at] += now.effort;
            let load = 0.5 * h * now.damping + 0.25 * h * h * now.stiffness;
            self.driven_load[at] += load;
            self.load[at] += load;
        }
    }

    /// Efforts of the evaluated midpoint for the mean velocity without the correction at hand: exact for what is linear
    /// in it.
    pub(super) fn correct_efforts(&mut self, h: f64) {
        for (i, d) in self.correction.iter().enumerate() {
            let rate = 2.0 / h * d;
            self.driven[i] += rate * self.driven_load[i];
            self.midpoint.force[i] += rate * self.load[i];
        }
    }

    /// Power of what damps at the evaluated midpoint, of servos with d > 0 the part −d v² \[W\].
    pub(crate) fn damped_power(&self, input: &StepInput<'_>, v: &[f64]) -> f64 {
        let taken = |servo: &JointServo| {
            let (q, rate) = (self.midpoint.configuration[servo.q_index], v[servo.v_index]);
            servo.effort(q, rate).damping.max(0.0) * rate * rate
        };
        self.midpoint.dissipated_power - input.servos.iter().map(taken).sum::<f64>()
    }

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

    /// Work that surfaces which move do by the impulses of the step, as [`Stepper::friction_work`] takes slips.
    pub(super) fn surface_work(&self, input: &StepInput<'_>, held: &[HeldContact]) -> f64 {
        if !input.contacts.has_moving_surface() {
            return 0.0;
        }
        let mut work = 0.0;
        for (h, rows) in held.iter().zip(self.delassus.groups()) {
            for k in 0..rows.height() {
                let rates = self.drives.each_ref().map(|drives| drives[rows.row + k]);
                work += work_of_pair([h.start_impulse[k], h.end_impulse[k]], rates);
            }
        }
        work
    }

    /// Remembers the slips that a step begins with: its end replaces them.
    pub(super) fn keep_start_slips(&mut self, held: &[HeldContact], joints: &[HeldJoint]) {
        self.start_slips.clear();
        let contacts = held.iter().map(|h| h.slip.unwrap_or_default());
        self.start_slips.extend(contacts);
        let rates = joints.iter().map(|j| [j.rate.unwrap_or_default(), 0.0]);
        self.start_slips.extend(rates);
    }

    /// Work of the friction impulses of the step, τ and τ′ with the slips s₀, s̄ and s₁ at its start, middle and end:
    /// (τ + τ′) s̄ + (τ′ − τ)(s₁ − s₀)/2. Of v₀ = v̄ − M⁻¹(hF/2 + CᵀΛ) and v₁ = v̄ + M⁻¹(hF/2 + CᵀΛ′) the kinetic energy changes by
    /// hF v̄ + (Λ + Λ′) Cv̄ + (Λ′ − Λ) C(v₁ − v₀)/2: with M and C as at the middle these are the shares of the rows, also of those that
    /// stop within the step.
    pub(super) fn friction_work(&self, held: &[HeldContact], joints: &[HeldJoint]) -> f64 {
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        let (slips, rates) = self.start_slips.split_at(held.len());
        let mut work = 0.0;
        for ((h, rows), before) in held.iter().zip(contacts).zip(slips) {
            let after = h.slip.unwrap_or_default();
            let middle = rows.tangential(&self.mean_rates);
            for t in 0..rows.tangents {
                let pull = [h.start_impulse[1 + t], h.end_impulse[1 + t]];
                work += work_of_pair(pull, [before[t], middle[t], after[t]]);
            }
        }
        for (&i, rows) in self.locks.with_rows.iter().zip(rubbing) {
            let after = joints[i].rate.unwrap_or_default();
            let rates = [rates[i][0], self.mean_rates[rows.row], after];
            work += work_of_pair(joints[i].impulses, rates);
        }
        work
    }

    /// What the normal impulses λ and λ′ of the step take from contacts that come into it with a rate a: (λ + λ′) ū + (λ − λ′) a/2, ū
    /// the rate at the middle. Forces that are constant over the step have equal shares in both. Then, at an end at rest, the first
    /// term has all that they do on the way to the touch and the second one the rest of the kinetic energy: m v²/2 + m g φ of a
    /// point mass m that comes down φ with the speed v under its weight, and m a²/2 of one that leaves so slowly that it stays.
    pub(super) fn capture_work(&self, held: &[HeldContact]) -> f64 {
        let work = |(h, rows): (&HeldContact, &FrictionRows)| {
            let [start, end] = [h.start_impulse[0], h.end_impulse[0]];
            let middle = self.mean_rates[rows.row];
            work_of_pair([start, end], [h.approach, middle, 0.0]).min(0.0)
        };
        let entering = held.iter().zip(self.delassus.groups());
        entering.filter(|(h, _)| h.approach != 0.0).map(work).sum()
    }
}

/// Work of an impulse at the start and one at the end of a step, in which their row moves at rates at its start, middle and end.
fn work_of_pair([start, end]: [f64; 2], [before, middle, after]: [f64; 3]) -> f64 {
    (start + end) * middle + 0.5 * (end - start) * (after - before)
}
