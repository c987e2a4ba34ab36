//! One step, free or held: root finding on the discrete Euler-Lagrange equation, with the impulses of
//! contacts and of dry joint friction at both ends.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | φ_i, Dφ_i, T_i | frames of `Contacts` | gap, normal row, tangent rows of contact i |
//! | Λ = (λ_i, τ_i) | `start_impulse` | impulses at q₀ \[N s\] |
//! | Λ′ = (λ′_i, τ′_i) | `end_impulse` | impulses at q₁ \[N s\] |
//! | C | rows (normals, tangents, joints), r × n | at q₀, at the midpoint and at q₁ |
//! | P, F, v̄ | `midpoint`, `v` | momentum and force of the [`Midpoint`], mean velocity |
//! | b | `free` | velocities of the rows without impulses \[m/s\] |
//!
//! Start: p₀ + C(q₀)ᵀΛ = P − (h/2)F with 0 ≤ λ ⊥ φ(q₁) ≥ 0 and friction against the slip T(q̄)v̄. End:
//! p₁ = P + (h/2)F + C(q₁)ᵀΛ′ with 0 ≤ λ′ ⊥ Dφ(q₁)M⁻¹p₁ ≥ 0 and friction in the same direction, each half
//! in the cone of its own normal impulse: with one direction for both halves sliding is of second order.
//! Gaps are zero on the level of positions, so they do not drift; half of a resting body's weight
//! appears at each end. A joint with dry friction is a row of its own with the impulse (h/2) f at
//! most at each end: what sticks does not move.
//!
//! A two-sided step ([`Stepper::two_sided`]) has equations in place of these conditions, φ(q₁) = 0 and
//! T(q̄)v̄ = 0 by Λ, C(q₁)M⁻¹p₁ = 0 by Λ′, impulses of any sign; a joint that slides has −(h/2) f s. It is
//! its own inverse with −h, so symmetric compositions of it are of high order; whether the sums of its
//! impulses are ones that contacts can exert is for its caller to see.
//!
//! A free step has no rows; then only the equation of `free` is left. With rows the outer iteration is
//! Newton's on v̄ with the quasi-Newton matrix M plus the load of dampers, springs and servos (exact
//! where that contracts slowly); inside, a [`FrictionSolver`] finds the impulses on the Delassus
//! matrix C M⁻¹ Cᵀ of the first midpoint.

mod branch_end;
mod end;
mod free;
mod rows;
mod start;

pub(crate) use branch_end::{BranchEnd, is_other_mode};
pub use free::StepSettings;

use super::newton_elimination::NewtonElimination;
use super::residual::carry_to_end;
use super::{HeldContact, HeldJoint, Midpoint, StepError, StepReport};
use crate::contact::{BoxFace, ContactFrame, Contacts};
use crate::dynamics::{ArticulatedFactor, JointServo, Kinematics, Support, passive_load};
use crate::friction::{
    ContactRows, Delassus, FrictionCounts, FrictionRule, FrictionSolver, HeldMode,
};
use crate::model::Model;

/// What a step starts from and what acts on it.
#[derive(Debug, Clone, Copy)]
pub struct StepInput<'a> {
    /// The robot.
    pub model: &'a Model,
    /// Its contacts.
    pub contacts: &'a Contacts,
    /// Configuration at the start.
    pub q0: &'a [f64],
    /// Momentum at the start (n).
    pub p0: &'a [f64],
    /// Constant generalized forces (n).
    pub applied: &'a [f64],
    /// Efforts that follow the motion inside the step, taken at its middle.
    pub servos: &'a [JointServo],
    /// Length \[s\].
    pub h: f64,
    /// Time over which a closed contact's gap is brought to zero, that of a whole step \[s\]: over a piece of
    /// it the rounding of gaps would be a speed.
    pub whole: f64,
    /// A contact with a larger gap at the end of the step takes no impulse there \[m\].
    pub closed_gap: f64,
}

