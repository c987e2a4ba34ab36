//! Spatial inertia of a rigid body and the articulated inertia of a subtree.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | m, m c | [`Inertia::mass`], [`Inertia::first_moment`] | mass, mass times centre of mass |
//! | I_o | [`Inertia::rotational`] | rotational inertia about the frame's origin |
//! | 𝓘 V | [`Inertia::momentum`] | momentum of the twist V |

use nalgebra::{Matrix3, Vector3};

use super::rotation::skew;
use super::{Force, Motion, Pose, Scalar};

/// Inertia of a rigid body about the origin of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inertia<T: Scalar> {
    /// m \[kg\].
    pub mass: T,
    /// m c \[kg m\], c the centre of mass in the frame.
    pub first_moment: Vector3<T>,
    /// I_o \[kg m²\], symmetric.
    pub rotational: Matrix3<T>,
}

impl<T: Scalar> Inertia<T> {
    /// No mass at all.
    #[must_use]
    pub fn zero() -> Self {
        Self {
            mass: T::zero(),
            first_moment: Vector3::zeros(),
            rotational: Matrix3::zeros(),
        }
    }

    /// From mass, centre of mass and rotational inertia about the centre of mass (axes of the frame).
    #[must_use]
    pub fn from_central(mass: T, center: Vector3<T>, central: Matrix3<T>) -> Self {
        let s = skew(&center);
        Self {
            mass,
            first_moment: center * mass,
            rotational: central - s * s * mass,
        }
    }

    /// The same body about the origin of the parent frame.
    #[must_use]
    pub fn to_parent(&self, placement: &Pose<T>) -> Self {
        self.turned(&placement.rotation)
            .shifted(&placement.translation)
    }

    /// The same body with other axes: `r` turns vectors of its frame to those.
    #[inline(always)]
    #[must_use]
    pub fn turned(&self, r: &Matrix3<T>) -> Self {
        let half = r * self.rotational;
        // Symmetric: three rows of which each is shorter than the one before.
        let entry = |i: usize, j: usize| {
            half[(i, 0)] * r[(j, 0)] + half[(i, 1)] * r[(j, 1)] + half[(i, 2)] * r[(j, 2)]
        };
        Self {
            mass: self.mass,
            first_moment: r * self.first_moment,
            rotational: symmetric(
                [entry(0, 0), entry(1, 1), entry(2, 2)],
                [entry(1, 0), entry(2, 0), entry(2, 1)],
            ),
        }
    }

    /// The same body about the origin of a frame of the same axes in which its own origin is at `offset` (parallel-axis
    /// theorem).
    #[inline(always)]
    #[must_use]
    pub fn shifted(&self, offset: &Vector3<T>) -> Self {
        let [x, y, z] = (*offset).into();
        let two = T::one() + T::one();
        let moved = offset * self.mass;
        // I + 2 (g·d) 1 − g dᵀ − d gᵀ with g = m c + m d/2.
        let [a, b, c] = (self.first_moment + moved / two).into();
        let (xx, yy, zz) = (two * a * x, two * b * y, two * c * z);
        let i = &self.rotational;
        Self {
            mass: self.mass,
            first_moment: self.first_moment + moved,
            rotational: symmetric(
                [
                    i[(0, 0)] + (yy + zz),
                    i[(1, 1)] + (xx + zz),
                    i[(2, 2)] + (xx + yy),
                ],
                [
                    i[(1, 0)] - (a * y + b * x),
                    i[(2, 0)] - (a * z + c * x),
                    i[(2, 1)] - (b * z + c * y),
                ],
            ),
        }
    }

    /// Both bodies together.
    #[inline(always)]
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        Self {
            mass: self.mass + other.mass,
            first_moment: self.first_moment + other.first_moment,
            rotational: self.rotational + other.rotational,
        }
    }

    /// Momentum 𝓘 V = (m v − m c × ω, I_o ω + m c × v).
    #[inline(always)]
    #[must_use]
    pub fn momentum(&self, v: &Motion<T>) -> Force<T> {
        Force::new(
            v.linear * self.mass - self.first_moment.cross(&v.angular),
            self.rotational * v.angular + self.first_moment.cross(&v.linear),
        )
    }
}

