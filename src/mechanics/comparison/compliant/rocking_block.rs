//! A rigid block that strikes the ground with both corners on stiff, damped, frictional springs.
//!
//! Halm & Posa 2023 \[HP\] (88)-(90), the compliant counterpart of a simultaneous impact: the ratio of the
//! stiffnesses, or an angle too small to see, decides the order in which the corners share the impulse.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | k_i | [`RockingBlock::stiffness`] | stiffness of corner A (left), B (right) \[N/m\] |
//! | ζ | [`RockingBlock::damping_ratio`] | damping is 2 ζ √(k m); (88) prints √(k/m), the same for 1 kg |
//! | ε | [`RockingBlock::slip_speed`] | sliding speed at which friction saturates \[m/s\] |
//! | δ | [`RockingBlock::end_speed`] | the collision is over when no corner penetrates faster \[m/s\] |
//! | φ, v_n, v_t | [`RockingBlock::corner`] | gap, its rate, horizontal velocity of a corner |

use nalgebra::DMatrix;
use num_dual::{Dual64, DualNum};

use super::{IntegrationError, Radau, System, Tolerances, integrate};

/// Components of the state: x, y, θ of the centre of mass, their rates, normal impulse of A and B.
const N: usize = 8;

/// A block of uniform density on two compliant corners.
#[derive(Debug, Clone, PartialEq)]
pub struct RockingBlock {
    /// Mass m \[kg\].
    pub mass: f64,
    /// Width w and height h \[m\].
    pub size: (f64, f64),
    /// Stiffness of the left corner A and of the right corner B \[N/m\].
    pub stiffness: (f64, f64),
    /// Damping ratio ζ of each corner.
    pub damping_ratio: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Sliding speed ε at which friction saturates \[m/s\].
    pub slip_speed: f64,
    /// Gravity \[m/s²\].
    pub gravity: f64,
    /// Speed δ of penetration below which a corner's collision is over \[m/s\].
    pub end_speed: f64,
}

/// How a collision ended.
#[derive(Debug, Clone, PartialEq)]
pub struct RockingCollision {
    /// Duration \[s\].
    pub duration: f64,
    /// Normal velocity of A and B at the end \[m/s\].
    pub normal_velocity: (f64, f64),
    /// Horizontal velocity of A and B at the end \[m/s\].
    pub tangential_velocity: (f64, f64),
    /// Normal impulse at A and B \[N s\].
    pub normal_impulse: (f64, f64),
    /// Accepted steps of the integration.
    pub steps: usize,
}

/// Gap, its rate and the horizontal velocity of a corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corner<T> {
    /// Height above the ground φ \[m\].
    pub gap: T,
    /// dφ/dt \[m/s\].
    pub normal_velocity: T,
    /// Horizontal velocity \[m/s\].
    pub tangential_velocity: T,
    /// Position from the centre of mass, world axes \[m\].
    pub arm: (T, T),
}

impl RockingBlock {
    /// The block of \[HP\] §5.4.1: 1 kg, 1 m by 2 m, ζ = 5, μ = 1, ε = 1e-10 m/s, with
    /// k_A/k_B = 10^`exponent` and the softer corner at 1e6 N/m.
    #[must_use]
    pub fn with_stiffness_ratio(exponent: f64) -> Self {
        let softest = 1e6;
        let ratio = 10f64.powf(exponent.abs());
        let (stiff, soft) = (softest * ratio, softest);
        Self {
            mass: 1.0,
            size: (1.0, 2.0),
            stiffness: if exponent > 0.0 {
                (stiff, soft)
            } else {
                (soft, stiff)
            },
            damping_ratio: 5.0,
            friction: 1.0,
            slip_speed: 1e-10,
            gravity: 9.81,
            end_speed: 1e-3 / softest,
        }
    }

    /// A corner (0 for A, 1 for B) in a state (x, y, θ, their rates, …).
    #[must_use]
    pub fn corner<T: DualNum<f64> + Copy>(&self, index: usize, state: &[T]) -> Corner<T> {
        let side = if index == 0 { -0.5 } else { 0.5 };
        let (a, b) = (side * self.size.0, -0.5 * self.size.1);
        let (sin, cos) = state[2].sin_cos();
        let arm = (cos * a - sin * b, sin * a + cos * b);
        let omega = state[5];
        Corner {
            gap: state[1] + arm.1,
            normal_velocity: state[4] + omega * arm.0,
            tangential_velocity: state[3] - omega * arm.1,
            arm,
        }
    }

