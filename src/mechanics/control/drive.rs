use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ControlError, Controller, GaitController, HoldThenSpin, Observation, ServoController};
use crate::dynamics::JointServo;

/// Efforts inside a step: a law of joint positions, rates and time that is known to the simulation, taken at the
/// middle of every step like a spring. A controller that reads the state at the beginning of a step and holds
/// its efforts over a stated period is a [`Controller`] alone.
pub trait Drive: Send + Sync {
    /// Appends the servos of the driven joints at a time \[s\]; `first_impact` is the time of the first impact
    /// of the run, if there was one.
    fn servos(&self, time: f64, first_impact: Option<f64>, out: &mut Vec<JointServo>);

    /// The first time after `time` \[s\] at which a target, its rate or an effort jumps, infinite where none does: a step that
    /// acted with one of both sides would be of order one, and a piece of it ends there.
    fn next_jump(&self, _time: f64, _first_impact: Option<f64>) -> f64 {
        f64::INFINITY
    }

    /// Adds the efforts at the state observed to `efforts` (n): what the drive would hold if it were sampled.
    fn add_efforts(&self, observation: &Observation<'_>, efforts: &mut [f64]) {
        let mut servos = Vec::new();
        self.servos(observation.time, observation.first_impact, &mut servos);
        for servo in servos {
            let (q, v) = (observation.q[servo.q_index], observation.v[servo.v_index]);
            efforts[servo.v_index] += servo.effort(q, v).effort;
        }
    }
}

/// A drive is a controller: efforts inside the step where a simulation knows drives, sampled ones elsewhere.
macro_rules! controllers {
    ($($drive:ty),*) => {$(
        impl Controller for $drive {
            fn efforts(
                &mut self,
                observation: &Observation<'_>,
                efforts: &mut [f64],
            ) -> Result<(), ControlError> {
                self.add_efforts(observation, efforts);
                Ok(())
            }

            fn drive(&self) -> Option<Arc<dyn Drive>> {
                Some(Arc::new(self.clone()))
            }

            fn reads_contacts(&self) -> bool {
                false
            }
        }
    )*};
}
controllers!(ServoController, HoldThenSpin, GaitController);

/// Any controller, asked once in a period only: its efforts are held in between, as those of a digital
/// controller are.
pub struct Sampled {
    controller: Box<dyn Controller>,
    /// \[s\].
    period: f64,
    held: Option<HeldEfforts>,
}

/// What a controller that is asked once in a period only holds until it is asked again.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct HeldEfforts {
    /// Number of the period that they belong to.
    pub sample: u64,
    /// Generalized forces \[N m or N\], n.
    pub efforts: Vec<f64>,
}

impl Sampled {
    /// A controller asked every `period` \[s\], at the first step that begins in each.
    ///
    /// # Errors
    /// A period that is not positive and finite.
    pub fn new(controller: Box<dyn Controller>, period: f64) -> Result<Self, ControlError> {
        if !(period.is_finite() && period > 0.0) {
            return Err(ControlError {
                reason: format!("sampling_period is {period}, it must be positive and finite"),
            });
        }
        Ok(Self {
            controller,
            period,
            held: None,
        })
    }
}

impl Controller for Sampled {
    fn efforts(
        &mut self,
        observation: &Observation<'_>,
        efforts: &mut [f64],
    ) -> Result<(), ControlError> {
        // A step that begins at a sampling instant but for rounding belongs to the new sample.
        let sample = (observation.time / self.period + 1e-9).floor() as u64;
        let serves =
            |held: &HeldEfforts| held.sample == sample && held.efforts.len() == efforts.len();
        let held = match self.held.take() {
            Some(held) if serves(&held) => held,
            other => {
                let mut held = other.unwrap_or_default();
                held.sample = sample;
                held.efforts.clear();
                held.efforts.resize(efforts.len(), 0.0);
                self.controller.efforts(observation, &mut held.efforts)?;
                held
            }
        };
        for (effort, held) in efforts.iter_mut().zip(&held.efforts) {
            *effort += held;
        }
        self.held = Some(held);
        Ok(())
    }

    fn reads_contacts(&self) -> bool {
        self.controller.reads_contacts()
    }

    fn visit_held(&self, visit: &mut dyn FnMut(&HeldEfforts)) {
        if let Some(held) = &self.held {
            visit(held);
        }
    }

    fn take_up(&mut self, held: &mut std::slice::Iter<'_, HeldEfforts>) {
        if let Some(held) = held.next() {
            self.held = Some(held.clone());
        }
    }

    fn reset(&mut self) {
        self.held = None;
        self.controller.reset();
    }
}
