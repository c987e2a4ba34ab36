//! Springs and dampers, at joints and between points.

use nalgebra::Vector3;

/// Spring and damper of one joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JointSpring {
    /// Body whose joint it acts on.
    pub body: usize,
    /// Position without force \[rad or m\].
    pub rest: f64,
    /// \[N m/rad or N/m\].
    pub stiffness: f64,
    /// \[N m s/rad or N s/m\].
    pub damping: f64,
}

/// Spring and damper between two points of two bodies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointSpring {
    /// The two bodies; `None` is the world.
    pub bodies: [Option<usize>; 2],
    /// The points in the bodies' internal frames (or in the world) \[m\].
    pub points: [Vector3<f64>; 2],
    /// Length without force \[m\].
    pub rest_length: f64,
    /// \[N/m\].
    pub stiffness: f64,
    /// \[N s/m\].
    pub damping: f64,
}
