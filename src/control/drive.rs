use std::sync::Arc;

use super::{ControlError, Controller, GaitController, HoldThenSpin, Observation, ServoController};
use crate::dynamics::JointServo;

/// Efforts inside a step: a law of joint positions, rates and time that is known to the simulation, taken at the
/// middle of every step like a spring. A controller that reads the state at the beginning of a step and holds
/// its efforts over a stated period is a [`Controller`] alone.
pub trait Drive: Send + Sync {
    /// Appends the servos of the driven joints at a time \[s\]; `first_impact` is the time of the first impact
    /// of the run, if there was one.
    fn servos(&self, time: f64, first_impact: Option<f64>, out: &mut Vec<JointServo>);

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
    held: Vec<f64>,
    /// Number of the period that the held efforts belong to.
    sample: Option<u64>,
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
            held: Vec::new(),
            sample: None,
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
        if self.sample != Some(sample) || self.held.len() != efforts.len() {
            self.held.clear();
            self.held.resize(efforts.len(), 0.0);
            self.controller.efforts(observation, &mut self.held)?;
            self.sample = Some(sample);
        }
        for (effort, held) in efforts.iter_mut().zip(&self.held) {
            *effort += held;
        }
        Ok(())
    }

    fn reads_contacts(&self) -> bool {
        self.controller.reads_contacts()
    }

    fn reset(&mut self) {
        self.sample = None;
        self.controller.reset();
    }
}
