//! Twists, wrenches and rigid transforms.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | V = (v, ω) | [`Motion`] | twist: velocity of the frame's origin and angular velocity |
//! | H, W = (f, n) | [`Force`] | momentum or wrench: linear part, moment about the frame's origin |
//! | X = (R, p) | [`Pose`] | placement of a frame in its parent: x_parent = R x + p |
//! | ad_V | [`Motion::cross`] | Lie bracket of se(3) |
//! | ad_Vᵀ | [`Motion::cross_transpose`] | its transpose, acting on wrenches |
//!
//! A twist and a wrench are written in one frame; their pairing `H · V` is a power (or twice an
//! energy). Order of components is linear first, as in the command line's twists.

use nalgebra::{Matrix3, RealField, Vector3};

/// Number types the dynamics are generic over: `f64`, and dual numbers for exact derivatives.
pub trait Scalar: RealField + Copy {}
impl<T: RealField + Copy> Scalar for T {}

/// A constant in the scalar type at hand.
pub fn lift<T: Scalar>(x: f64) -> T {
    nalgebra::convert(x)
}

/// A vector of constants in the scalar type at hand.
pub fn lift3<T: Scalar>(x: &Vector3<f64>) -> Vector3<T> {
    Vector3::new(lift(x.x), lift(x.y), lift(x.z))
}

/// Twist: linear velocity of the frame's origin \[m/s\] and angular velocity \[rad/s\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Motion<T: Scalar> {
    /// v \[m/s\].
    pub linear: Vector3<T>,
    /// ω \[rad/s\].
    pub angular: Vector3<T>,
}

/// Momentum \[N s, N m s\] or wrench \[N, N m\] about the frame's origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Force<T: Scalar> {
    /// Linear momentum or force.
    pub linear: Vector3<T>,
    /// Angular momentum or moment.
    pub angular: Vector3<T>,
}

/// Placement of a frame in its parent: `x_parent = rotation * x + translation`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose<T: Scalar> {
    /// R.
    pub rotation: Matrix3<T>,
    /// p \[m\].
    pub translation: Vector3<T>,
}

macro_rules! six_vector {
    ($name:ident) => {
        impl<T: Scalar> $name<T> {
            /// From its linear and angular parts.
            #[inline(always)]
            #[must_use]
            pub fn new(linear: Vector3<T>, angular: Vector3<T>) -> Self {
                Self { linear, angular }
            }

            /// The zero vector.
            #[inline(always)]
            #[must_use]
            pub fn zero() -> Self {
                Self::new(Vector3::zeros(), Vector3::zeros())
            }

            /// From six numbers, linear part first.
            #[inline(always)]
            #[must_use]
            pub fn from_slice(x: &[T]) -> Self {
                Self::new(
                    Vector3::new(x[0], x[1], x[2]),
                    Vector3::new(x[3], x[4], x[5]),
                )
            }

            /// Writes six numbers, linear part first.
            #[inline(always)]
            pub fn write(&self, out: &mut [T]) {
                out[..3].copy_from_slice(self.linear.as_slice());
                out[3..6].copy_from_slice(self.angular.as_slice());
            }

            /// Component i of six, linear part first.
            #[inline(always)]
            #[must_use]
            pub fn component(&self, i: usize) -> T {
                if i < 3 {
                    self.linear[i]
                } else {
                    self.angular[i - 3]
                }
            }

            /// Multiplied by a number.
            #[inline(always)]
            #[must_use]
            pub fn scale(&self, s: T) -> Self {
                Self::new(self.linear * s, self.angular * s)
            }
        }

        impl<T: Scalar> std::ops::Add for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                Self::new(self.linear + other.linear, self.angular + other.angular)
            }
        }

        impl<T: Scalar> std::ops::Sub for $name<T> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                Self::new(self.linear - other.linear, self.angular - other.angular)
            }
        }

        impl<T: Scalar> std::ops::AddAssign for $name<T> {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                self.linear += other.linear;
                self.angular += other.angular;
            }
        }
    };
}

