//! The map (q, p, τ) ↦ (q, p) between events: steps with their conditions, or compositions of free ones.

use crate::contact::Contacts;
use crate::control::Drive;
use crate::discrete::{
    HeldContact, HeldJoint, StepError, StepInput, StepReport, StepSettings, StepWork, Stepper,
    stages,
};
use crate::dynamics::JointServo;
use crate::friction::FrictionCounts;
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
    /// Joints with dry friction, likewise.
    pub joints: Vec<HeldJoint>,
    /// Mean velocity of each stage, one block of n after the other.
    pub mean_velocity: Vec<f64>,
    /// Work done \[J\].
    pub work: StepWork,
    /// Root finding.
    pub report: StepReport,
}

/// What a flow starts from.
#[derive(Clone, Copy)]
pub(super) struct Departure<'a> {
    pub model: &'a Model,
    pub contacts: &'a Contacts,
    pub held: &'a [HeldContact],
    pub joints: &'a [HeldJoint],
    pub q: &'a [f64],
    pub p: &'a [f64],
    pub applied: &'a [f64],
    pub drive: Option<&'a dyn Drive>,
    pub time: f64,
    pub first_impact: Option<f64>,
    pub closed_gap: f64,
    /// Length of a whole step \[s\].
    pub whole: f64,
}

/// Owns the stepper and the memory of trial steps.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    stepper: Stepper,
    stages: Vec<f64>,
    q: Vec<f64>,
    p: Vec<f64>,
    servos: Vec<JointServo>,
    /// Steps solved so far.
    pub solves: u64,
}

impl Flow {
    pub fn new(model: &Model, settings: StepSettings, order: u32) -> Self {
        Self {
            stepper: Stepper::new(model, settings),
            stages: stages(order),
            q: vec![0.0; model.configuration_len()],
            p: vec![0.0; model.dof()],
            servos: Vec::new(),
            solves: 0,
        }
    }

    /// Stages of a free step.
    pub fn stage_count(&self) -> usize {
        self.stages.len()
    }

    /// Efforts at the middle of the last step.
    pub fn efforts(&self) -> &[f64] {
        self.stepper.efforts()
    }

    /// Velocity at the end of the last step, where that is known.
    pub fn end_velocity(&self) -> Option<&[f64]> {
        self.stepper.end_velocity()
    }

    /// The servos of the last step.
    pub fn servos(&self) -> &[JointServo] {
        &self.servos
    }

    /// How frictional problems were solved.
    pub fn friction_counts(&self) -> &FrictionCounts {
        self.stepper.friction_counts()
    }

    /// The next advance begins a step, it is not another trial of the last one.
    pub fn begin(&mut self) {
        self.stepper.forget_trials();
    }

    /// Finds where the flow leads after `tau`: q and what decides it. `arrival.mean_velocity` holds starting
    /// values on entry: one block a stage (the first is used for held steps).
    pub fn advance(
        &mut self,
        from: &Departure<'_>,
        tau: f64,
        arrival: &mut Arrival,
    ) -> Result<(), StepError> {
        let n = from.p.len();
        arrival.q.resize(from.q.len(), 0.0);
        arrival.p.resize(n, 0.0);
        arrival.held.clear();
        arrival.held.extend_from_slice(from.held);
        arrival.joints.clear();
        arrival.joints.extend_from_slice(from.joints);
        arrival.work = StepWork::default();
        arrival.report = StepReport::default();
        if self.is_composed(from) {
            return self.compose(from, tau, arrival);
        }
        self.solves += 1;
        from.servos(0.5 * tau, &mut self.servos);
        let input = input(from, &self.servos, from.q, from.p, tau);
        arrival.report = self.stepper.advance(
            &input,
            &mut arrival.held,
            &mut arrival.joints,
            &mut arrival.mean_velocity[..n],
            &mut arrival.q,
        )?;
        Ok(())
    }

    /// Completes what [`Flow::advance`] found last: p and the impulses at the end.
    pub fn finish(
        &mut self,
        from: &Departure<'_>,
        tau: f64,
        arrival: &mut Arrival,
    ) -> Result<(), StepError> {
        if self.is_composed(from) {
            return Ok(());
        }
        let n = from.p.len();
        let report = self.stepper.finish(
            &input(from, &self.servos, from.q, from.p, tau),
            &mut arrival.held,
            &mut arrival.joints,
            &arrival.mean_velocity[..n],
            &arrival.q,
            &mut arrival.p,
        )?;
        arrival.work = self.stepper.work;
        let violation = &mut arrival.report.contact_violation;
        *violation = violation.max(report.contact_violation);
        Ok(())
    }

    /// A composition solves whole steps at once.
    fn is_composed(&self, from: &Departure<'_>) -> bool {
        self.stages.len() > 1 && from.held.is_empty() && from.joints.is_empty()
    }

    fn compose(
        &mut self,
        from: &Departure<'_>,
        tau: f64,
        arrival: &mut Arrival,
    ) -> Result<(), StepError> {
        let n = from.p.len();
        self.q.copy_from_slice(from.q);
        self.p.copy_from_slice(from.p);
        let mut begin = 0.0;
        for (stage, &gamma) in self.stages.iter().enumerate() {
            self.solves += 1;
            from.servos(begin + 0.5 * gamma * tau, &mut self.servos);
            begin += gamma * tau;
            let v = &mut arrival.mean_velocity[stage * n..(stage + 1) * n];
            let report = self.stepper.step(
                &input(from, &self.servos, &self.q, &self.p, gamma * tau),
                &mut [],
                &mut [],
                v,
                &mut arrival.q,
                &mut arrival.p,
            )?;
            arrival.report.iterations = arrival.report.iterations.max(report.iterations);
            arrival.report.exact_iterations += report.exact_iterations;
            arrival.report.residual = arrival.report.residual.max(report.residual);
            let work = self.stepper.work;
            arrival.work.actuators += work.actuators;
            arrival.work.actuators_positive += work.actuators_positive;
            arrival.work.dissipative += work.dissipative;
            if stage + 1 < self.stages.len() {
                self.q.copy_from_slice(&arrival.q);
                self.p.copy_from_slice(&arrival.p);
            }
        }
        Ok(())
    }
}

impl Departure<'_> {
    /// Servos at some time after the start.
    fn servos(&self, after: f64, out: &mut Vec<JointServo>) {
        out.clear();
        if let Some(drive) = self.drive {
            drive.servos(self.time + after, self.first_impact, out);
        }
    }
}

fn input<'a>(
    from: &Departure<'a>,
    servos: &'a [JointServo],
    q0: &'a [f64],
    p0: &'a [f64],
    h: f64,
) -> StepInput<'a> {
    StepInput {
        model: from.model,
        contacts: from.contacts,
        q0,
        p0,
        applied: from.applied,
        servos,
        h,
        closed_gap: from.closed_gap,
        whole: from.whole,
    }
}
