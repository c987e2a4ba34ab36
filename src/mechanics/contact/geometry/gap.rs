//! Closest points of the shapes of sites to the surfaces of terrains.
//!
//! | symbol | here | meaning |
//! |---|---|---|
//! | φ | [`Touch::gap`] | signed distance \[m\], negative when the site is inside |
//! | n | [`Touch::normal`] | unit normal, out of side 1 |
//! | x₀, x₁ | [`Touch::points`] | closest points of site and surface, x₀ = x₁ + φ n |
//!
//! A site is a ball (point or sphere) or a circle (arc or disc edge) with a tube around it. By the
//! envelope theorem Dφ = nᵀ(J(x₀) − J(x₁)) although x₀ moves along a circle.

use std::f64::consts::TAU;

use nalgebra::{Vector3, convert_unchecked};

use crate::spatial::{Scalar, lift, lift3};

/// Closest points of two sides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Touch<T: Scalar> {
    pub gap: T,
    pub normal: Vector3<T>,
    pub points: [Vector3<T>; 2],
    /// Where on a circle, unless there is no choice \[rad\].
    pub angle: Option<f64>,
}

impl<T: Scalar> Touch<T> {
    /// Of a ball whose centre is at the signed distance `height` from side 1 along `normal`.
    pub fn new(center: &Vector3<T>, radius: T, normal: Vector3<T>, height: T) -> Self {
        Self {
            gap: height - radius,
            normal,
            points: [center - normal * radius, center - normal * height],
            angle: None,
        }
    }

    /// Without the derivatives.
    pub fn numbers(&self) -> Touch<f64> {
        Touch {
            gap: value(self.gap),
            normal: self.normal.map(value),
            points: self.points.map(|x| x.map(value)),
            angle: self.angle,
        }
    }

    /// Of a circle's point at an angle.
    pub fn at(self, angle: f64) -> Self {
        Self {
            angle: Some(angle),
            ..self
        }
    }
}

/// The number without its derivatives.
pub(crate) fn value<T: Scalar>(x: T) -> f64 {
    convert_unchecked(x)
}

/// A circle in the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Circle<T: Scalar> {
    pub center: Vector3<T>,
    /// Orthonormal, in the circle's plane.
    pub axes: [Vector3<T>; 2],
    pub radius: T,
    /// Radius of the tube around the circle.
    pub tube: T,
    /// First and last angle of an arc; `None` for the full circle.
    pub range: Option<[f64; 2]>,
}

impl<T: Scalar> Circle<T> {
    /// The point at an angle, given by its cosine and sine.
    pub fn point(&self, cosine: T, sine: T) -> Vector3<T> {
        self.center + self.radial(cosine, sine) * self.radius
    }

    /// Unit vector from the centre to the point.
    pub fn radial(&self, cosine: T, sine: T) -> Vector3<T> {
        self.axes[0] * cosine + self.axes[1] * sine
    }

    /// Point at a constant angle \[rad\].
    pub fn point_at(&self, angle: f64) -> Vector3<T> {
        let (sine, cosine) = angle.sin_cos();
        self.point(lift(cosine), lift(sine))
    }

    /// Cosine and sine of the point furthest along a direction; `None` when the sine of the angle
    /// between the direction and the circle's axis is at most `flat`, where every point is as far.
    pub fn furthest(&self, direction: &Vector3<T>, flat: f64) -> Option<[T; 2]> {
        let a = self.axes[0].dot(direction);
        let b = self.axes[1].dot(direction);
        let square = a * a + b * b;
        if value(square) <= flat * flat * value(direction.norm_squared()) {
            return None;
        }
        let norm = square.sqrt();
        Some([a / norm, b / norm])
    }

    /// Whether the angle belongs to the arc.
    pub fn has(&self, angle: f64) -> bool {
        self.range.is_none_or(|[start, end]| {
            let turns = ((start - angle) / TAU).ceil();
            angle + turns * TAU <= end
        })
    }

    /// Without the derivatives.
    pub fn numbers(&self) -> Circle<f64> {
        Circle {
            center: self.center.map(value),
            axes: self.axes.map(|a| a.map(value)),
            radius: value(self.radius),
            tube: value(self.tube),
            range: self.range,
        }
    }

    /// Some angle of the arc.
    pub fn middle(&self) -> f64 {
        self.range.map_or(0.0, |[start, end]| 0.5 * (start + end))
    }
}

/// Ball against a half-space below a plane with a unit normal.
pub(crate) fn ball_plane<T: Scalar>(
    center: &Vector3<T>,
    radius: T,
    point: &Vector3<f64>,
    normal: &Vector3<f64>,
) -> Touch<T> {
    let normal = lift3::<T>(normal);
    let height = normal.dot(&(center - lift3::<T>(point)));
    Touch::new(center, radius, normal, height)
}

