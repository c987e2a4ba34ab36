use carom::contact::{Combination, Contacts};
use carom::discrete::{StepError, StepInput, StepReport, StepSettings, Stepper};
use carom::model::Model;

/// Steps of a robot that touches nothing and that nothing but its own springs and gravity drives.
pub struct FreeSteps<'a> {
    model: &'a Model,
    contacts: Contacts,
    applied: Vec<f64>,
    pub stepper: Stepper,
}

impl<'a> FreeSteps<'a> {
    pub fn new(model: &'a Model, settings: StepSettings) -> Self {
        Self {
            model,
            contacts: Contacts::new(model, vec![], vec![], &[], Combination::Minimum).unwrap(),
            applied: vec![0.0; model.dof()],
            stepper: Stepper::new(model, settings),
        }
    }

    /// From (q0, p0) to (q1, p1) in `h`; `v` is the starting value of the mean velocity, then the solution.
    pub fn step(
        &mut self,
        q0: &[f64],
        p0: &[f64],
        h: f64,
        v: &mut [f64],
        q1: &mut [f64],
        p1: &mut [f64],
    ) -> Result<StepReport, StepError> {
        let input = StepInput {
            model: self.model,
            contacts: &self.contacts,
            q0,
            p0,
            applied: &self.applied,
            servos: &[],
            h,
            whole: h,
            closed_gap: 0.0,
        };
        self.stepper.step(&input, &mut [], &mut [], v, q1, p1)
    }
}
