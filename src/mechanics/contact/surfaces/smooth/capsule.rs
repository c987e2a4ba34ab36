//! Spheres and capsules as smooth surfaces: all points at one distance from a point or a segment.

use nalgebra::{Matrix3, Vector3};

use super::Proximity;

/// The points at `radius` from the segment from −`half` to `half` along z; a sphere where that has no length. The
/// curvature jumps where the ends of a capsule begin, nothing else does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Capsule {
    /// \[m\], positive.
    pub radius: f64,
    /// \[m\], at least 0.
    pub half: f64,
}

impl Capsule {
    /// Where a point is beside the surface. Of a place on the axis all directions across it are as near: x, or z in the
    /// centre of a sphere.
    pub fn proximity(&self, point: &Vector3<f64>) -> Proximity {
        let along = point.z.clamp(-self.half, self.half);
        let apart = point - Vector3::new(0.0, 0.0, along);
        let length = apart.norm();
        if length == 0.0 {
            return Proximity {
                distance: -self.radius,
                normal: if self.half > 0.0 {
                    Vector3::x()
                } else {
                    Vector3::z()
                },
                curvature: Matrix3::zeros(),
            };
        }
        let normal = apart / length;
        let mut across = Matrix3::identity() - normal * normal.transpose();
        if along == point.z && self.half > 0.0 {
            across[(2, 2)] = 0.0;
        }
        Proximity {
            distance: length - self.radius,
            normal,
            curvature: across / length,
        }
    }

    /// In-surface distance from a place to where the nearer end begins, negative on it; infinite on a sphere.
    pub fn end_distance(&self, point: &Vector3<f64>) -> f64 {
        if self.half > 0.0 {
            self.half - point.z.abs()
        } else {
            f64::INFINITY
        }
    }
}