six_vector!(Motion);
six_vector!(Force);

impl<T: Scalar> Motion<T> {
    /// Lie bracket ad_V W = (ω × w_v + v × w_ω, ω × w_ω).
    #[inline(always)]
    #[must_use]
    pub fn cross(&self, w: &Self) -> Self {
        Self::new(
            self.angular.cross(&w.linear) + self.linear.cross(&w.angular),
            self.angular.cross(&w.angular),
        )
    }

    /// Transposed bracket ad_Vᵀ H, defined by (ad_Vᵀ H) · W = H · (ad_V W).
    #[inline(always)]
    #[must_use]
    pub fn cross_transpose(&self, h: &Force<T>) -> Force<T> {
        Force::new(
            h.linear.cross(&self.angular),
            h.angular.cross(&self.angular) + h.linear.cross(&self.linear),
        )
    }
}

impl<T: Scalar> Force<T> {
    /// Pairing with a twist: f · v + n · ω.
    #[inline(always)]
    #[must_use]
    pub fn dot(&self, v: &Motion<T>) -> T {
        self.linear.dot(&v.linear) + self.angular.dot(&v.angular)
    }
}

impl<T: Scalar> Pose<T> {
    /// The frame that coincides with its parent.
    #[must_use]
    pub fn identity() -> Self {
        Self {
            rotation: Matrix3::identity(),
            translation: Vector3::zeros(),
        }
    }

    /// From rotation and translation.
    #[must_use]
    pub fn new(rotation: Matrix3<T>, translation: Vector3<T>) -> Self {
        Self {
            rotation,
            translation,
        }
    }

    /// This pose followed by another in its frame: X₁X₂.
    #[inline(always)]
    #[must_use]
    pub fn compose(&self, inner: &Self) -> Self {
        Self {
            rotation: self.rotation * inner.rotation,
            translation: self.rotation * inner.translation + self.translation,
        }
    }

    /// The parent seen from the frame.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self {
            rotation,
            translation: -(rotation * self.translation),
        }
    }

    /// A point of the frame, in the parent.
    #[inline(always)]
    #[must_use]
    pub fn point(&self, x: &Vector3<T>) -> Vector3<T> {
        self.rotation * x + self.translation
    }

    /// A twist of the parent as seen in the frame (Ad of the inverse).
    #[inline(always)]
    #[must_use]
    pub fn motion_to_child(&self, v: &Motion<T>) -> Motion<T> {
        Motion::new(
            self.rotation
                .tr_mul(&(v.linear + v.angular.cross(&self.translation))),
            self.rotation.tr_mul(&v.angular),
        )
    }

    /// A twist of the frame as seen in the parent (Ad).
    #[inline(always)]
    #[must_use]
    pub fn motion_to_parent(&self, v: &Motion<T>) -> Motion<T> {
        let angular = self.rotation * v.angular;
        Motion::new(
            self.rotation * v.linear + self.translation.cross(&angular),
            angular,
        )
    }

    /// A wrench in the frame as seen in the parent (transpose of [`Pose::motion_to_child`]).
    #[inline(always)]
    #[must_use]
    pub fn force_to_parent(&self, h: &Force<T>) -> Force<T> {
        let linear = self.rotation * h.linear;
        Force::new(
            linear,
            self.rotation * h.angular + self.translation.cross(&linear),
        )
    }

    /// A wrench of the parent as seen in the frame (transpose of [`Pose::motion_to_parent`]).
    #[inline(always)]
    #[must_use]
    pub fn force_to_child(&self, h: &Force<T>) -> Force<T> {
        Force::new(
            self.rotation.tr_mul(&h.linear),
            self.rotation
                .tr_mul(&(h.angular - self.translation.cross(&h.linear))),
        )
    }
}

impl Pose<f64> {
    /// The same constant pose in another scalar type.
    #[inline(always)]
    #[must_use]
    pub fn lift<T: Scalar>(&self) -> Pose<T> {
        Pose {
            rotation: self.rotation.map(lift),
            translation: self.translation.map(lift),
        }
    }
}
