//! Spherical particles and the fixed or moving bodies that confine them.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use super::GranularError;

/// A rigid sphere. Its centre of mass may lie off the centre of the sphere; then normal and tangential motion
/// couple at its contacts, and laws of friction that agree on plain spheres differ.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Particle {
    /// Identifier, never reused in one run; contacts are treated in the order of identifiers.
    pub id: u64,
    /// Centre of mass (m).
    pub position: Vector3<f64>,
    /// From the body frame to the world.
    pub orientation: UnitQuaternion<f64>,
    /// Velocity of the centre of mass (m/s).
    pub velocity: Vector3<f64>,
    /// Angular velocity in the world (rad/s).
    pub spin: Vector3<f64>,
    /// Radius (m).
    pub radius: f64,
    /// Mass (kg).
    pub mass: f64,
    /// Moment of inertia about the centre of mass, the same about every axis (kg m²).
    pub inertia: f64,
    /// From the centre of mass to the centre of the sphere, in the body frame (m).
    pub offset: Vector3<f64>,
}

impl Particle {
    /// A homogeneous sphere at rest: density in kg/m³.
    #[must_use]
    pub fn sphere(id: u64, position: Vector3<f64>, radius: f64, density: f64) -> Self {
        let mass = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * density;
        Self {
            id,
            position,
            orientation: UnitQuaternion::identity(),
            velocity: Vector3::zeros(),
            spin: Vector3::zeros(),
            radius,
            mass,
            inertia: 0.4 * mass * radius * radius,
            offset: Vector3::zeros(),
        }
    }

    /// Sets the velocity of the centre of mass and the angular velocity.
    #[must_use]
    pub fn moving(mut self, velocity: Vector3<f64>, spin: Vector3<f64>) -> Self {
        self.velocity = velocity;
        self.spin = spin;
        self
    }

    /// Sets the offset of the sphere from its centre of mass.
    #[must_use]
    pub fn with_offset(mut self, offset: Vector3<f64>) -> Self {
        self.offset = offset;
        self
    }

    /// From the centre of mass to the centre of the sphere, in the world (m).
    #[must_use]
    pub fn world_offset(&self) -> Vector3<f64> {
        if self.offset == Vector3::zeros() {
            self.offset
        } else {
            self.orientation * self.offset
        }
    }

    /// Centre of the sphere (m).
    #[must_use]
    pub fn center(&self) -> Vector3<f64> {
        self.position + self.world_offset()
    }

    /// Kinetic energy (J).
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * self.velocity.norm_squared() + self.inertia * self.spin.norm_squared())
    }

    /// Moves for a time step with the velocities it has: x' = x + δt v', φ' = normalised φ + δt Q(φ) ω'
    /// (\[PER\] §3.1).
    pub(crate) fn advance(&mut self, time_step: f64) {
        self.position += time_step * self.velocity;
        let q = self.orientation.quaternion();
        let rate = Quaternion::from_imag(self.spin) * q * (0.5 * time_step);
        self.orientation = UnitQuaternion::from_quaternion(q + rate);
    }
}

/// A body of infinite mass that does not turn.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Boundary {
    /// The half-space behind a plane.
    Plane {
        /// A point of the plane (m).
        point: Vector3<f64>,
        /// Unit normal, towards the particles.
        normal: Vector3<f64>,
        /// Velocity (m/s).
        velocity: Vector3<f64>,
    },
    /// A box at rest, aligned with the axes.
    Box {
        /// Corner with the smallest coordinates (m).
        low: Vector3<f64>,
        /// Corner with the largest coordinates (m).
        high: Vector3<f64>,
    },
}

impl Boundary {
    /// A plane at rest.
    #[must_use]
    pub fn wall(point: Vector3<f64>, normal: Vector3<f64>) -> Self {
        Self::Plane {
            point,
            normal,
            velocity: Vector3::zeros(),
        }
    }

    /// Velocity of its surface (m/s).
    #[must_use]
    pub fn velocity(&self) -> Vector3<f64> {
        match self {
            Self::Plane { velocity, .. } => *velocity,
            Self::Box { .. } => Vector3::zeros(),
        }
    }

    /// Gap to a sphere (m, negative when they overlap) and the unit normal from the boundary to it.
    #[must_use]
    pub fn gap(&self, center: &Vector3<f64>, radius: f64) -> (f64, Vector3<f64>) {
        match self {
            Self::Plane { point, normal, .. } => ((center - point).dot(normal) - radius, *normal),
            Self::Box { low, high } => box_gap(low, high, center, radius),
        }
    }

    pub(crate) fn validate(&self) -> Result<(), GranularError> {
        match self {
            Self::Plane {
                point,
                normal,
                velocity,
            } => {
                for x in point.iter().chain(velocity.iter()) {
                    GranularError::check("plane", *x, true, "a number")?;
                }
                let length = normal.norm();
                let unit = (length - 1.0).abs() <= 1e-9;
                GranularError::check("length of a plane's normal", length, unit, "1")
            }
            Self::Box { low, high } => {
                for x in (high - low).iter() {
                    GranularError::check("extent of a box", *x, *x > 0.0, "positive")?;
                }
                Ok(())
            }
        }
    }

    pub(crate) fn advance(&mut self, time_step: f64) {
        if let Self::Plane {
            point, velocity, ..
        } = self
        {
            *point += time_step * *velocity;
        }
    }
}

fn box_gap(
    low: &Vector3<f64>,
    high: &Vector3<f64>,
    center: &Vector3<f64>,
    radius: f64,
) -> (f64, Vector3<f64>) {
    let away = center - center.sup(low).inf(high);
    let distance = away.norm();
    if distance > 0.0 {
        return (distance - radius, away / distance);
    }
    // The centre is inside: out through the nearest face.
    let (mut depth, mut normal) = (f64::INFINITY, Vector3::x());
    for i in 0..3 {
        for (d, sign) in [(center[i] - low[i], -1.0), (high[i] - center[i], 1.0)] {
            if d < depth {
                depth = d;
                normal = Vector3::zeros();
                normal[i] = sign;
            }
        }
    }
    (-depth - radius, normal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_of_a_box() {
        let block = Boundary::Box {
            low: Vector3::zeros(),
            high: Vector3::new(1.0, 2.0, 3.0),
        };
        let (gap, normal) = block.gap(&Vector3::new(1.5, 1.0, 1.0), 0.2);
        assert!((gap - 0.3).abs() < 1e-15 && normal == Vector3::x());
        // Edge: the distance is that of the edge line.
        let (gap, normal) = block.gap(&Vector3::new(4.0, 6.0, 1.0), 1.0);
        assert!((gap - 4.0).abs() < 1e-15);
        assert!((normal - Vector3::new(0.6, 0.8, 0.0)).norm() < 1e-15);
        let (gap, normal) = block.gap(&Vector3::new(0.9, 1.0, 1.0), 0.2);
        assert!((gap + 0.3).abs() < 1e-15 && normal == Vector3::x());
    }

    #[test]
    fn turning_keeps_the_orientation_a_rotation() {
        let mut p = Particle::sphere(0, Vector3::zeros(), 0.1, 1000.0)
            .moving(Vector3::zeros(), Vector3::new(0.0, 0.0, 2.0));
        for _ in 0..1000 {
            p.advance(1e-3);
        }
        // Turning by δt ω as tan(δt ω/2)·2 is short by (δt ω)³/12 a step: 7e-7 in all.
        assert!((p.orientation.angle() - 2.0).abs() < 1e-6);
    }
}
