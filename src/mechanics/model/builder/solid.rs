//! Volume and rotational inertia of primitive shapes filled evenly.

use std::f64::consts::PI;

use nalgebra::{Matrix3, Vector3};

use super::Link;
use crate::model::Geometry;

impl Geometry {
    /// Volume \[m³\].
    #[must_use]
    pub fn volume(&self) -> f64 {
        match *self {
            Self::Sphere(r) => 4.0 / 3.0 * PI * r.powi(3),
            Self::Box([x, y, z]) => x * y * z,
            Self::Cylinder(r, length) => PI * r * r * length,
            Self::Capsule(r, length) => PI * r * r * (length + 4.0 / 3.0 * r),
        }
    }

    /// Rotational inertia about the centre of a body of this shape with a mass \[kg\] spread evenly \[kg m²\].
    #[must_use]
    pub fn inertia(&self, mass: f64) -> Matrix3<f64> {
        let about_z = |across: f64, along: f64| Vector3::new(across, across, along);
        let moments = match *self {
            Self::Sphere(r) => Vector3::repeat(0.4 * mass * r * r),
            Self::Box(edges) => {
                let [x, y, z] = edges.map(|s| s * s);
                Vector3::new(y + z, x + z, x + y) * (mass / 12.0)
            }
            Self::Cylinder(r, length) => about_z(
                mass * (3.0 * r * r + length * length) / 12.0,
                0.5 * mass * r * r,
            ),
            Self::Capsule(r, length) => {
                let round = mass * (4.0 / 3.0 * r) / (length + 4.0 / 3.0 * r);
                let straight = mass - round;
                // A hemisphere's centre of mass is 3/8 r from its flat side; both together about the middle.
                let across = straight * (3.0 * r * r + length * length) / 12.0
                    + round * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
                about_z(across, (0.5 * straight + 0.4 * round) * r * r)
            }
        };
        Matrix3::from_diagonal(&moments)
    }
}

impl Link {
    /// A uniform solid of a primitive shape at the origin of the link, of given mass \[kg\].
    #[must_use]
    pub fn solid(self, mass: f64, geometry: &Geometry) -> Self {
        self.inertial(mass, Vector3::zeros(), geometry.inertia(mass))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_and_moments_are_sums_over_small_cells() {
        let shapes = [
            Geometry::Sphere(0.5),
            Geometry::Box([0.6, 0.8, 1.0]),
            Geometry::Cylinder(0.4, 1.1),
            Geometry::Capsule(0.3, 0.7),
        ];
        let inside = |shape: &Geometry, x: &Vector3<f64>| match *shape {
            Geometry::Sphere(r) => x.norm() < r,
            Geometry::Box(edges) => (0..3).all(|k| x[k].abs() < 0.5 * edges[k]),
            Geometry::Cylinder(r, length) => x.x.hypot(x.y) < r && x.z.abs() < 0.5 * length,
            Geometry::Capsule(r, length) => {
                let z = x.z - x.z.clamp(-0.5 * length, 0.5 * length);
                Vector3::new(x.x, x.y, z).norm() < r
            }
        };
        let cells = 80_u32;
        let side = 1.4 / f64::from(cells);
        for shape in shapes {
            let (mut volume, mut moments) = (0.0, Vector3::zeros());
            for i in 0..cells.pow(3) {
                let index = [i % cells, i / cells % cells, i / cells / cells];
                let x = Vector3::from(index.map(|i| (f64::from(i) + 0.5) * side - 0.7));
                if inside(&shape, &x) {
                    volume += side.powi(3);
                    let squares = x.component_mul(&x);
                    moments += (Vector3::repeat(squares.sum()) - squares) * side.powi(3);
                }
            }
            // Cells at the surface: their number times half a cell, some of which cancels.
            assert!((shape.volume() / volume - 1.0).abs() < 0.02, "{shape:?}");
            let inertia = shape.inertia(shape.volume()).diagonal();
            let off = (inertia - moments).component_div(&moments).amax();
            assert!(off < 0.04, "{shape:?} {inertia} {moments}");
        }
    }
}
