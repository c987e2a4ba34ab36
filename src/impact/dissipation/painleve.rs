//! Painlevé's rod: a slender rod sliding along a plane on its tip, which friction can jam (\[PER\] §4.2).
//!
//! The rod leans at the angle θ from the plane, its tip in contact and its centre ahead of the tip in the
//! direction +t; it slides with speed v₀ in the direction −t without turning. Above μ_*(θ) no finite contact
//! force exists, and an impact without a collision must happen.
//!
//! | \[PER\] | here | meaning |
//! |---|---|---|
//! | θ₀ | [`PainleveRod::angle`] | angle from the plane, 0 < θ < π/2 |
//! | A(t₀) | [`PainleveRod::block`] | contact-space inertia in the frame n, t, o |
//! | μ_*(θ) | [`mu_star`] | least friction at which the rod jams |
//! | Λ₀ | [`PainleveRod::sticking_impulse`] | impulse that stops the tip |
//!
//! Corrected: A_oo is 4/m; the paper prints 1 + 3(cos²θ − sin²θ)², and the inverse matrix accordingly. The
//! motion in the plane is not affected.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use super::ContactBlock;
use crate::impact::{Contact, ImpactError, ImpactProblem, PreImpact};

/// μ_*(θ) = (cos θ + 1/(3 cos θ)) / sin θ: at or above this coefficient of friction a slender rod sliding at
/// the angle `angle` (θ, rad, between 0 and π/2) has no finite contact force.
///
/// Its minimum is 4/3, at θ = ½ arccos(−3/5).
///
/// ```
/// let steepest = 0.5 * (-0.6f64).acos();
/// assert!((carom::impact::dissipation::mu_star(steepest) - 4.0 / 3.0).abs() < 1e-15);
/// ```
#[must_use]
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
    /// The contact in the frame n, t, o, before the impact. It does not depend on the length.
    #[must_use]
    pub fn block(&self) -> ContactBlock {
        let (s, c) = self.angle.sin_cos();
        let coupling = -3.0 * s * c;
        let delassus = Matrix3::new(
            1.0 + 3.0 * c * c,
            coupling,
            0.0,
            coupling,
            1.0 + 3.0 * s * s,
            0.0,
            0.0,
            0.0,
            4.0,
        ) / self.mass;
        ContactBlock {
            delassus,
            velocity: Vector3::new(0.0, -self.speed, 0.0),
            tangents: 2,
            friction: self.friction,
        }
    }

    /// Λ₀ = (m v₀/8) (3 sin 2θ, 5 + 3 cos 2θ, 0) along n, t, o (N s): the impulse after which the tip rests. It
    /// lies in the friction cone exactly when μ ≥ μ_*(θ).
    #[must_use]
    pub fn sticking_impulse(&self) -> Vector3<f64> {
        let (s, c) = (2.0 * self.angle).sin_cos();
        Vector3::new(3.0 * s, 5.0 + 3.0 * c, 0.0) * (self.mass * self.speed / 8.0)
    }

    /// True when no finite contact force exists while the rod slides: μ ≥ μ_*(θ).
    #[must_use]
    pub fn jams(&self) -> bool {
        self.friction >= mu_star(self.angle)
    }

    /// The rod in its plane as an impact problem: coordinates are the centre (x along t, y along n) and the
    /// angle, with one contact `tip`.
    ///
    /// # Errors
    /// Numbers that are not finite, a mass or length that is not positive, negative friction.
    pub fn impact_problem(&self) -> Result<ImpactProblem, ImpactError> {
        let (s, c) = self.angle.sin_cos();
        let half = 0.5 * self.length;
        let m = self.mass;
        // The tip is at the centre − (l/2)(cos θ, sin θ).
        let tip = Contact::new("tip", DVector::from_vec(vec![0.0, 1.0, -half * c]))
            .with_friction(
                vec![DVector::from_vec(vec![1.0, 0.0, half * s])],
                self.friction,
            )
            .with_restitution(0.0);
        ImpactProblem::new(
            DMatrix::from_diagonal(&DVector::from_vec(vec![
                m,
                m,
                m * self.length * self.length / 12.0,
            ])),
            PreImpact::Velocity(DVector::from_vec(vec![-self.speed, 0.0, 0.0])),
            &[tip],
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{CoulombKind, DissipationBranch, coulomb_solutions};
    use super::*;

    fn rod(degrees: f64, friction: f64) -> PainleveRod {
        PainleveRod {
            mass: 0.7,
            length: 0.4,
            angle: degrees.to_radians(),
            speed: 1.3,
            friction,
        }
    }

    #[test]
    fn friction_that_jams() {
        // Values of the closed form, computed independently to 13 digits.
        for (degrees, expected) in [
            (10.0, 7.620_484_753_060),
            (30.0, 2.501_851_166_488),
            (45.0, 5.0 / 3.0),
            (60.0, 1.347_150_628_109),
            (80.0, 2.125_529_914_151),
        ] {
            let mu = mu_star(f64::to_radians(degrees));
            assert!((mu - expected).abs() < 1e-12, "{degrees}: {mu}");
        }
    }

    #[test]
    fn impact_without_collision_only_above_mu_star() {
        for degrees in [10.0, 30.0, 45.0, 63.4349, 80.0] {
            let critical = mu_star(f64::to_radians(degrees));
            let below = rod(degrees, critical * (1.0 - 1e-6));
            let (x, branch) = below.block().maximum_dissipation();
            assert_eq!((x, branch), (Vector3::zeros(), DissipationBranch::Point));
            assert!(!below.jams());

            let above = rod(degrees, critical * (1.0 + 1e-6));
            let (x, branch) = above.block().maximum_dissipation();
            assert_eq!(branch, DissipationBranch::Stick);
            assert!(above.jams());
            // Conditioning of A is below 4 · 16: a handful of roundings.
            assert!((x - above.sticking_impulse()).norm() < 1e-14);
        }
    }

    #[test]
    fn coulomb_friction_leaves_the_rod_undecided() {
        let kinds = |mu: f64| -> Vec<CoulombKind> {
            coulomb_solutions(&rod(45.0, mu).block())
                .iter()
                .map(|s| s.kind)
                .collect()
        };
        assert_eq!(kinds(1.6), [CoulombKind::NoImpulse]);
        assert_eq!(kinds(1.7), [CoulombKind::NoImpulse, CoulombKind::Stick]);
        // At μ_* = 5/3 all combinations of the two are solutions, to rounding.
        assert!(kinds(5.0 / 3.0).contains(&CoulombKind::SlideFamily));
    }

    #[test]
    fn the_planar_problem_has_the_same_contact() {
        let rod = rod(35.0, 3.0);
        let problem = rod.impact_problem().unwrap();
        let space = problem.contact_space();
        let block = rod.block();
        for i in 0..2 {
            assert!((space.velocity[i] - block.velocity[i]).abs() < 1e-15);
            for j in 0..2 {
                let difference = space.delassus[(i, j)] - block.delassus[(i, j)];
                assert!(difference.abs() < 1e-14, "{i} {j}");
            }
        }
    }
}
