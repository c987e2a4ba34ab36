//! The displacement of a point that several contacts hold: a foot in the corner of ground and wall.
//!
//! | symbol | meaning | unit |
//! |---|---|---|
//! | n_j, φ_j | normals and gaps of the contacts of one point | 1, m |
//! | e | its displacement over h beyond what the midpoint says, as far as the gaps tell | m/s |
//!
//! A normal condition is one on where the point arrives, φ(q₁) = 0; a tangential one is on T(q̄)v̄, the slip at the midpoint. Along the
//! normal of one contact and a tangent of another they ask different things of a limb that turns about the point, by O(h²): one that
//! rests cannot have both, and where the corner can hold any load (friction of 1 and more in a right angle) impulses without bound try to
//! close what is left. So the slip of such a contact is
//!
//! ```text
//! s = T(q̄)v̄ + tᵀe,      e the least vector with   n_jᵀe = φ_j(q₁)/h − Dφ_j(q̄)v̄   for all contacts j of the point
//! ```
//!
//! Of a point with one contact, or several along one normal, nothing changes. Where all φ_j are zero at both ends, e changes its sign
//! with that of h as v̄ does when the ends are exchanged: the step remains its own inverse, and of order two.

use nalgebra::Vector3;

use crate::contact::ContactFrame;
use crate::spatial::{Scalar, lift};

/// Points that are nearer than this \[m\] are one.
const ONE_POINT: f64 = 1e-9;
/// Sine of the angle between normals below which they are along one.
const ALONG: f64 = 1e-2;
/// What is farther open at the start \[m\] asks nothing: twice what a held contact may be.
const CLOSED: f64 = 2e-9;

/// e of one point.
pub(in crate::discrete) struct CornerDisplacement<T: Scalar> {
    /// Directions at right angles, and e along them.
    along: [(Vector3<T>, T); 3],
    known: usize,
}

impl<T: Scalar> CornerDisplacement<T> {
    /// That of the point of contact `i` among those with these frames at q₁ and gaps at q₀, `beyond` being φ_j(q₁)/h − Dφ_j(q̄)v̄.
    /// `None` where no other contact tells more of it.
    pub fn of(
        frames: &[ContactFrame<T>],
        start_gaps: &[f64],
        i: usize,
        beyond: impl Fn(usize) -> T,
    ) -> Option<Self> {
        let own = &frames[i];
        if frames.len() < 2 || own.limit.is_some() || start_gaps[i].abs() > CLOSED {
            return None;
        }
        let nothing = (Vector3::zeros(), T::zero());
        let mut displacement = Self {
            along: [nothing; 3],
            known: 0,
        };
        for (j, other) in frames.iter().enumerate() {
            let apart = || (own.points[0] - other.points[0]).norm_squared();
            let is_of_it = j == i
                || own.bodies == other.bodies
                    && other.limit.is_none()
                    && start_gaps[j].abs() <= CLOSED
                    && apart() <= lift(ONE_POINT * ONE_POINT);
            if is_of_it {
                displacement.add(&other.normal, || beyond(j));
            }
        }
        (displacement.known > 1).then_some(displacement)
    }

    /// Takes in what e is along a normal, where the others do not say.
    fn add(&mut self, normal: &Vector3<T>, beyond: impl Fn() -> T) {
        let known = &self.along[..self.known];
        let mut rest = *normal;
        for (direction, _) in known {
            rest -= direction * direction.dot(normal);
        }
        let sine = rest.norm();
        if self.known == self.along.len() || sine <= lift(ALONG) {
            return;
        }
        let mut left = beyond();
        for (direction, e) in known {
            left -= direction.dot(normal) * *e;
        }
        self.along[self.known] = (rest / sine, left / sine);
        self.known += 1;
    }

    /// Adds e to slips along the first of these tangents \[m/s\].
    pub fn add_to_slip(&self, tangents: &[Vector3<T>], slip: &mut [T]) {
        for (slip, tangent) in slip.iter_mut().zip(tangents) {
            *slip += self.along(tangent);
        }
    }

    /// e along a direction \[m/s\].
    pub fn along(&self, direction: &Vector3<T>) -> T {
        let known = self.along[..self.known].iter();
        known.fold(T::zero(), |sum, (own, e)| sum + own.dot(direction) * *e)
    }
}
