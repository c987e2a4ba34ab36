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
//! matrix C M⁻¹ Cᵀ of the first midpoint or of the start (`matrices`). Springs between points are part of both matrices
//! (`springs`). An iteration whose whole corrections do not converge begins again with damped ones
//! (`damping`).

mod branch_end;
mod damping;
mod end;
mod free;
mod hand_over;
mod impulses;
mod input;
mod locks;
mod matrices;
mod places;
mod rows;
mod springs;
mod start;
mod work;

pub(crate) use branch_end::BranchEnd;
pub use free::StepSettings;
pub use input::StepInput;
pub use work::StepWork;

use self::damping::Damping;
use self::springs::PointSprings;
use super::held::{HeldContact, HeldJoint};
use super::midpoint::{Midpoint, NewtonElimination, carry_to_end};
use super::{StepError, StepReport};
use crate::contact::{BoxFace, ContactFrame};
use crate::dynamics::{ArticulatedFactor, Kinematics, Support, passive_load};
use crate::friction::{
    ContactRows, Delassus, FrictionCounts, FrictionRule, FrictionSolver, HeldMode,
};
use crate::model::Model;
use locks::{Lock, Locks};
use matrices::Matrices;

/// Takes steps; owns all memory for one model.
#[derive(Debug, Clone)]
pub struct Stepper {
    /// Settings of the root finding.
    pub settings: StepSettings,
    /// Whether steps hold all they are given by impulses of any sign and size: contacts stay closed, with
    /// friction they stick, and joints with dry friction go on as they did, at rest or in one direction.
    /// Then a step is symmetric, its length may be negative, and [`stages`](super::stages) compose it.
    pub two_sided: bool,
    /// Contacts and joints, by their places among those of the step, whose friction goes on acting against these
    /// directions (unit, in their tangents) also where their slip has turned: the smooth continuation of slides, of which
    /// the first slip passes zero at the moment at which its slide ends.
    pub keeps_sliding: Vec<(usize, [f64; 2])>,
    /// When the step begins \[s\], which terrain that moves by itself must know.
    pub time: f64,
    /// The evaluated midpoint of the last step.
    pub midpoint: Midpoint<f64>,
    /// Work of the last step.
    pub work: StepWork,
    factor: ArticulatedFactor<f64>,
    springs: PointSprings,
    exact: NewtonElimination,
    /// Whether `exact` belongs to the midpoint at hand.
    exact_is_factored: bool,
    damping: Damping,
    kinematics: Kinematics<f64>,
    solver: FrictionSolver,
    /// The contacts that everything below is laid out for.
    held: Vec<(usize, Option<BoxFace>)>,
    /// Whether two of them are between the same bodies: they may hold one point.
    shares_bodies: bool,
    /// The joints that have rows, by their indices among those with dry friction.
    rubbing: Vec<usize>,
    /// Whether it is laid out at all.
    laid_out: bool,
    locks: Locks,
    /// Half the length of the step at hand \[s\].
    half_duration: f64,
    /// Where the last step ended; empty when it failed. `end` and `kinematics` are those there.
    end_configuration: Vec<f64>,
    /// When it ended \[s\].
    end_time: f64,
    /// Where the last advance began: `start` holds the rows there.
    start_configuration: Vec<f64>,
    /// When it began \[s\].
    start_time: f64,
    /// Of each contact, then of each joint, and of as many as there ever were.
    supports: Vec<Support>,
    delassus: Delassus,
    matrices: Matrices,
    start: ContactRows,
    middle: ContactRows,
    end: ContactRows,
    free: Vec<f64>,
    /// Gaps over the step, slips and joint rates, r.
    targets: Vec<f64>,
    /// What surfaces that move have along the tangents at the start, the middle and the end of the step, r.
    drives: [Vec<f64>; 3],
    /// What velocities at the end are stopped to where there is no better \[m/s\].
    resolution: f64,
    /// −Λ, r.
    negative: Vec<f64>,
    /// Velocities of the rows, r.
    rates: Vec<f64>,
    /// Those of the mean velocity at the midpoint, r.
    mean_rates: Vec<f64>,
    impulse: Vec<f64>,
    modes: Vec<HeldMode>,
    /// Speeds of slides at the middle of the last step \[m/s\], one for each of `modes`.
    slip_speeds: Vec<f64>,
    /// Impulses at the start that the last advance found, for the next trial of the same step, and its length;
    /// zero when there is none.
    trial_impulse: Vec<f64>,
    trial_length: f64,
    /// Whether impulses of least norm need not be tried.
    refuses_least_norm: bool,
    /// Impulses before those of least norm, r.
    guess: Vec<f64>,
    /// Impulses that those at hand have gone halfway from, r.
    left_impulse: Vec<f64>,
    rules: Vec<FrictionRule>,
    /// Gaps of the held contacts at q₀ \[m\].
    start_gaps: Vec<f64>,
    /// The held contacts at q₁.
    end_frames: Vec<ContactFrame<f64>>,
    load: Vec<f64>,
    /// Length of the start whose midpoint `factor` and `delassus` belong to; zero when they are of something
    /// else.
    factored_length: f64,
    /// The load that `factor` carries.
    factored_load: Vec<f64>,
    /// Efforts of the servos at the midpoint (n).
    driven: Vec<f64>,
    /// Load of the servos, which is part of `load` (n).
    driven_load: Vec<f64>,
    /// At which limit of its effort each servo was at the last midpoint.
    limited: Vec<work::Limited>,
    /// Whether one is taken there as it were without limits.
    bridges: bool,
    efforts: Vec<f64>,
    residual: Vec<f64>,
    remaining: Vec<f64>,
    correction: Vec<f64>,
    /// Slips of the held contacts at the start of the step, then rates of the joints with dry friction.
    start_slips: Vec<[f64; 2]>,
    /// M⁻¹p₀ of the last step that had to know it (n).
    start_velocity: Vec<f64>,
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
            keeps_sliding: Vec::new(),
            time: 0.0,
            midpoint: Midpoint::new(model),
            work: StepWork::default(),
            factor: ArticulatedFactor::new(model),
            springs: PointSprings::new(model),
            exact: NewtonElimination::new(model),
            exact_is_factored: false,
            damping: Damping::new(n, settings.max_iterations),
            kinematics: Kinematics::new(model),
            solver: FrictionSolver::default(),
            held: Vec::new(),
            shares_bodies: false,
            rubbing: Vec::new(),
            laid_out: false,
            locks: Locks::new(model),
            half_duration: 0.0,
            end_configuration: Vec::with_capacity(model.configuration_len()),
            end_time: 0.0,
            start_configuration: Vec::with_capacity(model.configuration_len()),
            start_time: 0.0,
            supports: Vec::new(),
            delassus: Delassus::default(),
            matrices: Matrices::new(model),
            start: ContactRows::of_velocities(),
            middle: ContactRows::of_velocities(),
            end: ContactRows::of_velocities(),
            free: Vec::new(),
            targets: Vec::new(),
            drives: Default::default(),
            resolution: 0.0,
            negative: Vec::new(),
            rates: Vec::new(),
            mean_rates: Vec::new(),
            impulse: Vec::new(),
            modes: Vec::new(),
            slip_speeds: Vec::new(),
            trial_impulse: Vec::new(),
            trial_length: 0.0,
            refuses_least_norm: false,
            guess: Vec::new(),
            left_impulse: Vec::new(),
            rules: Vec::new(),
            start_gaps: Vec::new(),
            end_frames: Vec::new(),
            load: vec![0.0; n],
            factored_length: 0.0,
            factored_load: Vec::with_capacity(n),
            driven: vec![0.0; n],
            driven_load: vec![0.0; n],
            limited: Vec::with_capacity(n),
            bridges: false,
            efforts: vec![0.0; n],
            residual: vec![0.0; n],
            remaining: vec![0.0; n],
            correction: vec![0.0; n],
            start_slips: Vec::new(),
            start_velocity: vec![0.0; n],
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

