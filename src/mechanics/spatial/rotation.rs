//! Rotations by vectors and as quaternions.
//!
//! Near θ = 0 the coefficients of Rodrigues' formula and of its derivative come from their Taylor series.

use nalgebra::{Matrix3, Vector3};

use super::Scalar;
use super::motion::lift;

/// Below this angle \[rad\] the coefficients are taken from their series: there the series of four
/// terms is exact to 1e-17, while the closed forms lose digits to cancellation like 1e-16/θ⁴.
const SERIES_BELOW: f64 = 0.35;

/// Σ aₖ x² ᵏ by Horner.
fn series<T: Scalar>(x2: T, coefficients: &[f64]) -> T {
    coefficients
        .iter()
        .rev()
        .fold(lift(0.0), |sum, &a| sum * x2 + lift(a))
}

/// sin θ/θ, (1 − cos θ)/θ², (θ − sin θ)/θ³ as functions of θ².
pub(crate) fn rotation_coefficients<T: Scalar>(theta2: T) -> (T, T, T) {
    if theta2 < lift(SERIES_BELOW * SERIES_BELOW) {
        (
            series(
                theta2,
                &[
                    1.0,
                    -1.0 / 6.0,
                    1.0 / 120.0,
                    -1.0 / 5040.0,
                    1.0 / 362_880.0,
                    -1.0 / 39_916_800.0,
                    1.0 / 6_227_020_800.0,
                ],
            ),
            series(
                theta2,
                &[
                    0.5,
                    -1.0 / 24.0,
                    1.0 / 720.0,
                    -1.0 / 40_320.0,
                    1.0 / 3_628_800.0,
                    -1.0 / 479_001_600.0,
                    1.0 / 87_178_291_200.0,
                ],
            ),
            series(
                theta2,
                &[
                    1.0 / 6.0,
                    -1.0 / 120.0,
                    1.0 / 5040.0,
                    -1.0 / 362_880.0,
                    1.0 / 39_916_800.0,
                    -1.0 / 6_227_020_800.0,
                ],
            ),
        )
    } else {
        let theta = theta2.sqrt();
        let (sin, cos) = theta.sin_cos();
        (
            sin / theta,
            (T::one() - cos) / theta2,
            (theta - sin) / (theta2 * theta),
        )
    }
}

/// Cross-product matrix: `skew(a) b = a × b`.
#[must_use]
pub fn skew<T: Scalar>(a: &Vector3<T>) -> Matrix3<T> {
    Matrix3::new(
        T::zero(),
        -a.z,
        a.y,
        a.z,
        T::zero(),
        -a.x,
        -a.y,
        a.x,
        T::zero(),
    )
}

/// Rotation by the vector `w` \[rad\] (Rodrigues).
#[must_use]
pub fn rotation_exp<T: Scalar>(w: &Vector3<T>) -> Matrix3<T> {
    let (a, b, _) = rotation_coefficients(w.norm_squared());
    let s = skew(w);
    Matrix3::identity() + s * a + s * s * b
}

/// Unit quaternion (x, y, z, w) of the rotation vector `w` \[rad\].
#[must_use]
pub fn quaternion_exp<T: Scalar>(w: &Vector3<T>) -> [T; 4] {
    let half = w * lift::<T>(0.5);
    let theta2 = half.norm_squared();
    let (a, _, _) = rotation_coefficients(theta2);
    let cos = if theta2 < lift(SERIES_BELOW * SERIES_BELOW) {
        let (_, b, _) = rotation_coefficients(theta2);
        T::one() - theta2 * b
    } else {
        theta2.sqrt().cos()
    };
    [half.x * a, half.y * a, half.z * a, cos]
}

/// Product of two quaternions (x, y, z, w), brought back to unit length.
#[must_use]
pub fn quaternion_product<T: Scalar>(a: &[T; 4], b: &[T; 4]) -> [T; 4] {
    let [ax, ay, az, aw] = *a;
    let [bx, by, bz, bw] = *b;
    let c = [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ];
    let norm2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + c[3] * c[3];
    let scale = T::one() / norm2.sqrt();
    c.map(|x| x * scale)
}

/// Rotation matrix of a unit quaternion (x, y, z, w).
#[inline]
#[must_use]
pub fn quaternion_to_matrix<T: Scalar>(q: &[T; 4]) -> Matrix3<T> {
    let [x, y, z, w] = *q;
    let two: T = lift(2.0);
    let one = T::one();
    Matrix3::new(
        one - two * (y * y + z * z),
        two * (x * y - w * z),
        two * (x * z + w * y),
        two * (x * y + w * z),
        one - two * (x * x + z * z),
        two * (y * z - w * x),
        two * (x * z - w * y),
        two * (y * z + w * x),
        one - two * (x * x + y * y),
    )
}

/// The unit quaternion (x, y, z, w) of [`rotation_from_rpy`].
#[must_use]
pub fn quaternion_from_rpy(rpy: &[f64; 3]) -> [f64; 4] {
    let [roll, pitch, yaw] = [0, 1, 2].map(|k| {
        let mut turn = Vector3::zeros();
        turn[k] = rpy[k];
        quaternion_exp(&turn)
    });
    quaternion_product(&quaternion_product(&yaw, &pitch), &roll)
}

/// Rotation by roll, pitch and yaw about the fixed axes x, y, z (the convention of URDF) \[rad\].
#[must_use]
pub fn rotation_from_rpy(rpy: &[f64; 3]) -> Matrix3<f64> {
    let (sr, cr) = rpy[0].sin_cos();
    let (sp, cp) = rpy[1].sin_cos();
    let (sy, cy) = rpy[2].sin_cos();
    Matrix3::new(
        cy * cp,
        cy * sp * sr - sy * cr,
        cy * sp * cr + sy * sr,
        sy * cp,
        sy * sp * sr + cy * cr,
        sy * sp * cr - cy * sr,
        -sp,
        cp * sr,
        cp * cr,
    )
}
