//! Convex hull in a plane (Andrew's monotone chain).

use serde::Serialize;

/// A convex polygon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PlanarHull {
    /// Corners, counter-clockwise, without three on a line; fewer than three for a thin set.
    pub vertices: Vec<[f64; 2]>,
    /// Area of the polygon.
    pub area: f64,
}

impl PlanarHull {
    /// Whether a point lies inside or within `tolerance` of it.
    #[must_use]
    pub fn contains(&self, point: [f64; 2], tolerance: f64) -> bool {
        let n = self.vertices.len();
        if n == 0 {
            return false;
        }
        if n >= 3 {
            let inside =
                (0..n).all(|i| turn(self.vertices[i], self.vertices[(i + 1) % n], point) >= 0.0);
            if inside {
                return true;
            }
        }
        (0..n).any(|i| distance(self.vertices[i], self.vertices[(i + 1) % n], point) <= tolerance)
    }
}

/// Hull of some points; those that are not finite are left out.
pub(crate) fn planar_hull(points: impl Iterator<Item = [f64; 2]>) -> PlanarHull {
    let mut sorted: Vec<[f64; 2]> = points
        .filter(|p| p[0].is_finite() && p[1].is_finite())
        .collect();
    sorted.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    sorted.dedup();
    let mut vertices: Vec<[f64; 2]> = Vec::new();
    if sorted.len() < 3 {
        vertices = sorted;
    } else {
        half_chain(&mut vertices, sorted.iter());
        half_chain(&mut vertices, sorted.iter().rev());
    }
    let n = vertices.len();
    let cross = |a: [f64; 2], b: [f64; 2]| a[0] * b[1] - a[1] * b[0];
    let doubled: f64 = (0..n)
        .map(|i| cross(vertices[i], vertices[(i + 1) % n]))
        .sum();
    PlanarHull {
        area: 0.5 * doubled.abs(),
        vertices,
    }
}

/// Appends one half of the hull without its last point, which begins the other half.
fn half_chain<'a>(vertices: &mut Vec<[f64; 2]>, points: impl Iterator<Item = &'a [f64; 2]>) {
    let start = vertices.len();
    for &p in points {
        while vertices.len() >= start + 2
            && turn(
                vertices[vertices.len() - 2],
                vertices[vertices.len() - 1],
                p,
            ) <= 0.0
        {
            vertices.pop();
        }
        vertices.push(p);
    }
    vertices.pop();
}

fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// Distance of c from the segment ab.
fn distance(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    let length = x * x + y * y;
    let along = ((c[0] - a[0]) * x + (c[1] - a[1]) * y) / length;
    let s = if length > 0.0 {
        along.clamp(0.0, 1.0)
    } else {
        0.0
    };
    (c[0] - a[0] - s * x).hypot(c[1] - a[1] - s * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hull_of_a_grid_is_its_frame() {
        let grid = (0..16).map(|i| [f64::from(i % 4), f64::from(i / 4)]);
        let hull = planar_hull(grid);
        assert_eq!(hull.vertices, vec![[0., 0.], [3., 0.], [3., 3.], [0., 3.]]);
        assert!((hull.area - 9.0).abs() < 1e-15);
        assert!(hull.contains([1.5, 2.9], 0.0) && !hull.contains([1.5, 3.1], 0.05));
        assert!(hull.contains([1.5, 3.04], 0.05));
    }

    #[test]
    fn thin_sets_have_no_area() {
        assert_eq!(planar_hull([].into_iter()).vertices.len(), 0);
        assert_eq!(planar_hull([[1.0, 2.0]; 5].into_iter()).vertices.len(), 1);
        let segment = planar_hull((0..5).map(|i| [f64::from(i), 2.0 * f64::from(i)]));
        assert_eq!((segment.vertices.len(), segment.area), (2, 0.0));
        assert!(segment.contains([2.0, 4.0], 1e-12) && !segment.contains([5.0, 10.0], 0.1));
    }
}
