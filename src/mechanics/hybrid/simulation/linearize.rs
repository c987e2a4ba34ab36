//! The last step as a linear system.

use thiserror::Error;

use super::Simulation;
use crate::discrete::StepError;
use crate::discrete::linearization::{HeldStep, LinearizedStep};
use crate::hybrid::{EventKind, SimulationError};

/// What can be said of the last step as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastStep {
    /// There is none.
    None,
    /// It is one solution of the step's equations.
    Whole,
    /// It was halved, or located something that came to nothing.
    InPieces,
    /// Something happened in it or at one of its ends.
    WithEvent(EventKind),
}

/// Why a step has no linear part.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LinearizeError {
    /// No step has been taken since the simulation began, was set or failed.
    #[error("there is no last step to linearise; take one")]
    NoStep,
    /// The step has an event, where the motion is not smooth.
    #[error(
        "the step to {time} s has an event ({}), where one step is no linear system of its own; linearise another, or a run with start_recording and recorded_derivative",
        .kind.word()
    )]
    Event {
        /// End of the step \[s\].
        time: f64,
        /// The first event of the step.
        kind: EventKind,
    },
    /// The step was taken in several pieces.
    #[error("the step to {time} s was taken in several pieces; a smaller time_step helps")]
    Pieces {
        /// End of the step \[s\].
        time: f64,
    },
    /// The step is a composition of several.
    #[error("steps of order {order} are not linearised; set order = 2")]
    Order {
        /// Order of the integrator.
        order: u32,
    },
    /// Nothing was recorded.
    #[error("there is no recording; call start_recording before the run")]
    NoRecording,
    /// Something in the run has no derivative, or none that is known.
    #[error("the run has no derivative at {time} s: {reason}")]
    NotDifferentiable {
        /// Where \[s\].
        time: f64,
        /// What it is.
        reason: &'static str,
    },
    /// Directions of another size.
    #[error("the directions have {found} rows, 2n = {expected} are needed")]
    Directions {
        /// Rows given.
        found: usize,
        /// Rows needed.
        expected: usize,
    },
    /// The simulations of a parameter have other coordinates, contacts or actuators.
    #[error(
        "parameter {index} changes the coordinates, the contacts, the actuators or which joints have dry friction; a derivative needs the same ones on both sides of its value"
    )]
    OtherShape {
        /// Which one.
        index: usize,
    },
    /// The linear equations have no solution.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A state beside the run has no impact or no velocity.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
}

impl Simulation {
    /// The last step as x₁ = A x₀ + B u with x = (δq, δv), while no contact changes its mode:
    /// [`LinearizedStep::transition`] (2n × 2n), [`LinearizedStep::input`] (2n × m) for efforts at the m joints that are constant
    /// over the step, and with [`LinearizedStep::reduced`] the same on the held contacts. x₀ is around the state before
    /// the step, x₁ around the present one. Servos inside the step ([`Drive`](crate::control::Drive)) are part of A; what a
    /// controller asked for at the beginning of the step is taken as constant.
    ///
    /// # Errors
    /// [`LinearizeError`]: no step yet, a step with an event or in pieces, an order above 2.
    pub fn linearize(&self) -> Result<LinearizedStep, LinearizeError> {
        let (time, order) = (self.state.time, self.settings.order);
        if self.contacts.is_shaken() {
            let reason = "a piece of terrain moves by itself";
            return Err(LinearizeError::NotDifferentiable { time, reason });
        }
        match self.last_step {
            LastStep::None => return Err(LinearizeError::NoStep),
            LastStep::WithEvent(kind) => return Err(LinearizeError::Event { time, kind }),
            LastStep::InPieces => return Err(LinearizeError::Pieces { time }),
            LastStep::Whole if order != 2 => return Err(LinearizeError::Order { order }),
            LastStep::Whole => {}
        }
        let n = self.model.dof();
        let h = self.settings.time_step;
        // What the step left is where the present state lay before they were exchanged.
        let (q0, p0) = (&self.arrival.q, &self.arrival.p);
        let v = &self.arrival.mean_velocity[..n];
        let servos: Vec<_> = self
            .flow
            .servos()
            .iter()
            .map(|servo| {
                let rate = v[servo.v_index];
                let position = q0[servo.q_index] + 0.5 * h * rate;
                (servo.v_index, servo.effort(position, rate))
            })
            .collect();
        let step = HeldStep {
            model: &self.model,
            contacts: &self.contacts,
            held: &self.state.held,
            joints: &self.state.joints,
            configuration: q0,
            mean_velocity: v,
            end_momentum: &self.state.p,
            applied: &self.applied,
            time_step: h,
            two_sided: false,
        };
        Ok(step.linearize(p0, &servos)?)
    }
}
