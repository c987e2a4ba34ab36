//! What a motor with its gear can do: the speed-torque line of a direct-current motor.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A motor at its full voltage: torque at rest and speed without load, at the joint.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Motor {
    /// Torque at rest \[N m\].
    #[schemars(extend("exclusiveMinimum" = 0), example = 7.0)]
    pub stall_torque: f64,
    /// Speed at which no torque is left \[rad/s\].
    #[schemars(extend("exclusiveMinimum" = 0), example = 35.0)]
    pub no_load_speed: f64,
}

impl Motor {
    /// Least and greatest torque \[N m\] at a joint speed \[rad/s\]. Driving torque falls on a straight
    /// line from stall to the speed without load and is zero beyond it; braking torque is limited
    /// by the torque at rest.
    #[must_use]
    pub fn range(&self, speed: f64) -> (f64, f64) {
        let towards = |speed: f64| {
            (self.stall_torque * (1.0 - speed / self.no_load_speed)).clamp(0.0, self.stall_torque)
        };
        (-towards(-speed), towards(speed))
    }

    /// The torque that the motor gives when `torque` is asked for \[N m\].
    #[must_use]
    pub fn limit(&self, torque: f64, speed: f64) -> f64 {
        let (least, most) = self.range(speed);
        torque.clamp(least, most)
    }

    /// −∂torque/∂speed where the motor limits the torque to `given`: that of the line while driving, zero at
    /// stall and beyond the line.
    #[must_use]
    pub fn slope(&self, given: f64, speed: f64) -> f64 {
        let driving = given * speed > 0.0 && given.abs() < self.stall_torque;
        if driving {
            self.stall_torque / self.no_load_speed
        } else {
            0.0
        }
    }

    /// What is wrong with the numbers, if anything.
    #[must_use]
    pub fn defect(&self) -> Option<String> {
        [
            ("stall_torque", self.stall_torque),
            ("no_load_speed", self.no_load_speed),
        ]
        .into_iter()
        .find(|(_, x)| !(x.is_finite() && *x > 0.0))
        .map(|(name, x)| format!("{name} is {x}, it must be positive and finite"))
    }
}

#[cfg(test)]
mod tests {
    use super::Motor;

    const MOTOR: Motor = Motor {
        stall_torque: 6.0,
        no_load_speed: 30.0,
    };

    #[test]
    fn the_line_goes_from_stall_to_the_speed_without_load() {
        assert_eq!(MOTOR.range(0.0), (-6.0, 6.0));
        assert_eq!(MOTOR.range(15.0), (-6.0, 3.0));
        assert_eq!(MOTOR.range(-15.0), (-3.0, 6.0));
        assert_eq!(MOTOR.range(30.0).1, 0.0);
        assert_eq!(MOTOR.range(45.0), (-6.0, 0.0));
    }

    #[test]
    fn a_demand_is_cut_at_the_line_and_braking_at_stall() {
        assert_eq!(MOTOR.limit(5.0, 15.0), 3.0);
        assert_eq!(MOTOR.limit(2.0, 15.0), 2.0);
        assert_eq!(MOTOR.limit(-9.0, 15.0), -6.0);
        assert_eq!(MOTOR.limit(9.0, 40.0), 0.0);
        assert_eq!(MOTOR.defect(), None);
        let broken = Motor {
            no_load_speed: f64::NAN,
            ..MOTOR
        };
        assert!(broken.defect().is_some());
    }
}
