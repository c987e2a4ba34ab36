//! The arrival as the present state, and what no piece may arrive at.

use crate::discrete::{StepError, StepWork};
use crate::hybrid::simulation::Simulation;
use crate::hybrid::{SimulationError, State};
use crate::numerics::largest;

/// Share of the kinetic energy that a piece may gain without a look at a shorter one.
const DOUBTFUL: f64 = 0.02;
/// A piece resolves its motion where no coordinate changes by more \[rad, m\].
const RESOLVED: f64 = 0.1;
/// Share of the kinetic energy that a piece which may not resolve its motion may leave unexplained.
const UNEXPLAINED: f64 = 0.02;
/// Share of a step below which the velocities of a piece say little of its acceleration.
const TELLING: f64 = 0.125;

impl Simulation {
    /// Makes the arrival the present state; whether it is that of a `whole` step, or else of a piece that ends `smoothly`, and whether
    /// one that is held has jumped in it and been stopped elsewhere.
    pub(super) fn accept(
        &mut self,
        whole: bool,
        smoothly: bool,
        tau: f64,
        jumps: bool,
    ) -> Result<(), SimulationError> {
        self.check_bounds()?;
        self.arrival.branch_end = self.flow.branch_end(&self.arrival);
        self.state.work.captured += self.captured_energy(jumps)?;
        std::mem::swap(&mut self.state.q, &mut self.arrival.q);
        std::mem::swap(&mut self.state.p, &mut self.arrival.p);
        std::mem::swap(&mut self.state.joints, &mut self.arrival.joints);
        std::mem::swap(&mut self.node, &mut self.trial);
        self.node_has_velocity = self.trial_has_velocity;
        self.gaps_reported = false;
        self.unfinished.clear();
        self.forget_left();
        self.state.work.add(&self.arrival.work);
        if whole {
            let mut solved = &self.arrival.mean_velocity[..];
            if !self.arrival.composed {
                solved = &solved[..self.model.dof()];
            }
            self.state.predictor.record(solved);
        } else if smoothly && self.node_has_velocity && self.tells_acceleration(tau) {
            let mean = &self.arrival.mean_velocity[..self.model.dof()];
            let share = tau / self.settings.time_step;
            (self.state.predictor).begin(mean, &self.node.velocity, share);
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

    /// Whether the next step may go on as the piece of length `tau` did: nothing was stopped in it, and it was long enough.
    fn tells_acceleration(&self, tau: f64) -> bool {
        let stops = self.working.iter().any(|h| h.approach != 0.0);
        !stops && !self.arrival.composed && tau >= TELLING * self.settings.time_step
    }

    /// What stopping contacts took that came into the piece at hand with a velocity, or `jumps` to another place: then all that is
    /// lost and forces and friction do not explain.
    fn captured_energy(&mut self, jumps: bool) -> Result<f64, SimulationError> {
        if jumps {
            Ok(self.unexplained_energy()?.min(0.0))
        } else {
            Ok(self.arrival.work.captured)
        }
    }

    /// Refuses a piece in which held contacts more than double the kinetic energy, beside that of a fall of its time and of
    /// touches that are no events: they only take, but for what steps of finite length miss. Their nearest points have jumped.
    ///
    /// True when they give so much that a shorter piece should be looked at: over a finite time friction has solutions with
    /// impulses that it has over no shorter one. Or when it does not resolve its motion, as a free piece may not.
    pub(super) fn check_gain(&mut self, tau: f64) -> Result<bool, SimulationError> {
        if tau == 0.0 {
            return Ok(false);
        }
        if self.arrival.held.is_empty() {
            // An event may have been located since, by other steps than the one that was looked at.
            self.check_free_motion(tau)?;
            return Ok(false);
        }
        self.velocity()?;
        self.trial_velocity()?;
        let before = self.node.kinetic_energy(&self.state.p);
        let negligible = self.negligible_energy(tau);
        let after = self.trial.kinetic_energy(&self.arrival.p);
        let doubtful = DOUBTFUL * before + negligible;
        let turns = self.turns(tau);
        if !turns && after - before - self.arrival.work.dissipative <= doubtful {
            return Ok(false);
        }
        let gain = self.unexplained_energy()?;
        if gain > before + negligible {
            return Err(SimulationError::Step {
                time: self.state.time,
                halvings: 0,
                source: StepError::ContactsGain { gain, tau },
            });
        }
        let lost = (gain - self.arrival.work.captured).abs();
        let is_lost = lost > UNEXPLAINED * before.max(after) + negligible;
        Ok(gain > doubtful || turns && is_lost)
    }

    /// Looks at a trial that turns far, before an event is located between here and there: its equations have solutions at a
    /// thousand times the speed that are no motion at all.
    pub(super) fn check_motion(&mut self, tau: f64) -> Result<(), SimulationError> {
        if self.turns(tau) {
            self.check_gain(tau)?;
        }
        Ok(())
    }

    /// Refuses a free piece that does not resolve its motion: where joints turn by a radian within it, its equations have
    /// solutions of which energy is not kept.
    fn check_free_motion(&mut self, tau: f64) -> Result<(), SimulationError> {
        if !self.turns(tau) {
            return Ok(());
        }
        self.velocity()?;
        self.trial_velocity()?;
        let before = self.node.kinetic_energy(&self.state.p);
        let after = self.trial.kinetic_energy(&self.arrival.p);
        let gain = self.unexplained_energy()?.abs();
        let resolves = gain <= UNEXPLAINED * before.max(after) + self.negligible_energy(tau);
        // What is not finite is told with its coordinate.
        if resolves || !gain.is_finite() {
            return Ok(());
        }
        Err(SimulationError::Step {
            time: self.state.time,
            halvings: 0,
            source: StepError::NoMotion { gain, tau },
        })
    }

    /// Whether coordinates change by so much in a piece of length `tau` that it may not resolve its motion.
    fn turns(&self, tau: f64) -> bool {
        tau * largest(&self.arrival.mean_velocity) > RESOLVED
    }

    /// Energy of a fall of time `tau` and of touches that are no events \[J\].
    fn negligible_energy(&self, tau: f64) -> f64 {
        let fall = self.model.gravity().norm() * tau;
        let slow = self.settings.capture_speed.max(self.settings.rest_speed);
        self.model.mass() * (fall * fall + slow * slow)
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
            captured,
        } = self.arrival.work;
        if !(actuators + actuators_positive + dissipative + surfaces + captured).is_finite() {
            return Err(SimulationError::NotFinite {
                time: self.state.time,
                what: "the work of a step".to_string(),
            });
        }
        Ok(())
    }
}
