//! A rim where it meets an edge of a box or the rim of a cylinder.

use nalgebra::Vector3;

use super::crossing::{END, TILTED};
use super::gap::{Touch, ball_ball, value};
use crate::spatial::Scalar;

/// What leaves one edge past its end comes onto another there: so far from the end both of them are there \[m\].
const AT_END: f64 = 1e-9;

/// A circle and an edge or a rim at their closest points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RimMeeting<T: Scalar> {
    pub touch: Touch<T>,
    /// How far the nearest end of either is \[m\]: negative past it.
    pub inside: f64,
    /// Largest sine by which n is beyond the normals of faces, or of a rim.
    pub(super) beyond: f64,
    /// Whether the circle is not deeper in the other than its middle, from where other places are nearer.
    pub(super) is_near: bool,
    /// Whether they are closest in a place of their own, in which they are not parallel.
    pub(super) is_apart: bool,
    /// How far it is from where it goes on as another place of the circle \[m\]: negative past that, infinite where it does not.
    pub(super) to_other: f64,
}

impl<T: Scalar> RimMeeting<T> {
    /// Of things that do not meet.
    pub fn nowhere() -> Self {
        Self::spheres([Vector3::zeros(); 2], [T::one(), T::one()])
    }

    /// Of things that only the spheres around them stand for.
    pub(super) fn spheres(centers: [Vector3<T>; 2], radii: [T; 2]) -> Self {
        Self {
            touch: ball_ball(centers, radii),
            inside: f64::NEG_INFINITY,
            beyond: 1.0,
            is_near: false,
            is_apart: false,
            to_other: f64::INFINITY,
        }
    }

    /// How far it is from where it ends or goes on as another place \[m\]: negative past that.
    pub fn seam(&self) -> f64 {
        self.inside.min(self.to_other)
    }

    /// Whether beyond its seam it goes on as another place of the circle.
    pub fn goes_on(&self) -> bool {
        self.to_other <= self.inside
    }

    /// Whether they can touch there, were the shapes not in each other.
    pub fn is_between(&self) -> bool {
        self.is_apart && self.is_near && self.beyond < TILTED && self.seam() > -AT_END
    }

    pub fn is_present(&self) -> bool {
        self.is_between() && self.inside + value(self.touch.gap) >= -AT_END
    }

    /// Whether one that was there has come to its end.
    pub fn has_ended(&self) -> bool {
        let goes_on = self.is_apart && self.beyond < TILTED && self.seam() > END;
        !goes_on
    }
}