/// Work of a step \[J\].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepWork {
    /// Of applied forces and servos.
    pub actuators: f64,
    /// The part of it that each joint put in while it drove.
    pub actuators_positive: f64,
    /// Of dampers, joint friction and contact friction, ≤ 0.
    pub dissipative: f64,
}

impl StepWork {
    /// Adds the work of a stage of a composed step.
    pub(crate) fn add_stage(&mut self, stage: &Self) {
        self.actuators += stage.actuators;
        self.actuators_positive += stage.actuators_positive;
        self.dissipative += stage.dissipative;
    }
}

/// Takes steps; owns all memory for one model.
#[derive(Debug, Clone)]
pub struct Stepper {
    /// Settings of the root finding.
    pub settings: StepSettings,
    /// Whether steps hold all they are given by impulses of any sign and size: contacts stay closed, with
    /// friction they stick, and joints with dry friction go on as they did, at rest or in one direction.
    /// Then a step is symmetric, its length may be negative, and [`stages`](super::stages) compose it.
    pub two_sided: bool,
    /// The evaluated midpoint of the last step.
    pub midpoint: Midpoint<f64>,
    /// Work of the last step.
    pub work: StepWork,
    factor: ArticulatedFactor<f64>,
    exact: NewtonElimination,
    kinematics: Kinematics<f64>,
    solver: FrictionSolver,
    /// The contacts that everything below is laid out for.
    held: Vec<(usize, Option<BoxFace>)>,
    /// Whether it is laid out at all.
    laid_out: bool,
    /// Body and friction of each joint with dry friction.
    joints: Vec<(usize, usize, f64)>,
    /// Where the last step ended; empty when it failed. `end` and `kinematics` are those there.
    end_configuration: Vec<f64>,
    /// Where the last advance began: `start` holds the rows there.
    start_configuration: Vec<f64>,
    /// Of each contact, then of each joint, and of as many as there ever were.
    supports: Vec<Support>,
    delassus: Delassus,
    start: ContactRows,
    middle: ContactRows,
    end: ContactRows,
    free: Vec<f64>,
    /// Gaps over the step, slips and joint rates, r.
    targets: Vec<f64>,
    /// −Λ, r.
    negative: Vec<f64>,
    /// Velocities of the rows, r.
    rates: Vec<f64>,
    /// Those of the mean velocity at the midpoint, r.
    mean_rates: Vec<f64>,
    impulse: Vec<f64>,
    modes: Vec<HeldMode>,
    /// Impulses at the start that the last advance found, for the next trial of the same step, and its length;
    /// zero when there is none.
    trial_impulse: Vec<f64>,
    trial_length: f64,
    /// Whether impulses of least norm need not be tried.
    refuses_least_norm: bool,
    rules: Vec<FrictionRule>,
    /// Gaps of the held contacts at q₀ \[m\].
    start_gaps: Vec<f64>,
    /// The held contacts at q₁.
    end_frames: Vec<ContactFrame<f64>>,
    load: Vec<f64>,
    /// The load that `factor` carries.
    factored_load: Vec<f64>,
    /// Efforts of the servos at the midpoint (n).
    driven: Vec<f64>,
    efforts: Vec<f64>,
    residual: Vec<f64>,
    remaining: Vec<f64>,
    correction: Vec<f64>,
    /// M⁻¹p₁ of the last step with rows (n).
    end_velocity: Vec<f64>,
    history: Vec<f64>,
    /// Where the branch of the motion ends.
    branch: branch_end::BranchMemory,
}

