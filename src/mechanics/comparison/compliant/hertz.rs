//! Compliant contact of spheres with the ground: Hertz's spring, Hunt & Crossley's dissipation, regularised friction.
//!
//! \[USD\] (4.1), (4.2): with penetration z,
//!
//! ```text
//! f = max(0, 4/3 √R E z^(3/2) (1 + 3/2 c ż)),      friction μ f s(|v_t| / v_s) against v_t
//! ```
//!
//! where s is the step 10 x³ − 15 x⁴ + 6 x⁵ up to x = 1, and 1 beyond. The configuration moves during the collision, unlike
//! in an impact law; as E grows the outcome tends to that of a law which gets the details right.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};

use super::{DormandPrince, Integrated, IntegrationError, System, Tolerances, integrate};

/// Material and shape of a sphere that touches the ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HertzContact {
    /// Radius R \[m\].
    pub radius: f64,
    /// Effective plane strain modulus E \[Pa\].
    pub modulus: f64,
    /// Effective dissipation coefficient c \[s/m\].
    pub dissipation: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Sliding speed v_s at which friction is fully developed \[m/s\].
    pub transition_speed: f64,
}

impl HertzContact {
    /// Normal force at a penetration \[m\] and its rate \[m/s\], in N.
    #[must_use]
    pub fn normal_force(&self, penetration: f64, rate: f64) -> f64 {
        if penetration <= 0.0 {
            return 0.0;
        }
        let hertz =
            4.0 / 3.0 * self.radius.sqrt() * self.modulus * penetration * penetration.sqrt();
        (hertz * (1.0 + 1.5 * self.dissipation * rate)).max(0.0)
    }

    /// Fraction of μ f that friction reaches at a sliding speed \[m/s\].
    #[must_use]
    pub fn friction_fraction(&self, speed: f64) -> f64 {
        let x = (speed / self.transition_speed).min(1.0);
        x * x * x * (10.0 + x * (6.0 * x - 15.0))
    }
}

/// A rigid body that carries spheres, above the ground z = 0. No gravity: a collision is short.
#[derive(Debug, Clone, PartialEq)]
pub struct SphereBody {
    /// Mass \[kg\].
    pub mass: f64,
    /// Inertia about the centre of mass, body axes \[kg m²\].
    pub inertia: Matrix3<f64>,
    /// Centre of each sphere from the centre of mass, body axes \[m\], and its contact.
    pub spheres: Vec<(Vector3<f64>, HertzContact)>,
}

/// Configuration and velocity of a [`SphereBody`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyState {
    /// Centre of mass \[m\].
    pub position: Vector3<f64>,
    /// Rotation from body to world axes.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass \[m/s\].
    pub velocity: Vector3<f64>,
    /// Angular velocity, world axes \[rad/s\].
    pub angular_velocity: Vector3<f64>,
}

/// How a collision went.
#[derive(Debug, Clone, PartialEq)]
pub struct HertzCollision {
    /// Duration, until no sphere touches \[s\].
    pub duration: f64,
    /// State at the end.
    pub state: BodyState,
    /// Impulse at each sphere, world axes \[N s\].
    pub impulses: Vec<Vector3<f64>>,
    /// Velocity of each contact point at the end \[m/s\].
    pub velocities: Vec<Vector3<f64>>,
    /// Accepted steps of the integration.
    pub steps: usize,
}

/// Components before the impulses: position 3, quaternion 4 (x, y, z, w), velocity 3, angular velocity 3.
const RIGID: usize = 13;

impl SphereBody {
    /// Follows a collision from `start`, where the spheres touch or penetrate the ground, until none does.
    ///
    /// # Errors
    /// [`IntegrationError`] when the integration fails or the body has not left the ground after `limit` \[s\].
    pub fn collide(
        &self,
        start: &BodyState,
        tolerances: &Tolerances,
        limit: f64,
    ) -> Result<HertzCollision, IntegrationError> {
        let end = self.collide_until(start, tolerances, limit, |state| {
            (0..self.spheres.len())
                .map(|i| self.contact(i, state).0)
                .fold(f64::INFINITY, f64::min)
        })?;
        if !end.event {
            return Err(IntegrationError::TooManySteps {
                time: limit,
                steps: end.steps,
            });
        }
        Ok(self.collision(&end))
    }

