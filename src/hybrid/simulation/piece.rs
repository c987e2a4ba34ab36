//! One piece of a step: the flow tried to the end or to the first event, and what it makes the present
//! state.

use super::Simulation;
use super::derivative::{Ends, FlowPassage, Passage};
use super::location::{Crossing, Watched};
use crate::contact::Contacts;
use crate::control::Drive;
use crate::discrete::held::HeldContact;
use crate::discrete::{StepError, StepWork};
use crate::hybrid::flow::Departure;
use crate::hybrid::{SimulationError, SimulationSettings, State, StepSummary};
use crate::model::Model;

/// Events of one piece that may be located one before the other.
const ROUNDS: usize = 40;
/// Halvings of a piece in which something has gone into something else without an event.
const LOOKS: usize = 6;
/// How deep that is, in what held contacts may be.
const GONE_IN: f64 = 100.0;

impl Simulation {
    /// Advances until `limit` or the first event; returns the time that passed.
    pub(super) fn advance_piece(
        &mut self,
        limit: f64,
        whole: bool,
        summary: &mut StepSummary,
        impacts: &mut usize,
    ) -> Result<f64, SimulationError> {
        self.flow.begin();
        let mut tau = self.next_release(limit);
        let whole = whole && tau == limit;
        self.guess(whole)?;
        let mut halvings = 0;
        // Also while an event is located a trial step can fail: then the whole piece is halved.
        let (tau, located) = loop {
            let tried = self.attempt_piece(tau).and_then(|piece| {
                self.check_gain(piece.0)?;
                Ok(piece)
            });
            match tried {
                // What opened and closed within the piece shows in a shorter one.
                Ok(_) if halvings < LOOKS && self.has_gone_in() => {
                    halvings += 1;
                    tau *= 0.5;
                    self.guess(false)?;
                }
                Ok(piece) => break piece,
                Err(SimulationError::Step { source, .. })
                    if halvings < self.settings.solver.max_halvings && shorter_helps(&source) =>
                {
                    halvings += 1;
                    tau *= 0.5;
                    self.guess(false)?;
                }
                // What no shorter step solves is what no finite force does: friction jams.
                Err(SimulationError::Step {
                    source: StepError::ContactsNotConverged { .. },
                    ..
                }) if self.resolve_sliding(impacts)? => return Ok(0.0),
                Err(SimulationError::Step { time, source, .. }) => {
                    return Err(SimulationError::Step {
                        time,
                        halvings,
                        source,
                    });
                }
                Err(other) => return Err(other),
            }
        };
        if self.resolve_jam(tau, impacts)? {
            return Ok(0.0);
        }
        summary.halvings += halvings;
        summary.newton_iterations = summary
            .newton_iterations
            .max(self.arrival.report.iterations);
        if tau > 0.0 {
            self.passed.clear();
            self.record_piece(tau, limit, located);
            self.accept(whole && located.is_none() && halvings == 0, tau)?;
            if let Some(Crossing {
                contact,
                watched: Watched::Seam(_),
                ..
            }) = located
            {
                self.pass_seam(contact);
            }
            if let Some(Crossing {
                contact,
                watched: Watched::Force,
                ..
            }) = located
            {
                self.let_go(contact, self.state.time + tau);
            }
        } else if let Some(crossing) = located {
            match crossing.watched {
                Watched::Force => self.let_go(crossing.contact, self.state.time),
                Watched::Seam(_) => {
                    self.passed.push(crossing.contact);
                    self.pass_seam(crossing.contact);
                }
                // The gap closes at once although it was opening: the contact rests.
                _ => self.hold(crossing.contact, 0.0),
            }
        }
        Ok(tau)
    }

    fn record_piece(&mut self, tau: f64, limit: f64, located: Option<Crossing>) {
        self.record(|sim| {
            let (state, arrival) = (&sim.state, &sim.arrival);
            Passage::Flow(Box::new(FlowPassage {
                time: state.time,
                first_impact: state.first_impact,
                q: state.q.clone(),
                p: state.p.clone(),
                held: [sim.working.clone(), arrival.held.clone()],
                joints: [state.joints.clone(), arrival.joints.clone()],
                mean_velocity: arrival.mean_velocity.clone(),
                composed: arrival.composed,
                tau,
                applied: sim.applied.clone(),
                end_momentum: arrival.p.clone(),
                ends: match located {
                    Some(crossing) => Ends::Event(crossing.contact, crossing.watched),
                    None if tau == limit => Ends::Clock,
                    None => Ends::Anywhere,
                },
            }))
        });
    }

