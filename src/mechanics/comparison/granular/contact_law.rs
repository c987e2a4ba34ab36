//! The two laws of a granular contact: maximum dissipation and Coulomb-like friction.

use nalgebra::{Vector2, Vector3};
use serde::{Deserialize, Serialize};

use crate::impact::dissipation::{ContactBlock, DissipationBranch};

/// The law that each contact obeys, given the impulses of all others.
///
/// Between homogeneous spheres (and a sphere and a wall) normal and tangential motion do not couple, the section
/// of the friction cone is a circle about the sticking impulse's axis, and both laws have the same single
/// solution: any difference between two such runs is rounding, amplified by the chaos of the flow. They differ
/// for spheres whose centre of mass is off their centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum GranularLaw {
    /// Friction opposes the sliding velocity after the step. Of several solutions: none without need, sticking
    /// where it is possible, otherwise the slide that the projection iteration reaches from the maximally
    /// dissipative impulse.
    Coulomb,
    /// The impulse that removes most kinetic energy (\[PER\] (5)).
    MaximumDissipation,
}

/// Steps of the projection iteration for a coupled Coulomb slide.
const COULOMB_STEPS: usize = 100;

impl GranularLaw {
    /// The impulse of a contact under this law.
    #[must_use]
    #[inline]
    pub fn impulse(self, block: &ContactBlock) -> Vector3<f64> {
        let (x, branch) = block.maximum_dissipation();
        match (self, branch) {
            (Self::Coulomb, DissipationBranch::Slide) => opposed_to_sliding(block, x),
            // An impulse without collision is never needed by Coulomb's law.
            (Self::Coulomb, DissipationBranch::Ray) => Vector3::zeros(),
            _ => x,
        }
    }
}

/// Fixed point of y ← nearest point to y − ρ v_t in the disc of radius μ x_n, with x_n keeping the normal
/// velocity zero: there v_t and y are opposed.
fn opposed_to_sliding(block: &ContactBlock, start: Vector3<f64>) -> Vector3<f64> {
    let a = &block.delassus;
    let coupling = Vector2::new(a[(1, 0)], a[(2, 0)]);
    if coupling == Vector2::zeros() && a[(1, 2)] == 0.0 && a[(1, 1)] == a[(2, 2)] {
        return start;
    }
    // The reciprocal of the mean eigenvalue of the tangential block, which is nearly a multiple of E.
    let rho = 2.0 / (a[(1, 1)] + a[(2, 2)]);
    let bn = -block.velocity[0];
    let mut x = start;
    for _ in 0..COULOMB_STEPS {
        let v = block.velocity_after(&x);
        let mut y = Vector2::new(x[1] - rho * v[1], x[2] - rho * v[2]);
        let (size, limit) = (y.norm(), block.friction * x[0]);
        if size > limit {
            y *= limit / size;
        }
        let normal = ((bn - coupling.dot(&y)) / a[(0, 0)]).max(0.0);
        let next = Vector3::new(normal, y[0], y[1]);
        let change = (next - x).norm();
        x = next;
        if change <= 1e-12 * x.norm() {
            break;
        }
    }
    // The last normal impulse is younger than the disc.
    x[0] = x[0].max(x[1].hypot(x[2]) / block.friction);
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::impact::dissipation::{CoulombKind, coulomb_solutions};
    use nalgebra::Matrix3;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// A sphere with its mass off centre: lever arm r, A = E/m + (|r|² E − r rᵀ)/I.
        #[test]
        fn a_coulomb_slide_is_one_of_the_enumerated_solutions(
            aside in prop::array::uniform2(-0.3f64..0.3), v in prop::array::uniform3(-1.0f64..1.0), friction in 0.05f64..0.6,
        ) {
            let r = Vector3::new(-1.0, aside[0], aside[1]);
            let block = ContactBlock {
                delassus: Matrix3::identity() + 2.5 * (r.norm_squared() * Matrix3::identity() - r * r.transpose()),
                velocity: Vector3::new(-v[0].abs() - 0.01, v[1], v[2]),
                tangents: 2,
                friction,
            };
            let x = GranularLaw::Coulomb.impulse(&block);
            let nearest = coulomb_solutions(&block)
                .iter()
                .map(|s| (s.impulse - x).norm())
                .fold(f64::INFINITY, f64::min);
            // The iteration contracts by the ratio of the eigenvalues of A; it stops at 1e-12.
            prop_assert!(nearest <= 1e-9 * x.norm(), "{nearest:e}");
        }

        #[test]
        fn plain_spheres_do_not_tell_the_laws_apart(v in prop::array::uniform3(-1.0f64..1.0), friction in 0.0f64..2.0) {
            let block = ContactBlock {
                delassus: Matrix3::from_diagonal(&Vector3::new(2.0, 7.0, 7.0)),
                velocity: Vector3::from(v),
                tangents: 2,
                friction,
            };
            let x = GranularLaw::Coulomb.impulse(&block);
            prop_assert_eq!(x, GranularLaw::MaximumDissipation.impulse(&block));
            let all = coulomb_solutions(&block);
            prop_assert_eq!(all.len(), 1);
            prop_assert!((all[0].impulse - x).norm() <= 1e-14);
            prop_assert!(all[0].kind != CoulombKind::SlideFamily);
        }
    }
}
