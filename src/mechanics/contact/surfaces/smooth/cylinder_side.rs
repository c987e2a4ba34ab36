//! The side of a cylinder as a smooth surface, which goes on beyond its ends.

use nalgebra::{Matrix3, Vector3};

use super::Proximity;

/// All points at `radius` from the z axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CylinderSide {
    /// \[m\], positive.
    pub radius: f64,
}

impl CylinderSide {
    /// Where a point is beside the surface. Of a place on the axis all directions across it are as near: x.
    pub fn proximity(&self, point: &Vector3<f64>) -> Proximity {
        let apart = Vector3::new(point.x, point.y, 0.0);
        let length = apart.norm();
        if length == 0.0 {
            return Proximity {
                distance: -self.radius,
                normal: Vector3::x(),
                curvature: Matrix3::zeros(),
            };
        }
        let normal = apart / length;
        let mut across = Matrix3::identity() - normal * normal.transpose();
        across[(2, 2)] = 0.0;
        Proximity {
            distance: length - self.radius,
            normal,
            curvature: across / length,
        }
    }
}
