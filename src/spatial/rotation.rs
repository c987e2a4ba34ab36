//! Exponential and tangent maps of rigid motions.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | exp(x) | [`exp`] | pose reached by the constant body twist x in unit time |
//! | dexp_x | [`dexp`] | Σ ad_xᵏ/(k+1)!, the left tangent map |
//! | dexp_x⁻¹ | [`dexp_inverse`] | its inverse |
//!
//! Both maps are polynomials of degree four in ad_x because (ad_x² + θ²)² ad_x = 0 with θ = ‖ω‖, so
//! their transposes are the same polynomials in ad_xᵀ. Near θ = 0 the coefficients come from their
//! Taylor series.

use nalgebra::{Matrix3, Vector3};

use super::{Force, Motion, Pose, Scalar, motion::lift};

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
fn rotation_coefficients<T: Scalar>(theta2: T) -> (T, T, T) {
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

/// Pose reached by the body twist `x` (already multiplied by the time) from the identity.
#[must_use]
pub fn exp<T: Scalar>(x: &Motion<T>) -> Pose<T> {
    let w = &x.angular;
    let (a, b, c) = rotation_coefficients(w.norm_squared());
    let s = skew(w);
    let s2 = s * s;
    Pose {
        rotation: Matrix3::identity() + s * a + s2 * b,
        translation: x.linear + s * x.linear * b + s2 * x.linear * c,
    }
}

/// Coefficients of ad, ad², ad³, ad⁴ in dexp.
fn dexp_coefficients<T: Scalar>(theta2: T) -> [T; 4] {
    if theta2 < lift(SERIES_BELOW * SERIES_BELOW) {
        // From Σ ad^k/(k+1)! reduced by ad⁵ = −2θ² ad³ − θ⁴ ad.
        [
            series(
                theta2,
                &[
                    0.5,
                    0.0,
                    -1.0 / 720.0,
                    1.0 / 20_160.0,
                    -1.0 / 1_209_600.0,
                    1.0 / 119_750_400.0,
                ],
            ),
            series(
                theta2,
                &[
                    1.0 / 6.0,
                    0.0,
                    -1.0 / 5040.0,
                    1.0 / 181_440.0,
                    -1.0 / 13_305_600.0,
                    1.0 / 1_556_755_200.0,
                ],
            ),
            series(
                theta2,
                &[
                    1.0 / 24.0,
                    -1.0 / 360.0,
                    1.0 / 13_440.0,
                    -1.0 / 907_200.0,
                    1.0 / 95_800_320.0,
                    -1.0 / 14_529_715_200.0,
                ],
            ),
            series(
                theta2,
                &[
                    1.0 / 120.0,
                    -1.0 / 2520.0,
                    1.0 / 120_960.0,
                    -1.0 / 9_979_200.0,
                    1.0 / 1_245_404_160.0,
                    -1.0 / 217_945_728_000.0,
                ],
            ),
        ]
    } else {
        let theta = theta2.sqrt();
        let (s, c) = theta.sin_cos();
        let two: T = lift(2.0);
        let (t3, t4, t5) = (theta2 * theta, theta2 * theta2, theta2 * theta2 * theta);
        [
            (lift::<T>(4.0) - theta * s - c * lift(4.0)) / (two * theta2),
            (theta * lift(4.0) - s * lift(5.0) + theta * c) / (two * t3),
            (two - theta * s - two * c) / (two * t4),
            (two * theta - s * lift(3.0) + theta * c) / (two * t5),
        ]
    }
}

/// Coefficients of ad² and ad⁴ in dexp⁻¹ (that of ad is −½, that of ad³ is 0).
fn dexp_inverse_coefficients<T: Scalar>(theta2: T) -> [T; 2] {
    if theta2 < lift(SERIES_BELOW * SERIES_BELOW) {
        [
            series(
                theta2,
                &[
                    1.0 / 12.0,
                    0.0,
                    -1.0 / 30_240.0,
                    -1.0 / 604_800.0,
                    -1.0 / 15_966_720.0,
                    -691.0 / 326_918_592_000.0,
                    -1.0 / 14_944_849_920.0,
                ],
            ),
            series(
                theta2,
                &[
                    -1.0 / 720.0,
                    -1.0 / 15_120.0,
                    -1.0 / 403_200.0,
                    -1.0 / 11_975_040.0,
                    -691.0 / 261_534_873_600.0,
                    -1.0 / 12_454_041_600.0,
                    -3617.0 / 1_524_374_691_840_000.0,
                ],
            ),
        ]
    } else {
        let theta = theta2.sqrt();
        let (s, c) = theta.sin_cos();
        let four_versine = (T::one() - c) * lift(4.0);
        [
            lift::<T>(2.0) / theta2 - (theta + s * lift(3.0)) / (theta * four_versine),
            T::one() / (theta2 * theta2) - (theta + s) / (theta2 * theta * four_versine),
        ]
    }
}

/// dexp_x y = Σ ad_xᵏ y/(k+1)!.
#[must_use]
pub fn dexp<T: Scalar>(x: &Motion<T>, y: &Motion<T>) -> Motion<T> {
    let c = dexp_coefficients(x.angular.norm_squared());
    let a1 = x.cross(y);
    let a2 = x.cross(&a1);
    let a3 = x.cross(&a2);
    let a4 = x.cross(&a3);
    *y + a1.scale(c[0]) + a2.scale(c[1]) + a3.scale(c[2]) + a4.scale(c[3])
}

/// dexp_xᵀ h.
#[must_use]
pub fn dexp_transpose<T: Scalar>(x: &Motion<T>, h: &Force<T>) -> Force<T> {
    let c = dexp_coefficients(x.angular.norm_squared());
    let a1 = x.cross_transpose(h);
    let a2 = x.cross_transpose(&a1);
    let a3 = x.cross_transpose(&a2);
    let a4 = x.cross_transpose(&a3);
    *h + a1.scale(c[0]) + a2.scale(c[1]) + a3.scale(c[2]) + a4.scale(c[3])
}

/// dexp_x⁻¹ y.
#[must_use]
pub fn dexp_inverse<T: Scalar>(x: &Motion<T>, y: &Motion<T>) -> Motion<T> {
    let c = dexp_inverse_coefficients(x.angular.norm_squared());
    let a1 = x.cross(y);
    let a2 = x.cross(&a1);
    let a4 = x.cross(&x.cross(&a2));
    *y - a1.scale(lift(0.5)) + a2.scale(c[0]) + a4.scale(c[1])
}

/// dexp_x⁻ᵀ h.
#[must_use]
pub fn dexp_inverse_transpose<T: Scalar>(x: &Motion<T>, h: &Force<T>) -> Force<T> {
    let c = dexp_inverse_coefficients(x.angular.norm_squared());
    let a1 = x.cross_transpose(h);
    let a2 = x.cross_transpose(&a1);
    let a4 = x.cross_transpose(&x.cross_transpose(&a2));
    *h - a1.scale(lift(0.5)) + a2.scale(c[0]) + a4.scale(c[1])
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