/// Ball against an axis-aligned box; `inward` points from its centre into the body that it belongs to, and decides between
/// faces that are as near; zero where that is not asked. `reach` as of [`box_distance`].
pub(crate) fn ball_box<T: Scalar>(
    center: &Vector3<T>,
    radius: T,
    (min, max): (&Vector3<f64>, &Vector3<f64>),
    inward: &Vector3<f64>,
    reach: impl Fn(usize, f64) -> f64,
) -> Touch<T> {
    let (height, normal) = box_distance(center, min, max, inward, reach);
    Touch::new(center, radius, normal, height)
}

/// Ball against ball: centres and radii. Concentric balls separate upwards.
pub(crate) fn ball_ball<T: Scalar>(centers: [Vector3<T>; 2], radii: [T; 2]) -> Touch<T> {
    let apart = centers[0] - centers[1];
    let (distance, normal) = length_and_direction(&apart).unwrap_or((T::zero(), Vector3::z()));
    Touch {
        gap: distance - (radii[0] + radii[1]),
        normal,
        points: [
            centers[0] - normal * radii[0],
            centers[1] + normal * radii[1],
        ],
        angle: None,
    }
}

/// Length and unit vector without underflow; `None` for the zero vector.
pub(crate) fn length_and_direction<T: Scalar>(x: &Vector3<T>) -> Option<(T, Vector3<T>)> {
    let scale = x.iter().fold(0.0_f64, |m, c| m.max(value(*c).abs()));
    if scale == 0.0 {
        return None;
    }
    let scaled = x / lift::<T>(scale);
    let norm = scaled.norm_squared().sqrt();
    Some((norm * lift(scale), scaled / norm))
}

/// What a point may be beside a face and still over it \[m\]: corners of equal boxes that stand on each other differ by
/// roundings, which are no direction.
pub(crate) const BESIDE: f64 = 1e-8;

/// What is no deeper than this \[m\] touches: more than what contacts may be deep that are held.
pub(crate) const DEEP: f64 = 1e-6;

/// How far a box with these edges from a corner reaches behind the plane through that across a unit vector \[m\].
pub(crate) fn reach_behind(edges: &[Vector3<f64>; 3], out: &Vector3<f64>) -> f64 {
    edges.iter().map(|edge| (-edge.dot(out)).max(0.0)).sum()
}

/// Signed distance of a point to an axis-aligned box and the unit normal there. Inside, the nearest
/// face counts, of a point on a level with one that through which all of its solid is out soonest; of several as near that on
/// whose side `inward` leads, then z before y before x, upper before lower. Where `inward` is zero nothing is as near but what is
/// equal. `reach` says of an axis and ±1 how far the solid reaches behind the plane through the point there \[m\].
pub(crate) fn box_distance<T: Scalar>(
    x: &Vector3<T>,
    min: &Vector3<f64>,
    max: &Vector3<f64>,
    inward: &Vector3<f64>,
    reach: impl Fn(usize, f64) -> f64,
) -> (T, Vector3<T>) {
    let beside = if inward.iter().all(|x| *x == 0.0) {
        0.0
    } else {
        BESIDE
    };
    let mut apart = Vector3::zeros();
    let faces = [2, 1, 0].map(|k| {
        let (above, below) = (x[k] - lift(max[k]), lift::<T>(min[k]) - x[k]);
        let (height, sign) = if value(above) >= value(below) {
            (above, 1.0)
        } else {
            (below, -1.0)
        };
        if value(height) > beside {
            apart[k] = height * lift(sign);
        }
        (k, height, sign)
    });
    if let Some(away) = length_and_direction(&apart) {
        return away;
    }
    let highest = |heights: &[f64; 3]| heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut heights = faces.map(|(_, height, _)| value(height));
    // Through a face that it is on a level with, its solid behind it, nothing came in.
    if beside > 0.0 && highest(&heights) >= -beside {
        for (height, (k, _, sign)) in heights.iter_mut().zip(&faces) {
            *height -= reach(*k, *sign);
        }
    }
    let nearest = highest(&heights);
    let mut best = (f64::NEG_INFINITY, T::zero(), Vector3::zeros());
    for ((k, height, sign), out) in faces.into_iter().zip(heights) {
        let leads = sign * inward[k];
        if out >= nearest - beside && leads > best.0 {
            let mut normal = Vector3::zeros();
            normal[k] = lift(sign);
            best = (leads, height, normal);
        }
    }
    (best.1, best.2)
}
