//! Efforts that follow from a joint's own position and rate, as a servo's do.

use super::Motor;

/// One joint under position control at one moment:
/// effort = k (target − q) + d (target rate − v) + feed-forward, within the effort limit and what the motor
/// gives at that speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointServo {
    /// Entry of q.
    pub q_index: usize,
    /// Entry of v.
    pub v_index: usize,
    /// k \[N m/rad or N/m\].
    pub stiffness: f64,
    /// d \[N m s/rad or N s/m\].
    pub damping: f64,
    /// Wanted position \[rad or m\].
    pub target: f64,
    /// Wanted rate \[rad/s or m/s\].
    pub target_rate: f64,
    /// Added to the effort \[N m or N\].
    pub feed_forward: f64,
    /// Largest effort \[N m or N\]; infinite when unlimited.
    pub effort_limit: f64,
    /// Speed-torque line, if the motor has one.
    pub motor: Option<Motor>,
}

/// An effort with its slopes.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ServoEffort {
    /// \[N m or N\].
    pub effort: f64,
    /// −∂effort/∂q, zero where the effort is at a limit.
    pub stiffness: f64,
    /// −∂effort/∂v; at the line of a motor that of the line.
    pub damping: f64,
}

impl JointServo {
    /// What the effort at position `q` and rate `v` were without limits.
    #[must_use]
    pub fn wanted(&self, q: f64, v: f64) -> ServoEffort {
        ServoEffort {
            effort: self.stiffness * (self.target - q)
                + self.damping * (self.target_rate - v)
                + self.feed_forward,
            stiffness: self.stiffness,
            damping: self.damping,
        }
    }

    /// The effort at position `q` and rate `v`.
    #[must_use]
    pub fn effort(&self, q: f64, v: f64) -> ServoEffort {
        let wanted = self.wanted(q, v);
        let limited = wanted.effort.clamp(-self.effort_limit, self.effort_limit);
        let mut out = ServoEffort {
            effort: limited,
            ..wanted
        };
        if limited != wanted.effort {
            out.stiffness = 0.0;
            out.damping = 0.0;
        }
        if let Some(motor) = &self.motor {
            let given = motor.limit(limited, v);
            if given != limited {
                out = ServoEffort {
                    effort: given,
                    stiffness: 0.0,
                    damping: motor.slope(given, v),
                };
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::{JointServo, Motor};

    #[test]
    fn slopes_are_those_of_the_effort_on_every_branch() {
        let servo = JointServo {
            q_index: 0,
            v_index: 0,
            stiffness: 20.0,
            damping: 0.5,
            target: 0.3,
            target_rate: 1.0,
            feed_forward: 0.2,
            effort_limit: 5.0,
            motor: Some(Motor {
                stall_torque: 6.0,
                no_load_speed: 10.0,
            }),
        };
        // Within all limits, at the effort limit, at the motor's line, braking.
        for (q, v) in [
            (0.25, 0.9),
            (-1.0, 1.0),
            (0.0, 6.0),
            (2.0, 8.0),
            (-2.0, -12.0),
        ] {
            let step = 1e-6;
            let by_q = (servo.effort(q - step, v).effort - servo.effort(q + step, v).effort)
                / (2.0 * step);
            let by_v = (servo.effort(q, v - step).effort - servo.effort(q, v + step).effort)
                / (2.0 * step);
            let at = servo.effort(q, v);
            // Efforts of order 10 over 2e-6: rounding of 1e-9.
            assert!((at.stiffness - by_q).abs() < 1e-8, "{q} {v}");
            assert!((at.damping - by_v).abs() < 1e-8, "{q} {v}");
        }
    }
}
