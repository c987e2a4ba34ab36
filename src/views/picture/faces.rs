//! Faces and lines in space, drawn from far to near.

use std::f64::consts::{PI, TAU};

use nalgebra::Vector3;
use plotters::style::RGBColor;

use super::Camera;
use crate::contact::HeightField;
use crate::model::Geometry;
use crate::views::plots::{Stroke, SvgCanvas};

const SIDES: usize = 24;
const RINGS: usize = 12;
/// Width of lines and edges in pixels.
const LINE: f64 = 4.0;
const EDGE: f64 = 0.5;
const SHADOW: f64 = 0.13;

/// Points and the faces between them, by corners in order.
#[derive(Debug, Clone, Default)]
pub(super) struct Solid {
    points: Vec<Vector3<f64>>,
    faces: Vec<Vec<usize>>,
}

impl Solid {
    pub fn map(mut self, place: &impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Self {
        self.points = self.points.iter().map(place).collect();
        self
    }
}

/// Everything that is drawn by its depth.
#[derive(Debug, Clone, Default)]
pub(super) struct Faces {
    points: Vec<Vector3<f64>>,
    faces: Vec<(Vec<usize>, RGBColor)>,
    lines: Vec<([usize; 2], RGBColor)>,
    /// Where the points of each solid begin.
    starts: Vec<usize>,
}

impl Faces {
    pub fn points(&self) -> impl Iterator<Item = &Vector3<f64>> {
        self.points.iter()
    }

    /// Mean of the points.
    pub fn middle(&self) -> Vector3<f64> {
        self.points.iter().sum::<Vector3<f64>>() / self.points.len().max(1) as f64
    }

    pub fn add_points(&mut self, points: impl Iterator<Item = Vector3<f64>>) -> usize {
        let start = self.points.len();
        self.starts.push(start);
        self.points.extend(points);
        start
    }

    pub fn add(&mut self, solid: Solid, color: RGBColor) {
        let start = self.add_points(solid.points.into_iter());
        let faces = solid.faces.into_iter();
        self.faces
            .extend(faces.map(|face| (face.into_iter().map(|i| start + i).collect(), color)));
    }

    pub fn add_triangle(&mut self, corners: [usize; 3], color: RGBColor) {
        self.faces.push((corners.to_vec(), color));
    }

    pub fn add_line(&mut self, ends: [Vector3<f64>; 2], color: RGBColor) {
        let start = self.add_points(ends.into_iter());
        self.lines.push(([start, start + 1], color));
    }

    /// Faces that the eye sees, and lines, from far to near.
    pub fn draw(&self, canvas: &mut SvgCanvas, camera: &Camera) {
        let light = Vector3::new(-0.35, -0.5, 0.8).normalize();
        let depth = |corners: &[usize]| {
            let sum: f64 = corners
                .iter()
                .map(|i| self.points[*i].dot(&camera.to_eye))
                .sum();
            sum / corners.len() as f64
        };
        let mut order: Vec<(f64, usize)> = Vec::new();
        let mut shades = vec![0.0; self.faces.len()];
        for (k, (corners, _)) in self.faces.iter().enumerate() {
            let [a, b, c] = [0, 1, 2].map(|i| self.points[corners[i]]);
            let normal = (b - a).cross(&(c - a));
            if let Some(normal) = normal.try_normalize(0.0)
                && normal.dot(&camera.to_eye) > 1e-6
            {
                shades[k] = 0.6 + 0.44 * normal.dot(&light).max(0.0);
                order.push((depth(corners), k));
            }
        }
        let lines = self.lines.iter().zip(self.faces.len()..);
        order.extend(lines.map(|((ends, _), k)| (depth(ends), k)));
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, k) in order {
            match self.faces.get(k) {
                Some((corners, color)) => {
                    let places = corners.iter().map(|i| camera.project(&self.points[*i]));
                    canvas.polygon(places, shaded(*color, shades[k]), 1.0, Some(EDGE));
                }
                None => {
                    let (ends, color) = self.lines[k - self.faces.len()];
                    let stroke = Stroke {
                        color: shaded(color, 0.8),
                        width: LINE,
                        ..Stroke::curve(0)
                    };
                    canvas.line(ends.map(|i| camera.project(&self.points[i])), stroke);
                }
            }
        }
    }

    /// Outlines of the solids, dropped onto a plane along its normal.
    pub fn draw_shadow(
        &self,
        canvas: &mut SvgCanvas,
        camera: &Camera,
        (point, normal): (&Vector3<f64>, &Vector3<f64>),
    ) {
        if normal.dot(&camera.to_eye) < 0.05 {
            return;
        }
        let ends = self
            .starts
            .iter()
            .skip(1)
            .copied()
            .chain([self.points.len()]);
        let outlines = self.starts.iter().zip(ends).map(|(start, end)| {
            let points = self.points[*start..end].iter();
            let dropped = points.map(|x| camera.project(&(x - normal * (x - point).dot(normal))));
            convex_hull(dropped.collect())
        });
        canvas.outlines(outlines, RGBColor(0, 0, 0), SHADOW);
    }
}

fn shaded(RGBColor(r, g, b): RGBColor, factor: f64) -> RGBColor {
    let part = |x: u8| (f64::from(x) * factor).round().min(255.0) as u8;
    RGBColor(part(r), part(g), part(b))
}

/// Hull of points in the plane, in order around it.
fn convex_hull(mut points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    points.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let half = |points: &mut dyn Iterator<Item = &(f64, f64)>| {
        let mut kept: Vec<(f64, f64)> = Vec::new();
        for p in points {
            while let [.., a, b] = kept[..] {
                if (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0) > 0.0 {
                    break;
                }
                kept.pop();
            }
            kept.push(*p);
        }
        kept.pop();
        kept
    };
    let mut hull = half(&mut points.iter());
    hull.extend(half(&mut points.iter().rev()));
    hull
}

