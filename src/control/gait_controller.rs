//! Legs driven along the clocks of a gait by position control through motors.

use super::{ControlError, Controller, DrivenJoint, LegProgram, Motor, Observation, WalkTimes};

/// One leg on its joint. Leg angles grow in the direction of walking; joints may count either way.
#[derive(Debug, Clone, PartialEq)]
pub struct GaitLeg {
    /// The joint.
    pub joint: DrivenJoint,
    /// +1 when a positive turn of the joint walks forwards, −1 when a negative one does.
    pub direction: f64,
    /// Position of the joint at which the leg's angle is 0 \[rad\].
    pub zero: f64,
    /// Where the leg should be.
    pub program: LegProgram,
}

/// Walks by a gait: effort = stiffness (α* − α) + damping (α̇* − α̇) on each leg's angle α, within the
/// torque limit and the motor's speed-torque line.
#[derive(Debug, Clone, PartialEq)]
pub struct GaitController {
    /// When to walk.
    pub times: WalkTimes,
    /// The legs.
    pub legs: Vec<GaitLeg>,
    /// \[N m/rad\].
    pub stiffness: f64,
    /// \[N m s/rad\].
    pub damping: f64,
    /// The same motor at every leg, if it has limits.
    pub motor: Option<Motor>,
}

impl Controller for GaitController {
    fn efforts(
        &mut self,
        observation: &Observation<'_>,
        efforts: &mut [f64],
    ) -> Result<(), ControlError> {
        let stage = self.times.at(observation.time);
        for leg in &self.legs {
            let (angle, rate) = leg.program.at(stage);
            let turned = leg.direction * (observation.q[leg.joint.q_index] - leg.zero);
            let speed = leg.direction * observation.v[leg.joint.v_index];
            let wanted = self.stiffness * (angle - turned) + self.damping * (rate - speed);
            let given = self.motor.map_or(wanted, |m| m.limit(wanted, speed));
            leg.joint.drive(leg.direction * given, efforts);
        }
        Ok(())
    }
}
