//! The map (q, p, τ) ↦ (q, p) between events: steps of order two with their conditions, or compositions.
//!
//! A composition needs stages that are symmetric and smooth, also those of negative length: free ones, and
//! two-sided ones in which every contact with friction sticks, every one without stays closed, and joints with
//! dry friction rest or go on in one direction. So a step whose contacts did that at the end of the
//! last one, and do not slip now, is composed, and kept if the sums of impulses over its stages are ones
//! that contacts and dry friction can exert, dampers have taken energy and no joint has turned back. Every
//! other step, in which a contact slides, opens or closes, or a joint starts to move or stops, is one of
//! order two that decides the modes anew.
//!
//! A stage of negative length gives back what dampers took, the more the faster they are. Those that are too fast for it
//! ([`damping_rate`]) leave the step to the order two, and so do springs between points whose dampers have worked in sum.

mod crossing;
mod damping_rate;
mod departure;
mod instant;
mod stage_sums;

pub(crate) use crossing::{Descent, StepCubic};

use crate::discrete::held::{HeldContact, HeldJoint};
use crate::discrete::{BranchEnd, StepError, StepReport, StepSettings, StepWork, Stepper, stages};
use crate::dynamics::{JointServo, Kinematics};
use crate::friction::{FrictionCounts, HeldMode};
use crate::model::Model;
use damping_rate::DampingRate;
pub(super) use departure::Departure;
use instant::Instant;
use stage_sums::StageSums;

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
    /// Mean velocity of each stage, one block of n after the other; only the first says something of a step that
    /// is not composed.
    pub mean_velocity: Vec<f64>,
    /// Whether it was composed.
    pub composed: bool,
    /// Whether a contact of a composed one pulls in sum.
    pub pulls: bool,
    /// Work done \[J\].
    pub work: StepWork,
    /// Root finding.
    pub report: StepReport,
    /// Where the branch of the motion ended, if it did.
    pub branch_end: Option<BranchEnd>,
}

