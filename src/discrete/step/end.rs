//! The end of a step: impulses after which nothing that is closed approaches.

use super::rows::Moment;
use super::{StepInput, Stepper};
use crate::discrete::{HeldContact, HeldJoint, StepError};
use crate::friction::{FrictionProblem, FrictionRule, FrictionSolver, HeldMode};

/// Velocities at the end that redundant contacts cannot stop together to better than this \[m/s\]
/// are stopped; the next step closes the gap that they would make.
pub(super) const VELOCITY_RESOLUTION: f64 = 1e-7;
/// A slip against its direction by this share of the largest velocity has ended in the step.
const REVERSED: f64 = 1e-10;

impl Stepper {
    /// Adds the impulses at the end to `p1`; returns what is left of the conditions \[m/s\].
    pub(super) fn solve_end(
        &mut self,
        input: &StepInput<'_>,
        held: &mut [HeldContact],
        joints: &mut [HeldJoint],
        p1: &mut [f64],
    ) -> Result<f64, StepError> {
        let model = input.model;
        // `kinematics` stands at q₁ since the last iteration.
        self.factor.factor(model, &self.kinematics)?;
        self.fill(input, held, Moment::End);
        self.update_delassus(model, true);
        self.factor
            .solve(model, &self.kinematics, p1, &mut self.correction);
        self.end
            .product(self.delassus.layout(), &self.correction, &mut self.free);
        self.set_end_rules(input, held);
        let left = loop {
            let problem = FrictionProblem {
                free: &self.free,
                rules: &self.rules,
                resolution: VELOCITY_RESOLUTION,
                wanted: 0.0,
                // Whether impulses of least norm serve again is asked once a step.
                near: false,
                thorough: false,
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
                break left;
            }
        };
        self.end
            .add_transposed(self.delassus.layout(), &self.impulse, p1);
        let (kinematics, velocity) = (&self.kinematics, &mut self.end_velocity);
        self.factor.solve(model, kinematics, p1, velocity);
        self.record(held, joints, 1, input.h);
        let velocity = self.solver.velocity();
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        for (h, rows) in held.iter_mut().zip(contacts) {
            h.normal_velocity = velocity[rows.row];
            h.slip = Some(rows.tangential(velocity));
        }
        for (joint, rows) in joints.iter_mut().zip(rubbing) {
            joint.rate = Some(velocity[rows.row]);
        }
        Ok(left.largest())
    }

    /// What slides keeps the direction of its slip at the midpoint; a contact that the step has opened
    /// takes no impulse.
    fn set_end_rules(&mut self, input: &StepInput<'_>, held: &[HeldContact]) {
        self.rules.clear();
        if self.two_sided {
            self.rules.resize(self.modes.len(), self.rule());
            return;
        }
        for (i, (mode, group)) in self.modes.iter().zip(self.delassus.groups()).enumerate() {
            let open = held.get(i).is_some_and(|h| h.gap > input.closed_gap);
            self.rules.push(match mode {
                _ if open => FrictionRule::Off,
                HeldMode::Slide(s) => {
                    let slip = group.tangential(&self.mean_rates);
                    let speed = slip[0].hypot(slip[1]);
                    let along = slip[0] * s[0] + slip[1] * s[1];
                    FrictionRule::Along(if along > 0.0 {
                        slip.map(|x| x / speed)
                    } else {
                        *s
                    })
                }
                _ => FrictionRule::Coulomb,
            });
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
        let velocity = self.solver.velocity();
        let largest = self.free.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut changed = false;
        for ((rule, group), mode) in self
            .rules
            .iter_mut()
            .zip(self.delassus.groups())
            .zip(&mut self.modes)
        {
            let FrictionRule::Along(s) = *rule else {
                continue;
            };
            let slip = group.tangential(velocity);
            if slip[0] * s[0] + slip[1] * s[1] < -REVERSED * largest {
                *rule = FrictionRule::Coulomb;
                *mode = HeldMode::Stick;
                changed = true;
            }
        }
        changed
    }
}