    /// Tries to advance by `tau`: to its end or to the first event. The result is in `arrival`, complete.
    fn attempt_piece(&mut self, mut tau: f64) -> Result<(f64, Option<Crossing>), SimulationError> {
        let time = self.state.time;
        let step_error = |source| SimulationError::Step {
            time,
            halvings: 0,
            source,
        };
        self.working.clear();
        self.working.extend_from_slice(&self.state.held);
        for held in &mut self.working {
            let kinematics = &self.node.kinematics;
            held.side = self.contacts.side(kinematics, held.contact, held.face);
        }
        let mut located = None;
        loop {
            // Another trial may reach what the last one missed.
            self.dismissed.clear();
            self.try_advance(tau).map_err(step_error)?;
            self.complete(tau).map_err(step_error)?;
            // A contact is taken up at most once, and a located moment only moves forward in the order of
            // events: this ends.
            for round in 0.. {
                if self.stop.is_raised() {
                    return Err(SimulationError::Stopped { time });
                }
                // Roundings could make two coincident events take turns for ever: then they are one.
                if round > ROUNDS {
                    break;
                }
                self.find_crossings(tau)?;
                let dismissed = &self.dismissed;
                self.crossings
                    .retain(|c| !dismissed.iter().any(|d| d.is_same(c)));
                let Some(first) = self.first_strike() else {
                    break;
                };
                if self.take_up_slow(Some(first.descent.at)) {
                    break;
                }
                let moment = match first.watched {
                    Watched::Slip(_) | Watched::Rate(_) => self.locate_switch(&first, tau),
                    Watched::Force => self.locate_release(&first, tau).map_err(step_error)?,
                    Watched::Seam(_) if first.descent.at == 0.0 => Some(0.0),
                    _ => self.locate(&first, tau).map_err(step_error)?,
                };
                match moment {
                    None => self.dismissed.push(first),
                    Some(_) if !self.is_there(&first) => self.dismissed.push(first),
                    Some(moment) => {
                        tau = moment;
                        located = Some(first);
                        self.solver_counts.located_events += 1;
                    }
                }
                if tau == 0.0 {
                    return Ok((tau, located));
                }
                let there = moment.is_some() && located.is_some_and(|l| l.is_same(&first));
                if first.is_switch() && there {
                    // Whatever the step does with the slip that is left is the end of the slide.
                    self.dismissed.push(first);
                    if self.slides_straight(&first) {
                        continue;
                    }
                }
                if !there || first.is_switch() {
                    self.try_advance(tau).map_err(step_error)?;
                }
                self.complete(tau).map_err(step_error)?;
            }
            if self.working.len() == self.arrival.held.len() && !self.take_up_slow(None) {
                return Ok((tau, located));
            }
        }
    }

    /// Whether something has gone into something else in the trial without an event.
    fn has_gone_in(&self) -> bool {
        let deep = GONE_IN * self.settings.closed_gap;
        let gone = |&i: &usize| {
            let (node, contacts) = (&self.node, &self.contacts);
            let was_in = || {
                node.gap(contacts, i) < -self.settings.closed_gap
                    && contacts.is_present(&node.kinematics, i)
            };
            !self.contacts.is_smooth(i)
                && self.trial.gap(&self.contacts, i) < -deep
                && !was_in()
                && self.arrival.held.iter().all(|held| held.contact != i)
                && self.contacts.inactivity(i).is_none()
                && self.contacts.is_present(&self.trial.kinematics, i)
                && !self.passes_edge(&self.trial, i)
        };
        self.near.iter().any(gone)
    }

    /// The earliest crossing that is an event.
    fn first_strike(&self) -> Option<Crossing> {
        let strikes = self.crossings.iter().filter(|c| self.is_event(c));
        strikes
            .min_by(|a, b| a.descent.at.total_cmp(&b.descent.at))
            .copied()
    }

    /// Whether the place of a crossing is there at the located moment.
    fn is_there(&self, crossing: &Crossing) -> bool {
        let inactive = self.contacts.inactivity(crossing.contact);
        crossing.watched != Watched::Gap
            || (self
                .contacts
                .is_present(&self.trial.kinematics, crossing.contact)
                && !inactive.is_some_and(|inactive| inactive.holds(&self.arrival.q))
                && !self.passes_edge(&self.trial, crossing.contact))
    }

    /// A touch is an event when it is fast. A contact that is closed already and does not open first belongs to
    /// the conditions of the step whatever its rate later on.
    pub(super) fn is_event(&self, crossing: &Crossing) -> bool {
        if crossing.watched != Watched::Gap {
            return true;
        }
        let closed = crossing.descent.at == 0.0;
        self.strikes(crossing.contact, crossing.rate)
            && (!closed || self.strikes(crossing.contact, crossing.start_rate))
    }

