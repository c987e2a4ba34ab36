//! Visual meshes for a page: each file once, in sixteen bits a coordinate, coarser where they would be too many.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;

use super::scene::Placement;
use crate::files::{pack_u16, pack_u32};
use crate::model::mesh::{ColoredMesh, TriangleMesh, read_colored_mesh};
use crate::model::{LinkMesh, Model};

/// The text of all meshes of a page takes about this many bytes at most.
pub(crate) const MOST_MESH_BYTES: usize = 4_000_000;
/// A grid of the first try, in extents of the largest mesh; it grows until the meshes fit.
const FIRST_CELL: f64 = 1.0 / 400.0;
const CELL_GROWTH: f64 = 1.4;

/// A mesh on a body.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PlacedMesh {
    /// Body that carries it; `None` is the world.
    pub body: Option<usize>,
    /// Index into the packed meshes.
    pub mesh: usize,
    /// Colour of the robot's description, for parts without one of their own.
    pub color: Option<[f64; 3]>,
    /// In the body's frame.
    #[serde(flatten)]
    pub(crate) placement: Placement,
}

/// Triangles of one file, packed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PackedMesh {
    /// Lowest coordinates \[m\].
    pub low: [f64; 3],
    /// What a unit of the packed coordinates is \[m\].
    pub step: [f64; 3],
    /// Coordinates of the corners, 16 bits each, packed.
    pub vertices: String,
    /// Whether indices have 32 bits, otherwise 16.
    pub wide: bool,
    /// Triangles by colour.
    pub(crate) parts: Vec<PackedPart>,
}

/// Triangles of one colour.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PackedPart {
    /// Red, green and blue from 0 to 1, if the file says.
    pub color: Option<[f64; 3]>,
    /// Indices of corners, packed.
    pub triangles: String,
}

/// The meshes that are shown of a robot, on their bodies.
#[derive(Debug, Clone, Default)]
pub(crate) struct VisualMeshes {
    /// Each file with each scale once \[m\].
    pub meshes: Vec<ColoredMesh>,
    /// Index of the mesh, and the link's mesh.
    pub placed: Vec<(usize, LinkMesh)>,
}

impl VisualMeshes {
    /// Reads the files; one that cannot be read is not shown. Collision meshes stand in where a link has nothing visual.
    pub fn read(model: &Model) -> Self {
        let visual = |link: usize| {
            model
                .meshes()
                .iter()
                .any(|m| m.link == link && !m.collision)
                || model
                    .shapes()
                    .iter()
                    .any(|s| s.link == link && !s.collision)
        };
        let mut known: BTreeMap<(PathBuf, [u64; 3]), Option<usize>> = BTreeMap::new();
        let mut found = Self::default();
        for mesh in model.meshes() {
            if mesh.collision && visual(mesh.link) {
                continue;
            }
            let key = (mesh.file.clone(), mesh.scale.map(f64::to_bits));
            let index = *known.entry(key).or_insert_with(|| {
                let mut read = read_colored_mesh(&mesh.file).ok()?;
                for vertex in &mut read.mesh.vertices {
                    *vertex = std::array::from_fn(|k| vertex[k] * mesh.scale[k]);
                }
                found.meshes.push(read);
                Some(found.meshes.len() - 1)
            });
            if let Some(index) = index {
                found.placed.push((index, mesh.clone()));
            }
        }
        found
    }

    /// Coarser meshes, until their text takes at most `bytes`.
    pub fn simplified(mut self, bytes: usize) -> Self {
        let extent = |mesh: &ColoredMesh| {
            let [low, high] = bounds(&mesh.mesh);
            (0..3).fold(0.0, |m: f64, k| m.max(high[k] - low[k]))
        };
        let cost =
            |meshes: &[ColoredMesh]| meshes.iter().map(|m| text_size(&m.mesh)).sum::<usize>();
        let mut cell = FIRST_CELL * self.meshes.iter().map(extent).fold(0.0, f64::max);
        if cost(&self.meshes) > bytes && cell > 0.0 {
            let whole = std::mem::take(&mut self.meshes);
            loop {
                self.meshes = whole.iter().map(|mesh| clustered(mesh, cell)).collect();
                if cost(&self.meshes) <= bytes {
                    break;
                }
                cell *= CELL_GROWTH;
            }
        }
        self
    }