/// A primitive about its own frame.
pub(super) fn shape_faces(geometry: &Geometry) -> Solid {
    match *geometry {
        Geometry::Box(edges) => {
            let half = Vector3::from(edges) / 2.0;
            box_faces(&-half, &half)
        }
        Geometry::Sphere(radius) => turned(&rings(radius, 0.0)),
        Geometry::Cylinder(radius, length) => {
            let h = length / 2.0;
            turned(&[(0.0, -h), (radius, -h), (radius, h), (0.0, h)])
        }
        Geometry::Capsule(radius, length) => turned(&rings(radius, length / 2.0)),
        _ => Solid::default(),
    }
}

/// Radius and height of rings from pole to pole of a ball that is drawn apart by twice `half`.
fn rings(radius: f64, half: f64) -> Vec<(f64, f64)> {
    let at = |i: usize| {
        let (s, c) = (PI * i as f64 / RINGS as f64).sin_cos();
        let apart = if 2 * i < RINGS { -half } else { half };
        (radius * s, apart - radius * c)
    };
    let mut rings: Vec<(f64, f64)> = (0..=RINGS).map(at).collect();
    if half > 0.0 {
        rings.insert(RINGS / 2, (radius, -half));
    }
    rings
}

/// Rings about z, from the lowest to the highest, with faces between them that look outwards.
fn turned(rings: &[(f64, f64)]) -> Solid {
    let mut solid = Solid::default();
    for (radius, height) in rings {
        for k in 0..SIDES {
            let (s, c) = (TAU * k as f64 / SIDES as f64).sin_cos();
            (solid.points).push(Vector3::new(radius * c, radius * s, *height));
        }
    }
    for (j, pair) in rings.windows(2).enumerate() {
        for k in 0..SIDES {
            let [a, b] = [j * SIDES + k, j * SIDES + (k + 1) % SIDES];
            let (c, d) = (b + SIDES, a + SIDES);
            solid
                .faces
                .push(match (pair[0].0 < 1e-12, pair[1].0 < 1e-12) {
                    (true, _) => vec![a, c, d],
                    (_, true) => vec![a, b, d],
                    _ => vec![a, b, c, d],
                });
        }
    }
    solid
}

/// A box between two corners.
pub(super) fn box_faces(min: &Vector3<f64>, max: &Vector3<f64>) -> Solid {
    let corner = |i: usize| {
        let side = |k: usize| if i >> k & 1 == 1 { max[k] } else { min[k] };
        Vector3::new(side(0), side(1), side(2))
    };
    let faces = (0..3).flat_map(|axis| {
        let (a, b) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let high = 1 << axis;
        [
            vec![0, b, a + b, a],
            vec![high, high + a, high + a + b, high + b],
        ]
    });
    Solid {
        points: (0..8).map(corner).collect(),
        faces: faces.collect(),
    }
}

/// The part of a height field within `reach` \[m\] of a point on the map, in squares.
pub(super) fn height_faces(field: &HeightField, middle: &Vector3<f64>, reach: f64) -> Solid {
    const SQUARES: usize = 24;
    let side = 2.0 * reach / SQUARES as f64;
    let point = |i: usize| {
        let (row, column) = (i / (SQUARES + 1), i % (SQUARES + 1));
        let x = middle.x - reach + side * column as f64;
        let y = middle.y - reach + side * row as f64;
        Vector3::new(x, y, field.at(x, y).value)
    };
    let square = |i: usize| {
        let corner = i / SQUARES * (SQUARES + 1) + i % SQUARES;
        vec![
            corner,
            corner + 1,
            corner + SQUARES + 2,
            corner + SQUARES + 1,
        ]
    };
    Solid {
        points: (0..(SQUARES + 1) * (SQUARES + 1)).map(point).collect(),
        faces: (0..SQUARES * SQUARES).map(square).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume inside of faces that look outwards, by the divergence theorem.
    fn volume(solid: &Solid) -> f64 {
        let fans = solid.faces.iter().flat_map(|face| {
            let first = solid.points[face[0]];
            let rest = face[1..].windows(2);
            rest.map(move |pair| (first, solid.points[pair[0]], solid.points[pair[1]]))
        });
        fans.map(|(a, b, c)| a.dot(&b.cross(&c)) / 6.0).sum()
    }

    #[test]
    fn faces_look_outwards_and_enclose_the_shape() {
        // A prism with n sides has n/2 sin(2π/n) r² h: 1.1 % less than the cylinder for 24. In the same way rings cut a ball.
        for (geometry, exact) in [
            (Geometry::Box([1.0, 2.0, 3.0]), 6.0),
            (Geometry::Cylinder(0.5, 2.0), 0.5 * PI),
            (Geometry::Sphere(1.0), 4.0 / 3.0 * PI),
            (Geometry::Capsule(1.0, 2.0), 4.0 / 3.0 * PI + 2.0 * PI),
        ] {
            let ratio = volume(&shape_faces(&geometry)) / exact;
            assert!(
                (0.96..1.0 + 1e-12).contains(&ratio),
                "{geometry:?}: {ratio}"
            );
        }
    }

    #[test]
    fn a_hull_leaves_out_what_is_inside() {
        let hull = convex_hull(vec![
            (0.0, 0.0),
            (2.0, 0.0),
            (1.0, 0.5),
            (2.0, 2.0),
            (0.0, 2.0),
        ]);
        assert_eq!(hull.len(), 4);
    }
}
