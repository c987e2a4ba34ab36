use std::fmt;
use std::sync::Arc;

use nalgebra::Vector3;

use crate::contact::error::check_finite;
use crate::contact::{ContactError, Drawn, HeightField, Material, OwnSurface, Shaking};

/// Shape of a piece of the fixed world.
#[derive(Debug, Clone, PartialEq)]
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
    /// Heights over a grid, smoothly interpolated.
    Heights(Arc<HeightField>),
    /// A smooth surface of one's own.
    Own(OwnSurface),
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
    /// Velocity of its material along the surface, as of the belt of a treadmill \[m/s\]: the surface stays where it
    /// is. Its part across the surface counts for nothing.
    pub velocity: Vector3<f64>,
    /// How the piece moves as a whole; it stands when absent.
    pub shaking: Option<Shaking>,
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
            velocity: Vector3::zeros(),
            shaking: None,
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
            velocity: Vector3::zeros(),
            shaking: None,
        }
    }

    /// A height field.
    #[must_use]
    pub fn heights(name: &str, field: HeightField, material: Material) -> Self {
        Self {
            name: name.to_string(),
            surface: Surface::Heights(Arc::new(field)),
            material,
            velocity: Vector3::zeros(),
            shaking: None,
        }
    }

    /// A smooth surface of one's own.
    #[must_use]
    pub fn own(name: &str, surface: OwnSurface, material: Material) -> Self {
        Self {
            name: name.to_string(),
            surface: Surface::Own(surface),
            material,
            velocity: Vector3::zeros(),
            shaking: None,
        }
    }

    /// The same with a surface that moves in its own plane \[m/s\].
    #[must_use]
    pub fn moving(self, velocity: [f64; 3]) -> Self {
        Self {
            velocity: velocity.into(),
            ..self
        }
    }

    /// The same that goes to and fro as a whole.
    #[must_use]
    pub fn shaken(self, shaking: Shaking) -> Self {
        Self {
            shaking: Some(shaking),
            ..self
        }
    }

    /// What it looks like; nothing of a surface that does not say where it is.
    #[must_use]
    pub fn drawn(&self) -> Option<Drawn> {
        match self.surface.clone() {
            Surface::Plane { point, normal } => Some(Drawn::HalfSpace { point, normal }),
            Surface::Box { min, max } => Some(Drawn::Box { min, max }),
            Surface::Heights(field) => Some(Drawn::Heights(field)),
            Surface::Own(_) => None,
        }
    }

    /// The surface with a unit normal and everything checked.
    pub(in crate::contact) fn normalized(&self) -> Result<Surface, ContactError> {
        let place = |what: &str| format!("terrain \"{}\": {what}", self.name);
        check_finite(&place("velocity"), self.velocity.as_slice())?;
        if let Some(shaking) = &self.shaking {
            shaking.check(&place("shaking"))?;
        }
        match &self.surface {
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
                Ok(Surface::Plane {
                    point: *point,
                    normal,
                })
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
                Ok(self.surface.clone())
            }
            Surface::Heights(_) | Surface::Own(_) => Ok(self.surface.clone()),
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
            Surface::Heights(field) => {
                let ([nx, ny], [x, y], [p, q]) = (field.nodes(), field.origin(), field.cell());
                write!(
                    f,
                    "heights at {nx} x {ny} nodes from ({x}, {y}) m, cells of {p} m x {q} m"
                )?;
            }
            Surface::Own(own) => write!(f, "{own:?}")?,
        }
        let Material {
            friction,
            restitution,
        } = self.material;
        write!(f, ", friction {friction}, restitution {restitution}")?;
        if self.velocity != Vector3::zeros() {
            write!(f, ", moving at {} m/s", triple(&self.velocity))?;
        }
        if let Some(shaking) = &self.shaking {
            let Shaking {
                amplitude,
                frequency,
                phase,
            } = shaking;
            write!(
                f,
                ", shaken by {} m at {frequency} Hz from {phase} rad",
                triple(amplitude)
            )?;
        }
        Ok(())
    }
}
