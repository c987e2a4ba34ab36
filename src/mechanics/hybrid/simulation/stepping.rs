//! One nominal time step: who is asked for efforts, and the pieces that the step is cut into.

use super::{LastStep, Simulation, StepSummary};
use crate::control::Controller;
use crate::hybrid::SimulationError;

/// Pieces of one step after which a run stops: whole runs with chatter have some hundreds in their worst step.
const MOST_PIECES: usize = 10_000;

/// Jumps of a drive nearer than this share of a step to its ends, or to where a piece ends, are there.
const NEAR_JUMP: f64 = 1e-9;

impl Simulation {
    /// Advances by one nominal time step under `controller`, in place of the simulation's own: it is asked now and its
    /// efforts are held. A simulation with a part that acts inside the steps ([`Simulation::driven_by`],
    /// [`Simulation::with_controller`]) is driven by that, and nobody is asked.
    ///
    /// # Errors
    /// The controller has no answer, and those of [`Simulation::step`].
    pub fn step_under(
        &mut self,
        controller: &mut dyn Controller,
    ) -> Result<StepSummary, SimulationError> {
        self.step_with(Some(controller), &[])
    }

    /// Advances by one nominal time step under the simulation's own controller, without further forces.
    ///
    /// # Errors
    /// The controller has no answer, and those of [`Simulation::step`].
    pub fn advance(&mut self) -> Result<StepSummary, SimulationError> {
        self.step_with_own(&[])
    }

    fn step_with_own(&mut self, applied: &[f64]) -> Result<StepSummary, SimulationError> {
        let mut own = self.controller.take();
        let asked = own.as_mut().map(|own| own.as_mut() as &mut dyn Controller);
        let done = self.step_with(asked, applied);
        self.controller = own;
        done
    }

    /// `applied` are added to the controller's efforts; none or n.
    fn step_with(
        &mut self,
        controller: Option<&mut dyn Controller>,
        applied: &[f64],
    ) -> Result<StepSummary, SimulationError> {
        let mut efforts = std::mem::take(&mut self.efforts);
        efforts.fill(0.0);
        let asked = match controller.filter(|_| self.drive.is_none()) {
            None => Ok(()),
            Some(controller) => {
                let observation = if controller.reads_contacts() {
                    self.observe()
                } else {
                    self.observe_robot()
                };
                let asked = observation.and_then(|observation| {
                    let time = observation.time;
                    controller
                        .efforts(&observation, &mut efforts)
                        .map_err(|source| SimulationError::Control { time, source })
                });
                if asked.is_ok() {
                    self.remember_held_efforts(controller);
                }
                asked
            }
        };
        for (effort, given) in efforts.iter_mut().zip(applied) {
            *effort += given;
        }
        let done = asked.and_then(|()| self.take_step(&efforts));
        self.efforts = efforts;
        done
    }

    /// Makes what a controller holds part of the state.
    fn remember_held_efforts(&mut self, controller: &dyn Controller) {
        let known = &mut self.state.held_efforts;
        let mut count = 0;
        controller.visit_held(&mut |held| {
            match known.get_mut(count) {
                Some(own) => own.clone_from(held),
                None => known.push(held.clone()),
            }
            count += 1;
        });
        known.truncate(count);
    }

    /// Advances by one nominal time step under the constant generalized forces `applied` (n) \[N m or N\], in addition to
    /// the efforts of its own controller, if it has one.
    ///
    /// # Errors
    /// [`SimulationError::Size`] unless there are n forces, forces that are not finite, steps or impacts without a solution.
    /// The state is then that of the last completed piece.
    pub fn step(&mut self, applied: &[f64]) -> Result<StepSummary, SimulationError> {
        if applied.len() != self.model.dof() {
            return Err(SimulationError::Size {
                what: "applied forces",
                found: applied.len(),
                expected: self.model.dof(),
            });
        }
        if self.controller.is_some() {
            self.step_with_own(applied)
        } else {
            self.take_step(applied)
        }
    }

    /// Ends the next step at `time` \[s\], if that lies inside it, so that a run can end between two steps: no whole step is
    /// counted then, and the step after it is the rest of the one that was cut.
    pub fn cut_next_step(&mut self, time: f64) {
        self.cut = Some(time);
    }

