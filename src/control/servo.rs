//! Proportional-derivative position control of joints.

use super::{ControlError, Controller, DrivenJoint, Observation, Schedule};

/// One joint under position control: effort = kp (target − q) + kd (target rate − v) + feed-forward,
/// within the effort limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Servo {
    /// The joint.
    pub joint: DrivenJoint,
    /// \[N m/rad or N/m\].
    pub stiffness: f64,
    /// \[N m s/rad or N s/m\].
    pub damping: f64,
    /// Wanted position over time \[rad or m\]; its slope is the wanted rate.
    pub target: Schedule,
    /// Effort added over time \[N m or N\].
    pub feed_forward: Schedule,
}

impl Servo {
    /// Effort that moves the joint to `position` with `rate`, before feed-forward.
    #[must_use]
    pub fn effort(&self, observation: &Observation<'_>, position: f64, rate: f64) -> f64 {
        self.stiffness * (position - observation.q[self.joint.q_index])
            + self.damping * (rate - observation.v[self.joint.v_index])
    }
}

/// Position control of several joints.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServoController {
    /// The joints.
    pub servos: Vec<Servo>,
}

impl Controller for ServoController {
    fn efforts(
        &mut self,
        observation: &Observation<'_>,
        efforts: &mut [f64],
    ) -> Result<(), ControlError> {
        for servo in &self.servos {
            let (position, rate) = servo.target.at(observation.time);
            let (feed_forward, _) = servo.feed_forward.at(observation.time);
            let effort = servo.effort(observation, position, rate) + feed_forward;
            servo.joint.drive(effort, efforts);
        }
        Ok(())
    }
}

/// Holds joints at their targets until the first impact, then turns them at a constant rate: the
/// controller of \[SM\] §VII.B.
#[derive(Debug, Clone, PartialEq)]
pub struct HoldThenSpin {
    /// The joints; the targets are the positions to hold.
    pub servos: Vec<Servo>,
    /// Rate after the first impact \[rad/s\].
    pub rate: f64,
    /// Time between the first impact and the start of the turn \[s\].
    pub delay: f64,
}

impl Controller for HoldThenSpin {
    fn efforts(
        &mut self,
        observation: &Observation<'_>,
        efforts: &mut [f64],
    ) -> Result<(), ControlError> {
        let turning = observation
            .first_impact
            .map(|impact| observation.time - impact - self.delay)
            .filter(|elapsed| *elapsed > 0.0);
        for servo in &self.servos {
            let (hold, _) = servo.target.at(observation.time);
            let (position, rate) = match turning {
                None => (hold, 0.0),
                Some(elapsed) => (hold + self.rate * elapsed, self.rate),
            };
            servo
                .joint
                .drive(servo.effort(observation, position, rate), efforts);
        }
        Ok(())
    }
}
