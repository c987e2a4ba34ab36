//! Smooth surfaces: how far a point is from them, and how their distance bends.

mod capsule;
mod cylinder_side;
mod height_field;
mod heights;
mod spline;

use std::fmt;
use std::sync::Arc;

use nalgebra::{Matrix3, Vector3};

pub(crate) use capsule::Capsule;
pub(crate) use cylinder_side::CylinderSide;
pub use height_field::HeightField;
pub use heights::Height;
pub(crate) use heights::SHORTEST;

/// Where a point is beside a smooth surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Proximity {
    /// Signed distance d \[m\], positive outside.
    pub distance: f64,
    /// Its gradient, the unit normal n out of the surface at the closest point.
    pub normal: Vector3<f64>,
    /// Its second derivative ∇²d \[1/m\]; n is in its null space.
    pub curvature: Matrix3<f64>,
}

/// A surface of class C² by its signed distance. Derivatives must be those of the distance: gaps, contact forces and
/// linearizations rest on them.
///
/// With d the signed distance to a surface of class C², x₁ its point closest to c, S its shape operator there (S n = 0,
/// eigenvalues κ: positive on a hill) and n its normal,
///
/// ```text
/// c = x₁ + d n,     ∇d(c) = n,     ∇²d(c) = (I + d S)⁻¹ S
/// ```
///
/// *Proof.* d = n·(c − x₁), and along a motion δc of the point δx₁ stays in the tangent plane while δn = S δx₁ is
/// across n. So δd = n·δc, which is the gradient. Of c = x₁ + d n the part in the tangent plane says P δc = (I + d S)
/// δx₁, so δn = S (I + d S)⁻¹ P δc, which is the second derivative. ∎ It exists where 1 + d κ > 0: outside of hills
/// everywhere, over valleys up to the radius of their curvature. A ball of radius r has its centre at d = r when it
/// touches, so it needs r κ < 1 in valleys; a larger one would touch in two places at once.
///
/// Value, gradient and second derivative at one point are all that a dual number asks for, so surfaces are functions of
/// plain numbers and gaps are exact in derivatives all the same.
///
/// # Example
///
/// The inside of a bowl, and heights that are any function with two derivatives.
///
/// ```
/// # use carom_mechanics as carom;
/// use carom::contact::{Height, Material, OwnSurface, Proximity, SmoothSurface, Terrain};
/// use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
///
/// /// A hollow sphere around the origin \[m\].
/// #[derive(Debug)]
/// struct Bowl(f64);
/// impl SmoothSurface for Bowl {
///     fn proximity(&self, point: &Vector3<f64>) -> Proximity {
///         let normal = -point.normalize();
///         let across = Matrix3::identity() - normal * normal.transpose();
///         Proximity { distance: self.0 - point.norm(), normal, curvature: across / -point.norm() }
///     }
/// }
///
/// /// Waves along x.
/// #[derive(Debug)]
/// struct Waves;
/// impl SmoothSurface for Waves {
///     fn proximity(&self, point: &Vector3<f64>) -> Proximity {
///         Proximity::of_heights(point, |x, _| Height {
///             value: 0.1 * x.sin(),
///             gradient: Vector2::new(0.1 * x.cos(), 0.0),
///             hessian: Matrix2::new(-0.1 * x.sin(), 0.0, 0.0, 0.0),
///         })
///     }
/// }
///
/// let rubber = Material::new(0.8, 0.0);
/// let bowl = Terrain::own("bowl", OwnSurface::new(Bowl(2.0)), rubber);
/// let waves = Terrain::own("waves", OwnSurface::new(Waves), rubber);
/// // The distance changes by the normal, the normal by the curvature.
/// let at = |x: f64| Waves.proximity(&Vector3::new(x, 0.3, 0.4));
/// let (h, here) = (1e-5, at(0.7));
/// let difference = (at(0.7 + h).distance - at(0.7 - h).distance) / (2.0 * h);
/// assert!((difference - here.normal.x).abs() < 1e-9);
/// let difference = (at(0.7 + h).normal - at(0.7 - h).normal) / (2.0 * h);
/// assert!((difference - here.curvature.column(0)).norm() < 1e-9);
/// # let _ = (bowl, waves);
/// ```
pub trait SmoothSurface: fmt::Debug + Send + Sync {
    /// Distance, normal and curvature at a point \[m\].
    fn proximity(&self, point: &Vector3<f64>) -> Proximity;
}

/// A smooth surface of one's own; equal to itself only.
#[derive(Debug, Clone)]
pub struct OwnSurface(Arc<dyn SmoothSurface>);

impl OwnSurface {
    /// Of something that knows its distance.
    #[must_use]
    pub fn new(surface: impl SmoothSurface + 'static) -> Self {
        Self(Arc::new(surface))
    }
}

impl PartialEq for OwnSurface {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A smooth piece of terrain.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SmoothGround {
    Heights(Arc<HeightField>),
    Own(OwnSurface),
    Capsule(Capsule),
    Side(CylinderSide),
}

impl SmoothGround {
    pub fn proximity(&self, point: &Vector3<f64>) -> Proximity {
        match self {
            Self::Heights(field) => field.proximity(point),
            Self::Own(own) => own.0.proximity(point),
            Self::Capsule(capsule) => capsule.proximity(point),
            Self::Side(side) => side.proximity(point),
        }
    }

    /// The heights that it is made of, if it is.
    pub fn heights(&self) -> Option<&HeightField> {
        match self {
            Self::Heights(field) => Some(field),
            Self::Own(_) | Self::Capsule(_) | Self::Side(_) => None,
        }
    }

    /// Whether it goes around an axis of some length: a circle across that has two lowest points, one on each side of the middle.
    pub fn has_axis(&self) -> bool {
        match self {
            Self::Capsule(capsule) => capsule.half > 0.0,
            Self::Side(_) => true,
            Self::Heights(_) | Self::Own(_) => false,
        }
    }

    /// Whether a body may carry it.
    pub fn is_carried(&self) -> bool {
        matches!(self, Self::Capsule(_) | Self::Side(_))
    }

    /// A point not far from this one \[m\] and what is there, as cheaply as it can be had.
    pub fn nearby(&self, point: &Vector3<f64>) -> (Vector3<f64>, Proximity) {
        match self {
            Self::Heights(field) => {
                let below = field.at(point.x, point.y);
                let foot = Vector3::new(point.x, point.y, below.value);
                (foot, below.proximity())
            }
            Self::Own(_) | Self::Capsule(_) | Self::Side(_) => (*point, self.proximity(point)),
        }
    }

    /// The same as [`SmoothGround::proximity`] with that of a point nearby at hand, from which the search begins.
    pub fn proximity_beside(
        &self,
        point: &Vector3<f64>,
        (nearby, known): (&Vector3<f64>, &Proximity),
    ) -> Proximity {
        match self {
            Self::Heights(field) => {
                let start = known.closest_beside(nearby, point).xy();
                Proximity::from_place(point, start, |x, y| field.at(x, y))
            }
            Self::Own(_) | Self::Capsule(_) | Self::Side(_) => self.proximity(point),
        }
    }
}