    /// Whether the present moment is the end of a whole step, or the start.
    #[must_use]
    pub fn is_between_steps(&self) -> bool {
        self.state.time == self.state.step as f64 * self.settings.time_step
    }

    pub(super) fn forget_held_impulses(&mut self) {
        for i in self.pressed.drain(..) {
            self.held_impulses[i] = [0.0; 3];
        }
    }

    /// Whether it was asked to stop from outside: then it does.
    pub(super) fn check_stop(&self) -> Result<(), SimulationError> {
        if self.stop.is_raised() {
            let time = self.state.time;
            return Err(SimulationError::Stopped { time });
        }
        Ok(())
    }

    /// A step under constant forces, n, in addition to what acts inside it.
    fn take_step(&mut self, applied: &[f64]) -> Result<StepSummary, SimulationError> {
        if let Some(i) = applied.iter().position(|x| !x.is_finite()) {
            return Err(SimulationError::Effort {
                time: self.state.time,
                coordinate: self.model.coordinate_names()[i].clone(),
                value: applied[i],
            });
        }
        self.check_stop()?;
        let h = self.settings.time_step;
        let start = self.state.step as f64 * h;
        let inside = self.state.time..start + h;
        let cut = self.cut.take().filter(|cut| inside.contains(cut));
        let end = cut.map_or(h, |cut| cut - start);
        // A fork begins inside a step.
        let mut done = (self.state.time - start).max(0.0);
        let uncut = done == 0.0;
        let known_events = self.events.len();
        self.last_step = LastStep::None;
        let mut impacts = 0;
        let mut summary = StepSummary::default();
        self.applied.copy_from_slice(applied);
        self.forget_held_impulses();
        self.in_step = true;
        self.state.velocity.clear();
        self.piece_length = f64::INFINITY;
        self.relax_from_start();
        while done < end {
            self.settle_contacts(&mut impacts)?;
            let until = (self.next_jump(h) - start).min(end);
            let whole = done == 0.0 && cut.is_none() && until == end;
            let tau = self.advance_piece(until - done, whole, &mut summary, &mut impacts)?;
            // The rest of a step that is shorter than a rounding of h is no step.
            done = if end - (done + tau) < 1e-14 * h {
                end
            } else {
                done + tau
            };
            self.state.time = start + done;
            self.keep_time();
            summary.pieces += 1;
            if summary.pieces >= MOST_PIECES {
                return Err(SimulationError::TooManyPieces {
                    time: self.state.time,
                    count: summary.pieces,
                    last: tau,
                });
            }
        }
        self.in_step = false;
        self.state.time = cut.unwrap_or_else(|| {
            self.state.step += 1;
            self.state.step as f64 * h
        });
        self.keep_time();
        self.settle_contacts(&mut impacts)?;
        self.forget_law_velocity(impacts);
        self.keep_velocity();
        self.last_step = match self.events.get(known_events) {
            Some(event) => LastStep::WithEvent(event.kind),
            None if uncut && cut.is_none() && summary.pieces == 1 => LastStep::Whole,
            None => LastStep::InPieces,
        };
        Ok(summary)
    }

    /// Where joints are locked the velocity at the end of a step and that of its momentum differ by rounding: a run that is taken up
    /// here goes on with the former.
    fn keep_velocity(&mut self) {
        if self.node_has_velocity && !self.state.joints.is_empty() {
            self.state.velocity.clone_from(&self.node.velocity);
        }
    }

    /// When the drive of a step of length `h` jumps next \[s\].
    fn next_jump(&self, h: f64) -> f64 {
        let Some(drive) = &self.drive else {
            return f64::INFINITY;
        };
        let end = (self.state.step + 1) as f64 * h;
        // What rounding alone keeps from a moment that is one already.
        let near = NEAR_JUMP * h;
        let next = drive.next_jump(self.state.time + near, self.state.first_impact);
        if next < end - near {
            next
        } else {
            f64::INFINITY
        }
    }

    /// Where terrain moves by itself, gaps are those at the time that the state says, as in a run that is taken up there.
    fn keep_time(&mut self) {
        let time = self.state.time;
        if self.contacts.is_shaken() && self.node.kinematics.clock.time != time {
            self.node
                .update_gaps_at(&self.model, &self.contacts, &self.state.q, time);
            self.gaps_reported = false;
        }
    }
}
