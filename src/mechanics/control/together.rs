//! Several controllers, each of joints of its own.

use std::sync::Arc;

use super::{ControlError, Controller, Drive, HeldEfforts, Observation};
use crate::dynamics::JointServo;

/// Controllers that act at the same time: their efforts add up.
#[doc(hidden)]
pub struct Together {
    controllers: Vec<Box<dyn Controller>>,
}

impl Together {
    /// All of `controllers`.
    ///
    /// # Errors
    /// Some act inside the steps and others are asked at their beginning: the efforts of the former would be held too.
    pub fn new(controllers: Vec<Box<dyn Controller>>) -> Result<Self, ControlError> {
        let inside = controllers.iter().filter(|c| c.drive().is_some()).count();
        if inside != 0 && inside != controllers.len() {
            let reason = "some controllers act inside the steps (servo, gait and hold-then-spin without sampling_period), \
                          others are asked at their beginning; give those a sampling_period too";
            return Err(ControlError {
                reason: reason.to_string(),
            });
        }
        Ok(Self { controllers })
    }
}

impl Controller for Together {
    fn efforts(
        &mut self,
        observation: &Observation<'_>,
        efforts: &mut [f64],
    ) -> Result<(), ControlError> {
        let mut controllers = self.controllers.iter_mut();
        controllers.try_for_each(|controller| controller.efforts(observation, efforts))
    }

    fn drive(&self) -> Option<Arc<dyn Drive>> {
        let drives: Option<Vec<_>> = self.controllers.iter().map(|c| c.drive()).collect();
        Some(Arc::new(DrivesTogether(drives?)))
    }

    fn reads_contacts(&self) -> bool {
        self.controllers.iter().any(|own| own.reads_contacts())
    }

    fn visit_held(&self, visit: &mut dyn FnMut(&HeldEfforts)) {
        self.controllers
            .iter()
            .for_each(|controller| controller.visit_held(visit));
    }

    fn take_up(&mut self, held: &mut std::slice::Iter<'_, HeldEfforts>) {
        self.controllers
            .iter_mut()
            .for_each(|controller| controller.take_up(held));
    }

    fn reset(&mut self) {
        self.controllers
            .iter_mut()
            .for_each(|controller| controller.reset());
    }
}

struct DrivesTogether(Vec<Arc<dyn Drive>>);

impl Drive for DrivesTogether {
    fn servos(&self, time: f64, first_impact: Option<f64>, out: &mut Vec<JointServo>) {
        for drive in &self.0 {
            drive.servos(time, first_impact, out);
        }
    }

    fn next_jump(&self, time: f64, first_impact: Option<f64>) -> f64 {
        let all = self
            .0
            .iter()
            .map(|drive| drive.next_jump(time, first_impact));
        all.fold(f64::INFINITY, f64::min)
    }
}
