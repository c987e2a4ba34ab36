//! The end of a step: impulses after which nothing that is closed approaches.

use super::rows::{Moment, subtract};
use super::{Lock, StepInput, Stepper};
use crate::discrete::StepError;
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::friction::{FrictionProblem, FrictionRule, FrictionSolver, HeldMode, SETTLED};
use crate::numerics::largest;

/// What velocities at the end that redundant contacts cannot stop together to better are stopped to, over a whole step \[m/s²\]; the next
/// step closes the gap that they would make. It is what a slope may be too steep by and hold.
const ACCELERATION_RESOLUTION: f64 = 1e-4;
/// Between these \[m/s\], in steps of any length.
const VELOCITY_RESOLUTION: [f64; 2] = [1e-8, 1e-7];
/// Slips of the midpoint below this share of the largest velocity without impulses are none, as solutions may leave as
/// much: friction of redundant contacts lies on the edge of its cone without a direction.
pub(super) const NO_SLIP: f64 = SETTLED;
/// A slip against its direction by this share of the largest velocity has ended in the step.
const REVERSED: f64 = 1e-10;

/// Steps after which a joint that rests only because others share its load is tried to be locked again.
const UNLOCKED_STEPS: u8 = 16;

/// The same in a whole step \[m/s\].
pub(super) fn velocity_resolution(whole: f64) -> f64 {
    let [least, most] = VELOCITY_RESOLUTION;
    (ACCELERATION_RESOLUTION * whole.abs()).clamp(least, most)
}

impl Stepper {
    /// Adds the impulses at the end to `p1`; returns what is left of the conditions \[m/s\].
    pub(super) fn solve_end(
        &mut self,
        input: &StepInput<'_>,
        held: &mut [HeldContact],
        joints: &mut [HeldJoint],
        q1: &[f64],
        p1: &mut [f64],
    ) -> Result<f64, StepError> {
        let model = input.model;
        self.put_by_matrices();
        self.fill(input, held, Moment::End);
        self.set_end_rules(input, held);
        self.residual.copy_from_slice(p1);
        // Whether impulses of least norm serve again is asked once a step.
        let mut near = false;
        self.factor_at_end(input, p1)?;
        let left = loop {
            self.keep_guess();
            let left = self.stop_at_end(near)?;
            self.end
                .add_transposed(self.delassus.layout(), &self.impulse, p1);
            let (kinematics, velocity) = (&self.kinematics, &mut self.end_velocity);
            self.factor.solve(model, kinematics, p1, velocity);
            if self.is_overloaded_by_least_norm(false) {
                near = true;
                p1.copy_from_slice(&self.residual);
                self.impulse.clone_from(&self.guess);
                continue;
            }
            if !self.release(input, held, false) {
                break left;
            }
            p1.copy_from_slice(&self.residual);
            self.kinematics.clock.time = self.time + input.h;
            self.kinematics.update_placements(model, q1);
            self.fill(input, held, Moment::End);
            self.set_end_rules(input, held);
            self.factor_at_end(input, p1)?;
        };
        self.record_locked_at_end(p1);
        self.record(held, joints, 1, input.h);
        let velocity = self.solver.velocity();
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        for (h, rows) in held.iter_mut().zip(contacts) {
            h.normal_velocity = velocity[rows.row];
            h.end_with_slip(rows.tangential(velocity));
        }
        for (&i, rows) in self.locks.with_rows.iter().zip(rubbing) {
            joints[i].rate = Some(velocity[rows.row]);
        }
        for (joint, own) in joints.iter_mut().zip(&self.locks.joints) {
            if own.lock == Lock::Absent {
                joint.modes = [HeldMode::Open; 2];
                joint.rate = Some(self.end_velocity[own.at]);
            }
            let rests = joint.modes[1] == HeldMode::Stick;
            if rests {
                joint.rate = Some(0.0);
            }
            joint.unlocked_steps = match own.lock {
                Lock::Released if rests => UNLOCKED_STEPS,
                _ => joint.unlocked_steps.saturating_sub(1),
            };
        }
        Ok(left)
    }

    /// Matrices at the end with the locks as they are, and velocities of the rows for the momentum `p1` without
    /// impulses.
    fn factor_at_end(&mut self, input: &StepInput<'_>, p1: &[f64]) -> Result<(), StepError> {
        let model = input.model;
        // `kinematics` stands at q₁ since the last iteration.
        self.factored_length = 0.0;
        self.factor_with_locks(model)?;
        self.update_delassus(model, Moment::End);
        self.factor
            .solve(model, &self.kinematics, p1, &mut self.correction);
        self.end
            .product(self.delassus.layout(), &self.correction, &mut self.free);
        if input.contacts.has_moving_surface() {
            subtract(&mut self.free, &self.drives[Moment::End as usize]);
        }
        Ok(())
    }