impl Stepper {
    /// Memory for one model; grows with the number of held contacts.
    #[must_use]
    pub fn new(model: &Model, settings: StepSettings) -> Self {
        let n = model.dof();
        Self {
            settings,
            two_sided: false,
            midpoint: Midpoint::new(model),
            work: StepWork::default(),
            factor: ArticulatedFactor::new(model),
            exact: NewtonElimination::new(model),
            kinematics: Kinematics::new(model),
            solver: FrictionSolver::default(),
            held: Vec::new(),
            laid_out: false,
            joints: super::held_contact::rubbing_joints(model).collect(),
            end_configuration: Vec::with_capacity(model.configuration_len()),
            start_configuration: Vec::with_capacity(model.configuration_len()),
            supports: Vec::new(),
            delassus: Delassus::default(),
            start: ContactRows::default(),
            middle: ContactRows::default(),
            end: ContactRows::default(),
            free: Vec::new(),
            targets: Vec::new(),
            negative: Vec::new(),
            rates: Vec::new(),
            mean_rates: Vec::new(),
            impulse: Vec::new(),
            modes: Vec::new(),
            trial_impulse: Vec::new(),
            trial_length: 0.0,
            refuses_least_norm: false,
            rules: Vec::new(),
            start_gaps: Vec::new(),
            end_frames: Vec::new(),
            load: vec![0.0; n],
            factored_load: Vec::with_capacity(n),
            driven: vec![0.0; n],
            efforts: vec![0.0; n],
            residual: vec![0.0; n],
            remaining: vec![0.0; n],
            correction: vec![0.0; n],
            end_velocity: vec![0.0; n],
            history: Vec::with_capacity(settings.max_iterations + 1),
            branch: branch_end::BranchMemory::default(),
        }
    }

    /// Efforts of applied forces and servos at the middle of the last step, n.
    #[must_use]
    pub fn efforts(&self) -> &[f64] {
        &self.efforts
    }

    /// Velocity M⁻¹p₁ (n) at the end of the last step, if that had contacts or joints with dry friction.
    #[must_use]
    pub fn end_velocity(&self) -> Option<&[f64]> {
        (!self.end_configuration.is_empty()).then_some(&self.end_velocity)
    }

    /// Forgets what trials of one step hand on to each other: the next advance begins a step.
    pub fn forget_trials(&mut self) {
        self.trial_length = 0.0;
    }

    /// How frictional problems have been solved so far.
    #[must_use]
    pub fn friction_counts(&self) -> &FrictionCounts {
        &self.solver.counts
    }

    /// Where the branch of the motion ended in the last finished step, if it did.
    pub(crate) fn branch_end(&self) -> Option<BranchEnd> {
        self.branch.end
    }

    /// Gaps of the held contacts where the last step began \[m\].
    pub(crate) fn start_gaps(&self) -> &[f64] {
        &self.start_gaps
    }

    /// Friction \[N or N m\] of each joint with dry friction.
    pub(crate) fn joint_friction(&self) -> impl Iterator<Item = f64> {
        self.joints.iter().map(|joint| joint.2)
    }

    /// The rule of what is held, before slip gives friction a direction.
    fn rule(&self) -> FrictionRule {
        if self.two_sided {
            FrictionRule::TwoSided
        } else {
            FrictionRule::Coulomb
        }
    }

    /// Advances by a whole step: writes `q1` and `p1`. `v` (n) is the starting value of the mean velocity on
    /// entry and the solution on return. `held` are the contacts that must stay closed or open, `joints`
    /// one entry for each joint with dry friction ([`HeldJoint::of`]); both receive modes, impulses
    /// and velocities. Model and contacts are the same in every step, because rows of the last one
    /// may serve again.
    ///
    /// # Errors
    /// [`StepError::Size`] for slices that do not fit the model, [`StepError::NotConverged`],
    /// [`StepError::ContactsNotConverged`], [`StepError::SingularMass`], [`StepError::NotFinite`].
    pub fn step(
        &mut self,
        input: &StepInput<'_>,
        held: &mut [HeldContact],
        joints: &mut [HeldJoint],
        v: &mut [f64],
        q1: &mut [f64],
        p1: &mut [f64],
    ) -> Result<StepReport, StepError> {
        self.forget_trials();
        let mut report = self.advance(input, held, joints, v, q1)?;
        let end = self.finish(input, held, joints, v, q1, p1)?;
        report.contact_violation = report.contact_violation.max(end.contact_violation);
        Ok(report)
    }

