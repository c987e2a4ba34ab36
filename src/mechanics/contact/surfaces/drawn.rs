use std::sync::Arc;

use nalgebra::Vector3;

use crate::contact::HeightField;

/// What a piece of terrain looks like where it was declared. Views draw these and know no kind of
/// [`Surface`](crate::contact::Surface).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Drawn {
    /// Half-space below a plane.
    HalfSpace {
        /// A point of the plane \[m\].
        point: Vector3<f64>,
        /// Outward normal, of any length.
        normal: Vector3<f64>,
    },
    /// Axis-aligned box.
    Box {
        /// Lowest corner \[m\].
        min: Vector3<f64>,
        /// Highest corner \[m\].
        max: Vector3<f64>,
    },
    /// Heights over x and y.
    Heights(Arc<HeightField>),
}