    /// Impulses at the end, near the last ones or of least norm; returns what is left of the conditions \[m/s\].
    fn stop_at_end(&mut self, near: bool) -> Result<f64, StepError> {
        loop {
            let problem = FrictionProblem {
                free: &self.free,
                guessed: &[],
                rules: &self.rules,
                slip_speeds: &[],
                resolution: self.resolution,
                wanted: 0.0,
                near,
                thorough: false,
                continued: false,
            };
            let left = self.solver.solve(
                &mut self.delassus,
                &problem,
                &mut self.modes,
                &mut self.impulse,
            );
            let tolerance = FrictionSolver::tolerance(&problem);
            if left.largest() > tolerance {
                // Where friction couples strongly to the normal direction no impulse against the slip may
                // do (Painlevé): then the slip stops.
                if self.free_directions() {
                    continue;
                }
                return Err(StepError::ContactsNotConverged {
                    iterations: 0,
                    residual: 0.0,
                    violation: left.largest() / tolerance,
                });
            }
            if !self.end_reversed_slips() {
                return Ok(left.largest());
            }
        }
    }

    /// What slides keeps the direction of its slip at the midpoint, if it has one; a contact that the step has opened
    /// takes no impulse.
    fn set_end_rules(&mut self, input: &StepInput<'_>, held: &[HeldContact]) {
        self.rules.clear();
        if self.two_sided {
            self.rules.resize(self.modes.len(), self.rule());
            return;
        }
        let scale = largest(&self.free);
        let groups = self.modes.iter_mut().zip(self.delassus.groups());
        for (i, (mode, group)) in groups.enumerate() {
            let open = held.get(i).is_some_and(|h| h.gap > input.closed_gap);
            self.rules.push(match *mode {
                _ if open => FrictionRule::Off,
                HeldMode::Slide(s) => {
                    let slip = group.tangential(&self.mean_rates);
                    let speed = slip[0].hypot(slip[1]);
                    let along = slip[0] * s[0] + slip[1] * s[1];
                    if speed <= NO_SLIP * scale {
                        // A joint at its limit stays there, whatever else could hold its load.
                        if group.normal {
                            *mode = HeldMode::Stick;
                        }
                        FrictionRule::Coulomb
                    } else if along > 0.0 {
                        FrictionRule::Along(slip.map(|x| x / speed))
                    } else {
                        FrictionRule::Along(s)
                    }
                }
                _ => FrictionRule::Coulomb,
            });
        }
        self.keep_sliding();
    }

    /// Gives what is to go on sliding the direction of its friction.
    pub(super) fn keep_sliding(&mut self) {
        for at in 0..self.keeps_sliding.len() {
            let (place, direction) = self.keeps_sliding[at];
            if let Some(group) = self.group_at(place) {
                self.rules[group] = FrictionRule::Along(direction);
                self.modes[group] = HeldMode::Slide(direction);
            }
        }
    }

    /// Lets friction choose its direction wherever it was given; true when there is such a group.
    fn free_directions(&mut self) -> bool {
        let mut changed = false;
        for (rule, mode) in self.rules.iter_mut().zip(&mut self.modes) {
            if matches!(rule, FrictionRule::Along(_)) {
                *rule = FrictionRule::Coulomb;
                *mode = HeldMode::Stick;
                changed = true;
            }
        }
        changed
    }

    /// Lets friction stop what would slip backwards; true when there is something.
    fn end_reversed_slips(&mut self) -> bool {
        let largest = largest(&self.free);
        let mut changed = false;
        for i in 0..self.rules.len() {
            let FrictionRule::Along(s) = self.rules[i] else {
                continue;
            };
            let group = self.delassus.groups()[i];
            let slip = group.tangential(self.solver.velocity());
            if slip[0] * s[0] + slip[1] * s[1] < -REVERSED * largest && !self.is_kept(i) {
                self.rules[i] = FrictionRule::Coulomb;
                // In a plane friction may turn a little instead.
                if group.tangents < 2 {
                    self.modes[i] = HeldMode::Stick;
                }
                changed = true;
            }
        }
        changed
    }
}