    /// The first half of [`Stepper::step`], which decides where it goes: `v` and `q1`, with the impulses at
    /// the start. It may be repeated with another length before [`Stepper::finish`].
    ///
    /// # Errors
    /// As [`Stepper::step`].
    pub fn advance(
        &mut self,
        input: &StepInput<'_>,
        held: &mut [HeldContact],
        joints: &mut [HeldJoint],
        v: &mut [f64],
        q1: &mut [f64],
    ) -> Result<StepReport, StepError> {
        self.check_sizes(input, joints, v, q1)?;
        passive_load(input.model, input.h, &mut self.load);
        if held.is_empty() && self.joints.is_empty() {
            self.end_configuration.clear();
            return self.solve_free(input, v, q1);
        }
        self.begin(input, held);
        self.remember_branch(held, joints);
        self.update_slip(input, held, joints)?;
        self.warm_start(input, held, joints);
        let report = self.solve_start(input, held, v, q1)?;
        self.trial_impulse.clone_from(&self.impulse);
        self.trial_length = input.h;
        self.record(held, joints, 0, input.h);
        for (held, frame) in held.iter_mut().zip(&self.end_frames) {
            held.gap = frame.gap;
        }
        Ok(report)
    }

    /// The second half of [`Stepper::step`], after [`Stepper::advance`] with the same arguments: `p1`, with
    /// the impulses at the end.
    ///
    /// # Errors
    /// As [`Stepper::step`].
    pub fn finish(
        &mut self,
        input: &StepInput<'_>,
        held: &mut [HeldContact],
        joints: &mut [HeldJoint],
        v: &[f64],
        q1: &[f64],
        p1: &mut [f64],
    ) -> Result<StepReport, StepError> {
        let StepInput { model, h, .. } = *input;
        self.midpoint.end_momentum(model, v, h, p1);
        carry_to_end(model, v, h, &self.remaining, p1);
        self.account(input, v);
        let mut report = StepReport::default();
        self.branch.end = None;
        if held.is_empty() && joints.is_empty() {
            return Ok(report);
        }
        self.work.dissipative += self.friction_work(held, joints);
        self.follow_branch_to_start(input, held, joints);
        report.contact_violation = self.solve_end(input, held, joints, p1)?;
        self.follow_branch_to_end();
        self.work.dissipative += self.friction_work(held, joints);
        let refuses_least_norm = self.solver.refuses_least_norm();
        for held in held {
            held.duration = h;
            held.approach = 0.0;
            held.refuses_least_norm = refuses_least_norm;
        }
        for joint in joints {
            joint.duration = h;
            joint.refuses_least_norm = refuses_least_norm;
        }
        self.end_configuration.clear();
        self.end_configuration.extend_from_slice(q1);
        Ok(report)
    }

    /// Work of what acts at the midpoint.
    fn account(&mut self, input: &StepInput<'_>, v: &[f64]) {
        let h = input.h;
        self.work = StepWork {
            dissipative: h * self.midpoint.dissipated_power,
            ..StepWork::default()
        };
        for (i, v) in v.iter().enumerate() {
            self.efforts[i] = input.applied[i] + self.driven[i];
            let work = h * self.efforts[i] * v;
            self.work.actuators += work;
            self.work.actuators_positive += work.max(0.0);
        }
    }

    /// The midpoint with the efforts of the servos there, which also load the quasi-Newton matrix.
    fn evaluate(&mut self, input: &StepInput<'_>, v: &[f64]) {
        let StepInput { model, h, .. } = *input;
        self.midpoint.evaluate(model, input.q0, v, input.applied, h);
        if input.servos.is_empty() {
            self.driven.fill(0.0);
            return;
        }
        passive_load(model, h, &mut self.load);
        self.driven.fill(0.0);
        for servo in input.servos {
            let at = servo.v_index;
            let now = servo.effort(self.midpoint.configuration[servo.q_index], v[at]);
            self.driven[at] += now.effort;
            self.midpoint.force[at] += now.effort;
            let load = 0.5 * h * now.damping + 0.25 * h * h * now.stiffness;
            self.load[at] = (self.load[at] + load).max(0.0);
        }
    }