    /// Takes contacts that are reached slowly, before `limit` if there is one, up into the conditions of the
    /// step. True when there are any.
    fn take_up_slow(&mut self, limit: Option<f64>) -> bool {
        let before = self.working.len();
        for c in &self.crossings {
            let early = limit.is_none_or(|limit| c.descent.at < limit);
            if early && !self.is_event(c) {
                let at = self.working.partition_point(|h| h.contact < c.contact);
                if self.working.get(at).is_some_and(|h| h.contact == c.contact) {
                    continue;
                }
                // That over which it comes in.
                let face = [&self.node, &self.trial]
                    .into_iter()
                    .find_map(|node| self.contacts.face(&node.kinematics, c.contact));
                let kinematics = &self.node.kinematics;
                let taken = HeldContact {
                    approach: c.start_rate,
                    face,
                    side: self.contacts.side(kinematics, c.contact, face),
                    ..HeldContact::new(c.contact)
                };
                self.working.insert(at, taken);
            }
        }
        self.working.len() > before
    }

    /// Finds where the flow leads after `tau` from the present state, with the contacts in `working`.
    pub(super) fn try_advance(&mut self, tau: f64) -> Result<(), StepError> {
        self.solver_counts.step_solves += 1;
        let from = departure(
            (&self.model, &self.contacts),
            (&self.state, &self.working),
            (&self.applied, self.drive.as_deref()),
            &self.settings,
        );
        self.flow.advance(&from, tau, &mut self.arrival)?;
        if self.arrival.pulls && !self.may_let_go() {
            self.flow.advance_once(&from, tau, &mut self.arrival)?;
        }
        Ok(())
    }

    /// Completes the arrival after [`Simulation::try_advance`] and brings `trial` there.
    pub(super) fn complete(&mut self, tau: f64) -> Result<(), StepError> {
        let from = departure(
            (&self.model, &self.contacts),
            (&self.state, &self.working),
            (&self.applied, self.drive.as_deref()),
            &self.settings,
        );
        self.flow.finish(&from, tau, &mut self.arrival)?;
        let end = self.state.time + tau;
        self.trial
            .update_gaps_at(&self.model, &self.contacts, &self.arrival.q, end);
        let velocity = self.flow.end_velocity();
        self.trial_has_velocity = velocity.is_some();
        if let Some(velocity) = velocity {
            self.trial.set_velocity(&self.model, velocity);
        }
        Ok(())
    }

    /// Makes sure that `trial` knows the velocity of the arrival.
    pub(super) fn trial_velocity(&mut self) -> Result<(), SimulationError> {
        if !self.trial_has_velocity {
            self.trial.update_velocity(&self.model, &self.arrival.p)?;
            self.trial_has_velocity = true;
        }
        Ok(())
    }

    /// Starting values of the mean velocity: extrapolated from the last whole steps, or the present
    /// velocity.
    fn guess(&mut self, whole: bool) -> Result<(), SimulationError> {
        let n = self.model.dof();
        if whole {
            let blocks = &mut self.arrival.mean_velocity;
            if self.state.predictor.predict(blocks) {
                return Ok(());
            }
            // Of steps that were not composed.
            if self.state.predictor.predict(&mut blocks[..n]) {
                for block in 1..self.flow.stage_count() {
                    blocks.copy_within(..n, block * n);
                }
                return Ok(());
            }
        }
        self.velocity()?;
        for block in self.arrival.mean_velocity.chunks_mut(n.max(1)) {
            block.copy_from_slice(&self.node.velocity);
        }
        Ok(())
    }

    /// Makes the arrival the present state.
    fn accept(&mut self, whole: bool, tau: f64) -> Result<(), SimulationError> {
        self.check_bounds()?;
        self.state.work.captured += self.captured_energy()?;
        std::mem::swap(&mut self.state.q, &mut self.arrival.q);
        std::mem::swap(&mut self.state.p, &mut self.arrival.p);
        std::mem::swap(&mut self.state.joints, &mut self.arrival.joints);
        std::mem::swap(&mut self.node, &mut self.trial);
        self.node_has_velocity = self.trial_has_velocity;
        self.gaps_reported = false;
        self.forget_left();
        self.state.work.add(&self.arrival.work);
        if whole {
            let mut solved = &self.arrival.mean_velocity[..];
            if !self.arrival.composed {
                solved = &solved[..self.model.dof()];
            }
            self.state.predictor.record(solved);
        } else {
            self.state.predictor.clear();
        }
        for held in &self.arrival.held {
            if !self.pressed.contains(&held.contact) {
                self.pressed.push(held.contact);
            }
            let sum = &mut self.held_impulses[held.contact];
            for (sum, impulse) in sum.iter_mut().zip(held.impulse()) {
                *sum += impulse;
            }
        }
        self.add_latched_impulses();
        self.log_branch(tau);
        self.take_over_held(self.state.time + tau);
        Ok(())
    }

