//! Proportional-derivative position control of joints.

use super::{Drive, DrivenJoint, Schedule};
use crate::dynamics::JointServo;

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
    /// The servo that moves the joint to `position` with `rate`.
    fn towards(&self, position: f64, rate: f64, feed_forward: f64) -> JointServo {
        JointServo {
            target: position,
            target_rate: rate,
            feed_forward,
            ..self.joint.servo(self.stiffness, self.damping)
        }
    }
}

/// Position control of several joints.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ServoController {
    /// The joints.
    pub servos: Vec<Servo>,
}

impl Drive for ServoController {
    fn servos(&self, time: f64, _: Option<f64>, out: &mut Vec<JointServo>) {
        out.extend(self.servos.iter().map(|servo| {
            let (position, rate) = servo.target.at(time);
            let (feed_forward, _) = servo.feed_forward.at(time);
            servo.towards(position, rate, feed_forward)
        }));
    }

    fn next_jump(&self, time: f64, _: Option<f64>) -> f64 {
        let schedules = self
            .servos
            .iter()
            .flat_map(|s| [&s.target, &s.feed_forward]);
        schedules
            .map(|s| s.next_jump(time))
            .fold(f64::INFINITY, f64::min)
    }
}

/// Holds joints at their targets until the first impact, then turns them at a constant rate: the
/// controller of \[SM\] §VII.B. With a start it waits for no impact, and what it does has the period of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct HoldThenSpin {
    /// The joints; the targets are the positions to hold.
    pub servos: Vec<Servo>,
    /// Rate after the first impact \[rad/s\].
    pub rate: f64,
    /// Time between the first impact and the start of the turn \[s\].
    pub delay: f64,
    /// When the turn begins instead \[s\]; before zero when it is under way at the start.
    pub start: Option<f64>,
}

impl HoldThenSpin {
    /// When the turn begins \[s\], if that is known.
    fn begins(&self, first_impact: Option<f64>) -> Option<f64> {
        self.start
            .or(first_impact.map(|impact| impact + self.delay))
    }
}

impl Drive for HoldThenSpin {
    fn servos(&self, time: f64, first_impact: Option<f64>, out: &mut Vec<JointServo>) {
        let turning = self
            .begins(first_impact)
            .map(|begun| time - begun)
            .filter(|elapsed| *elapsed > 0.0);
        out.extend(self.servos.iter().map(|servo| {
            let (hold, _) = servo.target.at(time);
            let (position, rate) = match turning {
                None => (hold, 0.0),
                Some(elapsed) => (hold + self.rate * elapsed, self.rate),
            };
            servo.towards(position, rate, 0.0)
        }));
    }

    fn next_jump(&self, time: f64, first_impact: Option<f64>) -> f64 {
        let begins = self.begins(first_impact).filter(|begun| *begun > time);
        let targets = self.servos.iter().map(|servo| servo.target.next_jump(time));
        targets.chain(begins).fold(f64::INFINITY, f64::min)
    }
}
