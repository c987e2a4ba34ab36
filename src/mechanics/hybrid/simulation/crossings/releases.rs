//! Contacts that let go within a composed step.
//!
//! A composed step holds its contacts by impulses of any sign, so its flow is smooth through the moment at which one of
//! them begins to pull. That moment is where the normal force, a function of the state, falls through zero; it is located
//! on the flow like a strike, the piece ends there and the contact is let go. The flow that goes on without it is
//! composed as well: no step of order two is needed in between, and a run that lifts off keeps its order. The force is
//! zero where the flows are joined, so a moment wrong by δ leaves a velocity wrong by O(δ²).
//!
//! This is for contacts that hold independently of each other. Forces of redundant ones are not unique, and a negative
//! one of least norm says nothing; the conditions of a step of order two decide there.

use super::location::{Crossing, Watched};
use crate::discrete::StepError;
use crate::hybrid::flow::Departure;
use crate::hybrid::simulation::Simulation;
use crate::hybrid::simulation::piece::departure;
use crate::hybrid::{Descent, Event};
use crate::model::Body;
use crate::numerics::LeastSquares;

/// What a moment is located to, as a share of a whole step.
const LOCATED: f64 = 1e-9;
/// A force that falls by less than this share of itself in a step does not reach zero in the next.
const FALLS: f64 = 0.4;
/// Steps solved while one moment is located.
const TRIALS: usize = 60;

impl Simulation {
    /// Contacts that begin to pull before `tau`; the trial is composed and `trial` stands at its end.
    pub(super) fn find_releases(&mut self, tau: f64) -> Result<(), StepError> {
        if !self.arrival.composed || self.arrival.held.is_empty() || !self.may_release() {
            return Ok(());
        }
        if !self.may_let_go() {
            return Ok(());
        }
        self.forces_after(tau)?;
        for (k, held) in self.arrival.held.iter().enumerate() {
            let mean = held.normal_force().unwrap_or_default();
            let end = self.normal_forces[k];
            if end >= 0.0 && mean >= 0.0 {
                continue;
            }
            // From the mean, which is the force in the middle.
            let start = 2.0 * mean - end;
            let place = start / (start - end);
            let at = if place.is_finite() {
                place.clamp(0.0, 1.0)
            } else {
                0.5
            };
            self.crossings.push(Crossing {
                contact: held.contact,
                watched: Watched::Force,
                descent: Descent {
                    at,
                    below: 1.0,
                    slope: end - start,
                },
                ends_below: end < 0.0,
                rate: (end - start) / tau,
                start_rate: 0.0,
            });
        }
        Ok(())
    }

    /// Whether some normal force may reach zero in the trial, as far as its mean and that of the piece before tell.
    fn may_release(&self) -> bool {
        self.arrival.pulls
            || self.arrival.held.iter().any(|held| {
                let mut before = self.state.held.iter();
                let before = before.find(|h| h.contact == held.contact && h.slip.is_some());
                match (before.and_then(|h| h.normal_force()), held.normal_force()) {
                    (Some(before), Some(mean)) => (before - mean).abs() > FALLS * mean,
                    _ => true,
                }
            })
    }

    /// The moment at which a contact begins to pull in a trial of `tau`; `None` when it presses at both ends. The trial
    /// is left there.
    pub(in crate::hybrid::simulation) fn locate_release(
        &mut self,
        crossing: &Crossing,
        tau: f64,
    ) -> Result<Option<f64>, StepError> {
        let near = LOCATED * self.settings.time_step;
        let mut solved = tau;
        let mut below = (tau, self.force_at(crossing, tau, &mut solved)?);
        let mut above = (0.0, self.start_force(crossing)?);
        if above.1 <= 0.0 {
            return Ok(Some(0.0));
        }
        if below.1 >= 0.0 {
            // It pulls in between, or not at all.
            let middle = 0.5 * tau;
            below = (middle, self.force_at(crossing, middle, &mut solved)?);
            if below.1 >= 0.0 {
                return Ok(None);
            }
        }
        // Illinois: the secant within a bracket, with the value of an end that stays halved.
        let (mut kept_above, mut kept_below) = (above.1, below.1);
        for _ in 0..TRIALS {
            if below.0 - above.0 <= near {
                break;
            }
            let share = kept_above / (kept_above - kept_below);
            let time = above.0 + share * (below.0 - above.0);
            // The last step is one over the root, so that the bracket closes.
            let time = time.clamp(above.0 + 0.5 * near, below.0 - 0.5 * near);
            let force = self.force_at(crossing, time, &mut solved)?;
            if force >= 0.0 {
                above = (time, force);
                (kept_above, kept_below) = (force, 0.5 * kept_below);
            } else {
                below = (time, force);
                (kept_above, kept_below) = (0.5 * kept_above, force);
            }
        }
        if above.0 <= near {
            return Ok(Some(0.0));
        }
        if solved != above.0 {
            self.force_at(crossing, above.0, &mut solved)?;
        }
        Ok(Some(above.0))
    }

