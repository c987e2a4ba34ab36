//! Joints that dry friction or a latch holds, taken out of the equations.
//!
//! A joint that rests goes on resting as long as its friction can hold it. With an infinite load in the
//! articulated-body factor it is part of its parent: it costs less than one that moves, and has no row. What
//! it takes of the right-hand side is the impulse that holds it; where that is more than (h/2) f the joint
//! is released: it gets its row, and its friction is found with those of the contacts. A latch holds whatever the load; a
//! joint without friction that it does not hold has no row.

use super::rows::Moment;
use super::{StepInput, Stepper};
use crate::discrete::held::{HeldContact, HeldJoint};
use crate::friction::HeldMode;
use crate::model::Model;

/// Share of its limit by which a joint may exceed it: rounding.
const OVERLOAD: f64 = 1e-10;

/// The joints with dry friction or a latch, and which of them are locked.
#[derive(Debug, Clone)]
pub(super) struct Locks {
    pub joints: Vec<RubbingJoint>,
    /// Indices into `joints` of those that have rows, ascending.
    pub with_rows: Vec<usize>,
    /// Of each coordinate (n) whether its joint is locked.
    pub of_coordinates: Vec<bool>,
}

/// A joint with dry friction or a latch.
#[derive(Debug, Clone, Copy)]
pub(super) struct RubbingJoint {
    pub body: usize,
    /// Index into the velocity.
    pub at: usize,
    /// Friction of the joint itself \[N or N m\].
    own: f64,
    /// Friction as it is, which a latch makes larger than any load.
    pub friction: f64,
    pub lock: Lock,
    /// Impulse of one that is locked; guess for one that has just been released.
    pub impulse: f64,
    /// Mode while rows are laid out anew.
    mode: HeldMode,
    /// Rate at the midpoint while rows are laid out anew.
    mean_rate: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Lock {
    /// It moves, or rests by its row.
    Free,
    Locked,
    /// It was locked when the step began.
    Released,
    /// It has no friction, and its latch is open.
    Absent,
}

impl RubbingJoint {
    /// Gives it a row, with a guess of its impulse and mode.
    fn release(&mut self, impulse: f64, mode: HeldMode) {
        self.lock = Lock::Released;
        self.impulse = impulse;
        self.mode = mode;
        self.mean_rate = 0.0;
    }
}

impl Locks {
    pub fn new(model: &Model) -> Self {
        let joints = crate::discrete::held::rubbing_joints(model);
        let joints = joints.map(|(body, at, friction)| RubbingJoint {
            body,
            at,
            own: friction,
            friction,
            lock: Lock::Free,
            impulse: 0.0,
            mode: HeldMode::Stick,
            mean_rate: 0.0,
        });
        Self {
            joints: joints.collect(),
            with_rows: Vec::new(),
            of_coordinates: vec![false; model.dof()],
        }
    }

    /// The joints that have rows.
    pub fn rubbing(&self) -> impl Iterator<Item = &RubbingJoint> {
        self.with_rows.iter().map(|&i| &self.joints[i])
    }

    /// Locks the joints that rest, if what is `lockable`: springs between points are no part of the factor.
    pub fn close(&mut self, joints: &[HeldJoint], lockable: bool) {
        for (own, joint) in self.joints.iter_mut().zip(joints) {
            let rests = joint.modes[1] == HeldMode::Stick && joint.rate == Some(0.0);
            own.friction = joint.friction(own.own);
            own.lock = if own.friction == 0.0 {
                Lock::Absent
            } else if lockable && rests && joint.unlocked_steps == 0 {
                Lock::Locked
            } else {
                Lock::Free
            };
        }
        self.list();
    }

    fn list(&mut self) {
        self.with_rows.clear();
        let free = self.joints.iter().enumerate();
        let free = free.filter(|(_, joint)| matches!(joint.lock, Lock::Free | Lock::Released));
        self.with_rows.extend(free.map(|(i, _)| i));
        for joint in &self.joints {
            self.of_coordinates[joint.at] = joint.lock == Lock::Locked;
        }
    }

    /// Makes the entries of locked joints (n) infinite.
    pub fn load(&self, load: &mut [f64]) {
        for joint in self.locked() {
            load[joint.at] = f64::INFINITY;
        }
    }

    /// The joints that are locked.
    pub fn locked(&self) -> impl Iterator<Item = &RubbingJoint> {
        self.joints.iter().filter(|j| j.lock == Lock::Locked)
    }