/// A symmetric matrix by its diagonal and by the entries (1, 0), (2, 0) and (2, 1).
#[inline(always)]
fn symmetric<T: Scalar>(diagonal: [T; 3], lower: [T; 3]) -> Matrix3<T> {
    let ([a, b, c], [d, e, f]) = (diagonal, lower);
    Matrix3::new(a, d, e, d, b, f, e, f, c)
}

impl Inertia<f64> {
    /// Centre of mass in the frame \[m\]; the origin for a massless body.
    #[must_use]
    pub fn center_of_mass(&self) -> Vector3<f64> {
        if self.mass > 0.0 {
            self.first_moment / self.mass
        } else {
            Vector3::zeros()
        }
    }

    /// Rotational inertia about the centre of mass \[kg m²\].
    #[must_use]
    pub fn central(&self) -> Matrix3<f64> {
        let s = skew(&self.center_of_mass());
        self.rotational + s * s * self.mass
    }

    /// The same inertia in another scalar type.
    #[inline(always)]
    #[must_use]
    pub fn lift<T: Scalar>(&self) -> Inertia<T> {
        use super::motion::lift;
        Inertia {
            mass: lift(self.mass),
            first_moment: self.first_moment.map(lift),
            rotational: self.rotational.map(lift),
        }
    }
}

/// Symmetric 6 × 6 inertia of an articulated subtree in blocks: force from linear and angular
/// acceleration. `coupling` is the linear-angular block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ArticulatedInertia<T: Scalar> {
    /// Linear-linear block, symmetric.
    pub linear: Matrix3<T>,
    /// Linear-angular block.
    pub coupling: Matrix3<T>,
    /// Angular-angular block, symmetric.
    pub angular: Matrix3<T>,
}

impl<T: Scalar> ArticulatedInertia<T> {
    /// The inertia of a rigid body.
    #[inline(always)]
    #[must_use]
    pub fn rigid(body: &Inertia<T>) -> Self {
        Self {
            linear: Matrix3::from_diagonal_element(body.mass),
            coupling: skew(&-body.first_moment),
            angular: body.rotational,
        }
    }

    /// Removes the motion along a freed direction: 𝓘 − u uᵀ/d.
    #[inline(always)]
    pub fn project(&mut self, u: &Force<T>, d_inverse: T) {
        let l = u.linear * d_inverse;
        let a = u.angular * d_inverse;
        self.linear -= l * u.linear.transpose();
        self.coupling -= l * u.angular.transpose();
        self.angular -= a * u.angular.transpose();
    }

    /// The same inertia about the origin of the parent frame.
    #[inline(always)]
    #[must_use]
    pub fn in_parent(&self, placement: &Pose<T>) -> Self {
        let r = &placement.rotation;
        let rt = r.transpose();
        let linear = r * self.linear * rt;
        let coupling = r * self.coupling * rt;
        let angular = r * self.angular * rt;
        let s = skew(&placement.translation);
        // X* 𝓘 X⁻¹ in blocks, with s the cross-product matrix of the translation.
        let ls = linear * s;
        let sc = s * coupling;
        Self {
            linear,
            coupling: coupling - ls,
            angular: angular + sc + sc.transpose() - s * ls,
        }
    }

    /// Adds another inertia about the same origin.
    #[inline(always)]
    pub fn accumulate(&mut self, other: &Self) {
        self.linear += other.linear;
        self.coupling += other.coupling;
        self.angular += other.angular;
    }

    /// The 6 × 6 matrix, linear part first.
    #[must_use]
    pub fn matrix(&self) -> nalgebra::Matrix6<T> {
        let mut m = nalgebra::Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.linear);
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.coupling);
        m.fixed_view_mut::<3, 3>(3, 0)
            .copy_from(&self.coupling.transpose());
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.angular);
        m
    }
}