    /// Follows a collision until every contact point has stopped approaching: the end of compression.
    ///
    /// # Errors
    /// As [`Self::collide`].
    pub fn compress(
        &self,
        start: &BodyState,
        tolerances: &Tolerances,
        limit: f64,
    ) -> Result<HertzCollision, IntegrationError> {
        let end = self.collide_until(start, tolerances, limit, |state| {
            (0..self.spheres.len())
                .map(|i| self.contact(i, state).2.z)
                .fold(f64::INFINITY, f64::min)
        })?;
        Ok(self.collision(&end))
    }

    fn collide_until(
        &self,
        start: &BodyState,
        tolerances: &Tolerances,
        limit: f64,
        level: impl Fn(&BodyState) -> f64,
    ) -> Result<Integrated, IntegrationError> {
        let mut state = vec![0.0; self.dimension()];
        state[0..3].copy_from_slice(start.position.as_slice());
        state[3..7].copy_from_slice(start.rotation.coords.as_slice());
        state[7..10].copy_from_slice(start.velocity.as_slice());
        state[10..13].copy_from_slice(start.angular_velocity.as_slice());
        integrate(
            self,
            &mut DormandPrince::default(),
            tolerances,
            (0.0, limit),
            &state,
            |_, y| level(&unpack(y)),
        )
    }

    fn collision(&self, end: &Integrated) -> HertzCollision {
        let state = unpack(&end.state);
        let spheres = 0..self.spheres.len();
        HertzCollision {
            duration: end.time,
            state,
            impulses: spheres
                .clone()
                .map(|i| Vector3::from_column_slice(&end.state[RIGID + 3 * i..RIGID + 3 * i + 3]))
                .collect(),
            velocities: spheres.map(|i| self.contact(i, &state).2).collect(),
            steps: end.steps,
        }
    }

    /// Gap, lever arm and velocity of the lowest point of a sphere.
    fn contact(&self, index: usize, state: &BodyState) -> (f64, Vector3<f64>, Vector3<f64>) {
        let (centre, material) = &self.spheres[index];
        let arm = state.rotation * centre - Vector3::z() * material.radius;
        let gap = state.position.z + arm.z;
        (
            gap,
            arm,
            state.velocity + state.angular_velocity.cross(&arm),
        )
    }
}

fn unpack(y: &[f64]) -> BodyState {
    BodyState {
        position: Vector3::from_column_slice(&y[0..3]),
        rotation: UnitQuaternion::new_normalize(Quaternion::new(y[6], y[3], y[4], y[5])),
        velocity: Vector3::from_column_slice(&y[7..10]),
        angular_velocity: Vector3::from_column_slice(&y[10..13]),
    }
}

impl System for SphereBody {
    fn dimension(&self) -> usize {
        RIGID + 3 * self.spheres.len()
    }

    fn derivative(&self, _: f64, y: &[f64], rates: &mut [f64]) {
        let state = unpack(y);
        let mut force = Vector3::zeros();
        let mut torque = Vector3::zeros();
        for (i, (_, material)) in self.spheres.iter().enumerate() {
            let (gap, arm, velocity) = self.contact(i, &state);
            let normal = material.normal_force(-gap, -velocity.z);
            let slip = Vector3::new(velocity.x, velocity.y, 0.0);
            let speed = slip.norm();
            let mut f = Vector3::z() * normal;
            if speed > 0.0 {
                f -=
                    slip * (material.friction * normal * material.friction_fraction(speed) / speed);
            }
            force += f;
            torque += arm.cross(&f);
            rates[RIGID + 3 * i..RIGID + 3 * i + 3].copy_from_slice(f.as_slice());
        }
        let to_world = state.rotation.to_rotation_matrix();
        let omega = state.angular_velocity;
        let body_omega = to_world.inverse() * omega;
        let gyroscopic = body_omega.cross(&(self.inertia * body_omega));
        let body_torque = to_world.inverse() * torque - gyroscopic;
        // A singular inertia gives NaN rates, which the integration refuses.
        let acceleration = self
            .inertia
            .try_inverse()
            .map_or(Vector3::repeat(f64::NAN), |inverse| inverse * body_torque);
        let spin = Quaternion::from_imag(omega) * state.rotation.quaternion() * 0.5;
        rates[0..3].copy_from_slice(state.velocity.as_slice());
        rates[3..7].copy_from_slice(spin.coords.as_slice());
        rates[7..10].copy_from_slice((force / self.mass).as_slice());
        rates[10..13].copy_from_slice((to_world * acceleration).as_slice());
    }
}