    /// Whether there is none.
    pub fn are_open(&self) -> bool {
        self.locked().next().is_none()
    }
}

impl Stepper {
    /// Releases the joints that the last solution overloads, at the `start` or end of the step; true when there are
    /// any. Rows and the guesses for impulses and modes are laid out anew.
    pub(super) fn release(
        &mut self,
        input: &StepInput<'_>,
        held: &[HeldContact],
        start: bool,
    ) -> bool {
        if self.two_sided {
            return false;
        }
        let mut any = false;
        for at in 0..self.locks.joints.len() {
            let Some(impulse) = self.overload(at, start) else {
                continue;
            };
            any = true;
            let joint = &mut self.locks.joints[at];
            let sign = impulse.signum();
            let limit = self.half_duration * joint.friction;
            joint.release(limit * sign, HeldMode::Slide([-sign, 0.0]));
        }
        if any {
            self.lay_out_released(input, held);
        }
        any
    }

    /// Keeps the impulses at hand for the case that those of least norm overload a lock.
    pub(super) fn keep_guess(&mut self) {
        if !self.locks.are_open() {
            self.guess.clone_from(&self.impulse);
        }
    }

    /// Whether the last solution overloads a lock by impulses of least norm, at the `start` or end of the step: others may
    /// not.
    pub(super) fn is_overloaded_by_least_norm(&self, start: bool) -> bool {
        let mut joints = 0..self.locks.joints.len();
        !self.two_sided
            && self.solver.is_least_norm()
            && self.delassus.groups().iter().any(|group| group.normal)
            && joints.any(|at| self.overload(at, start).is_some())
    }

    /// What a lock gives, if that is more than its joint's friction can.
    fn overload(&self, at: usize, start: bool) -> Option<f64> {
        let joint = &self.locks.joints[at];
        if joint.lock != Lock::Locked {
            return None;
        }
        let limit = self.half_duration * joint.friction;
        let taken = self.factor.taken_by_lock(joint.body);
        // At the start the lock gives what it takes of the residual; at the end the opposite.
        let impulse = if start { taken } else { -taken };
        (impulse.abs() > (1.0 + OVERLOAD) * limit).then_some(impulse)
    }

    /// Releases all joints at the start of the step, for a matrix that knows no locks; true when there are any.
    pub(super) fn release_all(&mut self, input: &StepInput<'_>, held: &[HeldContact]) -> bool {
        if self.locks.are_open() {
            return false;
        }
        for joint in &mut self.locks.joints {
            if joint.lock == Lock::Locked {
                joint.release(self.factor.taken_by_lock(joint.body), HeldMode::Stick);
            }
        }
        self.lay_out_released(input, held);
        true
    }

    fn lay_out_released(&mut self, input: &StepInput<'_>, held: &[HeldContact]) {
        let rows = self.delassus.groups()[held.len()..]
            .iter()
            .zip(&self.locks.with_rows);
        for ((group, &i), mode) in rows.zip(&self.modes[held.len()..]) {
            let joint = &mut self.locks.joints[i];
            joint.impulse = self.impulse[group.row];
            joint.mode = *mode;
            joint.mean_rate = self.mean_rates[group.row];
        }
        self.locks.list();
        self.matrices.forget();
        self.lay_out(input, held);
        // The rows at the start belong to the old layout.
        self.place_at_start(input);
        self.fill(input, held, Moment::Start);
        let rows = self.delassus.groups()[held.len()..]
            .iter()
            .zip(&self.locks.with_rows);
        for ((group, &i), mode) in rows.zip(&mut self.modes[held.len()..]) {
            let joint = &self.locks.joints[i];
            self.impulse[group.row] = joint.impulse;
            *mode = joint.mode;
            self.mean_rates[group.row] = joint.mean_rate;
        }
        self.rules.clear();
        self.rules.resize(self.modes.len(), self.rule());
        self.keep_sliding();
    }

    /// Keeps the impulses of locked joints at the start, and takes them out of what remains of the residual.
    pub(super) fn record_locked(&mut self) {
        for joint in &mut self.locks.joints {
            if joint.lock == Lock::Locked {
                joint.impulse = self.factor.taken_by_lock(joint.body);
                self.remaining[joint.at] -= joint.impulse;
            }
        }
    }

    /// Keeps the impulses of locked joints at the end, and adds them to the momentum `p1`.
    pub(super) fn record_locked_at_end(&mut self, p1: &mut [f64]) {
        for joint in &mut self.locks.joints {
            if joint.lock == Lock::Locked {
                joint.impulse = -self.factor.taken_by_lock(joint.body);
                p1[joint.at] += joint.impulse;
            }
        }
    }
}