    /// Change of energy of the piece at hand that forces and friction do not explain, when a contact came into
    /// it with a velocity: what stopping that contact took.
    fn captured_energy(&mut self) -> Result<f64, SimulationError> {
        if self.working.iter().all(|h| h.approach == 0.0) {
            return Ok(0.0);
        }
        self.unexplained_energy()
    }

    /// Refuses a piece in which held contacts more than double the kinetic energy: they only take, but for what steps of
    /// finite length miss. Their nearest points have jumped.
    fn check_gain(&mut self, tau: f64) -> Result<(), SimulationError> {
        if tau == 0.0 || self.arrival.held.is_empty() {
            return Ok(());
        }
        self.velocity()?;
        self.trial_velocity()?;
        let before = self.node.kinetic_energy(&self.state.p);
        // Beside a robot at rest: what it falls in that time, and touches that are too slow to be events.
        let fall = self.model.gravity().norm() * tau;
        let slow = self.settings.capture_speed.max(self.settings.rest_speed);
        let allowed = before + self.model.mass() * (fall * fall + slow * slow);
        if self.trial.kinetic_energy(&self.arrival.p) <= before + allowed {
            return Ok(());
        }
        let gain = self.unexplained_energy()?;
        if gain <= allowed {
            return Ok(());
        }
        Err(SimulationError::Step {
            time: self.state.time,
            halvings: 0,
            source: StepError::ContactsGain { gain, tau },
        })
    }

    /// Change of energy of the piece at hand that forces and friction do not explain \[J\].
    fn unexplained_energy(&mut self) -> Result<f64, SimulationError> {
        self.velocity()?;
        self.trial_velocity()?;
        let before = self.node.kinetic_energy(&self.state.p)
            + self.node.potential_energy(&self.model, &self.state.q);
        let after = self.trial.kinetic_energy(&self.arrival.p)
            + self.trial.potential_energy(&self.model, &self.arrival.q);
        let work = &self.arrival.work;
        Ok(after - before - work.actuators - work.dissipative - work.surfaces)
    }

    /// A state that no robot can be in is the sign of an unstable run.
    fn check_bounds(&self) -> Result<(), SimulationError> {
        let largest = State::LARGEST;
        let speeds = &self.arrival.mean_velocity[..self.model.dof()];
        let names = [
            self.model.configuration_names(),
            self.model.coordinate_names(),
        ];
        for (values, names) in [&self.arrival.q[..], speeds].into_iter().zip(names) {
            let wild = values.iter().position(|x| x.is_nan() || x.abs() > largest);
            if let Some(i) = wild {
                return Err(SimulationError::Unstable {
                    time: self.state.time,
                    coordinate: names[i].clone(),
                    value: values[i],
                    largest,
                });
            }
        }
        if let Some(i) = self.arrival.p.iter().position(|p| !p.is_finite()) {
            return Err(SimulationError::NotFinite {
                time: self.state.time,
                what: format!("the momentum at \"{}\"", names[1][i]),
            });
        }
        let StepWork {
            actuators,
            actuators_positive,
            dissipative,
            surfaces,
        } = self.arrival.work;
        if !(actuators + actuators_positive + dissipative + surfaces).is_finite() {
            return Err(SimulationError::NotFinite {
                time: self.state.time,
                what: "the work of a step".to_string(),
            });
        }
        Ok(())
    }
}

/// The state that a trial leaves, with the contacts in its conditions and what drives it.
pub(super) fn departure<'a>(
    (model, contacts): (&'a Model, &'a Contacts),
    (state, held): (&'a State, &'a [HeldContact]),
    (applied, drive): (&'a [f64], Option<&'a dyn Drive>),
    settings: &SimulationSettings,
) -> Departure<'a> {
    Departure {
        model,
        contacts,
        held,
        joints: &state.joints,
        q: &state.q,
        p: &state.p,
        applied,
        drive,
        time: state.time,
        first_impact: state.first_impact,
        closed_gap: settings.closed_gap,
        rest_speed: settings.rest_speed,
        whole: settings.time_step,
    }
}

/// Whether a failed step may succeed over a shorter time.
fn shorter_helps(error: &StepError) -> bool {
    matches!(
        error,
        StepError::NotConverged { .. }
            | StepError::ContactsNotConverged { .. }
            | StepError::ContactsGain { .. }
            | StepError::NotFinite { .. }
            | StepError::SingularJacobian
    )
}