    /// For a page.
    pub fn packed(&self, model: &Model) -> (Vec<PackedMesh>, Vec<PlacedMesh>) {
        let placed = self.placed.iter().map(|(index, mesh)| {
            let link = &model.links()[mesh.link];
            PlacedMesh {
                body: link.body,
                mesh: *index,
                color: mesh.color,
                placement: Placement::of(&link.pose.compose(&mesh.pose)),
            }
        });
        (self.meshes.iter().map(packed).collect(), placed.collect())
    }
}

fn bounds(mesh: &TriangleMesh) -> [[f64; 3]; 2] {
    let empty = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
    let range = mesh.vertices.iter().fold(empty, |[low, high], x| {
        [
            std::array::from_fn(|k| low[k].min(x[k])),
            std::array::from_fn(|k| high[k].max(x[k])),
        ]
    });
    if mesh.vertices.is_empty() {
        [[0.0; 3]; 2]
    } else {
        range
    }
}

fn is_wide(mesh: &TriangleMesh) -> bool {
    mesh.vertices.len() > usize::from(u16::MAX)
}

/// Bytes of the packed text: base64 takes four for three.
fn text_size(mesh: &TriangleMesh) -> usize {
    let index = if is_wide(mesh) { 4 } else { 2 };
    (6 * mesh.vertices.len() + 3 * index * mesh.triangles.len()) * 4 / 3
}

fn packed(colored: &ColoredMesh) -> PackedMesh {
    let mesh = &colored.mesh;
    let [low, high] = bounds(mesh);
    let most = f64::from(u16::MAX);
    let step: [f64; 3] =
        std::array::from_fn(|k| ((high[k] - low[k]) / most).max(f64::MIN_POSITIVE));
    let numbers = (mesh.vertices.iter())
        .flat_map(|x| (0..3).map(|k| ((x[k] - low[k]) / step[k]).round().clamp(0.0, most) as u16));
    let wide = is_wide(mesh);
    let part = |color: Option<[f64; 3]>, triangles: Vec<[u32; 3]>| {
        let indices = triangles.into_iter().flatten();
        PackedPart {
            color,
            triangles: if wide {
                pack_u32(indices)
            } else {
                pack_u16(indices.map(|i| i as u16))
            },
        }
    };
    let mut parts = Vec::new();
    let mut rest = Vec::new();
    let mut at = 0;
    for (range, color) in &colored.colors {
        rest.extend_from_slice(&mesh.triangles[at..range.start]);
        parts.push(part(Some(*color), mesh.triangles[range.clone()].to_vec()));
        at = range.end;
    }
    rest.extend_from_slice(&mesh.triangles[at..]);
    if !rest.is_empty() {
        parts.push(part(None, rest));
    }
    PackedMesh {
        low,
        step,
        vertices: pack_u16(numbers),
        wide,
        parts,
    }
}

