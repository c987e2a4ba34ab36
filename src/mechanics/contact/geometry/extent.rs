//! Boxes that may be infinite, and the numbers of their faces.

use nalgebra::Vector3;

/// Faces of a box: 2 k below and 2 k + 1 above along axis k.
pub(crate) const FACES: usize = 6;

/// An axis-aligned box, infinite where others continue it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Extent {
    pub min: Vector3<f64>,
    pub max: Vector3<f64>,
}

impl Extent {
    pub fn bound(&self, face: usize) -> f64 {
        if face.is_multiple_of(2) {
            self.min[face / 2]
        } else {
            self.max[face / 2]
        }
    }

    /// How far a point is beyond the nearer face along each axis.
    pub fn all_beyond(&self, x: &Vector3<f64>) -> [f64; 3] {
        [0, 2, 4].map(|face| self.beyond(face, x).max(self.beyond(face + 1, x)))
    }

    /// How far a point is beyond a face.
    pub fn beyond(&self, face: usize, x: &Vector3<f64>) -> f64 {
        if face.is_multiple_of(2) {
            self.min[face / 2] - x[face / 2]
        } else {
            x[face / 2] - self.max[face / 2]
        }
    }

    pub fn open(&mut self, face: usize) {
        if face.is_multiple_of(2) {
            self.min[face / 2] = f64::NEG_INFINITY;
        } else {
            self.max[face / 2] = f64::INFINITY;
        }
    }

    pub fn is_open(&self, face: usize) -> bool {
        self.bound(face).is_infinite()
    }

    pub fn contains(&self, x: &Vector3<f64>) -> bool {
        (0..FACES).all(|face| self.beyond(face, x) <= 0.0)
    }

    /// Whether a point is over the face along axis k, of which the upper sides belong to neighbours.
    pub fn owns(&self, k: usize, x: &Vector3<f64>) -> bool {
        (0..3).all(|j| j == k || (self.min[j] <= x[j] && x[j] < self.max[j]))
    }

    pub fn nearest(&self, x: &Vector3<f64>) -> Vector3<f64> {
        Vector3::from_fn(|k, _| x[k].clamp(self.min[k], self.max[k]))
    }

    pub fn touches(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }
}

/// The face with a normal, unless it is that of an edge or a corner.
pub(crate) fn face_of(normal: &Vector3<f64>) -> Option<usize> {
    let k = normal.iamax();
    let flat = (0..3).all(|j| j == k || normal[j] == 0.0);
    (flat && normal[k] != 0.0).then_some(2 * k + usize::from(normal[k] > 0.0))
}