    fn rates<T: DualNum<f64> + Copy>(&self, state: &[T; N]) -> [T; N] {
        let inertia = self.mass * (self.size.0.powi(2) + self.size.1.powi(2)) / 12.0;
        let mut force = (T::from(0.0), T::from(-self.mass * self.gravity));
        let mut torque = T::from(0.0);
        let mut normal = [T::from(0.0); 2];
        for (index, k) in [self.stiffness.0, self.stiffness.1].into_iter().enumerate() {
            let corner = self.corner(index, state);
            if corner.gap.re() > 0.0 {
                continue;
            }
            let damping = 2.0 * self.damping_ratio * (k * self.mass).sqrt();
            let pressure = -corner.gap * k - corner.normal_velocity * damping;
            if pressure.re() <= 0.0 {
                continue;
            }
            let slip = corner.tangential_velocity;
            let saturation = if slip.re().abs() > self.slip_speed {
                slip.abs()
            } else {
                T::from(self.slip_speed)
            };
            let friction = -pressure * slip / saturation * self.friction;
            force = (force.0 + friction, force.1 + pressure);
            torque += corner.arm.0 * pressure - corner.arm.1 * friction;
            normal[index] = pressure;
        }
        [
            state[3],
            state[4],
            state[5],
            force.0 / self.mass,
            force.1 / self.mass,
            torque / inertia,
            normal[0],
            normal[1],
        ]
    }

    /// Drops the block: its lower corner touches the ground at the angle `angle` \[rad, counter-clockwise\], with the
    /// energy that the level block has when it arrives with the downward speed `speed` \[m/s\], and follows it until
    /// both corners have received at least a hundredth of m · `speed` and none penetrates faster than `end_speed`.
    ///
    /// # Errors
    /// [`IntegrationError`] when the integration fails or the collision does not end within 10 s.
    pub fn collide(&self, angle: f64, speed: f64) -> Result<RockingCollision, IntegrationError> {
        let (w, h) = self.size;
        let height = 0.5 * (w * angle.sin().abs() + h * angle.cos());
        let slower = speed * speed - 2.0 * self.gravity * (height - 0.5 * h);
        let start = [
            0.0,
            height,
            angle,
            0.0,
            -slower.max(0.0).sqrt(),
            0.0,
            0.0,
            0.0,
        ];
        let tolerances = Tolerances {
            relative: 1e-9,
            absolute: 1e-13,
        };
        let enough = 1e-2 * self.mass * speed;
        let over = |_: f64, state: &[f64]| {
            if state[6] < enough || state[7] < enough {
                return -1.0;
            }
            (0..2)
                .map(|index| self.corner(index, state))
                .filter(|corner| corner.gap <= 0.0)
                .map(|corner| corner.normal_velocity + self.end_speed)
                .fold(f64::INFINITY, f64::min)
        };
        let limit = 10.0;
        let end = integrate(
            self,
            &mut Radau::default(),
            &tolerances,
            (0.0, limit),
            &start,
            over,
        )?;
        if !end.event {
            return Err(IntegrationError::TooManySteps {
                time: limit,
                steps: end.steps,
            });
        }
        let (a, b) = (self.corner(0, &end.state), self.corner(1, &end.state));
        Ok(RockingCollision {
            duration: end.time,
            normal_velocity: (a.normal_velocity, b.normal_velocity),
            tangential_velocity: (a.tangential_velocity, b.tangential_velocity),
            normal_impulse: (end.state[6], end.state[7]),
            steps: end.steps,
        })
    }
}

impl System for RockingBlock {
    fn dimension(&self) -> usize {
        N
    }

    fn derivative(&self, _: f64, state: &[f64], rates: &mut [f64]) {
        let mut at = [0.0; N];
        at.copy_from_slice(&state[..N]);
        rates[..N].copy_from_slice(&self.rates(&at));
    }

    fn jacobian(&self, _: f64, state: &[f64], jacobian: &mut DMatrix<f64>) {
        for j in 0..N {
            let mut at = [Dual64::from(0.0); N];
            for i in 0..N {
                at[i] = Dual64::new(state[i], f64::from(u8::from(i == j)));
            }
            for (i, rate) in self.rates(&at).iter().enumerate() {
                jacobian[(i, j)] = rate.eps;
            }
        }
    }
}