    /// A contact that has begun to pull is held no longer.
    pub(in crate::hybrid::simulation) fn let_go(&mut self, contact: usize, time: f64) {
        self.state.held.retain(|h| h.contact != contact);
        self.state.leaving.push(contact);
        self.state.predictor.clear();
        let event = Event::release(time, contact, &self.state.q);
        self.events.push(event);
    }

    /// Contacts that were let go are like others once they have opened, or are past the end of their edge.
    pub(in crate::hybrid::simulation) fn forget_left(&mut self) {
        let (node, contacts) = (&self.node, &self.contacts);
        let open = self.settings.closed_gap.max(self.settings.simultaneity);
        let leaves = |&mut i: &mut usize| {
            let touches = node.known_gap(contacts, i).is_some_and(|gap| gap <= open);
            touches && (!contacts.is_crossing(i) || node.is_present(contacts, i))
        };
        self.state.leaving.retain_mut(leaves);
    }

    /// Normal force of a contact after a composed flow of `tau`, which is left in `arrival` and `trial`.
    fn force_at(
        &mut self,
        crossing: &Crossing,
        tau: f64,
        solved: &mut f64,
    ) -> Result<f64, StepError> {
        self.scale_guess(tau / *solved);
        *solved = tau;
        self.solver_counts.event_solves += 1;
        self.try_advance(tau)?;
        self.complete(tau)?;
        if !self.arrival.composed {
            return Err(StepError::ContactsNotConverged {
                iterations: 0,
                residual: 0.0,
                violation: f64::INFINITY,
            });
        }
        self.forces_after(tau)?;
        let mut held = self.arrival.held.iter();
        let own = held.position(|h| h.contact == crossing.contact);
        Ok(own.map_or(0.0, |k| self.normal_forces[k]))
    }

    /// Normal force of a contact at the start of the trial.
    fn start_force(&mut self, crossing: &Crossing) -> Result<f64, StepError> {
        let from = departure(
            (&self.model, &self.contacts),
            (&self.state, &self.working),
            (&self.applied, self.drive.as_deref()),
            &self.settings,
        );
        let forces = &mut self.normal_forces;
        self.flow
            .normal_forces(&from, &self.node.velocity, forces)?;
        let own = (self.working.iter()).position(|h| h.contact == crossing.contact);
        Ok(own.map_or(0.0, |k| self.normal_forces[k]))
    }

    /// Normal forces at the end of the trial of `tau`, in `normal_forces`.
    fn forces_after(&mut self, tau: f64) -> Result<(), StepError> {
        if !self.trial_has_velocity {
            self.trial.update_velocity(&self.model, &self.arrival.p)?;
            self.trial_has_velocity = true;
        }
        let start = departure(
            (&self.model, &self.contacts),
            (&self.state, &self.arrival.held),
            (&self.applied, self.drive.as_deref()),
            &self.settings,
        );
        let from = Departure {
            joints: &self.arrival.joints,
            q: &self.arrival.q,
            p: &self.arrival.p,
            time: start.time + tau,
            ..start
        };
        let forces = &mut self.normal_forces;
        self.flow.normal_forces(&from, &self.trial.velocity, forces)
    }

    /// Whether contacts of the trial are let go where they begin to pull. What was let go at this very place and is in the
    /// conditions again is for the conditions of a step of order two.
    pub(in crate::hybrid::simulation) fn may_let_go(&self) -> bool {
        let again = |contact| self.state.leaving.contains(contact);
        !self.working.iter().any(|h| again(&h.contact)) && self.holds_independently()
    }

    /// Whether the rows of what is held at the start of the trial are linearly independent, without coordinates that latches
    /// hold. Joints with dry friction are not looked at: with them the answer is no.
    fn holds_independently(&self) -> bool {
        let rubs = |body: &Body| body.friction > 0.0;
        if self.model.bodies().iter().any(rubs) {
            return false;
        }
        let locked = self.locked_in(&[]);
        let n = self.model.dof();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        for held in &self.working {
            let kinematics = &self.node.kinematics;
            let frame = self
                .contacts
                .held_frame(kinematics, held.contact, held.place());
            let tangents = self.contacts.rough_tangent_count(held.contact);
            rows.extend(frame.rows(&self.model, kinematics, tangents));
        }
        for row in &mut rows {
            locked.iter().for_each(|&k| row[k] = 0.0);
        }
        if rows.len() > n {
            return false;
        }
        let mut gram = LeastSquares::default();
        gram.reset(rows.len());
        for (j, row) in rows.iter().enumerate() {
            for (entry, other) in gram.column_mut(j).iter_mut().zip(&rows) {
                *entry = crate::numerics::dot(row, other);
            }
        }
        gram.solve() == rows.len()
    }
}
