//! The inelastic impact of one contact with all others given, and its maximally dissipative solution.
//!
//! \[PER\] §3.2: minimise the kinetic energy ½ xᵀA x − xᵀb over the friction cone ‖x_t‖ ≤ μ x_n on the plane of
//! maximum compression a_nᵀx = b_n; x = 0 when the contact separates by itself (b_n < 0). The set is convex and
//! the objective strictly convex, so the solution is unique.
//!
//! | \[PER\] | here | meaning |
//! |---|---|---|
//! | A | [`ContactBlock::delassus`] | block of the Delassus matrix, rows n, t, o |
//! | −b | [`ContactBlock::velocity`] | contact velocity without an impulse of this contact |
//! | Â, b̂ | `reduced`, `b` | objective on the plane, in the two tangential impulses |
//! | x₀ | `stick` | A⁻¹ b, the impulse that sticks |
//! | Fig. 5 | [`DissipationBranch`] | the branch of the structogram |
//!
//! Corrected: the printed rule (9) for choosing between the two rays of a degenerate hyperbola takes the wrong
//! one in about 3 % of cases; both are evaluated and the lower is taken.

use std::borrow::Borrow;

use nalgebra::{Matrix3, Vector3};
use serde::Serialize;

use super::conic::Conic;
use super::tangent_frame::{SINGULAR, TangentFrame};
use crate::impact::{ContactRows, ContactSpace};
use crate::numerics::dot;

/// Which branch of the structogram (\[PER\] Fig. 5) gave the solution. It has no others: every problem of one contact ends in
/// one of them, so the list is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DissipationBranch {
    /// The contact separates by itself: no impulse.
    Separating,
    /// No friction: the normal impulse alone.
    Frictionless,
    /// The impulse that stops all contact motion lies in the cone.
    Stick,
    /// On the boundary of the cone, sliding.
    Slide,
    /// Neither separating nor colliding, and the plane meets the cone in its apex only: no impulse.
    Point,
    /// Neither separating nor colliding, and the plane cuts the cone: an impulse without collision, on one of
    /// the two rays in which they meet.
    Ray,
}

impl DissipationBranch {
    /// The name used in answers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Separating => "separating",
            Self::Frictionless => "frictionless",
            Self::Stick => "stick",
            Self::Slide => "slide",
            Self::Point => "point",
            Self::Ray => "ray",
        }
    }
}

/// Shape of the intersection of the plane of maximum compression with the friction cone: the list is closed, as a plane cuts a
/// cone in no other way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConicSection {
    /// Bounded.
    Ellipse,
    /// The plane is parallel to a line of the cone.
    Parabola,
    /// Unbounded: friction alone can press the contact together.
    Hyperbola,
}

/// One contact with the rest of the system folded in: three rows at most, unused ones zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactBlock {
    /// A, rows normal, tangent, second tangent; symmetric positive semidefinite (1/kg).
    pub delassus: Matrix3<f64>,
    /// Contact velocity before, with the impulses of all other contacts applied: −b (m/s).
    pub velocity: Vector3<f64>,
    /// Number of tangents: 0, 1 (planar) or 2 (spatial).
    pub tangents: usize,
    /// Coefficient of friction μ ≥ 0.
    pub friction: f64,
}

/// A normal velocity that is opening by less than this share of the sliding velocity is rounding: the contact
/// counts as neither separating nor colliding.
const RESTING: f64 = 1e-14;
/// Friction above this is a half-space to rounding; keeps the squares of the eccentricity finite.
const LARGEST_FRICTION: f64 = 1e100;

impl ContactBlock {
    /// The block of contact `contact` of a contact space, with the impulse Λ (r) of all other contacts.
    #[must_use]
    pub fn from_space(
        space: &ContactSpace,
        contact: usize,
        impulse: &nalgebra::DVector<f64>,
    ) -> Self {
        let at = &space.contacts[contact];
        let own = at.rows();
        // The matrix is symmetric: its columns are contiguous.
        let column = |row: usize| space.delassus.column(row);
        Self::of_rows(
            at,
            |row, other| column(row)[other],
            |row| {
                let column = column(row);
                let entries = column.as_slice();
                let others = |rows: std::ops::Range<usize>| {
                    dot(&entries[rows.clone()], &impulse.as_slice()[rows])
                };
                space.velocity[row] + others(0..own.start) + others(own.end..entries.len())
            },
        )
    }

    /// The block of a contact of which entries of A and velocities are known by row.
    pub(in crate::impact) fn of_rows(
        contact: &ContactRows,
        entry: impl Fn(usize, usize) -> f64,
        velocity_of: impl Fn(usize) -> f64,
    ) -> Self {
        let mut delassus = Matrix3::zeros();
        let mut velocity = Vector3::zeros();
        for (i, row) in contact.rows().enumerate() {
            velocity[i] = velocity_of(row);
            for (j, other) in contact.rows().enumerate() {
                delassus[(j, i)] = entry(row, other);
            }
        }
        Self {
            delassus,
            velocity,
            tangents: contact.tangents,
            friction: contact.friction,
        }
    }

    /// A with ones for the rows that are not there, so that it has an inverse.
    pub(in crate::impact) fn padded(&self) -> Matrix3<f64> {
        let mut a = self.delassus;
        for unused in self.tangents + 1..3 {
            a[(unused, unused)] = 1.0;
        }
        a
    }

    /// Change of kinetic energy by the impulse x: ½ xᵀA x − xᵀb (J); the objective of \[PER\] (5).
    #[must_use]
    pub fn energy_change(&self, impulse: &Vector3<f64>) -> f64 {
        impulse.dot(&(0.5 * (self.delassus * impulse) + self.velocity))
    }

