//! Legs driven along the clocks of a gait by position control through motors.

use super::{Drive, DrivenJoint, LegProgram, WalkTimes};
use crate::dynamics::{JointServo, Motor};

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

impl Drive for GaitController {
    fn servos(&self, time: f64, _: Option<f64>, out: &mut Vec<JointServo>) {
        let stage = self.times.at(time);
        out.extend(self.legs.iter().map(|leg| {
            let (angle, rate) = leg.program.at(stage);
            JointServo {
                target: leg.zero + leg.direction * angle,
                target_rate: leg.direction * rate,
                motor: self.motor,
                ..leg.joint.servo(self.stiffness, self.damping)
            }
        }));
    }

    fn next_jump(&self, time: f64, _: Option<f64>) -> f64 {
        let legs = self.legs.iter();
        let corners = legs.map(|leg| leg.program.next_corner(&self.times, time));
        corners.fold(self.times.next_stage(time), f64::min)
    }
}
