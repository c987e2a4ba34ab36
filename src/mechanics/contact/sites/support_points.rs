//! A few points that stand for the convex hull of many.

use std::f64::consts::PI;

use nalgebra::Vector3;

/// Directions in which the points are compared with the hull.
const DIRECTIONS: usize = 512;
/// Points at most.
const MOST: usize = 16;
/// Depth that may be missing in any of the directions, as a share of the largest extent.
const SHARE: f64 = 0.01;

/// Points among `all` whose convex hull has, in each of 512 directions spread evenly over the sphere, nearly the support
/// of that of all: at most 16, and as many as it takes to miss at most 1 % of the largest extent. The point that is
/// missing most is added next; the first in the order given among equals.
#[must_use]
pub(crate) fn support_points(all: &[Vector3<f64>]) -> Vec<Vector3<f64>> {
    let support = |points: &[Vector3<f64>], d: &Vector3<f64>| {
        let heights = points.iter().map(|x| x.dot(d)).enumerate();
        heights.fold((0, f64::NEG_INFINITY), |best, (i, height)| {
            if height > best.1 { (i, height) } else { best }
        })
    };
    let directions: Vec<Vector3<f64>> = (0..DIRECTIONS).map(direction).collect();
    let wanted: Vec<(usize, f64)> = directions.iter().map(|d| support(all, d)).collect();
    let extent = directions
        .iter()
        .zip(&wanted)
        .map(|(d, (_, height))| height + support(all, &-d).1);
    let tolerance = SHARE * extent.fold(0.0, f64::max);
    let mut chosen: Vec<Vector3<f64>> = Vec::new();
    while chosen.len() < MOST.min(all.len()) {
        let missing = directions.iter().zip(&wanted).map(|(d, (point, height))| {
            let reached = support(&chosen, d).1;
            (*point, height - reached)
        });
        let most = missing.fold((0, f64::NEG_INFINITY), |most, next| {
            if next.1 > most.1 { next } else { most }
        });
        if most.1 <= tolerance {
            break;
        }
        chosen.push(all[most.0]);
    }
    chosen
}

/// One of the directions: along a spiral from pole to pole, of equal areas and golden turns.
fn direction(i: usize) -> Vector3<f64> {
    let z = 1.0 - (2.0 * i as f64 + 1.0) / DIRECTIONS as f64;
    let (s, c) = (PI * (3.0 - 5.0_f64.sqrt()) * i as f64).sin_cos();
    let across = (1.0 - z * z).sqrt();
    Vector3::new(across * c, across * s, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_of_many_points_is_its_corners() {
        let mut points = Vec::new();
        for i in 0..1000 {
            let k = |divisor: usize| (i / divisor % 10) as f64 / 9.0 - 0.5;
            points.push(Vector3::new(0.3 * k(1), 0.2 * k(10), 0.1 * k(100)));
        }
        let mut chosen = support_points(&points);
        assert_eq!(chosen.len(), 8);
        chosen.retain(|x| (x.abs() - Vector3::new(0.15, 0.1, 0.05)).norm() < 1e-15);
        assert_eq!(chosen.len(), 8);
    }

    #[test]
    fn of_a_ball_no_more_than_16() {
        let points: Vec<_> = (0..DIRECTIONS).map(direction).collect();
        assert_eq!(support_points(&points).len(), MOST);
        assert_eq!(support_points(&points[..1]), points[..1]);
        assert!(support_points(&[]).is_empty());
        assert_eq!(support_points(&[points[3]; 5]), [points[3]]);
    }
}