    /// Contact velocity after the impulse x (m/s).
    #[must_use]
    pub fn velocity_after(&self, impulse: &Vector3<f64>) -> Vector3<f64> {
        self.delassus * impulse + self.velocity
    }

    /// The section of the cone by the plane of maximum compression; none without friction.
    #[must_use]
    pub fn conic_section(&self) -> Option<ConicSection> {
        if self.tangents == 0 || self.friction == 0.0 {
            return None;
        }
        let a = self.delassus;
        let coupling = if self.tangents == 1 {
            a[(1, 0)].abs()
        } else {
            a[(1, 0)].hypot(a[(2, 0)])
        };
        let eccentricity = self.friction * (coupling / a[(0, 0)]);
        Some(if eccentricity < 1.0 {
            ConicSection::Ellipse
        } else if eccentricity > 1.0 {
            ConicSection::Hyperbola
        } else {
            ConicSection::Parabola
        })
    }

    /// The maximally dissipative impulse and the branch that gave it.
    ///
    /// All entries must be finite, the friction not negative and A_nn positive.
    #[must_use]
    #[inline]
    pub fn maximum_dissipation(&self) -> (Vector3<f64>, DissipationBranch) {
        self.dissipate(|| TangentFrame::new(&self.delassus))
    }

    /// The same with the frame of [`ContactBlock::delassus`] at hand.
    #[inline]
    pub(crate) fn maximum_dissipation_in(
        &self,
        frame: &TangentFrame,
    ) -> (Vector3<f64>, DissipationBranch) {
        self.dissipate(|| frame)
    }

    #[inline]
    fn dissipate<F: Borrow<TangentFrame>>(
        &self,
        frame: impl FnOnce() -> F,
    ) -> (Vector3<f64>, DissipationBranch) {
        let v = &self.velocity;
        let sliding = match self.tangents {
            0 => 0.0,
            1 => v[1].abs(),
            _ => v[1].abs().max(v[2].abs()),
        };
        if v[0] > RESTING * sliding {
            return (Vector3::zeros(), DissipationBranch::Separating);
        }
        // b_n and x_n of the frictionless solution, not negative from here on.
        let bn = (-v[0]).max(0.0);
        let beta = bn / self.delassus[(0, 0)];
        if self.tangents == 0 || self.friction == 0.0 {
            return (
                Vector3::new(beta, 0.0, 0.0),
                DissipationBranch::Frictionless,
            );
        }
        let mu = self.friction.min(LARGEST_FRICTION);
        if self.tangents == 1 {
            self.planar(mu, bn, beta)
        } else {
            self.spatial(frame().borrow(), mu, bn, beta)
        }
    }

    /// One tangent: a parabola in one variable over an interval.
    fn planar(&self, mu: f64, bn: f64, beta: f64) -> (Vector3<f64>, DissipationBranch) {
        let a = &self.delassus;
        let coupling = a[(1, 0)] / a[(0, 0)];
        let response = a[(1, 1)] - a[(1, 0)] * coupling;
        // Without a tangential response of its own every feasible impulse has the same effect: take none.
        let stick = if response > SINGULAR * a[(1, 1)] {
            (-self.velocity[1] - coupling * bn) / response
        } else {
            0.0
        };
        // |y| ≤ μ (β − a y), an interval that holds 0.
        let (along, against) = (1.0 + mu * coupling, 1.0 - mu * coupling);
        let high = if along > 0.0 {
            mu * beta / along
        } else {
            f64::INFINITY
        };
        let low = if against > 0.0 {
            -(mu * beta / against)
        } else {
            f64::NEG_INFINITY
        };
        if low <= stick && stick <= high {
            let normal = (beta - coupling * stick).max(stick.abs() / mu);
            return (Vector3::new(normal, stick, 0.0), DissipationBranch::Stick);
        }
        let y = stick.clamp(low, high);
        let branch = if bn > 0.0 {
            DissipationBranch::Slide
        } else if low == high {
            DissipationBranch::Point
        } else {
            DissipationBranch::Ray
        };
        (Vector3::new(y.abs() / mu, y, 0.0), branch)
    }

    /// Two tangents.
    fn spatial(
        &self,
        frame: &TangentFrame,
        mu: f64,
        bn: f64,
        beta: f64,
    ) -> (Vector3<f64>, DissipationBranch) {
        let coupling = frame.coupling;
        let (reduced, stick) = frame.minimum(bn, -self.velocity[1], -self.velocity[2]);
        let sliding = stick.0.hypot(stick.1);
        let stick_normal = beta - coupling * stick.0;
        if sliding <= mu * stick_normal {
            let (t, o) = frame.turned(stick);
            return (Vector3::new(stick_normal, t, o), DissipationBranch::Stick);
        }
        if frame.is_isotropic {
            // The same response in every direction, as between spheres: the nearest point of a circle.
            let branch = if bn > 0.0 {
                DissipationBranch::Slide
            } else {
                DissipationBranch::Point
            };
            let scale = mu * beta / sliding;
            return (Vector3::new(beta, scale * stick.0, scale * stick.1), branch);
        }
        let conic = Conic {
            eccentricity: mu * coupling,
            parameter: mu * beta,
        };
        if bn == 0.0 {
            return match conic.best_ray(&reduced) {
                None => (Vector3::zeros(), DissipationBranch::Point),
                Some((y, radius)) => {
                    let (t, o) = frame.turned(y);
                    (Vector3::new(radius / mu, t, o), DissipationBranch::Ray)
                }
            };
        }
        let (y, radius) = conic.minimum(&reduced, stick, sliding, mu * stick_normal);
        let (t, o) = frame.turned(y);
        (Vector3::new(radius / mu, t, o), DissipationBranch::Slide)
    }
}
