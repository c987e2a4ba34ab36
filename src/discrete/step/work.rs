//! What acts in a step, and its work.

use super::end::NO_SLIP;
use super::rows::Moment;
use super::{StepInput, Stepper};
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::dynamics::{Clock, JointServo, passive_load};
use crate::friction::{FrictionRows, HeldMode};
use crate::numerics::largest;

/// Work of a step \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepWork {
    /// Of applied forces and servos.
    pub actuators: f64,
    /// The part of it that each joint put in while it drove.
    pub actuators_positive: f64,
    /// Of dampers, joint friction and contact friction, ≤ 0.
    pub dissipative: f64,
    /// Of surfaces that move, through the forces on them.
    pub surfaces: f64,
}

impl StepWork {
    /// Adds the work of a stage of a composed step.
    pub(crate) fn add_stage(&mut self, stage: &Self) {
        self.actuators += stage.actuators;
        self.actuators_positive += stage.actuators_positive;
        self.dissipative += stage.dissipative;
        self.surfaces += stage.surfaces;
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

    /// Work that surfaces which move do by the impulses at hand, at the start or the end of the step: on the
    /// mean of their velocities there and at the middle, as [`Stepper::friction_work`] takes slips.
    pub(super) fn surface_work(&self, input: &StepInput<'_>, moment: Moment) -> f64 {
        if !input.contacts.has_moving_surface() {
            return 0.0;
        }
        let [there, middle] = [moment, Moment::Middle].map(|m| &self.drives[m as usize]);
        let drives = there.iter().zip(middle).map(|(a, b)| 0.5 * (a + b));
        self.impulse.iter().zip(drives).map(|(x, w)| x * w).sum()
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

    /// Keeps the velocities that contacts and joints start with, as far as they are known: what is held is closed.
    pub(super) fn keep_start_rates(&mut self, held: &[HeldContact], joints: &[HeldJoint]) {
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        self.start_rates.clear();
        self.start_rates.resize(self.impulse.len(), 0.0);
        for (h, rows) in held.iter().zip(contacts) {
            if rows.normal {
                self.start_rates[rows.row] = h.normal_velocity;
            }
            let first = rows.row + usize::from(rows.normal);
            let slip = h.slip.unwrap_or_default();
            self.start_rates[first..first + rows.tangents].copy_from_slice(&slip[..rows.tangents]);
        }
        for (&i, rows) in self.locks.with_rows.iter().zip(rubbing) {
            self.start_rates[rows.row] = joints[i].rate.unwrap_or_default();
        }
    }

    /// What impulses Λ and Λ′ do beside what [`Stepper::friction_work`] tells, where they differ between the ends of a
    /// step, as where a slide ends in it. With rates r₀ at the start, r̄ in the middle, r₁ at the end and r̄ + c there without Λ′,
    /// all that the energy of a constant mass matrix changes by and other forces do not explain is
    ///
    /// ```text
    /// (v₀ + v₁)/2 = v̄ + M⁻¹(C₁ᵀΛ′ − C₀ᵀΛ)/2     ⟹     W = (Λ + Λ′)·(r₀ + r₁)/2 + (Λ′ − Λ)·c
    /// ```
    ///
    /// up to the third order: Λ·C₀v₁ and Λ′·C₁v₀ are beyond Λ·r₁ and Λ′·r₀ by (Λ′ − Λ)·(C₁ − C₀)v̄ in sum. The half of it that
    /// counts is in (Λ′ − Λ)·c, where rows have turned by half of a step. Of joints alone what is not told otherwise is c(τ′ − τ)/2: where friction and
    /// damping stop a joint in a step a fifth of the energy. Where nothing slides it is of the order of what the scheme oscillates by
    /// anyway, and none is told; nor where surfaces move, as how much of it is their work is not known; nor where it is more than all
    /// that was `told`, as then the mass matrix turns too fast for it to say anything.
    pub(super) fn uneven_friction_work(
        &self,
        input: &StepInput<'_>,
        held: &[HeldContact],
        joints: &[HeldJoint],
        told: f64,
    ) -> f64 {
        let groups = self.delassus.groups();
        let turn = |row: usize| self.free[row] - self.mean_rates[row];
        if held.is_empty() {
            let share = |(&i, rows): (&usize, &FrictionRows)| {
                0.5 * (self.impulse[rows.row] - joints[i].impulses[0]) * turn(rows.row)
            };
            return self.locks.with_rows.iter().zip(groups).map(share).sum();
        }
        let (contacts, rubbing) = groups.split_at(held.len());
        let rest = NO_SLIP * largest(&self.free);
        let slides = |(h, rows): (&HeldContact, &FrictionRows)| {
            let [a, b] = rows.tangential(&self.start_rates);
            let slides = |mode: &HeldMode| matches!(mode, HeldMode::Slide(_));
            rows.friction > 0.0 && (a * a + b * b > rest * rest || h.modes.iter().any(slides))
        };
        // The energy of what is stopped as it comes in is told as that. Joints that the end has unlocked had no rows at the start.
        if self.two_sided
            || input.contacts.has_moving_surface()
            || self.start_rates.len() != self.impulse.len()
            || held.iter().any(|h| h.approach != 0.0)
            || !held.iter().zip(contacts).any(slides)
        {
            return 0.0;
        }
        let beside = |row: usize, start: f64, end_rate: f64, is_friction: bool| {
            let (end, middle) = (self.impulse[row], self.mean_rates[row]);
            let [before, after] = [self.start_rates[row], end_rate];
            (end - start) * turn(row)
                + 0.5
                    * if is_friction {
                        start * (after - middle) + end * (before - middle)
                    } else {
                        (start + end) * (before + after)
                    }
        };
        let of_contact = |(h, rows): (&HeldContact, &FrictionRows)| {
            let first = usize::from(rows.normal);
            let normal = (rows.normal)
                .then(|| beside(rows.row, h.start_impulse[0], h.normal_velocity, false));
            let slip = h.slip.unwrap_or_default();
            let tangential = (0..rows.tangents).map(|t| {
                beside(
                    rows.row + first + t,
                    h.start_impulse[first + t],
                    slip[t],
                    true,
                )
            });
            normal.into_iter().chain(tangential).sum::<f64>()
        };
        let of_joint = |(&i, rows): (&usize, &FrictionRows)| {
            let rate = joints[i].rate.unwrap_or_default();
            beside(rows.row, joints[i].impulses[0], rate, true)
        };
        let by_contacts: f64 = held.iter().zip(contacts).map(of_contact).sum();
        let by_joints: f64 = self.locks.with_rows.iter().zip(rubbing).map(of_joint).sum();
        let beyond = by_contacts + by_joints;
        if beyond.abs() <= told.abs() {
            beyond
        } else {
            0.0
        }
    }
}
