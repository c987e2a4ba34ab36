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

    /// The same body about the origin of the parent frame (parallel-axis theorem).
    #[must_use]
    pub fn to_parent(&self, placement: &Pose<T>) -> Self {
        let r = &placement.rotation;
        let p = &placement.translation;
        let h = r * self.first_moment;
        let (sp, sh) = (skew(p), skew(&h));
        Self {
            mass: self.mass,
            first_moment: h + p * self.mass,
            rotational: r * self.rotational * r.transpose()
                - sp * sp * self.mass
                - sp * sh
                - sh * sp,
        }
    }

    /// Both bodies together.
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
pub struct ArticulatedInertia<T: Scalar> {
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

    /// 𝓘 V.
    #[inline(always)]
    #[must_use]
    pub fn apply(&self, v: &Motion<T>) -> Force<T> {
        Force::new(
            self.linear * v.linear + self.coupling * v.angular,
            self.coupling.tr_mul(&v.linear) + self.angular * v.angular,
        )
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
    pub fn to_parent(&self, placement: &Pose<T>) -> Self {
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
    pub fn to_matrix(&self) -> nalgebra::Matrix6<T> {
        let mut m = nalgebra::Matrix6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.linear);
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.coupling);
        m.fixed_view_mut::<3, 3>(3, 0)
            .copy_from(&self.coupling.transpose());
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.angular);
        m
    }
}
