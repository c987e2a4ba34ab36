//! Matrices at the beginning of a step in place of those at its middle: the end of the step before has left them.
//!
//! The quasi-Newton matrix need not be that of the midpoint: M(q₀), with G of the rows there, is off it by half of what the
//! step turns, as M(q̄) is off the exact Newton matrix. It is M(q₁) of the step before, which has been factorised for the
//! impulses at its end, and the same for all trials of one step, whatever their length. The end of a trial that may not be
//! taken has its own matrices, and those of the start wait beside them. Joints that are locked are part of all of them.

use super::rows::Moment;
use super::start::fastest_turn;
use super::{StepInput, Stepper};
use crate::dynamics::{ArticulatedFactor, SingularMass};
use crate::friction::Delassus;
use crate::model::Model;

/// A limb that turns further in the step \[rad\] wants the matrix of the midpoint.
const FAR_TURN: f64 = 0.02;

/// Which matrices are at hand, and those that wait.
#[derive(Debug, Clone)]
pub(super) struct Matrices {
    /// Whether the factor of M, and G, are those at the beginning of the step, without load but that of the locks.
    pub at_start: [bool; 2],
    /// What they were before the end of the trial had its own; those of a start wait then.
    before_end: Option<[bool; 2]>,
    factor: ArticulatedFactor<f64>,
    delassus: Delassus,
}

impl Matrices {
    /// Memory for one model.
    pub(super) fn new(model: &Model) -> Self {
        Self {
            at_start: [false; 2],
            before_end: None,
            factor: ArticulatedFactor::new(model),
            delassus: Delassus::beside(),
        }
    }

    /// Rows are laid out anew, as those of `delassus`.
    pub(super) fn lay_out(&mut self, delassus: &Delassus) {
        self.delassus.lay_out_like(delassus);
        self.at_start[1] = false;
        if let Some([_, delassus]) = &mut self.before_end {
            *delassus = false;
        }
    }

    /// Other joints are locked: none of what there is belongs to that.
    pub(super) fn forget(&mut self) {
        self.at_start = [false; 2];
        if let Some(waiting) = &mut self.before_end {
            *waiting = [false; 2];
        }
    }

    /// Sets the limits of joints, which follow on so many contacts.
    pub(super) fn set_joint_limits(&mut self, contacts: usize, limits: impl Iterator<Item = f64>) {
        self.delassus.set_joint_limits(contacts, limits);
    }
}

impl Stepper {
    /// Makes room for the matrices at the end of a trial.
    pub(super) fn put_by_matrices(&mut self) {
        let at_start = std::mem::take(&mut self.matrices.at_start);
        if self.matrices.before_end.is_none() {
            self.matrices.before_end = Some(at_start);
            if at_start[0] {
                self.exchange_matrices();
            }
        }
    }

    /// Takes the matrices for another trial of a step back, or those at the end of the step before if that is where this one
    /// begins, `with_rows` also those of the rows there.
    pub(super) fn take_matrices(&mut self, begins_there: bool, with_rows: bool) {
        let before_end = self.matrices.before_end.take();
        if self.trial_length == 0.0 {
            let at_end = begins_there && before_end.is_some() && self.has_factored_locks();
            self.matrices.at_start = [at_end, at_end && with_rows];
            // Borrowed factors would make other roundings than those of a run that is taken up here.
            self.delassus.renumber();
        } else if let Some(at_start) = before_end.filter(|at_start| at_start[0]) {
            self.exchange_matrices();
            self.matrices.at_start = at_start;
        }
    }

    fn exchange_matrices(&mut self) {
        std::mem::swap(&mut self.factor, &mut self.matrices.factor);
        std::mem::swap(&mut self.delassus, &mut self.matrices.delassus);
    }

    /// Whether the joints that are locked were so in the last factor with a load.
    fn has_factored_locks(&self) -> bool {
        let were = self.factored_load.iter().map(|load| load.is_infinite());
        were.eq(self.locks.of_coordinates.iter().copied())
    }

    /// Whether a step from the beginning of which the mean velocity `v` leads is solved with the matrices there. Loads of dampers
    /// and servos on what moves are none of those.
    pub(super) fn is_solved_from_start(&self, input: &StepInput<'_>, v: &[f64]) -> bool {
        !self.two_sided
            && self.springs.is_empty()
            && (self.load.iter().zip(&self.locks.of_coordinates))
                .all(|(load, locked)| *load <= 0.0 || *locked)
            && (input.h * fastest_turn(input.model, v)).abs() <= FAR_TURN
    }

    /// Provides the matrices at the beginning of the step, where `start` has its rows.
    pub(super) fn factor_at_start(&mut self, input: &StepInput<'_>) -> Result<(), SingularMass> {
        let model = input.model;
        if self.matrices.at_start == [true; 2] {
            return Ok(());
        }
        self.place_at_start(input);
        if !self.matrices.at_start[0] {
            self.factor_with_locks(model)?;
        }
        self.update_delassus(model, Moment::Start);
        self.matrices.at_start = [true; 2];
        self.factored_length = 0.0;
        Ok(())
    }

    /// The factor of M where `kinematics` stands, without load but that of the locks.
    pub(super) fn factor_with_locks(&mut self, model: &Model) -> Result<(), SingularMass> {
        self.factored_load.clear();
        self.factored_load.resize(model.dof(), 0.0);
        self.locks.load(&mut self.factored_load);
        let load = Some(&self.factored_load[..]);
        self.factor.factor_loaded(model, &self.kinematics, load)
    }
}
