//! The map (q, p, τ) ↦ (q, p) between events: free steps, compositions of them, or steps with held
//! contacts.

use crate::contact::Contacts;
use crate::discrete::{
    ContactStepper, FreeStepper, HeldContact, StepError, StepReport, StepSettings, stages,
};
use crate::model::Model;

/// Where a trial step ends, and what it took to get there.
#[derive(Debug, Clone, Default)]
pub(super) struct Arrival {
    /// Configuration.
    pub q: Vec<f64>,
    /// Momentum, n.
    pub p: Vec<f64>,
    /// Held contacts with the impulses of this step.
    pub held: Vec<HeldContact>,
    /// Mean velocity of each stage, one block of n after the other.
    pub mean_velocity: Vec<f64>,
    /// Work of the applied forces \[J\].
    pub actuator_work: f64,
    /// Work of dampers and friction \[J\].
    pub dissipative_work: f64,
    /// Root finding.
    pub report: StepReport,
}

/// Owns the steppers and the memory of trial steps.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    free: FreeStepper,
    contact: ContactStepper,
    stages: Vec<f64>,
    q: Vec<f64>,
    p: Vec<f64>,
}

impl Flow {
    pub fn new(model: &Model, settings: StepSettings, order: u32) -> Self {
        Self {
            free: FreeStepper::new(model, settings),
            contact: ContactStepper::new(model, settings),
            stages: stages(order),
            q: vec![0.0; model.configuration_len()],
            p: vec![0.0; model.dof()],
        }
    }

    /// Stages of a free step.
    pub fn stage_count(&self) -> usize {
        self.stages.len()
    }

    /// Advances (`q0`, `p0`) by `tau` with `held` closed. `arrival.mean_velocity` holds starting
    /// values on entry: one block a stage (the first is used for held steps).
    pub fn advance(
        &mut self,
        model: &Model,
        contacts: &Contacts,
        held: &[HeldContact],
        q0: &[f64],
        p0: &[f64],
        applied: &[f64],
        tau: f64,
        arrival: &mut Arrival,
    ) -> Result<(), StepError> {
        let n = model.dof();
        arrival.q.resize(q0.len(), 0.0);
        arrival.p.resize(n, 0.0);
        arrival.held.clear();
        arrival.held.extend_from_slice(held);
        arrival.actuator_work = 0.0;
        arrival.dissipative_work = 0.0;
        arrival.report = StepReport::default();
        if !held.is_empty() {
            let v = &mut arrival.mean_velocity[..n];
            arrival.report = self.contact.step(
                model,
                contacts,
                &mut arrival.held,
                q0,
                p0,
                applied,
                tau,
                v,
                &mut arrival.q,
                &mut arrival.p,
            )?;
            arrival.actuator_work = tau * dot(applied, v);
            arrival.dissipative_work =
                tau * self.contact.midpoint.dissipated_power + self.contact.friction_work;
            return Ok(());
        }
        self.q.copy_from_slice(q0);
        self.p.copy_from_slice(p0);
        for (stage, &gamma) in self.stages.iter().enumerate() {
            let h = gamma * tau;
            let v = &mut arrival.mean_velocity[stage * n..(stage + 1) * n];
            let report = self.free.step(
                model,
                &self.q,
                &self.p,
                applied,
                h,
                v,
                &mut arrival.q,
                &mut arrival.p,
            )?;
            arrival.report.iterations = arrival.report.iterations.max(report.iterations);
            arrival.report.exact_iterations += report.exact_iterations;
            arrival.report.residual = arrival.report.residual.max(report.residual);
            arrival.actuator_work += h * dot(applied, v);
            arrival.dissipative_work += h * self.free.midpoint.dissipated_power;
            if stage + 1 < self.stages.len() {
                self.q.copy_from_slice(&arrival.q);
                self.p.copy_from_slice(&arrival.p);
            }
        }
        Ok(())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
