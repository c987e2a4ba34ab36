//! Geometries: their corners, and the triangles of their primitives.

use nalgebra::{Matrix3, Matrix4, Vector3};

use super::Reader;
use super::words::{whole_number, whole_numbers};
use crate::model::mesh::{bounded, number, push_fan};
use crate::model::urdf::xml_tree::Element;

/// Surface colours by the names that geometries have for them.
type Materials<'a> = [(&'a str, [f64; 3])];

/// Where the corners of a primitive are.
struct Inputs {
    /// Place of the corner among the numbers of a tuple.
    offset: usize,
    /// Numbers of a tuple.
    stride: usize,
    positions: Vec<[f64; 3]>,
}

impl<'a> Reader<'a> {
    pub(super) fn geometry(
        &mut self,
        geometry: &'a Element,
        placed: &Matrix4<f64>,
        materials: &Materials<'_>,
    ) -> Result<(), String> {
        let Some(mesh) = geometry.child("mesh") else {
            return Ok(());
        };
        // A reflection turns triangles inside out.
        let turned: Matrix3<f64> = placed.fixed_view::<3, 3>(0, 0).into_owned();
        let reflected = turned.determinant() < 0.0;
        for primitive in &mesh.children {
            let kind = primitive.name.as_str();
            if !matches!(
                kind,
                "triangles" | "polylist" | "polygons" | "tristrips" | "trifans"
            ) {
                continue;
            }
            let fail = |reason: String| format!("line {}: {reason}", primitive.line);
            let first = self.answer.mesh.triangles.len();
            let start = u32::try_from(self.answer.mesh.vertices.len())
                .map_err(|_| fail("it has too many vertices".to_string()))?;
            let Some(inputs) = self.inputs(primitive).map_err(fail)? else {
                continue;
            };
            let count = inputs.positions.len();
            bounded(&self.answer.mesh, count / 3)?;
            let corner = |index: u32| match (index as usize) < count {
                true => Ok(start + index),
                false => Err(format!("corner {index} of {count}")),
            };
            let mesh = &mut self.answer.mesh;
            (mesh.vertices).extend(inputs.positions.iter().map(|x| {
                let x: Vector3<f64> = (placed * Vector3::from(*x).push(1.0)).xyz();
                <[f64; 3]>::from(x)
            }));
            let mut polygon = Vec::new();
            for list in primitive.children.iter().filter(|c| c.name == "p") {
                let mut corners = Vec::new();
                for tuple in whole_numbers(&list.text)
                    .map_err(fail)?
                    .chunks_exact(inputs.stride)
                {
                    corners.push(corner(tuple[inputs.offset]).map_err(fail)?);
                }
                match kind {
                    "polygons" | "trifans" => push_fan(mesh, &corners)?,
                    "tristrips" => {
                        for (i, t) in corners.windows(3).enumerate() {
                            let [a, b] = [t[i % 2], t[1 - i % 2]];
                            push_fan(mesh, &[a, b, t[2]])?;
                        }
                    }
                    "polylist" => {
                        let counts = primitive.child("vcount").map_or("", |c| c.text.as_str());
                        let mut rest = corners.into_iter();
                        for size in whole_numbers(counts).map_err(fail)? {
                            polygon.clear();
                            polygon.extend(rest.by_ref().take(size as usize));
                            push_fan(mesh, &polygon)?;
                        }
                    }
                    _ => {
                        bounded(mesh, corners.len() / 3)?;
                        let triples = corners.chunks_exact(3);
                        (mesh.triangles).extend(triples.map(|t| [t[0], t[1], t[2]]));
                    }
                }
            }
            let range = first..mesh.triangles.len();
            if reflected {
                for triangle in &mut mesh.triangles[range.clone()] {
                    triangle.swap(1, 2);
                }
            }
            let symbol = primitive.attribute("material");
            if let Some((_, color)) = materials.iter().find(|(name, _)| Some(*name) == symbol) {
                self.answer.colors.push((range, *color));
            }
        }
        Ok(())
    }

    fn inputs(&self, primitive: &Element) -> Result<Option<Inputs>, String> {
        let mut stride = 1;
        let mut corner = None;
        for input in primitive.children.iter().filter(|c| c.name == "input") {
            let offset = match input.attribute("offset") {
                Some(text) => whole_number(text)? as usize,
                None => 0,
            };
            // Normals, colours and a few sets of textures.
            if offset > 63 {
                return Err(format!("an input with offset {offset}"));
            }
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                corner = input.attribute("source").map(|source| (offset, source));
            }
        }
        let Some((offset, reference)) = corner else {
            return Ok(None);
        };
        let source = self.by_reference(reference).and_then(|vertices| {
            let inputs = vertices.children.iter().filter(|c| c.name == "input");
            let mut places = inputs.filter(|c| c.attribute("semantic") == Some("POSITION"));
            self.by_reference(places.next()?.attribute("source")?)
        });
        match source {
            Some(source) => Ok(Some(Inputs {
                offset,
                stride,
                positions: positions(source)?,
            })),
            None => Err("its positions are missing".to_string()),
        }
    }
}

fn positions(source: &Element) -> Result<Vec<[f64; 3]>, String> {
    let fail = |reason: String| format!("line {}: {reason}", source.line);
    let text = source.child("float_array").map_or("", |array| &array.text);
    let numbers: Result<Vec<f64>, String> = text.split_ascii_whitespace().map(number).collect();
    let numbers = numbers.map_err(fail)?;
    let accessor = source
        .child("technique_common")
        .and_then(|technique| technique.child("accessor"));
    let stated = |name: &str, default: u32| match accessor.and_then(|a| a.attribute(name)) {
        Some(text) => whole_number(text).map_err(fail),
        None => Ok(default),
    };
    let (stride, offset) = (stated("stride", 3)? as usize, stated("offset", 0)? as usize);
    if stride < 3 {
        return Err(fail(format!("positions with {stride} numbers each")));
    }
    let used = numbers.get(offset..).unwrap_or_default();
    Ok(used
        .chunks_exact(stride)
        .map(|x| [x[0], x[1], x[2]])
        .collect())
}