    /// The robot where the last step that had contacts or joints with dry friction has ended, if that is `q`.
    pub(crate) fn placed_at(&self, q: &[f64]) -> Option<&Kinematics<f64>> {
        (self.end_configuration == q).then_some(&self.kinematics)
    }

    /// Forgets what trials of one step hand on to each other: the next advance begins a step.
    pub fn forget_trials(&mut self) {
        self.trial_length = 0.0;
        self.factored_length = 0.0;
    }

    /// How frictional problems have been solved so far.
    #[must_use]
    pub fn friction_counts(&self) -> &FrictionCounts {
        &self.solver.counts
    }

    /// Gaps of the held contacts where the last step began \[m\].
    pub(crate) fn start_gaps(&self) -> &[f64] {
        &self.start_gaps
    }

    /// Friction \[N or N m\] of each joint with dry friction.
    pub(crate) fn joint_friction(&self) -> impl Iterator<Item = f64> {
        self.locks.joints.iter().map(|joint| joint.friction)
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
        if held.is_empty() && self.locks.joints.is_empty() {
            self.end_configuration.clear();
            return self.settle(v, |stepper, v| stepper.solve_free(input, v, q1));
        }
        // Trials of one step find the same joints locked.
        if self.trial_length == 0.0 {
            self.locks.close(joints, self.springs.is_empty());
        }
        for joint in self.locks.locked() {
            v[joint.at] = 0.0;
        }
        self.begin(input, held);
        self.remember_branch(held, joints);
        self.update_slip(input, held, joints)?;
        let report = self.settle(v, |stepper, v| {
            if stepper.damping.active {
                stepper.release_all(input, held);
            }
            // A second attempt begins with the same impulses as the first.
            stepper.warm_start(input, held, joints);
            stepper.solve_start(input, held, v, q1)
        })?;
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
        self.branch.start_waits = false;
        self.branch.end_waits = false;
        if held.is_empty() && joints.is_empty() {
            return Ok(report);
        }
        self.keep_start_slips(held, joints);
        self.follow_branch_to_start(input, held, joints);
        report.contact_violation = self.solve_end(input, held, joints, q1, p1)?;
        self.arrive_on_branch(input);
        self.work.dissipative += self.friction_work(held, joints);
        self.work.surfaces += self.surface_work(input, held);
        self.work.captured += self.capture_work(held);
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
        self.end_time = self.time + h;
        Ok(report)
    }
}
