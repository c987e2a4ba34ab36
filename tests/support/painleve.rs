//! Painlevé's rod: a slender rod sliding along a plane on its tip, which friction can jam (\[PER\] §4.2).
//!
//! The rod leans at the angle θ from the plane, its tip in contact and its centre ahead of the tip in the
//! direction +t; it slides with speed v₀ in the direction −t without turning. Above μ_*(θ) no finite contact
//! force exists, and an impact without a collision must happen.
//!
//! | \[PER\] | here | meaning |
//! |---|---|---|
//! | θ₀ | [`PainleveRod::angle`] | angle from the plane, 0 < θ < π/2 |
//! | μ_*(θ) | [`mu_star`] | least friction at which the rod jams |
//! | Λ₀ | [`PainleveRod::sticking_impulse`] | impulse that stops the tip |

use nalgebra::Vector3;

/// μ_*(θ) = (cos θ + 1/(3 cos θ)) / sin θ: at or above this coefficient of friction a slender rod sliding at
/// the angle `angle` (θ, rad, between 0 and π/2) has no finite contact force.
///
/// Its minimum is 4/3, at θ = ½ arccos(−3/5).
pub fn mu_star(angle: f64) -> f64 {
    let (s, c) = angle.sin_cos();
    (c + 1.0 / (3.0 * c)) / s
}

/// A uniform slender rod in contact with a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PainleveRod {
    /// Mass m (kg).
    pub mass: f64,
    /// Length l (m).
    pub length: f64,
    /// Angle θ from the plane (rad), 0 < θ < π/2.
    pub angle: f64,
    /// Speed v₀ in the direction −t (m/s).
    pub speed: f64,
    /// Coefficient of friction μ.
    pub friction: f64,
}

impl PainleveRod {
    /// Λ₀ = (m v₀/8) (3 sin 2θ, 5 + 3 cos 2θ, 0) along n, t, o (N s): the impulse after which the tip rests. It
    /// lies in the friction cone exactly when μ ≥ μ_*(θ).
    pub fn sticking_impulse(&self) -> Vector3<f64> {
        let (s, c) = (2.0 * self.angle).sin_cos();
        Vector3::new(3.0 * s, 5.0 + 3.0 * c, 0.0) * (self.mass * self.speed / 8.0)
    }
}