/// Vertices in one cell of a grid become their mean; triangles that have lost their area go.
fn clustered(colored: &ColoredMesh, cell: f64) -> ColoredMesh {
    let mesh = &colored.mesh;
    let [low, _] = bounds(mesh);
    let key =
        |x: &[f64; 3]| -> [u32; 3] { std::array::from_fn(|k| ((x[k] - low[k]) / cell) as u32) };
    let mut order: Vec<([u32; 3], u32)> = (0..)
        .zip(&mesh.vertices)
        .map(|(i, x)| (key(x), i))
        .collect();
    order.sort_unstable();
    let mut place = vec![0; mesh.vertices.len()];
    let mut vertices: Vec<[f64; 3]> = Vec::new();
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        let mut sum = [0.0; 3];
        for (_, i) in group {
            place[*i as usize] = vertices.len() as u32;
            let x = mesh.vertices[*i as usize];
            sum = std::array::from_fn(|k| sum[k] + x[k]);
        }
        vertices.push(sum.map(|x| x / group.len() as f64));
    }
    let mut triangles = Vec::new();
    let mut colors = Vec::new();
    let mut keep = |range: std::ops::Range<usize>| {
        let start = triangles.len();
        let mut kept: Vec<[u32; 3]> = (mesh.triangles[range].iter())
            .map(|t| t.map(|i| place[i as usize]))
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .map(|t| {
                let first = (0..3).min_by_key(|k| t[*k]).unwrap_or(0);
                std::array::from_fn(|k| t[(first + k) % 3])
            })
            .collect();
        kept.sort_unstable();
        kept.dedup();
        triangles.extend(kept);
        start..triangles.len()
    };
    let mut at = 0;
    for (range, color) in &colored.colors {
        keep(at..range.start);
        colors.push((keep(range.clone()), *color));
        at = range.end;
    }
    keep(at..mesh.triangles.len());
    ColoredMesh {
        mesh: TriangleMesh {
            vertices,
            triangles,
        },
        colors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wavy sheet of n × n squares over the unit square, its first half coloured.
    fn sheet(n: u32) -> ColoredMesh {
        let corner = |i: u32, j: u32| i * (n + 1) + j;
        let at = |i: u32, j: u32| {
            let (x, y) = (f64::from(i) / f64::from(n), f64::from(j) / f64::from(n));
            [x, y, 0.1 * (7.0 * x).sin()]
        };
        let squares = || (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)));
        let mesh = TriangleMesh {
            vertices: (0..=n)
                .flat_map(|i| (0..=n).map(move |j| at(i, j)))
                .collect(),
            triangles: squares()
                .flat_map(|(i, j)| {
                    let [a, b, c, d] =
                        [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)].map(|(i, j)| corner(i, j));
                    [[a, b, c], [a, c, d]]
                })
                .collect(),
        };
        let half = mesh.triangles.len() / 2;
        ColoredMesh {
            mesh,
            colors: vec![(0..half, [1.0, 0.0, 0.0])],
        }
    }

    fn area(mesh: &TriangleMesh) -> f64 {
        let corner = |i: u32| nalgebra::Vector3::from(mesh.vertices[i as usize]);
        let areas = mesh.triangles.iter().map(|[a, b, c]| {
            0.5 * (corner(*b) - corner(*a))
                .cross(&(corner(*c) - corner(*a)))
                .norm()
        });
        areas.sum()
    }

    #[test]
    fn many_triangles_become_few_that_look_the_same() {
        let whole = sheet(300);
        let meshes = VisualMeshes {
            meshes: vec![whole.clone()],
            placed: Vec::new(),
        };
        assert!(text_size(&whole.mesh) > 100_000);
        let simple = meshes.simplified(100_000);
        let mesh = &simple.meshes[0];
        assert!(text_size(&mesh.mesh) <= 100_000);
        assert!(mesh.mesh.triangles.len() > 1000);
        // Vertices move by less than a cell, at the border inwards by half of one: with the cells that fit, a few per cent.
        let change = area(&mesh.mesh) / area(&whole.mesh) - 1.0;
        assert!(change.abs() < 0.05, "{change}");
        let colored = mesh.colors[0].0.len() as f64 / mesh.mesh.triangles.len() as f64;
        assert!((colored - 0.5).abs() < 0.05, "{colored}");
    }

    #[test]
    fn meshes_that_fit_stay_as_they_are() {
        let meshes = VisualMeshes {
            meshes: vec![sheet(4)],
            placed: Vec::new(),
        };
        let packed = packed(&meshes.simplified(MOST_MESH_BYTES).meshes[0]);
        // 25 corners of 6 bytes, 16 triangles of 6 bytes in each half; base64 takes four signs for three bytes.
        assert_eq!(packed.vertices.len(), 200);
        let lengths: Vec<usize> = packed.parts.iter().map(|p| p.triangles.len()).collect();
        assert_eq!(lengths, [128, 128]);
        assert!(!packed.wide && packed.parts[1].color.is_none());
    }
}
