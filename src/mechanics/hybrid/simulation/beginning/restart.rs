//! A simulation that begins again: where it began, at a state given to it, at one saved from it.

use super::start::{check_clear, check_limits, starting_state};
use crate::discrete::held::HeldJoint;
use crate::hybrid::flow::Flow;
use crate::hybrid::node::Node;
use crate::hybrid::simulation::latches::{check_latches, starting_joints};
use crate::hybrid::simulation::{LastStep, Simulation};
use crate::hybrid::{SimulationError, SolverCounts, State};

impl Simulation {
    /// Goes back to where the simulation was built: everything from here on is, to the same bits, that of a fresh one.
    /// Events, forks and counts are forgotten, and the controller is told to forget
    /// ([`Controller::reset`](crate::control::Controller::reset)); what a closure captured is beyond its reach. A law
    /// that draws at random draws anew from the seed of the simulation; without one it goes on drawing.
    ///
    /// # Errors
    /// A singular mass matrix, which the state did not have when the simulation was built.
    pub fn reset(&mut self) -> Result<(), SimulationError> {
        let (state, started) = self.origin.clone();
        self.go_to(state)?;
        self.started = started;
        self.solver_counts = SolverCounts::default();
        if let Some(controller) = &mut self.controller {
            controller.reset();
        }
        Ok(())
    }

    /// Lets a law that draws at random draw from another seed from here on; [`Simulation::reset`] goes back to its first draw.
    pub fn seed_anew(&mut self, seed: u64) {
        self.seed = Some(seed);
    }

    /// Puts the robot at the configuration `q` (as the model orders it) with the velocity `v` (n), as if a simulation started
    /// there: no contact is held, no impact has happened, no work is done. Time goes on from where it stands. A
    /// quaternion is made a unit exactly. The controller is not told.
    ///
    /// # Errors
    /// As [`Simulation::new`]: wrong sizes, numbers that are not finite, quaternions not of unit length, joints outside of their
    /// limits, contacts below the surface. The simulation then stays as it was.
    pub fn set_state(&mut self, q: &[f64], v: &[f64]) -> Result<(), SimulationError> {
        // A step that stopped in its middle is not taken up again.
        self.set_step(self.state.step, q, v)
    }

    /// As [`Simulation::set_state`], at the time `time` \[s\], the nearest end of a whole step.
    ///
    /// # Errors
    /// As [`Simulation::set_state`]; a time that is negative or not finite.
    pub fn set_state_at(&mut self, time: f64, q: &[f64], v: &[f64]) -> Result<(), SimulationError> {
        if !(time.is_finite() && time >= 0.0) {
            return Err(SimulationError::Setting {
                setting: "the time of a state",
                value: time,
                range: "finite and at least 0",
            });
        }
        self.set_step(self.nearest_step(time), q, v)
    }

    /// The whole step that ends nearest to a time \[s\].
    fn nearest_step(&self, time: f64) -> u64 {
        (time / self.settings.time_step).round() as u64
    }

    fn set_step(&mut self, step: u64, q: &[f64], v: &[f64]) -> Result<(), SimulationError> {
        let joints = starting_joints(&self.model, &self.contacts);
        let state = self.state_of(step, (q, v), joints)?;
        check_latches(&self.model, &self.contacts, &self.settings, &state.q, v)?;
        self.go_to(state)?;
        self.started = false;
        Ok(())
    }

    /// As [`Simulation::set_state_at`] on the way of a motion, where contacts and latches are held as they are in another state: what
    /// stands may stand where it could not strike.
    #[doc(hidden)]
    pub fn set_state_like(
        &mut self,
        time: f64,
        (q, v): (&[f64], &[f64]),
        like: &State,
    ) -> Result<(), SimulationError> {
        let step = self.nearest_step(time);
        let state = State {
            held: like.held.clone(),
            leaving: like.leaving.clone(),
            ..self.state_of(step, (q, v), like.joints.clone())?
        };
        state.check(&self.model, &self.contacts)?;
        self.go_to(state)?;
        self.started = true;
        Ok(())
    }

    fn state_of(
        &self,
        step: u64,
        (q, v): (&[f64], &[f64]),
        joints: Vec<HeldJoint>,
    ) -> Result<State, SimulationError> {
        let q = self.model.normalized_configuration(q)?;
        self.model.check_velocity(v)?;
        check_limits(&self.model, &q, self.settings.closed_gap)?;
        let mut node = Node::new(&self.model, &self.contacts, &self.settings);
        let time = step as f64 * self.settings.time_step;
        node.update_gaps_at(&self.model, &self.contacts, &q, time);
        check_clear(&self.contacts, &node, &self.settings, &q)?;
        Ok(State {
            step,
            time,
            ..starting_state(&self.model, &q, v, joints)
        })
    }

    /// Goes on from a saved [`State`], to the same bits as the simulation that it was saved from.
    ///
    /// # Errors
    /// A state of another robot or other contacts, a singular mass matrix.
    pub fn restore(&mut self, state: State) -> Result<(), SimulationError> {
        state.check(&self.model, &self.contacts)?;
        self.go_to(state)?;
        self.started = true;
        Ok(())
    }

    /// Takes a state over and forgets what belongs to others.
    fn go_to(&mut self, state: State) -> Result<(), SimulationError> {
        let mut node = Node::new(&self.model, &self.contacts, &self.settings);
        node.update_gaps_at(&self.model, &self.contacts, &state.q, state.time);
        node.take_velocity(&self.model, &state)?;
        self.node = node;
        self.node_has_velocity = true;
        self.trial_has_velocity = false;
        self.gaps_reported = false;
        self.flow = Flow::new(&self.model, self.settings.solver, self.settings.order);
        self.state = state;
        if let Some(controller) = &mut self.controller {
            controller.take_up(&mut self.state.held_efforts.iter());
        }
        self.in_step = false;
        self.cut = None;
        self.last_step = LastStep::None;
        self.events.clear();
        self.captured = None;
        self.forget_held_impulses();
        if let Some(forks) = &mut self.forks {
            forks.clear();
        }
        Ok(())
    }

    /// True the first time it is called since the simulation began.
    #[doc(hidden)]
    pub fn begin(&mut self) -> bool {
        let first = !std::mem::replace(&mut self.started, true);
        if first {
            self.log_engaged();
        }
        first
    }
}
