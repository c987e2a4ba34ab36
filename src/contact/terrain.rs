use std::fmt;

use nalgebra::Vector3;

use super::error::check_finite;
use super::{ContactError, Material};

/// Shape of a piece of the fixed world.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Surface {
    /// Half-space below a plane of any slope.
    Plane {
        /// A point of the plane \[m\].
        point: Vector3<f64>,
        /// Outward normal, of any length.
        normal: Vector3<f64>,
    },
    /// Axis-aligned box: a step.
    Box {
        /// Lowest corner \[m\].
        min: Vector3<f64>,
        /// Highest corner \[m\].
        max: Vector3<f64>,
    },
}

/// A piece of the fixed world that contact sites can touch.
#[derive(Debug, Clone, PartialEq)]
pub struct Terrain {
    /// Unique name.
    pub name: String,
    /// Shape.
    pub surface: Surface,
    /// Friction and restitution.
    pub material: Material,
}

impl Terrain {
    /// Half-space below the plane through `point` \[m\] with the outward `normal` (any length).
    #[must_use]
    pub fn plane(name: &str, point: [f64; 3], normal: [f64; 3], material: Material) -> Self {
        let surface = Surface::Plane {
            point: point.into(),
            normal: normal.into(),
        };
        Self {
            name: name.to_string(),
            surface,
            material,
        }
    }

    /// Axis-aligned box between two corners \[m\].
    #[must_use]
    pub fn step(name: &str, min: [f64; 3], max: [f64; 3], material: Material) -> Self {
        let surface = Surface::Box {
            min: min.into(),
            max: max.into(),
        };
        Self {
            name: name.to_string(),
            surface,
            material,
        }
    }

    /// The surface with a unit normal and everything checked.
    pub(super) fn normalized(&self) -> Result<Surface, ContactError> {
        let place = |what: &str| format!("terrain \"{}\": {what}", self.name);
        match self.surface {
            Surface::Plane { point, normal } => {
                check_finite(&place("point"), point.as_slice())?;
                check_finite(&place("normal"), normal.as_slice())?;
                let largest = normal.amax();
                if largest == 0.0 {
                    return Err(ContactError::ZeroDirection {
                        place: place("normal"),
                    });
                }
                let normal = (normal / largest).normalize();
                Ok(Surface::Plane { point, normal })
            }
            Surface::Box { min, max } => {
                check_finite(&place("min"), min.as_slice())?;
                check_finite(&place("max"), max.as_slice())?;
                for (axis, k) in ["x", "y", "z"].into_iter().zip(0..) {
                    if min[k] >= max[k] {
                        return Err(ContactError::BadNumber {
                            place: place(&format!("max.{axis}")),
                            value: max[k],
                            range: "greater than min",
                        });
                    }
                }
                Ok(self.surface)
            }
        }
    }
}

impl fmt::Display for Terrain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let triple = |v: &Vector3<f64>| format!("({}, {}, {})", v.x, v.y, v.z);
        write!(f, "{}: ", self.name)?;
        match &self.surface {
            Surface::Plane { point, normal } => write!(
                f,
                "plane through {} m with normal {}",
                triple(point),
                triple(normal)
            )?,
            Surface::Box { min, max } => {
                write!(f, "box from {} to {} m", triple(min), triple(max))?;
            }
        }
        let Material {
            friction,
            restitution,
        } = self.material;
        write!(f, ", friction {friction}, restitution {restitution}")
    }
}
