//! One piece of a step: the flow tried to the end or to the first crossing, and what it makes the
//! present state.

use super::Simulation;
use crate::discrete::StepError;
use crate::hybrid::{SimulationError, StepSummary};
use crate::model::JointKind;

impl Simulation {
    /// Advances until `limit` or the first event; returns the time that passed.
    pub(super) fn advance_piece(
        &mut self,
        applied: &[f64],
        limit: f64,
        whole: bool,
        summary: &mut StepSummary,
        impacts: &mut usize,
    ) -> Result<f64, SimulationError> {
        self.guess(whole)?;
        let mut tau = limit;
        let mut halvings = 0;
        // Also while a crossing is located a trial step can fail: then the whole piece is halved.
        let (tau, located) = loop {
            match self.attempt_piece(applied, tau) {
                Ok(piece) => break piece,
                Err(SimulationError::Step { source, .. })
                    if halvings < self.settings.solver.max_halvings && shorter_helps(&source) =>
                {
                    halvings += 1;
                    tau *= 0.5;
                    self.guess(false)?;
                }
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
        if self.resolve_jam(applied, tau, impacts)? {
            return Ok(0.0);
        }
        summary.halvings += halvings;
        summary.newton_iterations = summary
            .newton_iterations
            .max(self.arrival.report.iterations);
        if tau > 0.0 {
            self.accept(whole && located.is_none() && halvings == 0, tau);
        } else if let Some(contact) = located {
            // The gap closes at once although it was opening: the contact rests.
            self.hold(contact);
        }
        Ok(tau)
    }

    /// Tries to advance by `tau`: to its end or to the first crossing, which is then named. The
    /// result is in `arrival`.
    fn attempt_piece(
        &mut self,
        applied: &[f64],
        mut tau: f64,
    ) -> Result<(f64, Option<usize>), SimulationError> {
        let time = self.state.time;
        let step_error = |source| SimulationError::Step {
            time,
            halvings: 0,
            source,
        };
        self.try_flow(applied, tau, false).map_err(step_error)?;
        self.trial
            .update_gaps(&self.model, &self.contacts, &self.arrival.q);
        let mut located = None;
        while let Some((contact, bracket)) = self.find_crossing(applied, tau)? {
            tau = self.locate(applied, contact, bracket).map_err(step_error)?;
            self.trial
                .update_gaps(&self.model, &self.contacts, &self.arrival.q);
            located = Some(contact);
            if tau == 0.0 {
                break;
            }
        }
        Ok((tau, located))
    }

    /// Runs the flow for `tau` from the present state into `arrival` (or `probe`).
    pub(super) fn try_flow(
        &mut self,
        applied: &[f64],
        tau: f64,
        probe: bool,
    ) -> Result<(), StepError> {
        let arrival = if probe {
            &mut self.probe
        } else {
            &mut self.arrival
        };
        self.flow.advance(
            &self.model,
            &self.contacts,
            &self.state.held,
            &self.state.q,
            &self.state.p,
            applied,
            tau,
            arrival,
        )
    }

    /// Starting values of the mean velocity: extrapolated from the last whole steps, or the present
    /// velocity.
    fn guess(&mut self, whole: bool) -> Result<(), SimulationError> {
        let n = self.model.dof();
        if whole
            && self
                .state
                .predictor
                .predict(&mut self.arrival.mean_velocity)
        {
            return Ok(());
        }
        self.velocity()?;
        for block in self.arrival.mean_velocity.chunks_mut(n.max(1)) {
            block.copy_from_slice(&self.node.velocity);
        }
        Ok(())
    }

    /// Makes the arrival the present state.
    fn accept(&mut self, whole: bool, tau: f64) {
        self.state.work.actuators_positive += self.positive_work();
        std::mem::swap(&mut self.state.q, &mut self.arrival.q);
        std::mem::swap(&mut self.state.p, &mut self.arrival.p);
        std::mem::swap(&mut self.state.held, &mut self.arrival.held);
        std::mem::swap(&mut self.node, &mut self.trial);
        self.node_has_velocity = false;
        self.state.work.actuators += self.arrival.actuator_work;
        self.state.work.dissipative += self.arrival.dissipative_work;
        if whole {
            self.state.predictor.record(&self.arrival.mean_velocity);
        } else {
            self.state.predictor.clear();
        }
        for held in &self.state.held {
            let sum = &mut self.held_impulses[held.contact];
            for (sum, impulse) in sum.iter_mut().zip(held.impulse()) {
                *sum += impulse;
            }
        }
        self.release_opened(self.state.time + tau);
    }

    /// Work of the driving efforts between the present state and the arrival, joint by joint.
    fn positive_work(&self) -> f64 {
        self.model
            .bodies()
            .iter()
            .filter(|body| body.kind != JointKind::Floating)
            .map(|body| {
                let way = self.arrival.q[body.q_index] - self.state.q[body.q_index];
                (self.applied[body.v_index] * way).max(0.0)
            })
            .sum()
    }
}

/// Whether a failed step may succeed over a shorter time.
fn shorter_helps(error: &StepError) -> bool {
    matches!(
        error,
        StepError::NotConverged { .. }
            | StepError::ContactsNotConverged { .. }
            | StepError::NotFinite { .. }
            | StepError::SingularJacobian
    )
}
