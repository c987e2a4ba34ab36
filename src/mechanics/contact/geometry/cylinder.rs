//! Balls against a cylinder with flat ends.

use nalgebra::Vector3;

use super::gap::{Touch, length_and_direction, value};
use crate::spatial::{Scalar, lift};

/// Both ends and the side of a cylinder.
pub(crate) const CYLINDER_FACES: usize = 3;
/// The face that is neither the lower end (0) nor the upper one (1).
pub(crate) const SIDE: usize = 2;

/// Around the z axis, the origin in its middle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cylinder {
    /// \[m\], positive.
    pub radius: f64,
    /// Half of its length \[m\], positive.
    pub half: f64,
}

impl Cylinder {
    /// Ball against the cylinder. Inside, the nearest of side and ends counts.
    pub fn touch<T: Scalar>(&self, center: &Vector3<T>, radius: T) -> Touch<T> {
        let (outward, beyond) = self.beyond_side(center);
        let up = if value(center.z) < 0.0 {
            -T::one()
        } else {
            T::one()
        };
        let above = center.z * up - lift(self.half);
        let end = Vector3::new(T::zero(), T::zero(), up);
        let over_rim = outward * beyond + end * above;
        let (height, normal) = match (beyond > T::zero(), above > T::zero()) {
            (true, true) => length_and_direction(&over_rim).unwrap_or((above, end)),
            _ if above > beyond => (above, end),
            _ => (beyond, outward),
        };
        Touch::new(center, radius, normal, height)
    }

    /// The same with one face alone, which goes on.
    pub fn touch_face<T: Scalar>(&self, center: &Vector3<T>, radius: T, face: usize) -> Touch<T> {
        if face == SIDE {
            let (outward, beyond) = self.beyond_side(center);
            return Touch::new(center, radius, outward, beyond);
        }
        let up = if face == 0 { -T::one() } else { T::one() };
        let end = Vector3::new(T::zero(), T::zero(), up);
        Touch::new(center, radius, end, center.z * up - lift(self.half))
    }

    /// Direction from the axis and distance from the side; x on the axis.
    fn beyond_side<T: Scalar>(&self, x: &Vector3<T>) -> (Vector3<T>, T) {
        let radial = Vector3::new(x.x, x.y, T::zero());
        let (distance, outward) =
            length_and_direction(&radial).unwrap_or((T::zero(), Vector3::x()));
        (outward, distance - lift(self.radius))
    }

    /// The face with a normal, unless it is that of a rim.
    pub fn face_of(normal: &Vector3<f64>) -> Option<usize> {
        match (normal.x == 0.0 && normal.y == 0.0, normal.z == 0.0) {
            (true, false) => Some(usize::from(normal.z > 0.0)),
            (false, true) => Some(SIDE),
            _ => None,
        }
    }

    /// How far a place is beyond the side and beyond the nearer end.
    pub fn beyond(&self, x: &Vector3<f64>) -> [f64; 2] {
        [x.x.hypot(x.y) - self.radius, x.z.abs() - self.half]
    }

    /// The side and the end at whose rim a place is, to within a length.
    pub fn faces_at_rim(&self, x: &Vector3<f64>, length: f64) -> Option<[usize; 2]> {
        let at_rim = self.beyond(x).iter().all(|beyond| beyond.abs() <= length);
        at_rim.then(|| [SIDE, usize::from(x.z > 0.0)])
    }

    /// In-surface distance from a place on a face to its rim, negative beyond it.
    pub fn rim_distance(&self, place: &Vector3<f64>, face: usize) -> f64 {
        let [beyond, above] = self.beyond(place);
        if face == SIDE { -above } else { -beyond }
    }
}
