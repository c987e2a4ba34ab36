//! Dampers that are faster than a step.
//!
//! A joint of inertia M with a damper c comes to the rate that the other forces ask for within M/c. In a step of h the
//! midpoint rule multiplies what it is away from that rate by (1 − x)/(1 + x), x = hc/2M: beyond x = 1 that changes its sign, and
//! hardly shrinks where the damper is fast. Where an impact, or the beginning of a motion, sets such a joint moving, the
//! pieces after it therefore begin at M/c and double, up to whole steps: one of them has x near 1 for every
//! damper, and what remains of all is next to nothing.

use super::Simulation;
use super::piece::GROWTH;
use crate::control::Drive;
use crate::dynamics::{JointServo, Kinematics, joint_dampers, mass_diagonal};
use crate::model::Model;

/// Share of a step that no piece begins with less than.
const SHORTEST: f64 = 1.0 / (1 << 24) as f64;

/// The inertias and dampers of joints.
#[derive(Debug)]
pub(super) struct Relaxation {
    /// Diagonal of M where all coordinates are zero, n: the inertia of a joint while those beyond it are damped as well.
    inertias: Vec<f64>,
    /// c of the robot's own dampers, n.
    dampers: Vec<f64>,
    /// The same with those of servos.
    with_servos: Vec<f64>,
    servos: Vec<JointServo>,
}

impl Relaxation {
    pub fn new(model: &Model) -> Self {
        let mut kinematics = Kinematics::new(model);
        kinematics.update_placements(model, &model.neutral_configuration());
        let mut dampers = vec![0.0; model.dof()];
        joint_dampers(model, &mut dampers);
        Self {
            inertias: mass_diagonal(model, &kinematics),
            with_servos: dampers.clone(),
            dampers,
            servos: Vec::new(),
        }
    }

    /// The shortest time M/c of the dampers that a step of `h` would let ring, where `moved` says of a coordinate that it
    /// has been set moving.
    fn shortest(
        &mut self,
        h: f64,
        drive: Option<&dyn Drive>,
        (time, first_impact): (f64, Option<f64>),
        moved: impl Fn(usize) -> bool,
    ) -> Option<f64> {
        self.with_servos.copy_from_slice(&self.dampers);
        self.servos.clear();
        if let Some(drive) = drive {
            drive.servos(time, first_impact, &mut self.servos);
        }
        for servo in &self.servos {
            self.with_servos[servo.v_index] += servo.damping.max(0.0);
        }
        let dampers = self.inertias.iter().zip(&self.with_servos).enumerate();
        dampers
            .filter(|(i, (inertia, damper))| h * *damper > 2.0 * *inertia && moved(*i))
            .map(|(_, (inertia, damper))| (inertia / damper).max(SHORTEST * h))
            .min_by(f64::total_cmp)
    }
}

impl Simulation {
    /// Begins with short pieces where a jump to the velocity `after` (n) sets a joint moving whose damper is faster than a step.
    pub(super) fn relax_after_jump(&mut self, after: &[f64]) {
        let least = self.settings.capture_speed.max(self.settings.rest_speed);
        let before = &self.node.velocity;
        let moved = |i: usize| (after[i] - before[i]).abs() > least;
        let moment = (self.state.time, self.state.first_impact);
        let h = self.settings.time_step;
        let found = self
            .relaxation
            .shortest(h, self.drive.as_deref(), moment, moved);
        if let Some(time) = found {
            self.state.relaxing = Some(self.state.relaxing.map_or(time, |known| known.min(time)));
        }
    }

    /// The same at the beginning of a motion, whose velocities are nobody's.
    pub(super) fn relax_from_start(&mut self) {
        if self.state.relaxing != Some(0.0) {
            return;
        }
        let moment = (self.state.time, self.state.first_impact);
        let h = self.settings.time_step;
        self.state.relaxing = self
            .relaxation
            .shortest(h, self.drive.as_deref(), moment, |_| true);
    }

    /// The longest piece there may be \[s\].
    pub(super) fn longest_while_relaxing(&self) -> f64 {
        self.state.relaxing.unwrap_or(f64::INFINITY)
    }

    /// After a piece of `tau`.
    pub(super) fn relax(&mut self, tau: f64) {
        let next = self.state.relaxing.map(|allowed| allowed.max(GROWTH * tau));
        self.state.relaxing = next.filter(|next| *next < self.settings.time_step);
    }
}