    fn check_sizes(
        &self,
        input: &StepInput<'_>,
        joints: &[HeldJoint],
        v: &[f64],
        q1: &[f64],
    ) -> Result<(), StepError> {
        let (n, length) = (input.model.dof(), input.model.configuration_len());
        let sizes = [
            ("q0", input.q0.len(), length),
            ("p0", input.p0.len(), n),
            ("applied forces", input.applied.len(), n),
            ("v", v.len(), n),
            ("q1", q1.len(), length),
            ("joints with dry friction", joints.len(), self.joints.len()),
        ];
        match sizes.into_iter().find(|(_, found, wanted)| found != wanted) {
            None => Ok(()),
            Some((what, found, expected)) => Err(StepError::Size {
                what,
                found,
                expected,
            }),
        }
    }

    /// Modes of the instant before and the impulses that are expected, for a start that lasts `h`.
    fn warm_start(&mut self, input: &StepInput<'_>, held: &[HeldContact], joints: &[HeldJoint]) {
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        let (contact_modes, joint_modes) = self.modes.split_at_mut(held.len());
        for ((h, rows), mode) in held.iter().zip(contacts).zip(contact_modes) {
            *mode = h.modes[1];
            self.impulse[rows.row..rows.row + rows.height()]
                .copy_from_slice(&h.expected(input.h)[..rows.height()]);
        }
        for ((joint, rows), mode) in joints.iter().zip(rubbing).zip(joint_modes) {
            *mode = joint.modes[1];
            self.impulse[rows.row] = joint.expected(input.h);
        }
        // What has just come into the conditions may let them have it again.
        let known = held.iter().all(|h| h.duration > 0.0);
        self.refuses_least_norm = known
            && (held.iter().any(|h| h.refuses_least_norm)
                || joints.iter().any(|j| j.refuses_least_norm));
        if self.trial_length != 0.0 {
            let share = input.h / self.trial_length;
            for (x, last) in self.impulse.iter_mut().zip(&self.trial_impulse) {
                *x = last * share;
            }
        }
    }

    /// Hands modes and impulses of the step's start (0) or end (1) over.
    fn record(&self, held: &mut [HeldContact], joints: &mut [HeldJoint], end: usize, length: f64) {
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        let (contact_modes, joint_modes) = self.modes.split_at(held.len());
        for ((h, rows), mode) in held.iter_mut().zip(contacts).zip(contact_modes) {
            h.record(end, *mode, rows, &self.impulse, length);
        }
        for ((joint, rows), mode) in joints.iter_mut().zip(rubbing).zip(joint_modes) {
            joint.record(end, *mode, self.impulse[rows.row], length);
        }
    }

    /// Work of the friction impulses at hand. They act while slips go from those of the step's end at which
    /// they act to those of the midpoint, so their work is that on the mean: exact for constant friction.
    fn friction_work(&self, held: &[HeldContact], joints: &[HeldJoint]) -> f64 {
        let (contacts, rubbing) = self.delassus.groups().split_at(held.len());
        let mut work = 0.0;
        for (h, rows) in held.iter().zip(contacts) {
            let slip = h.slip.unwrap_or_default();
            let middle = rows.tangential(&self.mean_rates);
            let pull = rows.tangential(&self.impulse);
            for t in 0..rows.tangents {
                work += 0.5 * pull[t] * (slip[t] + middle[t]);
            }
        }
        for (joint, rows) in joints.iter().zip(rubbing) {
            let rate = joint.rate.unwrap_or_default();
            work += 0.5 * self.impulse[rows.row] * (rate + self.mean_rates[rows.row]);
        }
        work
    }
}
