//! Where the flow leads from the present state.

use crate::contact::Contacts;
use crate::control::Drive;
use crate::discrete::StepError;
use crate::discrete::held::HeldContact;
use crate::hybrid::flow::Departure;
use crate::hybrid::simulation::Simulation;
use crate::hybrid::{SimulationError, SimulationSettings, State};
use crate::model::Model;

impl Simulation {
    /// Finds where the flow leads after `tau` from the present state, with the contacts in `working`.
    pub(in crate::hybrid::simulation) fn try_advance(&mut self, tau: f64) -> Result<(), StepError> {
        self.solver_counts.step_solves += 1;
        let from = departure(
            (&self.model, &self.contacts),
            (&self.state, &self.working),
            (&self.applied, self.drive.as_deref()),
            &self.settings,
        );
        self.flow.advance(&from, tau, &mut self.arrival)?;
        if self.arrival.pulls && !self.may_let_go() {
            self.flow.advance_once(&from, tau, &mut self.arrival)?;
        }
        Ok(())
    }

    /// Completes the arrival after [`Simulation::try_advance`] and brings `trial` there.
    pub(in crate::hybrid::simulation) fn complete(&mut self, tau: f64) -> Result<(), StepError> {
        let from = departure(
            (&self.model, &self.contacts),
            (&self.state, &self.working),
            (&self.applied, self.drive.as_deref()),
            &self.settings,
        );
        self.flow.finish(&from, tau, &mut self.arrival)?;
        let end = self.state.time + tau;
        self.trial.kinematics.clock.time = end;
        match self.flow.placed_at(&self.arrival.q) {
            Some(placed) => self.trial.take_placements(&self.contacts, placed),
            None => (self.trial).update_gaps(&self.model, &self.contacts, &self.arrival.q),
        }
        let velocity = self.flow.end_velocity();
        self.trial_has_velocity = velocity.is_some();
        if let Some(velocity) = velocity {
            self.trial.set_velocity(&self.model, velocity);
        }
        Ok(())
    }

    /// Makes sure that `trial` knows the velocity of the arrival.
    pub(in crate::hybrid::simulation) fn trial_velocity(&mut self) -> Result<(), SimulationError> {
        if !self.trial_has_velocity {
            self.trial.update_velocity(&self.model, &self.arrival.p)?;
            self.trial_has_velocity = true;
        }
        Ok(())
    }

    /// Starting values of the mean velocity: extrapolated from the last whole steps, or the present
    /// velocity.
    pub(super) fn guess(&mut self, whole: bool) -> Result<(), SimulationError> {
        let n = self.model.dof();
        self.velocity()?;
        if whole {
            let velocity = Some(self.node.velocity.as_slice());
            let blocks = &mut self.arrival.mean_velocity;
            let own = velocity.filter(|_| blocks.len() == n);
            if self.state.predictor.predict(own, blocks) {
                return Ok(());
            }
            // Of steps that were not composed.
            if (self.state.predictor).predict(velocity, &mut blocks[..n]) {
                for block in 1..self.flow.stage_count() {
                    blocks.copy_within(..n, block * n);
                }
                return Ok(());
            }
        }
        for block in self.arrival.mean_velocity.chunks_mut(n.max(1)) {
            block.copy_from_slice(&self.node.velocity);
        }
        Ok(())
    }
}

/// The state that a trial leaves, with the contacts in its conditions and what drives it.
pub(in crate::hybrid::simulation) fn departure<'a>(
    (model, contacts): (&'a Model, &'a Contacts),
    (state, held): (&'a State, &'a [HeldContact]),
    (applied, drive): (&'a [f64], Option<&'a dyn Drive>),
    settings: &SimulationSettings,
) -> Departure<'a> {
    Departure {
        model,
        contacts,
        held,
        joints: &state.joints,
        q: &state.q,
        p: &state.p,
        applied,
        drive,
        time: state.time,
        first_impact: state.first_impact,
        closed_gap: settings.closed_gap,
        rest_speed: settings.rest_speed,
        whole: settings.time_step,
    }
}