/// Owns the stepper and the memory of trial steps.
#[derive(Debug, Clone)]
pub(super) struct Flow {
    stepper: Stepper,
    stages: Vec<f64>,
    q: Vec<f64>,
    p: Vec<f64>,
    servos: Vec<JointServo>,
    sums: StageSums,
    /// Of flows that compose.
    instant: Option<Box<Instant>>,
    damping: Option<Box<DampingRate>>,
    /// Starting values of the first block, for another try.
    guess: Vec<f64>,
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
            sums: StageSums::default(),
            instant: (order > 2).then(|| Box::new(Instant::new(model, settings))),
            damping: (order > 2).then(|| Box::new(DampingRate::new(model))),
            guess: vec![0.0; model.dof()],
            solves: 0,
        }
    }

    /// Stages of a composed step.
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

    /// The robot at the end of the last step, if that is `q` and is at hand.
    pub fn placed_at(&self, q: &[f64]) -> Option<&Kinematics<f64>> {
        self.stepper.placed_at(q)
    }

    /// The servos of the last step.
    pub fn servos(&self) -> &[JointServo] {
        &self.servos
    }

    /// Whose friction goes on as in [`Stepper::keeps_sliding`].
    pub fn kept_slides(&mut self) -> &mut Vec<(usize, [f64; 2])> {
        &mut self.stepper.keeps_sliding
    }

    /// Slip of a contact or rate of a joint at the middle of the last step that was not composed, by its place
    /// among those held and then the joints.
    pub fn middle_slip(&self, group: usize) -> [f64; 2] {
        self.stepper.middle_slip(group)
    }

    /// How frictional problems were solved.
    pub fn friction_counts(&self) -> &FrictionCounts {
        self.stepper.friction_counts()
    }

    /// The next advance begins a step, it is not another trial of the last one.
    pub fn begin(&mut self) {
        self.stepper.forget_trials();
    }

    /// Normal forces \[N\] of the contacts that `from` holds, at that moment, with the velocity (n) there; none of a flow
    /// of order two.
    pub fn normal_forces(
        &mut self,
        from: &Departure<'_>,
        velocity: &[f64],
        forces: &mut Vec<f64>,
    ) -> Result<(), StepError> {
        match &mut self.instant {
            Some(instant) => instant.normal_forces(from, velocity, forces),
            None => Ok(()),
        }
    }

    /// Finds where the flow leads after `tau`: q and what decides it. `arrival.mean_velocity` holds starting
    /// values on entry: one block a stage (the first is used for steps that are not composed).
    pub fn advance(
        &mut self,
        from: &Departure<'_>,
        tau: f64,
        arrival: &mut Arrival,
    ) -> Result<(), StepError> {
        let n = from.p.len();
        arrival.q.resize(from.q.len(), 0.0);
        arrival.p.resize(n, 0.0);
        from.hand_over(arrival);
        if self.stages.len() > 1 && self.stepper.keeps_sliding.is_empty() {
            let free = from.held.is_empty() && from.joints.is_empty();
            if free || all_stick(from.held) {
                self.guess.copy_from_slice(&arrival.mean_velocity[..n]);
                let composed = self.compose(from, tau, arrival);
                self.stepper.two_sided = false;
                self.stepper.forget_trials();
                if composed == Ok(true) || free && composed.is_err() {
                    arrival.composed = true;
                    return composed.map(|_| ());
                }
                arrival.mean_velocity[..n].copy_from_slice(&self.guess);
            }
        }
        self.advance_once(from, tau, arrival)
    }

    /// As [`Flow::advance`] in one step of order two.
    pub fn advance_once(
        &mut self,
        from: &Departure<'_>,
        tau: f64,
        arrival: &mut Arrival,
    ) -> Result<(), StepError> {
        let n = from.p.len();
        from.hand_over(arrival);
        self.solves += 1;
        from.servos(0.5 * tau, &mut self.servos);
        self.stepper.time = from.time;
        let input = from.input(&self.servos, from.q, from.p, tau);
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
        // A composition solves whole steps at once.
        if arrival.composed {
            return Ok(());
        }
        let n = from.p.len();
        let report = self.stepper.finish(
            &from.input(&self.servos, from.q, from.p, tau),
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

    /// Where the branch ended in the trial that [`Flow::finish`] has just completed; of a composition nobody looks.
    pub fn branch_end(&mut self, arrival: &Arrival) -> Option<BranchEnd> {
        if arrival.composed {
            return None;
        }
        self.stepper.branch_end()
    }

    /// Runs all stages, two-sided. False when dampers are too fast for those that run backwards, when what is held does not
    /// rest at the start, when the step takes impulses that contacts and dry friction cannot exert, or when dampers work.
    fn compose(
        &mut self,
        from: &Departure<'_>,
        tau: f64,
        arrival: &mut Arrival,
    ) -> Result<bool, StepError> {
        let n = from.p.len();
        let backwards = self.stages.iter().fold(0.0, |least: f64, x| least.min(*x));
        from.servos(0.5 * tau, &mut self.servos);
        if let Some(damping) = &mut self.damping
            && damping.is_too_fast(from, &self.servos, -backwards * tau)?
        {
            return Ok(false);
        }
        self.q.copy_from_slice(from.q);
        self.p.copy_from_slice(from.p);
        self.sums.begin(from.held.len(), from.joints.len());
        self.stepper.two_sided = true;
        let mut begin = 0.0;
        for (stage, &gamma) in self.stages.iter().enumerate() {
            self.solves += 1;
            from.servos(begin + 0.5 * gamma * tau, &mut self.servos);
            self.stepper.time = from.time + begin;
            begin += gamma * tau;
            let v = &mut arrival.mean_velocity[stage * n..(stage + 1) * n];
            let input = from.input(&self.servos, &self.q, &self.p, gamma * tau);
            let (held, joints) = (&mut arrival.held, &mut arrival.joints);
            self.stepper.forget_trials();
            if stage == 0 {
                from.choose_modes(joints);
            }
            let mut start = self
                .stepper
                .advance(&input, held, joints, v, &mut arrival.q)?;
            if stage == 0 {
                if !from.rests(held, self.stepper.start_gaps()) {
                    return Ok(false);
                }
                // Rates that were not known before.
                if from.choose_modes(joints) {
                    start = self
                        .stepper
                        .advance(&input, held, joints, v, &mut arrival.q)?;
                }
            }
            let end = self
                .stepper
                .finish(&input, held, joints, v, &arrival.q, &mut arrival.p)?;
            if joints.iter().any(turns_back) {
                return Ok(false);
            }
            let damped = gamma * tau * self.stepper.damped_power(&input, v);
            self.sums.add(held, joints, damped);
            arrival.report.add_stage(&start);
            arrival.report.add_stage(&end);
            arrival.work.add_stage(&self.stepper.work);
            if stage + 1 < self.stages.len() {
                self.q.copy_from_slice(&arrival.q);
                self.p.copy_from_slice(&arrival.p);
            }
        }
        arrival.pulls = self.sums.pull();
        let Arrival { held, joints, .. } = arrival;
        self.sums.hand_over(tau, held, joints);
        let friction = self.stepper.joint_friction();
        let closed = held.iter().all(|h| h.gap <= from.closed_gap);
        Ok(closed
            && self
                .sums
                .are_admissible(from.contacts, held, joints, friction, tau))
    }
}

/// Whether all contacts stuck, or pressed without friction, at the end of the last step.
pub(super) fn all_stick(held: &[HeldContact]) -> bool {
    held.iter().all(|h| h.modes[1] == HeldMode::Stick)
}

/// Whether a joint moves against its direction.
fn turns_back(joint: &HeldJoint) -> bool {
    match (joint.modes[1], joint.rate) {
        (HeldMode::Slide(s), Some(rate)) => rate * s[0] < 0.0,
        _ => false,
    }
}
